"""Epoch SurveyUCB against a dense oracle (maths 5), and what it promises beyond its numbers."""

import copy
import json
import math

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError, StateError
from askless.kernels.outcome import outcome
from askless.policies import files
from askless.simulation.simulate import MIX
from naive_epoch import NaiveEpoch
from worlds import mixed_world, random_answers, random_arm, small_sets, survey_of

SCALES = [("scale", 1, False)] * 5
EVERY = [
    ("scale", 1, False),
    ("yes_no", 1, False),
    ("choice", 5, False),
    ("multi", 3, False),
    ("scale", 1, True),
    ("choice", 3, True),
    ("yes_no", 1, True),
    ("multi", 2, True),
]
CHOICES = [("choice", 5, False), ("scale", 1, False), ("choice", 3, True)]
RAW = [("raw", 1, False)] * 4


def grid(values):
    return np.round(np.asarray(values) * 1024) / 1024


def as_given(_, answers):
    return answers


def correlated(rng, answers):
    """Scales that share half of their variance."""
    common = rng.random()
    return {q: (a + common) / 2 if isinstance(a, float) else a for q, a in answers.items()}


def without_the_last_option(_, answers):
    """Nobody chooses the first question's last option."""
    return answers | {"choice0": "o0" if answers["choice0"] == "o4" else answers["choice0"]}


def twins(_, answers):
    """The second scale is the first one again: A is singular, and neither effect is estimable."""
    return answers | {"scale1": answers["scale0"]}


class World:
    """Respondents with answers bent by `change`; useful questions have an effect of 0.5 R."""

    def __init__(self, questions, arms, *, change=as_given, reward=(10, 12), noise=0.05, seed=0):
        self.questions, self.arms, self.noise, self.change = questions, arms, noise, change
        self.survey = survey_of(questions)
        self.centred = al.Survey(self.survey.questions)
        self.reward = (0, 1) if self.survey.coding == "raw" else reward
        self.rng = np.random.default_rng([seed, len(questions)])
        self.truth = []
        for _ in range(arms):
            effects = np.zeros(len(questions))
            effects[self.rng.integers(len(questions))] = 0.5
            self.truth.append(0.9 * random_arm(self.centred, self.rng, effects))

    def policy(self, **settings):
        names = [f"arm{k}" for k in range(self.arms)]
        return al.EpochSurveyUCB(self.survey, arms=names, reward=self.reward, **settings)

    def pair(self, **settings):
        """The policy, and the oracle with the same settings, every default written down."""
        policy = self.policy(**settings)
        raw = self.survey.coding == "raw"
        own = {"delta": 0.1 if raw else 0.05, "alpha": 1.0 if raw else 5.0}
        own |= {"sigma": (self.reward[1] - self.reward[0]) / 2}
        own |= {"b2": math.hypot(max(map(abs, self.reward)), np.ptp(self.reward))} if raw else {}
        return policy, NaiveEpoch(
            self.survey, self.questions, self.arms, self.reward, **(own | settings)
        )

    def answers(self):
        return self.change(self.rng, random_answers(self.survey, self.rng))

    def reward_of(self, arm, answers):
        """Noise of two points, `noise` of the range apart from the mean."""
        mean = float(self.centred.encode(answers) @ self.truth[arm])
        if self.noise == 0.5:
            share = float(self.rng.random() < mean + 0.5)
        else:
            share = np.clip(mean + self.rng.choice([-1, 1]) * self.noise, -0.5, 0.5) + 0.5
        return float(self.reward[0] + (self.reward[1] - self.reward[0]) * share)


def assert_same_arm(policy, naive, k):
    """Everything that the page says about an arm between two blocks."""
    epochs, state = policy._model.epochs, policy._model.arms
    assert policy.support[k].tolist() == naive.support[k].tolist()
    assert_same_set(state, naive, k)
    assert_same_decision(policy, naive, k)
    assert epochs.ended[k] == naive.ends[k]
    assert policy.warm[k] == naive.warm[k]
    assert policy.rows[k] == naive.n[k] + len(naive.rows[k])
    assert state.n[k] == naive.n[k]
    assert epochs.held[k] == len(naive.rows[k])
    assert epochs.need[k] == naive.need[k]
    logs, passed = np.vstack(naive.logs[k]), np.vstack(naive.passed[k])
    close(epochs.logs[k], logs, atol=1e-8 * max(1.0, np.abs(logs).max()))
    close(epochs.pace[k], np.vstack(naive.pace[k]), atol=1e-10)
    assert epochs.passed[k].astype(bool).tolist() == passed.tolist()
    dropped = {g: at for g, (_, at) in naive.dropped_by[k].items()}
    assert {int(g): state.dropped_at[k, g] for g in np.flatnonzero(~policy.support[k])} == dropped


def assert_same_set(state, naive, k):
    """The confidence set: its estimate and radius."""
    kept, _, estimate, theta = naive.frozen[k]
    assert state.columns[k, : state.size[k]].tolist() == kept.tolist()
    close(state.estimate[k, : state.size[k]], estimate, atol=1e-10 * naive.span)
    close(state.radius[k], theta)


