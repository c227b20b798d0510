"""Figures of a plan are those that are counted by hand, visit by visit."""

import math

import numpy as np
import pytest

import askless as al
from askless.evaluation.outcomes import Outcome
from small_plans import EVERYTHING, OWN, SMALL


def by_hand(world, policy, seed, count):
    """Play a world visit by visit; returns what a plan counts, from what the visits say."""
    names = [arm.name for arm in world.arms]
    asked = paid = got = started = 0.0
    lost, t = math.inf, 0
    for block in world.respondents(seed, 0):
        for i in range(len(block.luck)):
            t += 1
            z = block.contexts[i]
            answers = world.survey.decode(z)
            may = (
                names
                if block.allowed is None
                else [n for n, ok in zip(names, block.allowed[i], strict=True) if ok]
            )
            visit = policy.visit(arms=may)
            while visit.asks:
                visit.answer({question: answers[question] for question in visit.asks})
            means = world.coefficients @ z
            asked += len(visit.asked)
            started += 0.98 ** -len(visit.asked)
            paid += sum(q.cost for q in world.survey if q.name in visit.asked)
            expected = means[visit.arm_index] + world.reward.middle
            got += expected
            before = policy.support
            low, span = world.reward.low, world.reward.span
            if world.spread:
                reward = expected + world.spread * (2 * block.luck[i] - 1)
            else:
                reward = low + span if block.luck[i] < (expected - low) / span else low
            policy.learn(visit, round((reward - low) / span * 16384) / 16384 * span + low)
            if (before & ~policy.support & world.useful).any():
                lost = min(lost, t)
            if t == count:
                return asked, paid, got, lost, started
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("text", [SMALL, EVERYTHING])
def test_figures_are_those_counted_by_hand_visit_by_visit(text):
    study = al.Study.parse(text)
    count = 300
    found = al.plan(study, respondents=[count], worlds=20, seed=4, workers=1)
    for way in (w for w in found.ways if w.ours):
        outcome = found.outcomes[way.label, count]
        for number in (0, 7, 13):
            world = found.prior.world(number, seed=4)
            settings = {key: value for key, value in way.policy.items() if key != "name"}
            policy = al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, **settings)
            policy._stream = (4 * 0x9E3779B97F4A7C15 + 1) % 2**64  # the simulator's draws
            asked, paid, got, lost, started = by_hand(world, policy, 4, count)
            assert outcome.asked[number, -1] == asked
            assert outcome.cost[number, -1] == pytest.approx(paid)
            assert outcome.reward[number, -1] == pytest.approx(got)
            assert outcome.lost[number] == lost
            # Every visit by itself: the mean length of many would say too few.
            expected = started if found.dropout else count
            assert outcome.started[number, -1] == pytest.approx(expected)


@pytest.mark.parametrize("text", [SMALL, EVERYTHING])
def test_one_arm_for_all_is_tested_and_sent_by_hand(text):
    """A fifth get the arms that they may get in turn; the rest the one whose mean was highest."""
    found = al.plan(al.Study.parse(text), respondents=[100], worlds=20, seed=4, workers=1)
    outcome = found.outcomes["one arm for all", 100]
    assert not outcome.asked.any()
    for number in (0, 9, 19):
        world = found.prior.world(number, seed=4)
        block = next(world.respondents(4, 0))
        means = block.contexts @ world.coefficients.T + world.reward.middle
        got, seen = 0.0, {k: [] for k in range(len(world.arms))}
        for t in range(100):
            every = range(len(world.arms))
            may = [k for k in every if block.allowed is None or block.allowed[t, k]]
            arm = may[t % len(may)]
            if t < 20:
                seen[arm].append(block.rewards[t, arm])
            else:
                arm = max(may, key=lambda k: np.mean(seen[k]) if seen[k] else -math.inf)
            got += means[t, arm]
        assert outcome.reward[number, -1] == pytest.approx(got)


def test_who_gives_up_brings_nothing_and_teaches_nothing():
    """Four questions are asked of everyone, then two, by hand."""
    visits = np.array([100.0, 200.0, 400.0])
    asked = np.array([[400.0, 600.0, 1000.0]])
    reward = np.array([[100.0, 250.0, 650.0]])
    started = np.cumsum([[100 * 0.9**-4, 100 * 0.9**-2, 200 * 0.9**-2]], axis=1)
    outcome = Outcome(visits, asked, 2 * asked, reward, started, np.array([math.inf]))
    read = outcome.at(100 * 0.9**-4)
    assert (read.completed[0], read.reward[0]) == pytest.approx((100, 100))
    read = outcome.at(100 * 0.9**-4 + 150 * 0.9**-2)
    assert (read.completed[0], read.asked[0], read.cost[0]) == pytest.approx((250, 700, 1400))
    assert read.reward[0] == pytest.approx(250 + 50 * 2)


def test_a_pilot_is_a_share_of_those_who_start(leaving):
    """Of 400 who start 0.95⁵ answer five questions; and where nobody leaves, of all."""
    for plan, planned in ((leaving[0], round(400 * 0.95**5)), (None, 400)):
        study = al.Study.parse(SMALL) if plan is None else plan.study
        own = plan or al.plan(study, respondents=[400], prices=(), worlds=20, workers=1)
        outcome = own.outcomes["pilot of 10%", 400]
        pilot = math.ceil(0.1 * planned)
        asked = np.array([np.interp(pilot, outcome.visits, row) for row in outcome.asked])
        assert asked.max() <= 5 * pilot + 1e-9
        assert asked.mean() > 0.97 * 5 * pilot  # everything, up to there
        later = outcome.asked[:, -1] - asked
        assert later.mean() < 0.8 * 5 * (outcome.visits[-1] - pilot)


def test_net_is_less_the_price_of_what_questions_cost():
    text = SMALL.replace("name: donor", "name: donor, cost: 4")
    assert text != SMALL
    found = al.plan(al.Study.parse(text), respondents=[60], prices=(), worlds=20, workers=1)
    outcome, figures = found.outcomes[OWN, 60], found.figures(OWN, 60)
    paid = 0.02 * outcome.cost[:, -1] / 60
    assert (outcome.cost[:, -1] > 1.2 * outcome.asked[:, -1]).all()
    np.testing.assert_allclose(figures.net, figures.reward - paid)
    assert found.forecast(OWN, 60).cost.middle == pytest.approx(np.median(outcome.cost[:, -1]) / 60)
