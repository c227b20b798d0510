"""The check of short forms (maths 9.4): false withdrawals, the interval, forms that cost much."""

import copy
import math
from typing import NamedTuple

import numpy as np
import pytest

import askless as al
from askless.core.words import CAUTION, LOG_WEALTH, STANDS, WITHDRAWN
from askless.environments.base import first_respondents
from askless.policies import short_choice
from askless.policies.short_choice import Terms
from askless.policies.short_state import ShortState
from boundary_worlds import DELTA, WORLDS, within
from sizes import whole

LEVEL = 0.05


class Setting(NamedTuple):
    """Full visits at which a form costs `loss` on average, whatever came before."""

    differ: float  # share of visits on which the two arms differ
    loss: float  # a visit, in units of the range
    saving: float
    visits: int
    ends: bool = True  # rewards of 0 and 1; else near their mean
    level: float = 0.5  # mean of the two arms; 0.5 is expected, whatever it is


SETTINGS = [
    Setting(0.1, 0.02, 0.02, 600),
    Setting(0.5, 0.02, 0.02, 600, level=0.8),
    Setting(1.0, 0.05, 0.05, 400),
    Setting(0.05, 0.04, 0.04, 800),
    Setting(0.3, 0.002, 0.002, 800),
    Setting(0.2, 0.1, 0.1, 400),
    Setting(0.3, 0.05, 0.05, 600, ends=False),
    Setting(0.02, 0.01, 0.01, 1_500),
    Setting(0.7, 0.3, 0.3, 300),
    Setting(0.1, 0.0, 0.01, 800),
]


def state():
    return ShortState(al.Survey.unit(2), 2, Terms(0.002, None, None, 0.02))


def play(setting, run, *, toss=0.5, peeks=0.0, look=False):
    """Go through a run; returns whether a form was withdrawn and, if wanted, the loss missed.

    Mutants: a `toss` that is not fair, an expected reward that `peeks` at it.
    """
    rng = np.random.default_rng([run, round(1e4 * setting.differ), round(1e4 * setting.loss)])
    short, missed = state(), False
    shorts = short.shorts
    shorts.counts[STANDS] = 1
    gap = setting.loss / setting.differ  # where arms differ, all of the loss is there
    for _ in range(setting.visits):
        x, lam = 0.0, shorts.bet(setting.saving)
        if rng.random() < setting.differ and rng.random() < 0.5:
            full = rng.random() < toss
            mean = setting.level + (gap / 2 if full else -gap / 2)
            y = float(rng.random() < mean) if setting.ends else mean + rng.uniform(-0.1, 0.1)
            expected = 0.5 + (-peeks if full else peeks)
            x = (4 if full else -4) * (y - expected)
        if shorts.enter(x, lam, setting.saving):
            shorts.counts[STANDS] = 1  # chosen anew at once
        if look:
            _, low, high = short.loss()
            missed |= not low <= setting.loss <= high
    return bool(shorts.counts[WITHDRAWN]), missed


@pytest.mark.parametrize("setting", SETTINGS[:4], ids=str)
def test_a_form_that_is_worth_it_is_rarely_withdrawn(setting):
    """At the boundary, where the loss is the saving. `make guarantee` plays 4,000 runs."""
    runs = whole(4_000, 120)
    withdrawn = sum(play(setting, run)[0] for run in range(runs))
    assert within(withdrawn, runs, LEVEL)


@pytest.mark.parametrize("setting", SETTINGS[:4], ids=str)
def test_the_interval_holds_the_loss_at_all_times(setting):
    """Looked at after every visit; `make guarantee` has ten settings and 1,000 runs each."""
    runs = whole(1_000, 40)
    missed = sum(play(setting, run, look=True)[1] for run in range(runs))
    assert within(missed, runs, LEVEL)


@pytest.mark.parametrize("mutant", [{"toss": 0.6}, {"peeks": 0.1}], ids=["toss", "peeking"])
def test_the_bound_notices_an_unfair_toss_and_a_guess_that_has_seen_it(mutant):
    setting = Setting(0.5, 0.02, 0.02, 1_500, level=0.8)
    runs = 60
    assert not within(sum(play(setting, run, **mutant)[0] for run in range(runs)), runs, LEVEL)


def test_wealth_and_bets_by_hand():
    short = state()
    numbers, shorts = short.shorts.numbers, short.shorts
    shorts.counts[STANDS] = 1
    assert shorts.bet(0.02) == pytest.approx(0.02 / 0.25)
    assert not shorts.enter(2.0, 0.08, 0.02)
    assert numbers[LOG_WEALTH] == pytest.approx(math.log(1 + 0.08 * 1.98))
    forget, x = 299 / 300, 1.98
    weight, total, squares = forget + 1, x, forget / 4 + x * x
    mean = total / weight
    kelly = mean / (squares / weight + mean**2)
    assert shorts.bet(0.02) == pytest.approx(min(kelly, 0.5 / 4.02))
    numbers[LOG_WEALTH] = math.log(2 / 0.05)
    assert shorts.enter(0.0, 0.0, 0.02)
    assert (numbers[LOG_WEALTH], numbers[CAUTION], short.withdrawn) == (0.0, 0.5, 1)
    assert short.form is None


