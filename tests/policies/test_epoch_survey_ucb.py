"""Epoch SurveyUCB against a dense oracle (maths 5), and what it promises beyond its numbers."""

import copy
import json
import math

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError, StateError
from askless.policies import files
from askless.simulation.simulate import MIX
from epoch_world import (
    CHOICES,
    EVERY,
    RAW,
    SCALES,
    World,
    as_given,
    correlated,
    grid,
    twins,
    without_the_last_option,
)
from outcomes import outcome
from saved_states import opened
from sizes import whole
from worlds import mixed_world, random_answers, survey_of


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
    signed = np.vstack(naive.signed[k])
    scale = np.maximum(np.abs(signed).max(axis=0), 1e-12)
    close(epochs.signed_sums[k] / scale, signed / scale, atol=1e-8)
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
    visits = 1500 if questions is SCALES else 2500
    ends = run(world, policy, naive, visits if settings else whole(5_000, 2_000), random_arms=0.1)
    assert ends > 15
    assert naive.kinds[seen] > 0
    assert not policy.warm.all()


def test_the_oracle_has_gone_every_way_of_paying_and_of_dropping():
    """Fails if the comparison above no longer reaches a branch of the rule."""
    kinds, tests = {}, set()
    for questions, change, noise, settings in (
        (SCALES, as_given, 0.05, {"beta_min": 0.5}),
        (SCALES, as_given, 0.5, {"beta_min": 0.5}),
        (SCALES, twins, 0.05, {"beta_min": 0.5}),
        (SCALES, twins, 0.05, {"beta_min": 0.5, "sigma": 0.1, "b2": 0.3}),
    ):
        world = World(questions, 2, change=change, noise=noise, seed=1)
        policy, naive = world.pair(**settings)
        run(world, policy, naive, 800)
        kinds = {kind: kinds.get(kind, 0) + count for kind, count in naive.kinds.items()}
        for k in range(2):
            for g, (by, _) in naive.dropped_by[k].items():
                named = {1: "epochs", 2: "ellipsoid"}[int(policy._model.epochs.test[k, g])]
                assert named in by
                tests |= by
    assert min(kinds[kind] for kind in ("adaptive", "hoeffding", "not estimable")) > 0
    assert kinds["priced by errors"] > 0
    assert kinds["priced by the range"] > 0
    assert kinds["counted"] > 0
    assert kinds["not counted"] > 0
    assert tests == {"epochs", "ellipsoid"}


@pytest.mark.parametrize("questions", [SCALES, RAW], ids=["centred", "raw"])
def test_predictions_are_clipped_to_the_reward_range(questions):
    """Fails if residuals are those of predictions that no reward can have."""
    world = World(questions, 1, noise=0.5)
    world.truth = [np.eye(world.survey.column_count)[1]]  # means are as far apart as they can be
    policy, naive = world.pair(beta_min=0.3)
    run(world, policy, naive, 800)
    assert policy.epochs[0] > 0
    assert naive.clips > 0


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
    world = World([("scale", 1, False)] * 22, 1, change=moving(place), noise=0.1)
    policy, naive = world.pair(beta_min=1.5)
    while naive.warm[0]:
        run(world, policy, naive, 1)
    assert policy._model.epochs.held.tolist() == [0]  # the first epoch begins
    place["end"] = 1.0
    run(world, policy, naive, 32)
    assert policy.epochs.tolist() == [1]
    assert naive.kinds["too few rows"] == 1
    assert not policy._model.epochs.logs.any()


def test_contexts_that_do_not_move_never_end_an_epoch_early():
    """Fails if the look fires by chance: then an epoch has ended before its row number."""
    for questions, seed in ((SCALES, 0), (EVERY, 1), (RAW, 2)):
        world = World(questions, 1, noise=0.4, seed=seed)
        policy = world.policy(beta_min=0)  # no test that makes an epoch shorter
        p, held, rows = world.survey.column_count, 0, []
        for _ in range(8_000):
            rows.append(world.survey.encode(world.answers()))
            if len(rows) < 100 or len(rows) % 50 == 0:
                rewards = world.rng.uniform(*world.reward, len(rows) - held).tolist()
                policy.learn_rows([0] * len(rewards), rows[held:], rewards)
                held = len(rows)
        ends, warm = blocks_of(p, 8_000)
        assert policy._model.epochs.ended.tolist() == [len(ends)]
        assert policy.epochs.tolist() == [len(ends) - warm]
        assert policy._model.arms.n.tolist() == [ends[-1]]