def assert_same_decision(policy, naive, k):
    """What the arm is chosen by: noise, ridge, active questions, means and width."""
    state = policy._model.arms
    close(state.noise[k], naive.noise[k])
    close(state.ridge[k], naive.penalty[k])
    close([state.misfit[k], state.freedom[k]], [naive.rss[k], naive.df[k]], atol=1e-9)
    assert policy.active[k].tolist() == naive.active[k].tolist()
    assert policy.undecided[k] == naive.undecided[k].sum()
    kept, _, coefficients, width = naive.scoring(k)
    expected = np.zeros(naive.p)
    expected[kept] = coefficients
    close(policy.estimate[k], expected, atol=1e-9 * naive.span)
    close(policy.width[k], width)


def close(one, other, *, atol=0.0):
    np.testing.assert_allclose(one, other, rtol=1e-7, atol=atol)


def run(world, policy, naive, visits, *, random_arms=0.0):
    """Feed both the same rows; compare them at every block's end, and every visit's decision."""
    ends, everyone = 0, np.ones(world.arms, dtype=bool)
    for _ in range(visits):
        answers = world.answers()
        z = world.survey.encode({q: answers[q] for q in policy.asked_now()})
        number = policy._next_number
        close(policy.ucb(z), naive.scores(z), atol=1e-9 * naive.span)
        started = naive.starter(everyone, number) is not None
        winner = naive.winner(z, everyone, number)
        assert policy._decide(z, everyone, number).arm == winner
        drawn = policy._drawn(policy._decide(z, everyone, number), everyone, number)
        close(drawn.propensities, naive.chances(winner, everyone, number, started), atol=1e-12)
        coins = policy.coins(number, 1)[0]
        arm = policy.play(z)
        assert arm == drawn.arm == naive.drawn(winner, everyone, number, coins, started)
        if world.rng.random() < random_arms:
            arm = int(world.rng.integers(world.arms))
        reward = world.reward_of(arm, answers)
        policy.learn_row(arm, z, reward)
        if naive.learn(arm, z, reward):
            ends += 1
            assert_same_arm(policy, naive, arm)
        else:
            assert policy._model.epochs.ended[arm] == naive.ends[arm]
    for k in range(world.arms):
        assert_same_arm(policy, naive, k)
    return ends


@pytest.mark.parametrize(
    ("questions", "change", "noise", "beta_min", "settings", "seen"),
    [
        (SCALES, as_given, 0.05, 0.5, {}, "adaptive"),
        (SCALES, as_given, 0.5, 0.5, {"payback": False}, "hoeffding"),
        (SCALES, as_given, 0.05, 0.6, {"growth": 2.0, "delta": 0.2, "alpha": 1.0}, "adaptive"),
        (SCALES, correlated, 0.1, 0.3, {"growth": 1.1, "explore": 0.5}, "adaptive"),
        (SCALES, twins, 0.05, 0.5, {}, "not estimable"),
        (EVERY, as_given, 0.05, 0.6, {}, "adaptive"),
        (EVERY, as_given, 0.2, 0.3, {"explore_floor": 0.2, "judge_skips": False}, "adaptive"),
        (CHOICES, without_the_last_option, 0.05, 0.6, {}, "not estimable"),
        (SCALES, as_given, 0.2, 0.3, {"optimism": "valid"}, "adaptive"),
        (RAW, as_given, 0.05, 0.3, {"optimism": 0.5}, "adaptive"),
        (RAW, as_given, 0.5, 0.3, {}, "hoeffding"),
    ],
)
def test_agrees_with_the_dense_oracle_visit_by_visit(
    questions, change, noise, beta_min, settings, seen
):
    """Fails on any slip in what a visit gets, blocks' ends, bets, thresholds, drops or models."""
    world = World(questions, 3, change=change, noise=noise)
    policy, naive = world.pair(beta_min=beta_min, **settings)
    ends = run(world, policy, naive, 1500 if questions is SCALES else 5000, random_arms=0.1)
    assert ends > 15
    assert naive.kinds[seen] > 0
    assert not policy.warm.all()


def test_the_oracle_has_gone_every_way_of_paying_and_of_dropping():
    """Fails if the comparison above no longer reaches a branch of the rule."""
    kinds, tests = {}, set()
    for questions, change, noise, settings in (
        (SCALES, as_given, 0.05, {"beta_min": 0.5}),
        (SCALES, as_given, 0.5, {"beta_min": 0.5}),
        (SCALES, twins, 0.05, {"beta_min": 0.5, "sigma": 0.1, "b2": 0.3}),
    ):
        world = World(questions, 2, change=change, noise=noise, seed=1)
        policy, naive = world.pair(**settings)
        run(world, policy, naive, 1500)
        kinds = {kind: kinds.get(kind, 0) + count for kind, count in naive.kinds.items()}
        for k in range(2):
            for g, (by, _) in naive.dropped_by[k].items():
                named = {1: "epochs", 2: "ellipsoid"}[int(policy._model.epochs.test[k, g])]
                assert named in by
                tests |= by
    assert kinds["adaptive"] > 0
    assert kinds["hoeffding"] > 0
    assert kinds["not estimable"] > 0
    assert tests == {"epochs", "ellipsoid"}


@pytest.mark.parametrize("questions", [SCALES, RAW], ids=["centred", "raw"])
def test_predictions_are_clipped_to_the_reward_range(questions):
    """Fails if residuals are those of predictions that no reward can have."""
    world = World(questions, 1, noise=0.5)
    policy, naive = world.pair(beta_min=0.5, alpha=0.01)
    run(world, policy, naive, 600)
    assert naive.clips > 3


def test_nothing_is_tested_or_dropped_with_beta_min_zero():
    """Fails if logarithms grow, or models do not change at the same rows, without a threshold."""
    world = World(SCALES, 2)
    policy, naive = world.pair(beta_min=0)
    assert run(world, policy, naive, 1000) > 8
    assert not policy._model.epochs.logs.any()
    assert policy.support.all()