def test_a_form_that_is_forced_to_be_bad_is_withdrawn(monkeypatch):
    """The form leaves out the one question that matters, which costs far more than it saves."""
    world = al.LinearEnvironment(
        al.Survey.unit(4),
        arms=["a", "b"],
        reward=(0, 1),
        coefficients=np.array([[0, 0.6, 0, 0, 0], [0, -0.6, 0, 0, 0]]),
        noise="two_point",
    )
    best = short_choice.best_at

    def blind(survey, forming, price):
        found = best(survey, forming, price)
        if price == 0.002:  # not after a withdrawal, which halves it
            found.form[0] = False
        return found

    monkeypatch.setattr(short_choice, "best_at", blind)
    # Where arms differ, on half of the visits, the form costs 0.3: X is 0.15 a full visit on
    # average and 1 squared, so a bet of 1/8 grows by 0.15/8 - 1/128 > 0.01: some hundreds of them.
    for seed in range(5):
        policy = al.SurveyBandit(
            world.survey, arms=world.arms, reward=(0, 1), beta_min=0.1, full_floor=0.3, seed=seed
        )
        player, drops = policy.player(), np.zeros((2, 4), dtype=np.int64)
        for block in first_respondents(world, seed, 0, 20_000):
            player.play(block, 0, drops)
            if policy.short_form().withdrawn:
                break
        found = policy.short_form()
        assert found.withdrawn == 1
        assert found.loss[2] > 0
        for block in first_respondents(world, seed, 1, 2_000):
            player.play(block, 0, drops)
        assert "x1" in policy.short_form().questions  # chosen again, it is there


@pytest.mark.parametrize("name", ["two-point noise", "correlated answers", "skips"])
def test_wrong_drops_are_as_rare_as_promised_with_short_forms(name):
    """Section 8's boundary worlds; `make guarantee` plays all of them, 1,200 runs each."""
    runs = whole(200, 60)
    wrong, gone = zip(*(drops_of(WORLDS[name], run) for run in range(runs)), strict=True)
    assert within(sum(wrong), runs, DELTA)
    assert np.mean(gone) > 1 / 3  # else nothing would have been tried


def drops_of(world, run):
    """Whether a useful question goes in a run with short forms, and what share of the useless."""
    environment = world.environment
    policy = al.SurveyBandit(
        environment.survey,
        arms=environment.arms,
        reward=environment.reward,
        beta_min=world.beta_min,
        delta=DELTA,
        price=0.005,
        full_floor=0.5,
    )
    done = al.simulate(policy, environment, 2 * world.horizon, seed=run).runs[0]
    return done.useful_dropped > 0, float((~done.support)[~environment.useful].mean())


def test_rewards_of_an_epoch_do_not_choose_its_rows_beside_short_forms():
    """Other rewards in the rows of one block: the same arms, kinds and questions until it ends.

    The rows are those that the arm's block has learned. Fails if a check is learned by it, or if
    full visits, forms, their share or withdrawals look at the block under way.
    """
    survey = al.Survey.unit(5)
    table = np.zeros((4, 6))
    table[0, 1], table[1, 2], table[2, 3], table[3, 5] = 0.2, 0.24, 0.16, 0.1
    world = al.LinearEnvironment(
        survey, arms=list("abcd"), reward=(0, 1), coefficients=table, spread=0.3
    )
    fresh = al.SurveyBandit(
        survey, arms=world.arms, reward=(0, 1), beta_min=0.1, price=0.01, full_floor=0.6
    )
    (block,) = first_respondents(world, 3, 0, 1_000)
    contexts, rewards = block.contexts, block.rewards
    drops = np.zeros((4, 5), dtype=np.int64)

    policy, where = copy.deepcopy(fresh), []
    player, epochs = policy.player(), policy._model.epochs
    for i in range(len(contexts)):
        before = np.array([epochs.held, epochs.ended])
        player.play(al.Block(contexts[i : i + 1], rewards[i : i + 1]), i, drops)
        learned = np.flatnonzero((np.array([epochs.held, epochs.ended]) != before).any(axis=0))
        where.append((int(learned[0]), int(before[1, learned[0]])) if len(learned) else (-1, -1))
    where = np.array(where)

    def replay(others):
        again = copy.deepcopy(fresh)
        done = again.player().play(al.Block(contexts, others), 0, drops)
        return done.arms, done.asked, again.short_form()

    arms, asked, form = replay(rewards)
    assert form.visits - form.full > 100
    assert (where[:, 0] == -1).sum() > form.visits - form.full + 20  # checks, beside short visits
    rng, tried = np.random.default_rng(1), 0
    for k, number in np.unique(where[where[:, 0] >= 0], axis=0):
        rows = np.flatnonzero((where == (k, number)).all(axis=1))
        if len(rows) < 5:
            continue
        other = rewards.copy()
        other[rows, k] = rng.permutation(1 - other[rows, k])
        until, (played, questions, _) = rows[-1] + 1, replay(other)
        assert (played[:until] == arms[:until]).all()
        assert (questions[:until] == asked[:until]).all()
        tried += 1
    assert tried >= 20