def blocks_of(p, rows, *, warm_rows=0):
    """With which row numbers an arm's blocks end, and how many of them are warm-up (5.1, 8.7).

    For an arm that tests nothing, or whose tests would need `warm_rows` five times over.
    """
    ends, n, border = [], max(2, math.floor(0.3 * p)), max(3 * p, warm_rows)
    fewest = max(2 * p, math.ceil(1.5 * p) + 5)
    while n <= rows:
        ends.append(n)
        n += max(1, n // 10) if n < border else max(fewest, n // 2)
    return ends, 1 + sum(end < border for end in ends)  # the first that is over it is one still


@pytest.mark.parametrize("growth", [1.01, 1.5, 3.0])
def test_an_arm_without_questions_goes_on_learning(growth):
    """Fails if rows that need not be kept are lost, or an empty support ends epochs elsewhere."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy, naive = world.pair(beta_min=1.2, growth=growth)
    run(world, policy, naive, 1500)
    assert not policy.support.any()
    assert policy._model.arms.n[0] + policy._model.epochs.held[0] == 1500


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
    """Fails if the line is not ln(|H|/q), or is not looked at again after a drop."""
    survey = al.Survey.unit(3)
    names = [f"arm{k}" for k in range(arms)]
    policy = al.EpochSurveyUCB(survey, arms=names, reward=(0, 1), beta_min=0.3, delta=0.1)
    share = 0.9 * 0.1 / arms
    same = np.array([1.0, 0.25, 0.25, 0.25])
    for _ in range(12):  # they tell no effect, so warm-up ends after 3·|c(H)| of them
        assert policy.warm[0]
        policy.learn_row(0, same, 0.5)
    assert (policy.warm[0], policy.epochs[0], policy._model.epochs.held[0]) == (False, 0, 0)
    # The epoch adds nothing, so these logarithms are what its end looks at.
    logs = np.array(
        [
            [math.log(3 / share) + 1e-9] * 2,
            [math.log(2 / share) + side, math.log(2 / share) + 1],
            [math.log(1 / share) + 1e-9, 0.0],
        ]
    )
    policy._model.epochs.logs[0] = logs
    for _ in range(11):  # max(2·|c(H)|, ⌈1.5·|c(H)|⌉ + 5)
        assert policy.epochs[0] == 0
        policy.learn_row(0, same, 0.5)
    assert policy.epochs[0] == 1
    np.testing.assert_array_equal(policy._model.epochs.logs[0], logs)
    # The first goes at |H| = 3, the second at |H| = 2 if it is above that line, the third stays.
    assert policy.support[0].tolist() == [False, not passes, True]
    assert policy._model.epochs.passed[0].tolist() == [[1, 1], [int(passes), 1], [int(passes), 0]]


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


BLOCK = ("held", "kept", "added", "need", "ended", "warm", "tested", "undecided", "test", "passed")
BLOCK += ("squares", "logs", "pace")
ARM = ("n", "squares", "support", "size", "share", "radius", "dropped_at", "evidence")
MODEL = ("columns", "root", "weights", "estimate")
ARM += ("active", "active_size", "width", "noise", "ridge", "misfit", "freedom", "renewed")


def everything(policy, arms=None):
    """All that decides the arms' future, as bytes; of the first so many, or of all."""
    count = len(policy._model.arms.n) if arms is None else arms
    return [part for k in range(count) for part in arm_state(policy, k)]


def arm_state(policy, k):
    """All that decides an arm's future, as bytes: its models, its block, its tests."""
    model, (contexts, rewards) = policy._model, policy._model.rows_of(k)
    state, epochs = model.arms, model.epochs
    size = int(state.size[k])
    parts = [contexts, rewards, np.tril(epochs.gram[k, :size, :size]), epochs.moment[k, :size]]
    parts += [getattr(epochs, name)[k] for name in BLOCK]
    return [np.ascontiguousarray(part).tobytes() for part in parts] + arm_models(policy, k)


def arm_models(policy, k):
    """What an arm's decisions and intervals are made of, as bytes."""
    state, epochs = policy._model.arms, policy._model.epochs
    size, active = int(state.size[k]), int(state.active_size[k])
    parts = [getattr(state, name)[k] for name in ARM]
    parts += [np.tril(state.gram[k, :size, :size]), state.moment[k, :size]]
    models = (
        (size, *(getattr(state, name) for name in MODEL)),
        (size, state.columns, epochs.model_root, epochs.model_weights, epochs.model_estimate),
        (active, *(getattr(state, f"active_{name}") for name in MODEL)),
    )
    for width, columns, root, *others in models:
        parts.append(np.tril(root[k, :width, :width]))
        parts += [part[k, :width] for part in (columns, *others)]
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
        lambda e: e.__setitem__("warm", 2),
        lambda e: e.__setitem__("warm", True),
        lambda e: e.__setitem__("tested", e["ended"] + 1),
        lambda e: e["pace"][0].__setitem__(0, -1.0),
        lambda e: e["pace"].pop(),
    ],
)
def test_a_damaged_epoch_is_refused(tmp_path, change):
    """Fails if a file whose epoch cannot be is loaded, or raises anything but a StateError."""
    world = World(SCALES, 2)
    policy = world.policy(beta_min=0.5)
    learn(world, policy, 150, np.random.default_rng(0))
    content = policy.to_dict()
    assert content["state"]["arms"][0]["epoch"]["held"] > 1
    files.write_state(tmp_path / "state.json", content)
    al.load(tmp_path / "state.json")
    content = opened(content)
    al.EpochSurveyUCB.from_dict(content)
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
    np.testing.assert_array_equal(policy._model.arms.share, [0.2 / 2, 0.2 / 2, 0.2 / 4, 0.2 / 8])
    assert policy.epochs.tolist()[2:] == policy.rows.tolist()[2:] == [0, 0]
    assert policy.warm[2:].all()
    assert policy._model.epochs.need[2] == 3 * world.survey.column_count // 10
    naive = world.pair(beta_min=0.5, delta=0.2)[1]
    naive.share = [0.2 / 4, 0.2 / 8]
    close(policy.radius[2:], [naive.model(k)[3] for k in range(2)])
    policy.retire_arm("arm1")
    assert everything(policy, 2) == before
    rng = np.random.default_rng(1)
    for _ in range(500):  # both go on alike, the retired arm too
        k, answers = int(rng.integers(2)), random_answers(world.survey, rng)
        z, reward = world.survey.encode(answers), float(rng.uniform(*world.reward))
        policy.learn_row(k, z, reward)
        twin.learn_row(k, z, reward)
    assert everything(policy, 2) == everything(twin)
    before = everything(policy, 2)
    for _ in range(500):
        z = world.survey.encode(random_answers(world.survey, rng))
        policy.learn_row(2, z, float(rng.uniform(*world.reward)))
    assert everything(policy, 2) == before
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