# -- when an epoch ends --------------------------------------------------------------------------


def moving(place):
    """Answers near one end of every scale; `place` says which."""
    return lambda rng, answers: {q: (a * 0.2 + 0.8 * place["end"]) for q, a in answers.items()}


@pytest.mark.parametrize("beta_min", [0, 0.5])
def test_contexts_that_move_end_an_epoch_early(beta_min):
    """Fails if the look is at other rows than every 32nd, in a first epoch, or at another ratio."""
    place = {"end": 0.0}
    world = World(SCALES, 1, change=moving(place), noise=0.4)
    policy, naive = world.pair(beta_min=beta_min)
    run(world, policy, naive, 1000)
    assert naive.drifts == 0
    for end in (1.0, 0.5, 0.0):
        place["end"] = end
        run(world, policy, naive, 1000)
    assert naive.drifts > 0


def test_an_epoch_that_ends_with_too_few_rows_is_not_tested():
    """Fails if an epoch of 32 rows is tested although it has 23 columns."""
    place = {"end": 0.0}
    world = World([("scale", 1, False)] * 22, 1, change=moving(place), noise=0.4)
    policy, naive = world.pair(beta_min=0.5)
    run(world, policy, naive, 46)  # the first epoch
    place["end"] = 1.0
    run(world, policy, naive, 32)
    assert policy.epochs.tolist() == [2]
    assert naive.kinds["too few rows"] > 0


def test_contexts_that_do_not_move_never_end_an_epoch_early():
    """Fails if the look fires by chance: then an epoch has ended before its row number."""
    for questions, seed in ((SCALES, 0), (EVERY, 1), (RAW, 2)):
        world = World(questions, 1, noise=0.4, seed=seed)
        policy = world.policy(beta_min=0)  # no test that makes an epoch shorter
        p, n, held, rows = world.survey.column_count, 0, 0, []
        for _ in range(20_000):
            rows.append(world.survey.encode(world.answers()))
            if len(rows) < 100 or len(rows) % 50 == 0:
                rewards = world.rng.uniform(*world.reward, len(rows) - held).tolist()
                policy.learn_rows([0] * len(rewards), rows[held:], rewards)
                held = len(rows)
        ended = 0
        fewest = max(2 * p, math.ceil(1.5 * p) + 5)
        while n + max(fewest, n // 2) <= 20_000:
            n, ended = n + max(fewest, n // 2), ended + 1
        assert policy.epochs.tolist() == [ended]
        assert policy._model.arms.n.tolist() == [n]


@pytest.mark.parametrize("growth", [1.01, 1.5, 3.0])
def test_an_arm_without_questions_goes_on_learning(growth):
    """Fails if rows that need not be kept are lost, or an empty support ends epochs elsewhere."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy, naive = world.pair(beta_min=1.2, growth=growth)
    run(world, policy, naive, 3000)
    assert not policy.support.any()
    assert policy._model.arms.n[0] + policy._model.epochs.held[0] == 3000


def test_an_epoch_of_a_kept_question_has_at_most_20000_rows():
    """Fails if rows are kept without end, or an arm that asks nothing is held to it too."""
    rng = np.random.default_rng(0)
    policy = al.EpochSurveyUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=1e-3)
    z = np.array([[1.0, 0.5], [1.0, -0.5]])[rng.integers(2, size=110_000)]
    rewards = (0.5 + 0.5 * z[:, 1]).tolist()
    policy.learn_rows([0] * len(z), z, rewards)
    assert policy._model.epochs.need.tolist() == [20_000]
    assert policy._model.arms.n[0] > 40_000


# -- Holm ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("side", "passes"), [(1e-9, True), (-1e-9, False)])
@pytest.mark.parametrize("arms", [1, 3])
def test_a_drop_lowers_the_line_for_what_stays_at_the_same_end(side, passes, arms):
    """Fails if the line is not ln(|H|/s), or is not looked at again after a drop."""
    survey = al.Survey.unit(3)
    names = [f"arm{k}" for k in range(arms)]
    policy = al.EpochSurveyUCB(survey, arms=names, reward=(0, 1), beta_min=0.3, delta=0.1)
    naive = NaiveEpoch(
        survey, RAW[:3], arms, (0, 1), delta=0.1, beta_min=0.3, alpha=5.0, sigma=0.5, b2=1.0
    )
    share = 0.1 / arms / 2
    # Rows that are all the same tell no effect, so these logarithms are what the end looks at.
    logs = np.array(
        [
            [math.log(3 / share) + 1e-9] * 2,
            [math.log(2 / share) + side, math.log(2 / share) + 1],
            [math.log(1 / share) + 1e-9, 0.0],
        ]
    )
    policy._model.epochs.logs[0] = logs
    for _ in range(11):
        policy.learn_row(0, np.array([1.0, 0.25, 0.25, 0.25]), 0.5)
    assert policy.epochs[0] == 1
    np.testing.assert_array_equal(policy._model.epochs.logs[0], logs)
    # The first goes at |H| = 3, the second at |H| = 2 if it is above that line, the third stays.
    assert policy.support[0].tolist() == [False, not passes, True]
    assert policy._model.epochs.passed[0].tolist() == [[1, 1], [int(passes), 1], [int(passes), 0]]
    assert naive.share[0] == share


def test_sides_pass_after_a_drop_at_the_same_end_in_ordinary_runs():
    """Fails if product and oracle disagree on an end at which a drop lets another side pass."""
    seen = 0
    for seed in range(8):
        world = World(SCALES[:3], 2, noise=0.05, seed=seed)
        policy, naive = world.pair(beta_min=1)
        run(world, policy, naive, 500)
        seen += naive.holm
    assert seen > 3


# -- saved and copied ----------------------------------------------------------------------------


def learn(world, policy, count, rng):
    """Play and learn by oneself."""
    for _ in range(count):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode({q: answers[q] for q in policy.asked_now()})
        arm = policy.play(z)
        mean = float(world.centred.encode(answers) @ world.truth[arm])
        share = min(max(mean + rng.uniform(-0.1, 0.1), -0.5), 0.5) + 0.5
        policy.learn_row(arm, z, world.reward[0] + share * (world.reward[1] - world.reward[0]))


STATE = ("held", "kept", "added", "need", "ended", "judged", "undecided", "test", "passed")
SUMS = ("moment", "squares", "errors", "logs")


def everything(policy, arms=None):
    """All that decides an arm's future, as bytes."""
    model = policy._model
    arms = len(model.arms.n) if arms is None else arms
    parts = [getattr(model.epochs, name)[:arms] for name in (*STATE, *SUMS)]
    parts.append(np.tril(model.epochs.gram[:arms]))
    parts.append(np.tril(model.arms.gram[:arms]))
    names = ("n", "moment", "squares", "support", "size", "share", "radius")
    names += ("estimate", "root", "weights", "dropped_at", "evidence")
    parts += [getattr(model.arms, name)[:arms] for name in names]
    for k, size in enumerate(model.arms.size[:arms]):
        parts += [model.arms.columns[k, :size], *model.rows_of(k)]
    return [np.ascontiguousarray(part).tobytes() for part in parts]


@pytest.mark.parametrize("questions", [SCALES, EVERY, RAW], ids=["scales", "every", "raw"])
@pytest.mark.parametrize("rows", [5, 777])
def test_saved_copied_and_left_alone_have_the_same_future(tmp_path, questions, rows):
    """Fails if a file or a copy loses a bit, or saving changes what is saved."""
    world = World(questions, 2, seed=3)
    policy = world.policy(beta_min=0.5 if questions is not RAW else 0.3, explore=0.1, seed=5)
    learn(world, policy, rows, np.random.default_rng(1))
    alone = copy.deepcopy(policy)
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    assert loaded.to_dict() == policy.to_dict()
    futures = [policy, loaded, alone, copy.deepcopy(policy), copy.deepcopy(loaded)]
    for count in (1, 50, 1000):
        for future in futures:
            learn(world, future, count, np.random.default_rng(count))
        z = world.survey.encode(random_answers(world.survey, np.random.default_rng(0)))
        assert len({future.ucb(z).tobytes() for future in futures}) == 1
        states = [everything(future) for future in futures]
        assert all(state == states[0] for state in states)
    assert not policy.support.all()


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.pop("logs"),
        lambda e: e.pop("need"),
        lambda e: e["rows"].pop(),
        lambda e: e["rows"][0].pop(),
        lambda e: e["rows"][0].__setitem__(1, "x"),
        lambda e: e["rewards"].pop(),
        lambda e: e["logs"].pop(),
        lambda e: e["logs"][0].__setitem__(0, None),
        lambda e: e["passed"][0].__setitem__(0, 2),
        lambda e: e["test"].__setitem__(0, 7),
        lambda e: e.__setitem__("held", e["need"]),
        lambda e: e.__setitem__("held", e["held"] + 1),
        lambda e: e.__setitem__("ended", -1),
        lambda e: e.__setitem__("ended", 1.5),
        lambda e: e.__setitem__("need", 0),
        lambda e: e.__setitem__("errors", "x"),
        lambda e: e.__setitem__("undecided", -1),
    ],
)
def test_a_damaged_epoch_is_refused(tmp_path, change):
    """Fails if a file whose epoch cannot be is loaded, or raises anything but a StateError."""
    world = World(SCALES, 2)
    policy = world.policy(beta_min=0.5)
    learn(world, policy, 30, np.random.default_rng(0))
    content = policy.to_dict()
    assert content["state"]["arms"][0]["epoch"]["held"] > 1
    files.write_state(tmp_path / "state.json", content)
    al.load(tmp_path / "state.json")
    content = json.loads(json.dumps(content))
    change(content["state"]["arms"][0]["epoch"])
    files.write_state(tmp_path / "state.json", content)
    with pytest.raises(StateError):
        al.load(tmp_path / "state.json")


# -- arms that come and go -----------------------------------------------------------------------