@pytest.mark.parametrize("out", [0, 5, 29, 86, 93, 94, 100, 112, 113, 118])
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
    # Effects below 0.01 would take a hundred thousand rows to test: with that it is warm-up still.
    ends, _ = blocks_of(5, 119, warm_rows=1e5 if beta_min else 0)
    assert ends[-1] == (113 if beta_min else 94)
    if out >= ends[-1]:  # of the block under way; it is as if the row had never been
        assert everything(policy) == everything(never)
    further, more = rows_for(survey, 500, 1)
    for one in (policy, never):
        one.learn_rows([0] * 500, further, more)
    assert totals(policy) == totals(never)


def test_a_row_of_a_full_block_taken_out_leaves_the_same_epoch():
    """Fails if the epoch's own sums, kept 32 rows at a time, are not those of its rows."""
    survey = al.Survey.unit(30)
    rows, rewards = rows_for(survey, 200, 0)
    warm = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    while warm.warm[0]:
        n = int(warm.rows[0])
        warm.learn_row(0, rows[n], rewards[n])
    first = int(warm.rows[0])
    assert warm._model.epochs.held.tolist() == [0]
    assert warm._model.epochs.need.tolist() == [62]  # twice its columns
    for held in (32, 33, 61):
        for out in (first, first + 31):
            policy, never = copy.deepcopy(warm), copy.deepcopy(warm)
            last = first + held
            policy.learn_rows([0] * held, rows[first:last], rewards[first:last])
            policy.unlearn_row(0, rows[out], rewards[out])
            rest = [i for i in range(first, last) if i != out]
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
    # The start's two rows, then one by one until there are 3·|c(H)|; seven are in the first epoch.
    assert (policy.warm.tolist(), policy.epochs.tolist()) == ([False], [0])
    assert [visit.learned_in for visit in visits] == [0, 0, 1, 2, 3, 4] + [5] * 7
    state = policy._model
    logs = state.epochs.logs.copy()
    for visit, n, held in ((visits[0], 5, 7), (visits[-1], 5, 6)):
        resumed = policy.visit(visit.to_dict())
        policy.unlearn(resumed)
        assert (state.arms.n[0], state.epochs.held[0]) == (n, held)
        visit.reward, visit.learned_in = resumed.reward, resumed.learned_in
    policy.learn(visits[0], 0.0)
    policy.learn(visits[-1], 0.0)
    assert (state.arms.n[0], state.epochs.held[0]) == (6, 7)
    assert [visits[0].learned_in, visits[-1].learned_in] == [0, 5]
    np.testing.assert_array_equal(state.epochs.logs, logs)
    rewards = [0.0] + [1.0] * 11 + [0.0]
    assert totals(policy) == totals(relearned(survey, visits, rewards))


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
    made = {"beta_min": 0.04, "growth": growth}
    one, other = world.policy(**made), world.policy(**made)
    rng = np.random.default_rng(0)
    rows = np.c_[np.ones(38_000), grid(rng.uniform(-0.5, 0.5, (38_000, 3)))]
    arms, rewards = rng.integers(2, size=38_000).tolist(), rng.uniform(10, 12, 38_000).tolist()
    one.learn_rows(arms, rows, rewards)
    for arm, z, reward in zip(arms, rows, rewards, strict=True):
        other.learn_row(arm, z, reward)
    assert everything(one) == everything(other)
    assert one.rows.sum() == 38_000
    # Warm-up takes 0.4·ln(3/(0.9·0.025))/12·12/0.02² ≈ 4,900 rows, tests five times as many.
    assert (one.epochs > 0).all()
    assert (one._model.epochs.need > 2048).all()


def test_policies_with_epochs_are_not_added_up():
    """Fails if merging goes through: what epochs have shown would be counted twice."""
    one, other = (World(SCALES, 2).policy(beta_min=0.5) for _ in range(2))
    with pytest.raises(SettingError, match="cannot be added up"):
        one.merge(other)


# -- arms drawn at random ------------------------------------------------------------------------