def test_arms_that_come_and_go_leave_the_others_as_they_are():
    """Fails if a bit of another arm changes in mid-epoch, or the new arm's share is not halved."""
    world = World(EVERY, 2)
    policy = world.policy(beta_min=0.5, delta=0.2)
    learn(world, policy, 333, np.random.default_rng(0))
    assert (policy._model.epochs.held > 0).all()
    before, twin = everything(policy), copy.deepcopy(policy)
    policy.add_arm("third")
    policy.add_arm("fourth")
    assert everything(policy, 2) == before
    np.testing.assert_array_equal(policy._model.arms.share, [0.2 / 4, 0.2 / 4, 0.2 / 8, 0.2 / 16])
    assert policy.epochs.tolist()[2:] == policy.rows.tolist()[2:] == [0, 0]
    assert policy._model.epochs.need[2] == 2 * world.survey.column_count
    naive = world.pair(beta_min=0.5, delta=0.2)[1]
    naive.share = [0.2 / 8, 0.2 / 16]
    close(policy.radius[2:], [naive.model(k)[3] for k in range(2)])
    policy.retire_arm("arm1")
    assert everything(policy, 2) == before
    rng = np.random.default_rng(1)
    for _ in range(500):  # both go on alike, the retired arm too
        k, answers = int(rng.integers(2)), random_answers(world.survey, rng)
        z, reward = world.survey.encode(answers), float(rng.uniform(*world.reward))
        policy.learn_row(k, z, reward)
        twin.learn_row(k, z, reward)
        policy.learn_row(2, z, reward)
    assert everything(policy, 2) == everything(twin)
    assert policy.epochs[2] > 0


# -- rows taken out ------------------------------------------------------------------------------


def totals(policy, k=0):
    """The sums of all rows of an arm, those of its epoch included: n, Σzz', Σzy, Σy²."""
    model, (contexts, rewards) = policy._model, policy._model.rows_of(k)
    size, epochs = int(model.arms.size[k]), policy._model.epochs
    let_go = int(epochs.held[k] - epochs.kept[k])
    gram = model.gram(k) + contexts.T @ contexts
    gram[0, 0] += let_go
    moment = model.arms.moment[k, :size] + contexts.T @ rewards
    squares = model.arms.squares[k] + rewards @ rewards
    if let_go:
        added = rewards[: epochs.added[k]]
        moment[0] += epochs.moment[k, 0] - added.sum()
        squares += epochs.squares[k] - added @ added
    return int(policy.rows[k]), gram.tobytes(), moment.tobytes(), float(squares)


def rows_for(survey, count, seed):
    rng = np.random.default_rng(seed)
    rows = np.array([survey.encode(random_answers(survey, rng)) for _ in range(count)])
    return rows, rng.uniform(0, 1, count).round(3).tolist()


@pytest.mark.parametrize("out", [0, 5, 29, 86, 87, 100, 118])
@pytest.mark.parametrize("beta_min", [0, 0.01])
def test_a_row_taken_out_leaves_the_sums_of_the_others(out, beta_min):
    """Fails if taking out a row of this epoch or of an earlier one leaves a trace in the sums."""
    survey = al.Survey.unit(4)
    rows, rewards = rows_for(survey, 119, 0)
    made = {"arms": ["a"], "reward": (0, 1), "beta_min": beta_min}
    policy, never = al.EpochSurveyUCB(survey, **made), al.EpochSurveyUCB(survey, **made)
    policy.learn_rows([0] * 119, rows, rewards)
    rest = [i for i in range(119) if i != out]
    never.learn_rows([0] * 118, rows[rest], [rewards[i] for i in rest])
    policy.unlearn_row(0, rows[out], rewards[out])
    assert totals(policy) == totals(never)
    if out >= 87:  # the epoch under way began after 87 rows; it is as if the row had never been
        assert everything(policy) == everything(never)
    further, more = rows_for(survey, 500, 1)
    for one in (policy, never):
        one.learn_rows([0] * 500, further, more)
    assert totals(policy) == totals(never)


def test_a_row_of_a_full_block_taken_out_leaves_the_same_epoch():
    """Fails if the epoch's own sums, kept 32 rows at a time, are not those of its rows."""
    survey = al.Survey.unit(30)
    rows, rewards = rows_for(survey, 61, 0)
    made = {"arms": ["a"], "reward": (0, 1), "beta_min": 0.3}
    for held in (32, 33, 61):
        for out in (0, 31):
            policy, never = al.EpochSurveyUCB(survey, **made), al.EpochSurveyUCB(survey, **made)
            policy.learn_rows([0] * held, rows[:held], rewards[:held])
            policy.unlearn_row(0, rows[out], rewards[out])
            rest = [i for i in range(held) if i != out]
            never.learn_rows([0] * len(rest), rows[rest], [rewards[i] for i in rest])
            assert everything(policy) == everything(never)


def test_a_row_that_was_not_learned_is_refused():
    """Fails if a row that cannot have been learned is taken out, or its refusal leaves a trace."""
    survey = al.Survey.unit(4)
    rows, rewards = rows_for(survey, 15, 0)
    policy = al.EpochSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.3)
    policy.learn_rows([0] * 15, rows, rewards)
    before = everything(policy)
    stranger = survey.encode({"x1": 0.0, "x2": 1.0, "x3": 0.0, "x4": 1.0})
    with pytest.raises(StateError, match="has not learned this row"):
        policy.unlearn_row(0, stranger, 1.0)
    with pytest.raises(StateError, match="has not learned this row"):
        policy.unlearn_row(1, rows[0], rewards[0])
    assert everything(policy) == before