def test_draws_depend_on_the_seed_and_the_visit_s_number_alone():
    """Fails if a draw depends on how many are drawn at once, on what was learned, or on nothing."""
    world = World(SCALES, 3)
    policy, other = (world.policy(beta_min=0.5, explore=1.0, seed=seed) for seed in (7, 8))
    draws, coins = policy.draws(0, 5000), policy.coins(0, 5000)
    learn(world, policy, 200, np.random.default_rng(0))
    for first, count in ((0, 1), (1, 1), (17, 100), (4000, 1000)):
        np.testing.assert_array_equal(policy.draws(first, count), draws[first : first + count])
        np.testing.assert_array_equal(policy.coins(first, count), coins[first : first + count])
    assert (coins != other.coins(0, 5000)).all()
    insured = coins[:, 0] < (1 + np.arange(5000.0)) ** (-1 / 3)
    assert ((draws[:, 0] >= 0) == insured).all()
    assert (draws[insured, 0] == coins[insured, 1]).all()
    assert (draws[:, 2:] == coins[:, 2:]).all()
    always = world.policy(beta_min=0.5, explore_floor=1.0, seed=7)
    assert (always.draws(0, 5000)[:, 0] == coins[:, 1]).all()
    assert (world.policy(beta_min=0.5, explore=0.0, seed=7).draws(0, 5000)[:, 0] == -1).all()


def test_the_share_of_drawn_visits_and_their_draws_are_what_they_say():
    """Fails if other than a share ι is drawn, or draws are uneven: 5 sigma of a binomial."""
    count, floor = 200_000, 0.15
    draws = World(SCALES, 2).policy(beta_min=0.5, explore_floor=floor, seed=1).draws(0, count)
    drawn = draws[draws[:, 0] >= 0, 0]
    assert abs(len(drawn) - floor * count) < 5 * math.sqrt(count * floor * (1 - floor))
    for numbers in (drawn, draws[:, 2], draws[:, 3]):
        assert ((numbers >= 0) & (numbers < 1)).all()
        counts = np.bincount((numbers * 7).astype(int), minlength=7)
        spread = 5 * math.sqrt(len(numbers) * (1 / 7) * (6 / 7))
        assert (np.abs(counts - len(numbers) / 7) < spread).all()
    # Neighbours do not know of each other.
    pairs = int(((draws[1:, 0] >= 0) & (draws[:-1, 0] >= 0)).sum())
    assert abs(pairs - floor**2 * count) < 5 * math.sqrt(count * 3 * floor**2)
    # Without a floor the share falls with the third root of the visit's number.
    draws = World(SCALES, 2).policy(beta_min=0.5, explore=1.0, seed=1).draws(0, count)
    shares = (1 + np.arange(count)) ** (-1 / 3)
    for part in (slice(0, 1000), slice(1000, 20_000), slice(100_000, count)):
        spread = 5 * math.sqrt(float((shares[part] * (1 - shares[part])).sum()))
        assert abs(int((draws[part, 0] >= 0).sum()) - shares[part].sum()) < spread


def chances_of(policy, z, number, mask=None, *, payback=True, explore=0.02, floor=0.0):
    """Winner, propensities and the played arm by maths 8.5-8.7, from what the policy shows."""
    may = np.arange(len(policy.arms)) if mask is None else np.flatnonzero(mask)
    start = max(2, 3 * policy.survey.column_count // 10)
    few = [k for k in may if policy._model.arms.n[k] < start]
    scores, rho, others = policy.ucb(z), 0.0, []
    winner = int(few[number % len(few)] if few else may[np.argmax(scores[may])])
    own = policy.support[winner]
    extra = int((policy.active[may].any(axis=0) & ~own).sum())
    if payback and not few and extra > 0:
        others = [k for k in may if k != winner and policy.undecided[k] > 0]
        rho = 0.3 * extra / (extra + own.sum()) if others else 0.0
    iota = max(explore / (1 + number) ** (1 / 3), floor)
    chances = np.zeros(len(policy.arms))
    chances[may] = iota / len(may)
    chances[winner] += (1 - iota) * (1 - rho)
    for k in others:
        chances[k] += (1 - iota) * rho / len(others)
    insured, place, back, other = policy.coins(number, 1)[0]
    arm = winner
    if insured < iota:
        arm = int(may[int(place * len(may))])
    elif back < rho:
        arm = int(others[int(other * len(others))])
    return winner, chances, arm


def through(visit, answers, *, one=False):
    """Answer whatever a visit asks, one question at a time if `one`."""
    while asks := visit.asks:
        visit.answer({q: answers[q] for q in (asks[:1] if one else asks)})
    return visit


@pytest.mark.parametrize("interactive", [False, "certified"])
def test_propensities_are_the_formula_and_weigh_every_arm_alike(interactive):
    """Fails if propensities are not maths 8.6's, or the mean of [arm = a]/propensity is not 1."""
    floor, count = 0.3, 600
    world, policy = decided_arms(explore_floor=floor, interactive=interactive)
    weights, drawn, paid_back, rng = np.zeros(4), 0, 0, np.random.default_rng(1)
    for t in range(count):
        answers = random_answers(world.survey, rng)
        may = np.ones(4, dtype=bool)
        if t % 3 == 0:
            may[rng.integers(4)] = False
        z = world.survey.encode(answers)
        winner, chances, arm = chances_of(policy, z, t, may, floor=floor)
        names = [name for name, get in zip(policy.arms, may, strict=True) if get]
        visit = through(policy.visit(arms=names), answers)
        assert visit.number == t
        assert visit.arm_index == arm
        assert list(visit.propensities) == names
        assert sum(visit.propensities.values()) == pytest.approx(1, abs=1e-12)
        close(list(visit.propensities.values()), chances[may], atol=1e-13)
        assert visit.propensity == visit.propensities[visit.arm]
        drawn += arm != winner
        paid_back += chances[winner] < floor / may.sum() + 1 - floor - 1e-9
        if may.all():
            weights[arm] += 1 / visit.propensity
        policy.learn(visit, world.reward_of(arm, answers))
    assert drawn > 60
    assert paid_back > 20
    # A weight has variance 1/propensity - 1, at most 4/ι - 1; two visits of three count.
    bound = 5 * math.sqrt((4 / floor - 1) / (count * 2 / 3))
    assert (np.abs(weights / (count * 2 / 3) - 1) < bound).all()


def test_propensities_are_how_often_arms_are_played():
    """Fails if the arms played over many visit numbers are not as often as their propensities say.

    In one state, where a winner, insurance and pay-back all have their part: 5 sigma of a binomial.
    """
    world, policy = decided_arms(explore_floor=0.2)
    answers, count = world.answers(), 4000
    z = world.survey.encode(answers)
    plays = np.zeros(4)
    first = chances_of(policy, z, 0, floor=0.2)[1]
    close(np.sort(first), np.sort([0.05 + 0.8 * 0.85, 0.05, 0.05 + 0.06, 0.05 + 0.06]))
    for number in range(1000, 1000 + count):
        visit = policy.visit(known=answers, number=number)
        plays[visit.arm_index] += 1
        close(list(visit.propensities.values()), first)
    spread = np.sqrt(count * first * (1 - first))
    assert (np.abs(plays - count * first) < 5 * spread).all()


def test_explore_floor_of_one_plays_uniformly():
    """Fails if a floor of 1 leaves anything to what was learned: 5 sigma of a binomial."""
    world = World(SCALES[:3], 4, noise=0.1)
    policy = world.policy(beta_min=0.4, explore_floor=1, seed=9)
    counts, count = np.zeros(4), 2000
    for _ in range(count):
        answers = world.answers()
        visit = through(policy.visit(), answers)
        assert list(visit.propensities.values()) == pytest.approx([0.25] * 4, rel=1e-12)
        counts[visit.arm_index] += 1
        policy.learn(visit, world.reward_of(visit.arm_index, answers))
    assert (np.abs(counts - count / 4) < 5 * math.sqrt(count * 3 / 16)).all()
    assert not policy.support.all()
    some = policy.visit(known=world.answers(), arms=["arm1", "arm3"])
    assert some.propensities == pytest.approx({"arm1": 0.5, "arm3": 0.5})


def decided_arms(**settings):
    """A policy whose first arm always wins and needs one question, where others need two.

    The second arm knows that it needs both, the others hardly know anything.
    """
    world = World(SCALES[:2], 4)
    policy = world.policy(beta_min=0.3, seed=2, **settings)
    rng = np.random.default_rng(0)
    for k, beta, count in (
        (0, [11.2, 0.7, 0.0], 3000),
        (1, [10.6, 0.55, 0.55], 3000),
        (2, [10.2, 0.1, -0.1], 6),
        (3, [10.2, -0.1, 0.1], 6),
    ):
        rows = np.c_[np.ones(count), grid(rng.uniform(-0.5, 0.5, (count, 2)))]
        rewards = np.clip(rows @ beta + rng.uniform(-0.2, 0.2, count), 10, 12)
        policy.learn_rows([k] * count, rows, rewards.tolist())
    assert policy.support.tolist() == [[True, False], [True, True], [True, True], [True, True]]
    assert (policy.undecided > 0).tolist() == [False, False, True, True]
    policy._next_number = 0
    return world, policy


def test_pay_back_draws_undecided_arms_alone():
    """Fails if pay-back goes where there is nothing to find out, or a mask is not kept to."""
    world, policy = decided_arms(explore=0.0)
    # The winner lacks one question that others use, and has one: 0.3·1/(1 + 1).
    arms, count = [], 1000
    for number in range(count):
        visit = policy.visit(known=world.answers(), number=number)
        arms.append(visit.arm_index)
        expected = {"arm0": 0.85, "arm1": 0.0, "arm2": 0.075, "arm3": 0.075}
        assert visit.propensities == pytest.approx(expected)
    counts = np.bincount(arms, minlength=4)
    assert counts[1] == 0
    spread = 5 * math.sqrt(count * 0.075 * 0.925)
    assert (np.abs(counts[2:] - 75) < spread).all()
    for may, expected in (
        (["arm0", "arm2"], [0.85, 0.15]),
        (["arm0", "arm1"], [1.0, 0.0]),  # the other is decided
        (["arm0"], [1.0]),
    ):
        visit = policy.visit(known=world.answers(), arms=may)
        assert list(visit.propensities.values()) == pytest.approx(expected)
    two = policy.visit(known=world.answers(), arms=["arm2", "arm3"])
    assert two.propensity == 1.0  # the winner lacks nothing
    policy.retire_arm("arm3")
    visit = policy.visit(known=world.answers())
    assert visit.propensities == pytest.approx({"arm0": 0.85, "arm1": 0.0, "arm2": 0.15})
    off = decided_arms(explore=0.0, payback=False)[1]
    assert {off.visit(known=world.answers()).arm for _ in range(50)} == {"arm0"}


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_visit_asks_what_its_drawn_arm_needs(grain):
    """Fails if a drawn arm's row lacks a column, or putting a visit away changes its propensity."""
    world, full = decided_arms(explore_floor=0.3)
    policy = decided_arms(explore_floor=0.3, interactive="certified", grain=grain)[1]
    plays = np.zeros(4)
    for number in range(150):
        answers = random_answers(world.survey, world.rng)
        z = world.survey.encode(answers)
        _, chances, arm = chances_of(policy, z, number, floor=0.3)
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({asks[0]: answers[asks[0]]})
            visit = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert visit.arm_index == arm
        assert set(policy.needs(visit.arm)) <= set(visit.answers)
        close(list(visit.propensities.values()), chances, atol=1e-13)
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensities) == (visit.arm, visit.propensities)
        twin = full.visit(known=answers)
        assert (twin.arm, twin.propensities) == (visit.arm, visit.propensities)
        reward = world.reward_of(arm, answers)
        rows = policy.rows[arm]
        policy.learn(visit, reward)
        full.learn(twin, reward)
        assert policy.rows[arm] == rows + 1
        plays[arm] += 1
    assert (plays > 0).all()


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_a_drawn_arm_that_was_ruled_out_is_played_and_learned(grain):
    """Fails if a drawn visit counts its own arm as ruled out, or has the wrong propensity."""
    world = mixed_world(5)
    policy = al.EpochSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.3,
        explore_floor=0.3,
        interactive="certified",
        grain=grain,
    )
    rng, ruled_out, drawn = np.random.default_rng(0), 0, 0
    for k in range(5):
        rows = [world.survey.encode(random_answers(world.survey, rng)) for _ in range(1500)]
        means = np.array(rows) @ world.coefficients[k]
        policy.learn_rows([k] * 1500, rows, (means + rng.uniform(-0.2, 0.2, 1500)).tolist())
    assert len({tuple(row) for row in policy.support.tolist()}) > 2
    for number in range(7500, 7800):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode(answers)
        winner, chances, arm = chances_of(policy, z, number, floor=0.3)
        visit = through(policy.visit(), answers)
        assert visit.arm_index == arm
        close(list(visit.propensities.values()), chances, atol=1e-13)
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensities) == (visit.arm, visit.propensities)
        why = visit.explain()
        assert visit.arm not in why.ruled_out
        ruled_out += len(why.ruled_out)
        drawn += arm != winner and len(why.ruled_out) > 0
        reward = world.coefficients[arm] @ z + rng.uniform(-0.2, 0.2)
        policy.learn(visit, float(np.clip(reward, -1, 1)))
    assert policy.rows.sum() == 7800
    assert drawn > 20
    assert ruled_out > 50