def test_a_visit_is_unlearned_where_it_was_learned_also_if_its_row_is_there_again():
    """Fails if a visit of a finished epoch takes the place of one like it in the present epoch.

    Or if a corrected reward of such a visit becomes evidence a second time.
    """
    survey = al.Survey([al.YesNo("q")])
    policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    visits = [policy.visit(known={"q": t % 2 == 0}) for t in range(13)]
    for visit in visits:
        policy.learn(visit, 1.0)
    assert policy.epochs.tolist() == [1]  # after eight rows; five are in the second epoch
    assert [visit.learned_in for visit in visits] == [0] * 8 + [1] * 5
    state = policy._model
    logs = state.epochs.logs.copy()
    for visit, n, held in ((visits[0], 7, 5), (visits[-1], 7, 4)):
        resumed = policy.visit(visit.to_dict())
        policy.unlearn(resumed)
        assert (state.arms.n[0], state.epochs.held[0]) == (n, held)
        visit.reward, visit.learned_in = resumed.reward, resumed.learned_in
    policy.learn(visits[0], 0.0)
    policy.learn(visits[-1], 0.0)
    assert (state.arms.n[0], state.epochs.held[0]) == (8, 5)
    assert [visits[0].learned_in, visits[-1].learned_in] == [0, 1]
    np.testing.assert_array_equal(state.epochs.logs, logs)
    rewards = [0.0] + [1.0] * 11 + [0.0]
    assert totals(policy)[0] == totals(relearned(survey, visits, rewards))[0]


def relearned(survey, visits, rewards):
    policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    for visit, reward in zip(visits, rewards, strict=True):
        policy.learn_row(0, visit.context(), reward)
    return policy


def test_a_policy_that_has_dropped_and_unlearned_can_be_loaded(tmp_path):
    """Fails if a drop after more rows than are left is taken for damage."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy = world.policy(beta_min=1.2)
    learn(world, policy, 500, np.random.default_rng(0))
    assert not policy.support.any()
    rows, rewards = [], []
    for _ in range(100):
        rows.append(world.survey.encode(world.answers()))
        rewards.append(float(world.rng.uniform(*world.reward)))
        policy.learn_row(0, rows[-1], rewards[-1])
    for z, reward in zip(rows, rewards, strict=True):  # kept, let go, or finished: all of them
        policy.unlearn_row(0, z, reward)
    assert policy.rows.tolist() == [500]
    policy.save(tmp_path / "state.json")
    assert everything(al.load(tmp_path / "state.json")) == everything(policy)


def test_a_row_of_an_arm_without_questions_is_taken_out():
    """Fails if rows that are not kept cannot be taken out of the sums, or are counted wrongly."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy = world.policy(beta_min=1.2)
    learn(world, policy, 500, np.random.default_rng(0))
    assert not policy.support.any()
    held = int(policy._model.epochs.held[0])
    assert held > 0
    before = totals(policy)
    z = world.survey.encode({"scale0": 0.5, "scale1": 0.25})
    policy.learn_row(0, z, 11.0)
    policy.unlearn_row(0, z, 11.0)
    assert totals(policy) == before


# -- many rows at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("growth", [1.5, 3.0])
def test_many_rows_at_once_are_learned_as_one_by_one(growth):
    """Fails if room is too small, grows at the wrong moment, or a block is learned differently."""
    world = World(SCALES[:3], 2)
    made = {"beta_min": 0.02, "growth": growth}
    one, other = world.policy(**made), world.policy(**made)
    rng = np.random.default_rng(0)
    rows = np.c_[np.ones(38_000), grid(rng.uniform(-0.5, 0.5, (38_000, 3)))]
    arms, rewards = rng.integers(2, size=38_000).tolist(), rng.uniform(10, 12, 38_000).tolist()
    one.learn_rows(arms, rows, rewards)
    for arm, z, reward in zip(arms, rows, rewards, strict=True):
        other.learn_row(arm, z, reward)
    assert everything(one) == everything(other)
    assert one.rows.sum() == 38_000
    assert max(one._model.epochs.kept) > 2048


def test_policies_with_epochs_are_not_added_up():
    """Fails if merging goes through: what epochs have shown would be counted twice."""
    one, other = (World(SCALES, 2).policy(beta_min=0.5) for _ in range(2))
    with pytest.raises(SettingError, match="cannot be added up"):
        one.merge(other)


# -- arms drawn at random ------------------------------------------------------------------------


def test_draws_depend_on_the_seed_and_the_visit_s_number_alone():
    """Fails if a draw depends on how many are drawn at once, on what was learned, or on nothing."""
    world = World(SCALES, 3)
    policy, other = (world.policy(beta_min=0.5, explore=0.3, seed=seed) for seed in (7, 8))
    draws = policy.draws(0, 5000)
    learn(world, policy, 200, np.random.default_rng(0))
    for first, count in ((0, 1), (1, 1), (17, 100), (4000, 1000)):
        np.testing.assert_array_equal(policy.draws(first, count), draws[first : first + count])
    assert (draws != other.draws(0, 5000)).any()
    assert (world.policy(beta_min=0.5, explore=1.0, seed=7).draws(0, 5000) >= 0).all()
    assert (world.policy(beta_min=0.5, explore=0.0, seed=7).draws(0, 5000) == -1).all()


def test_the_share_of_drawn_visits_and_their_draws_are_what_they_say():
    """Fails if other than a share ε is drawn, or draws are uneven: 5 sigma of a binomial."""
    count, explore = 200_000, 0.15
    draws = World(SCALES, 2).policy(beta_min=0.5, explore=explore, seed=1).draws(0, count)
    drawn = draws[draws >= 0]
    assert abs(len(drawn) - explore * count) < 5 * math.sqrt(count * explore * (1 - explore))
    assert (drawn < 1).all()
    counts = np.bincount((drawn * 7).astype(int), minlength=7)
    spread = 5 * math.sqrt(len(drawn) * (1 / 7) * (6 / 7))
    assert (np.abs(counts - len(drawn) / 7) < spread).all()
    # Neighbours do not know of each other.
    pairs = int(((draws[1:] >= 0) & (draws[:-1] >= 0)).sum())
    assert abs(pairs - explore**2 * count) < 5 * math.sqrt(count * 3 * explore**2)