# -- start and warm-up ---------------------------------------------------------------------------


@pytest.mark.parametrize("interactive", [False, "arm", "question"])
def test_the_start_plays_arms_in_turn_and_asks_what_they_learn(interactive):
    """Fails if a visit's turn is not its number's, or anything but its arm's support is asked."""
    world = World(EVERY, 3)
    how = {"interactive": "certified", "grain": interactive} if interactive else {}
    policy = world.policy(beta_min=0.5, explore=0.0, **how)
    start = 3 * world.survey.column_count // 10
    assert start > 4
    # Rewards are late: nothing is learned until long after the arms have had their turns.
    visits = []
    for number in range(3 * start + 2):
        visit = policy.visit()
        assert set(visit.asks) == set(policy.needs(policy.arms[number % 3]))
        visits.append(through(visit, world.answers()))
        assert (visit.arm_index, visit.propensity) == (number % 3, 1.0)
        assert visit.explain().ruled_out == ()
    # Of those that a visit may get, and of those that still have few rows.
    for number, arms, turn in ((41, ["arm1", "arm2"], "arm2"), (42, ["arm2"], "arm2")):
        assert policy.visit(arms=arms, number=number).asks
        assert through(policy.visit(arms=arms, number=number), world.answers()).arm == turn
    for visit in visits[1 : 3 * start : 3]:
        policy.learn(visit, 11.0)
    assert (policy.rows.tolist(), policy.warm.all()) == ([0, start, 0], True)
    # The turn is that of all three; arm 1, whose start is over, is compared with none: it wins.
    for number, turn in ((60, 0), (61, 1), (62, 2), (63, 0), (64, 1)):
        assert through(policy.visit(number=number), world.answers()).arm_index == turn
    # An arm that has dropped a question is not asked it in the start either.
    policy._model.restrict(policy._model.arms.support * (np.arange(len(EVERY)) != 1))
    policy._model.refresh()
    visit = policy.visit(number=69)
    assert set(visit.asks) == set(world.survey.names) - {"yes_no1"}
    for k in (0, 2):
        for visit in visits[k : 3 * start : 3]:
            policy.learn(visit, 11.0)
    assert (policy._model.arms.n == start).all()
    # The start is over: what is asked first is what scores need.
    visit = policy.visit(number=80)
    if not interactive:
        assert set(visit.asks) == set(world.survey.names_of(policy.active.any(axis=0)))