@pytest.mark.parametrize("interactive", [False, "certified"])
def test_propensities_are_the_formula_and_weigh_every_arm_alike(interactive):
    """Fails if a visit's propensity is not maths 5.3's: the mean of [arm = a]/propensity is 1."""
    explore, count = 0.4, 1500
    world = World(SCALES[:3], 4, noise=0.3)
    policy = world.policy(beta_min=0.2, explore=explore, seed=3, interactive=interactive)
    weights, drawn = np.zeros(4), 0
    for _ in range(count):
        answers = random_answers(world.survey, world.rng)
        best = int(np.argmax(policy.ucb(world.survey.encode(answers))))  # ties to the first
        undecided = {row.arm for row in policy.effects() if row.kept and row.low == 0}
        visit = policy.visit(known={} if interactive else answers)
        while asks := visit.asks:
            visit.answer({q: answers[q] for q in asks})
        candidates = [arm for arm in policy.arms if arm in undecided]
        assert len(candidates) == 4
        expected = explore / len(candidates) + (1 - explore) * (visit.arm_index == best)
        assert visit.propensity == pytest.approx(expected, rel=1e-12)
        draw = policy.draws(visit.number, 1)[0]
        assert visit.arm == (policy.arms[best] if draw < 0 else candidates[int(draw * 4)])
        drawn += draw >= 0
        weights[visit.arm_index] += 1 / visit.propensity
        policy.learn(visit, world.reward_of(visit.arm_index, answers))
    assert drawn > 500
    # A weight has variance 1/propensity - 1, at most 4/ε - 1.
    bound = 5 * math.sqrt((4 / explore - 1) / count)
    assert (np.abs(weights / count - 1) < bound).all()


def decided_arm(explore=1.0, **settings):
    """A policy whose first arm has no undecided question; it never has the largest UCB."""
    world = World(SCALES[:2], 3, noise=0.05)
    policy = world.policy(beta_min=1, explore=explore, seed=2, **settings)
    rng = np.random.default_rng(0)
    rows = np.c_[np.ones(4000), grid(rng.uniform(-0.5, 0.5, (4000, 2)))]
    policy.learn_rows([0] * 4000, rows, np.round(10.7 + 1.2 * rows[:, 1], 6).tolist())
    assert policy.undecided.tolist() == [0, 2, 2]
    assert policy.support[0].tolist() == [True, False]
    return world, policy


def test_an_arm_without_undecided_questions_is_never_drawn():
    """Fails if exploring goes on where there is nothing to find out, or a mask is not kept to."""
    world, policy = decided_arm()
    arms = []
    for _ in range(400):
        visit = policy.visit(known=random_answers(world.survey, world.rng))
        arms.append(visit.arm_index)
        assert visit.propensity == pytest.approx(0.5)
    counts = np.bincount(arms, minlength=3)
    assert counts[0] == 0
    assert abs(counts[1] - 200) < 5 * math.sqrt(400 / 4)
    only = policy.visit(known=random_answers(world.survey, world.rng), arms=["arm0", "arm2"])
    assert (only.arm, only.propensity) == ("arm2", 1.0)
    nothing = policy.visit(known=random_answers(world.survey, world.rng), arms=["arm0"])
    assert (nothing.arm, nothing.propensity) == ("arm0", 1.0)
    policy.retire_arm("arm1")
    assert policy.visit(known=random_answers(world.survey, world.rng)).arm == "arm2"


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_visit_asks_what_its_drawn_arm_needs(grain):
    """Fails if a drawn arm's row lacks a column, or putting a visit away changes its propensity."""
    world, full = decided_arm(explore=0.5)
    policy = decided_arm(explore=0.5, interactive="certified", grain=grain)[1]
    for _ in range(300):
        answers = random_answers(world.survey, world.rng)
        z = world.survey.encode(answers)
        best = int(np.argmax(policy.ucb(z)))
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({asks[0]: answers[asks[0]]})
            visit = policy.visit(json.loads(json.dumps(visit.to_dict())))
        arm = visit.arm_index
        used = zip(world.survey.names, policy.support[arm], strict=True)
        assert {q for q, use in used if use} <= set(visit.answers)
        by_chance = 0.25 if policy.undecided[arm] else 0.0
        assert visit.propensity == pytest.approx(by_chance + 0.5 * (arm == best))
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensity) == (visit.arm, visit.propensity)
        twin = full.visit(known=answers)
        assert (twin.arm, twin.propensity) == (visit.arm, visit.propensity)
        reward = world.reward_of(arm, answers)
        rows = policy.rows[arm]
        policy.learn(visit, reward)
        full.learn(twin, reward)
        assert policy.rows[arm] == rows + 1
    assert len(set(policy.rows.tolist())) > 1


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_a_drawn_arm_that_was_ruled_out_is_played_and_learned(grain):
    """Fails if a drawn visit counts its own arm as ruled out, or has the wrong propensity."""
    world = mixed_world(5)
    policy = al.EpochSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.2,
        explore=0.3,
        interactive="certified",
        grain=grain,
        **small_sets("ridge", "valid"),
    )
    rng, ruled_out, drawn = np.random.default_rng(0), 0, 0
    for _ in range(700):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode(answers)
        scores, candidates = policy.ucb(z), policy.undecided > 0
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({q: answers[q] for q in asks})
        k, best = visit.arm_index, int(np.argmax(scores))
        expected = 0.7 * (k == best) + 0.3 / candidates.sum() * candidates[k]
        assert visit.propensity == pytest.approx(expected, rel=1e-12)
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensity) == (visit.arm, visit.propensity)
        assert visit.arm not in visit.explain().ruled_out
        ruled_out += len(visit.explain().ruled_out)
        drawn += k != best
        policy.learn(
            visit, float(np.clip(world.coefficients[k] @ z + rng.uniform(-0.2, 0.2), -1, 1))
        )
    assert policy.rows.sum() == 700
    assert drawn > 50
    assert ruled_out > 50


# -- interactive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", [SCALES, EVERY], ids=["scales", "every"])
@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_survey_plays_what_the_full_one_plays(questions, grain):
    """Fails if an arm that can still win is ruled out, or rows learned in part differ."""
    world = World(questions, 3, noise=0.05, seed=4)
    full = world.policy(beta_min=0.9)
    asking = world.policy(beta_min=0.9, interactive="certified", grain=grain)
    asked = 0
    for _ in range(900):
        answers = random_answers(world.survey, world.rng)
        visit = asking.visit()
        while asks := visit.asks:
            visit.answer({q: answers[q] for q in asks})
        needed = {q: answers[q] for q in full.asked_now()}
        arm = full.play(world.survey.encode(needed))
        assert visit.arm_index == arm
        reward = world.reward_of(arm, answers)
        asking.learn(visit, reward)
        full.learn_row(arm, world.survey.encode(needed), reward)
        asked += len(needed) - len(visit.asked)
    assert asked > 0
    assert not full.support.all()
    assert everything(asking) == everything(full)


# -- simulated -----------------------------------------------------------------------------------


def simulated_world():
    survey = survey_of([*EVERY[:5], *SCALES[:2]])
    table = np.zeros((3, survey.column_count))
    table[0, -1], table[1, -2], table[2, 3:8] = 0.6, -0.5, [0.3, -0.2, 0, 0, -0.1]
    return al.LinearEnvironment(
        survey, arms=["a", "b", "c"], coefficients=table, reward=(10, 11), spread=0.15
    )


@pytest.mark.parametrize("explore", [0.0, 0.2])
@pytest.mark.parametrize("interactive", [False, "arm", "question"])
def test_the_compiled_loop_does_what_a_plain_one_does(explore, interactive):
    """Fails if arms, regret, questions asked or drops differ between `simulate` and visits."""
    world, visits = simulated_world(), 2000
    settings = {"beta_min": 0.3, "explore": explore, "seed": 11}
    if interactive:
        settings |= {"interactive": "certified", "grain": interactive}
    made = {"arms": world.arms, "reward": world.reward}
    run = al.simulate(
        al.EpochSurveyUCB(world.survey, **made, **settings), world, visits, seed=5, checkpoints=200
    ).runs[0]
    policy = al.EpochSurveyUCB(world.survey, **made, **settings)
    policy._stream = (5 * MIX + 1) % 2**64  # the first run of seed 5
    form, spread, span, low = world.noise_form, world.spread, world.reward.span, -0.5
    regret, asked, drops, plays, t = [0.0], [0], set(), np.zeros(3, dtype=int), 0
    for block in world.respondents(5, 0):
        for z, luck in zip(block.contexts, block.luck, strict=True):
            if t == visits:
                break
            t += 1
            if interactive:
                answers = world.survey.decode(z)
                visit = policy.visit()
                while asks := visit.asks:
                    visit.answer({q: answers[q] for q in asks})
                arm, questions = visit.arm_index, len(visit.asked)
            else:
                arm, questions = policy.play(z), len(policy.asked_now())
            means = world.coefficients @ z
            units = outcome(form, spread, low, span, float(means[arm]), luck)
            reward = world.reward.from_units(units, raw=False)
            before = policy.support
            if interactive:
                policy.learn(visit, reward)
            else:
                policy.learn_row(arm, z, reward)
            for k, g in np.argwhere(before & ~policy.support):
                row = int(policy._model.arms.dropped_at[k, g])
                drops.add((policy.arms[k], world.survey.names[g], t, row))
            plays[arm] += 1
            regret.append(regret[-1] + float(means.max() - means[arm]))
            asked.append(asked[-1] + questions)
        if t == visits:
            break
    assert run.plays.tolist() == plays.tolist()
    np.testing.assert_allclose(run.regret_at, np.array(regret)[run.visits], rtol=1e-12, atol=1e-12)
    assert run.asked_at.tolist() == np.array(asked)[run.visits].tolist()
    assert {(d.arm, d.question, d.visit, d.row) for d in run.drops} == drops
    assert len(drops) > 3
    assert run.support.tolist() == policy.support.tolist()
    assert run.other_arms == 0


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        {"growth": 1},
        {"growth": math.nan},
        {"growth": 3.1},
        {"growth": "x"},
        {"growth": True},
        {"judge_skips": 1},
        {"explore": 0.1, "interactive": "paper_heuristic"},
        {"explore": -0.1},
        {"explore": 1.5},
        {"explore": math.nan},
        {"explore": None},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": 2**64},
        {"radius": "published"},
    ],
)
def test_bad_settings_are_refused(bad):
    """Fails if a setting out of its range is taken, or the refusal does not name it."""
    with pytest.raises(SettingError, match=next(iter(bad))):
        World(SCALES, 2).policy(beta_min=0.5, **bad)