def test_an_added_arm_gets_its_share_until_its_first_rewards_come():
    """Fails if everybody is sent to a new arm whose rewards are late: it then gets all 90."""
    world = World(SCALES, 2)
    policy = world.policy(beta_min=0.5, explore=0.0, payback=False)
    for _ in range(60):
        visit = through(policy.visit(), world.answers())
        policy.learn(visit, world.reward_of(visit.arm_index, visit.answers))
    policy.add_arm("new")
    arms = [through(policy.visit(), world.answers()).arm for _ in range(90)]
    assert arms.count("new") == 30


def test_unlearning_does_not_bring_back_the_start():
    """Fails if an arm without rows gets everybody for as long as its present block lasts."""
    world = World(SCALES[:2], 2, noise=0.5)
    policy = world.policy(beta_min=0.1, explore=0.0, payback=False)
    visits = []
    for _ in range(120):
        visits.append(through(policy.visit(), world.answers()))
        policy.learn(visits[-1], world.reward_of(visits[-1].arm_index, visits[-1].answers))
    for visit in visits:
        if visit.arm_index == 0:
            policy.unlearn(visit)
    assert policy.rows[0] == 0
    z = world.survey.encode(world.answers())
    everyone = np.ones(2, dtype=bool)
    for number in (1000, 1001):
        best = int(np.argmax(policy.ucb(z)))
        assert policy._decide(z, everyone, number).arm == best


def test_late_rewards_do_not_send_everybody_to_one_arm():
    """Fails if the turns of the start depend on what has been learned: 4 arms, 200 visits wait."""
    world = World(SCALES, 4)
    policy = world.policy(beta_min=0.5, explore=0.0)
    late = al.InOrder(policy)
    visits = []
    for _ in range(200):
        visits.append(through(policy.visit(), world.answers()))
        late.add(visits[-1])
    assert np.bincount([visit.arm_index for visit in visits]).tolist() == [50] * 4
    for visit in reversed(visits):
        late.reward(visit, world.reward_of(visit.arm_index, visit.answers))
    assert policy.rows.tolist() == [50] * 4


def test_warm_up_once_left_is_not_entered_again(tmp_path):
    """Fails if unlearning rows, or saving after it, sends an arm back to warm-up."""
    world = World(SCALES[:3], 1, noise=0.1)
    policy = world.policy(beta_min=0.5)
    visits = []
    while policy.warm[0] or policy.epochs[0] == 0:
        answers = world.answers()
        visits.append(policy.visit(known=answers))
        policy.learn(visits[-1], world.reward_of(0, answers))
    held = int(policy._model.epochs.held[0])
    for visit in visits[: len(visits) - held - 1]:
        policy.unlearn(visit)
    assert policy._model.arms.n.tolist() == [1]  # fewer than those of the start
    assert not policy.warm[0]
    policy.save(tmp_path / "state.json")
    loaded, ended = al.load(tmp_path / "state.json"), int(policy._model.epochs.ended[0])
    for one in (policy, loaded):
        rng = np.random.default_rng(0)
        for _ in range(60):
            z = world.survey.encode(random_answers(world.survey, rng))
            one.learn_row(0, z, float(rng.uniform(10, 12)))
        assert not one.warm[0]
        assert one._model.epochs.ended[0] > ended
        assert one.epochs[0] == 1 + one._model.epochs.ended[0] - ended
    assert everything(loaded) == everything(policy)


def test_an_arm_that_is_not_refreshed_does_not_change_by_a_bit():
    """Fails if a row changes another arm, or its own arm's models in mid-block."""
    world = World(EVERY, 3, noise=0.2)
    policy = world.policy(beta_min=0.6)
    rng, mid, ends = np.random.default_rng(3), 0, 0
    for _ in range(700):
        answers = random_answers(world.survey, rng)
        arm = int(rng.integers(3))
        before = [arm_state(policy, k) for k in range(3)]
        models, ended = arm_models(policy, arm), int(policy._model.epochs.ended[arm])
        policy.learn_row(arm, world.survey.encode(answers), world.reward_of(arm, answers))
        for k in {0, 1, 2} - {arm}:
            assert arm_state(policy, k) == before[k]
        if policy._model.epochs.ended[arm] == ended:
            assert arm_models(policy, arm) == models
            mid += 1
        else:
            assert arm_models(policy, arm) != models
            ends += 1
    assert mid > 200
    assert ends > 60


# -- interactive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", [SCALES, EVERY], ids=["scales", "every"])
@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_survey_plays_what_the_full_one_plays(questions, grain):
    """Fails if an arm that can still win is ruled out, or rows learned in part differ."""
    world = World(questions, 3, noise=0.05, seed=4)
    full = world.policy(beta_min=0.9)
    asking = world.policy(beta_min=0.9, interactive="certified", grain=grain)
    asked = 0
    for _ in range(600):
        answers = random_answers(world.survey, world.rng)
        visit = through(asking.visit(), answers)
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


# -- optimism ------------------------------------------------------------------------------------


def test_optimism_valid_plays_the_upper_bounds_of_the_sets():
    """Fails if a score is not the set's UCB, or a kept question is not active.

    The twin with the default optimism learns the same rows: sets and drops do not depend on it.
    """
    world = World(EVERY, 3, noise=0.05)
    policy, twin = world.policy(beta_min=0.6, optimism="valid"), world.policy(beta_min=0.6)
    passive = 0
    for _ in range(900):
        answers = world.answers()
        z, arm = world.survey.encode(answers), int(world.rng.integers(3))
        reward = world.reward_of(arm, answers)
        for one in (policy, twin):
            one.learn_row(arm, z, reward)
        passive += (twin.active != twin.support).any()
        np.testing.assert_array_equal(policy.active, policy.support)
    assert not policy.support.all()
    assert passive > 100
    np.testing.assert_array_equal(policy.support, twin.support)
    np.testing.assert_array_equal(policy.radius, twin.radius)
    np.testing.assert_array_equal(policy.width, policy.radius)
    for _ in range(20):
        z, state = world.survey.encode(world.answers()), policy._model.arms
        for k, score in enumerate(policy.ucb(z)):
            x = z[state.columns[k, : state.size[k]]]
            d = policy._model.gram(k) + policy.alpha * np.eye(len(x))
            beta = np.linalg.solve(d, policy.reward.span * state.moment[k, : len(x)])
            length = math.sqrt(x @ np.linalg.solve(d, x))
            close(score, x @ beta + policy.radius[k] * length)
    assert policy.visit(known=world.answers()).explain().score == "upper bound"
    assert twin.visit(known=world.answers()).explain().score == "score"


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_without_optimism_bounds_hold_and_the_best_mean_wins(grain):
    """Fails if a width of zero breaks the bounds of an interactive survey, or wins are not means'.

    At every step each arm's final mean must lie between what the visit says are its ends.
    """
    world = World([*EVERY[:5], *SCALES[:2]], 3, noise=0.1, seed=2)
    made = {"beta_min": 0.4, "optimism": 0, "explore": 0.0, "payback": False}
    policy = world.policy(**made, interactive="certified", grain=grain)
    saved, looked = 0, 0
    for number in range(500):
        answers = world.answers()
        z = world.survey.encode(answers)
        scores = policy.ucb(z)
        np.testing.assert_array_equal(policy.width, 0.0)
        close(scores, policy.estimate @ z, atol=1e-9)
        visit = policy.visit()
        while asks := visit.asks:
            if number % 25 == 0:
                bounds = visit.explain().bounds
                for name, (low, high) in bounds.items():
                    mean = scores[policy.arm_index(name)] + policy.reward.middle
                    assert low - 1e-9 <= mean <= high + 1e-9
                    looked += 1
            visit.answer({asks[0]: answers[asks[0]]})
        if (policy._model.arms.n >= 3 * world.survey.column_count // 10).all():
            assert visit.arm_index == int(np.argmax(scores))
        saved += len(policy.asked_now()) - len(visit.asked)
        policy.learn(visit, world.reward_of(visit.arm_index, answers))
    assert saved > 0
    assert looked > 50


# -- simulated -----------------------------------------------------------------------------------


def simulated_world():
    survey = survey_of([*EVERY[:5], *SCALES[:2]])
    table = np.zeros((3, survey.column_count))
    table[0, -1], table[1, -2], table[2, 3:8] = 0.6, -0.5, [0.3, -0.2, 0, 0, -0.1]
    return al.LinearEnvironment(
        survey, arms=["a", "b", "c"], coefficients=table, reward=(10, 11), spread=0.15
    )


@pytest.mark.parametrize("floor", [0.0, 0.2])
@pytest.mark.parametrize("interactive", [False, "arm", "question"])
def test_the_compiled_loop_does_what_a_plain_one_does(floor, interactive):
    """Fails if arms, regret, questions asked or drops differ between `simulate` and visits."""
    world, visits = simulated_world(), 1200
    settings = {"beta_min": 0.3, "explore_floor": floor, "seed": 11}
    if interactive:
        settings |= {"interactive": "certified", "grain": interactive}
    made = {"arms": world.arms, "reward": world.reward}
    run = al.simulate(
        al.EpochSurveyUCB(world.survey, **made, **settings), world, visits, seed=5, checkpoints=200
    ).runs[0]
    policy = al.EpochSurveyUCB(world.survey, **made, **settings)
    policy._stream = (5 * MIX + 1) % 2**64  # the first run of seed 5
    law, span = (world.noise_form, world.spread, -0.5), world.reward.span
    regret, asked, drops, plays, t = [0.0], [0], set(), np.zeros(3, dtype=int), 0
    for block in world.respondents(5, 0):
        for z, luck in zip(block.contexts, block.luck, strict=True):
            if t == visits:
                break
            t += 1
            arm = policy.play(z)
            visit = through(policy.visit(), world.survey.decode(z))
            assert visit.arm_index == arm
            questions = len(visit.asked)
            if not interactive:  # what scores need and what the played arm learns; only that first
                put = policy.support[arm].copy()
                if (policy._model.arms.n >= 3 * world.survey.column_count // 10).all():
                    put |= policy.active.any(axis=0)
                assert set(visit.asked) == set(world.survey.names_of(put))
            means = world.coefficients @ z
            units = outcome(law, span, float(means[arm]), luck)
            reward = world.reward.from_units(units, raw=False)
            before = policy.support
            policy.learn(visit, reward)
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
        {"explore_floor": 1.1},
        {"explore_floor": "x"},
        {"payback": 1},
        {"payback": None},
        {"optimism": -0.1},
        {"optimism": 101},
        {"optimism": math.inf},
        {"optimism": "published"},
        {"optimism": None},
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
