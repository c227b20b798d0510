"""The core's border: whatever Python hands over, the process survives it, and arms stay in order.

Every door is called with what is right, then with one argument wrong at a time. `make sanitize`
runs this with every address and index checked: nothing is read or written out of bounds either.
"""

import copy
import functools
import gc

import numpy as np
import pytest

import askless as al
from askless import core
from askless.core import inside
from askless.core.words import OLDEST, PEOPLE, SIGNS, SIZE, SUMS, Columns
from askless.environments.base import first_respondents
from core.everything import policy_of
from worlds import mixed_world

KINDS = {
    "ridge": "ridge",
    "epochs": "survey-bandit",
    "net": "elastic-net, interactive",
    "by question": "ridge, by question",
    "paper": "ridge, heuristic",
    "epochs, interactive": "survey-bandit, interactive",
}
REFUSED = (TypeError, ValueError, MemoryError, OverflowError)
HUGE = 2**62


@functools.cache
def world():
    return mixed_world(4)


def policy_like(kind, *, visits=600):
    policy = policy_of(KINDS[kind], world())
    drops = np.zeros((len(policy.arms), len(policy.survey)), dtype=np.int64)
    player = policy.player()
    for block in first_respondents(world(), 1, 0, visits):
        player.play(block, 0, drops)
    return policy


@functools.cache
def template(kind):
    return policy_like(kind)


class Scene:
    """A policy of a kind that has learned, and everything that its doors want."""

    def __init__(self, kind):
        self.policy = copy.deepcopy(template(kind))
        self.arms, self.survey = self.policy._model.arms, self.policy.survey.core
        short = getattr(self.policy, "_short", None)
        self.shorts = None if short is None else short.shorts
        (block,) = first_respondents(world(), 2, 0, 40)
        self.rows = np.ascontiguousarray(block.contexts)
        self.luck = block.luck
        self.z, self.live = self.rows[0].copy(), np.ones(self.count, dtype=bool)

    @property
    def count(self):
        return len(self.policy.arms)

    @property
    def has_epochs(self):
        return self.arms.epochs is not None

    def block(self, **other):
        """A block of people, some of its arrays replaced."""
        n, K, m = len(self.rows), self.count, len(self.policy.survey)
        given = {
            "contexts": self.rows,
            "luck": self.luck,
            "matter": np.array([1, 2, 0]),
            "slopes": np.full((K, 3), 0.1),
            "law": (0, 0.1, -0.5),
            "expected": np.empty((0, K)),
            "drawn": np.empty((0, K)),
            "number": 3,
            "draws": np.full((n if self.has_epochs else 0, 4), [[-1.0, 0.5, 0.9, 0.5]]),
            "allowed": np.ones((n, K), dtype=bool),
            "begun": 0,
            "drops": np.zeros((K, m), dtype=np.int64),
            **{name: np.zeros(n, dtype=np.int64) for name in ("played", "asked", "others")},
            **{name: np.zeros(n) for name in ("radii", "regret", "earned", "paid")},
        }
        return core.Block(self.arms, **(given | other))


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


# -- every door, one argument wrong at a time ------------------------------------------------------


def wrong_arrays(array):
    """Arrays that are not what is wanted in the place of one."""
    yield from (None, "x", 1.0, [], object(), np.float64(1))
    yield array.tolist()
    yield array[..., None]
    yield array.ravel()[:0]
    yield np.repeat(array, 2, axis=0)
    yield array[:-1]
    yield array[..., :-1]
    with np.errstate(all="ignore"):
        yield array.astype(np.float32)
        yield array.astype(np.int8)
    yield array.astype(complex)
    yield array.astype(object)
    yield array.astype("U8")
    yield np.repeat(array, 2, axis=-1)[..., ::2]  # not one after the other in memory
    yield np.asfortranarray(array)
    yield array.astype(array.dtype.newbyteorder())
    frozen = array.copy()
    frozen.setflags(write=False)
    yield frozen
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf, 1e308, -1e-308):
            yield np.full_like(array, value)
    elif array.dtype.kind == "i":
        for value in (-1, HUGE, -HUGE, 10**6):
            yield np.full_like(array, value)
    else:
        yield np.zeros_like(array)


def wrong_values(value):
    """What is not wanted in the place of an argument."""
    if isinstance(value, np.ndarray):
        yield from wrong_arrays(value)
    elif isinstance(value, int):
        yield from (-1, 10**6, HUGE, -HUGE, 2**70, 1.5, None, "x", np.nan)
    elif isinstance(value, float):
        yield from (np.nan, np.inf, -np.inf, 1e308, 0.0, None, "x")
    else:
        yield from (None, 3, "x", np.zeros(3), object())


def doors(scene):
    """Every door of arms and short forms, with arguments that are right."""
    arms, z, live, rows = scene.arms, scene.z, scene.live, scene.rows
    K, m, n = scene.count, len(scene.policy.survey), len(rows)
    yield arms.play_row, (live, z)
    yield arms.score_row, (live, z, np.zeros(K))
    yield arms.choose_row, (live, z, 5, np.array([-1.0, 0.5, 0.1, 0.5]))
    yield arms.learn_row, (1, z, float(scene.policy.reward.low))
    yield arms.learn_rows, (np.arange(n) % K, rows, np.full(n, 0.25))
    yield arms.learn_visit, (1, z, 0.25)
    yield arms.may_ask, (live, np.zeros(m, dtype=bool))
    yield arms.open, (live, z, np.zeros(m, dtype=bool))
    yield arms.lacks, (1, z)
    yield arms.outlook, (z, np.zeros(K), np.zeros(K))
    yield arms.starter, (live, 5)
    yield arms.draw, (live, 1, False, 0.1, np.array([-1.0, 0.5, 0.1, 0.5]), np.zeros(K))
    yield arms.ask, (live, z, np.zeros(m, dtype=bool), np.zeros(K, dtype=bool))
    yield arms.reach, (live, z, np.zeros(K), np.zeros(K))
    yield arms.derive, (np.arange(K),)
    yield arms.effect, (1, int(np.flatnonzero(arms.support[1])[0]))
    yield arms.settle, (1,)
    yield arms.pack, (1,)
    yield arms.take_out_row, (1, z, 0.25)
    yield arms.rows, (1,)
    yield arms.put_rows, (1, np.zeros((3, -(-int(arms.size[1]) // 8) * 8 + 8)))
    yield arms.take, (copy.deepcopy(scene.policy)._model.arms,)
    yield core.FusedLoop(arms).play, (scene.block(),)
    yield core.play_interactive, (arms, scene.block())
    yield scene.survey.read_row, (z, np.zeros_like(z))
    yield scene.survey.read_rows, (rows, np.zeros_like(rows))
    yield inside.radius, (arms, 1)
    yield inside.units, (arms, 0.5)
    yield inside.levels, (arms, 1, z, 0.5)
    yield (
        inside.passes,
        (arms, 1, z, np.ones(arms.active_size[1]), np.ones(arms.active_size[1]), 1.0, 0.1),
    )
    yield inside.bound, (arms, 1, z, 0.5, 2, 1)
    yield inside.ask_everything, (arms, rows, scene.luck, np.zeros((K, len(z))), (0, 0.1, -0.5))
    if scene.shorts is not None:
        yield from short_doors(scene)


def short_doors(scene):
    arms, shorts, z, live = scene.arms, scene.shorts, scene.z, scene.live
    yield core.play_short, (arms, shorts, 0, scene.block())
    for name in ("recount", "fold_all", "know_whole"):
        yield getattr(shorts, name), (arms,)
    yield shorts.derive_all, (arms, np.eye(len(z)), 3)
    yield shorts.full_share, (arms, live, 3)
    yield shorts.share, (arms, 3)
    yield shorts.short_arm, (arms, live, z)
    yield shorts.score_whole, (arms, live, z, np.zeros(scene.count))
    yield shorts.may_ask, (arms, np.zeros(len(scene.policy.survey), dtype=bool))
    yield shorts.open, (arms, z, np.zeros(len(scene.policy.survey), dtype=bool))
    yield shorts.choose_full, (arms, live, z, 3, np.zeros(scene.count), np.zeros(3))
    coins = np.array([-1.0, 0.5, 0.1, 0.5])
    yield shorts.draw_full, (arms, live, 1, 0, 0.1, coins, np.zeros(scene.count))
    yield shorts.outlook, (arms, z, np.zeros(scene.count), np.zeros(scene.count))
    yield shorts.keep_if_whole, (arms, z, live)
    yield shorts.learn_full, (arms, 1, z, 0.25, live)
    yield shorts.learn_check, (arms, 1, z, 0.25, 1.0)
    yield shorts.learn_short, (arms, 1, z, 0.25, 1.0)
    yield shorts.enter, (0.1, 0.1, 0.1)
    yield shorts.loss, (arms, 0.1, 0.1, True)
    yield shorts.bet, (0.1,)
    yield shorts.take, (copy.deepcopy(scene.policy)._short.shorts,)


def survives(door, arguments):
    """Call a door; whether it refused. Only an exception of those that say so may come of it."""
    try:
        door(*arguments)
    except REFUSED:
        return True
    return False


def test_every_door_survives_every_wrong_argument(kind):
    refused = called = 0
    for number in range(len(list(doors(Scene(kind))))):
        scene = Scene(kind)
        door, right = list(doors(scene))[number]
        for place, argument in enumerate(right):
            for wrong in wrong_values(argument):
                refused += survives(door, (*right[:place], wrong, *right[place + 1 :]))
                called += 1
        scene.arms.check()  # NaN has spoilt sums by now, but nothing that is a place in an array
        survives(door, right)
    assert refused > called / 2


def test_every_door_does_what_it_should_with_what_is_right(kind):
    for number in range(len(list(doors(Scene(kind))))):
        scene = Scene(kind)
        door, right = list(doors(scene))[number]
        wanted = {
            **dict.fromkeys(("choose_row", "starter", "draw"), scene.has_epochs),
            "rows": scene.has_epochs,
            "put_rows": scene.has_epochs,
            **dict.fromkeys(
                ("ask", "reach", "play_interactive", "levels", "passes", "bound"),
                bool(scene.policy._model.rule.interactive),
            ),
        }
        assert survives(door, right) != wanted.get(door.__name__, True), door.__name__


# -- blocks of people ------------------------------------------------------------------------------

FIELDS = ("contexts", "luck", "matter", "slopes", "law", "expected", "drawn", "number", "draws")
FIELDS += ("allowed", "begun", "drops", "played", "radii", "regret", "earned", "asked", "paid")


def loops(scene):
    """All loops, and what they want beside a block."""
    yield core.FusedLoop(scene.arms).play, ()
    yield core.play_interactive, (scene.arms,)
    if scene.shorts is not None:
        yield core.play_short, (scene.arms, scene.shorts, 0)


def fields(scene):
    n, K = len(scene.rows), scene.count
    right = dict.fromkeys((*FIELDS, "others"), np.zeros(n))
    right |= dict.fromkeys(("played", "asked", "others"), np.zeros(n, dtype=np.int64))
    right |= {"contexts": scene.rows, "matter": np.array([1, 2, 0]), "slopes": np.ones((K, 3))}
    right |= {"law": (0, 0.1, -0.5), "expected": np.ones((n, K)), "drawn": np.full((n, K), 0.5)}
    right |= {"number": 3, "draws": np.full((n, 4), 0.5), "allowed": np.ones((n, K), dtype=bool)}
    return right | {"begun": 0, "drops": np.zeros((K, len(scene.policy.survey)), dtype=np.int64)}


@pytest.mark.parametrize("field", [*FIELDS, "others"])
def test_blocks_with_one_thing_wrong_are_refused_or_played(kind, field):
    scene = Scene(kind)
    for wrong in wrong_values(fields(scene)[field]):
        try:
            block = scene.block(**{field: wrong})
        except REFUSED:
            continue
        for loop, arguments in loops(scene):
            survives(loop, (*arguments, block))
        scene.arms.check()


def test_outputs_are_the_arrays_given_and_no_others(kind):
    scene = Scene(kind)
    for field in ("played", "radii", "regret", "earned", "asked", "paid", "others", "drops"):
        right = fields(scene)[field]
        frozen = right.copy()
        frozen.setflags(write=False)
        spread = np.zeros((*right.shape, 2), dtype=right.dtype)[..., 0]
        for wrong in (frozen, spread, right.astype(np.float32), right.tolist(), right[:-1]):
            with pytest.raises(REFUSED):
                scene.block(**{field: wrong})


def test_people_of_another_policy_are_refused(kind):
    scene, other = Scene(kind), Scene(kind)
    loops = [
        core.FusedLoop(scene.arms).play,
        lambda block: core.play_interactive(scene.arms, block),
    ]
    if scene.shorts is not None:
        loops.append(lambda block: core.play_short(scene.arms, scene.shorts, 0, block))
    for loop in loops:
        with pytest.raises(ValueError, match=r"another policy|not interactive"):
            loop(other.block())


def test_a_visit_that_may_get_no_arm_is_refused(kind):
    scene = Scene(kind)
    allowed = np.ones((len(scene.rows), scene.count), dtype=bool)
    allowed[7] = False
    with pytest.raises(ValueError, match="may get no arm"):
        scene.block(allowed=allowed)


def test_what_is_changed_after_a_block_was_made_leads_nowhere():
    scene = Scene("epochs")
    matter, draws = np.array([1, 2, 0]), np.full((len(scene.rows), 4), 0.5)
    allowed = np.ones((len(scene.rows), scene.count), dtype=bool)
    block = scene.block(matter=matter, draws=draws, allowed=allowed)
    matter[:], draws[:], allowed[:] = HUGE, 1e300, False
    core.FusedLoop(scene.arms).play(block)
    scene.arms.check()


def test_a_context_without_answers_does_not_ask_for_ever():
    scene = Scene("by question")
    rows = scene.rows.copy()
    rows[3, 1:] = np.nan
    with pytest.raises(ValueError, match="lacks an answer"):
        core.play_interactive(scene.arms, scene.block(contexts=rows))


def test_arrays_do_not_move_while_a_block_has_them():
    scene, luck = Scene("ridge"), np.zeros(40)
    block = scene.block(luck=luck)
    with pytest.raises(ValueError, match="resize"):
        luck.resize(4_000)
    core.FusedLoop(scene.arms).play(block)


# -- others' arms, and what Python writes into arrays ----------------------------------------------


def test_only_arms_of_the_same_kind_are_taken_over(kind):
    scene = Scene(kind)
    for name in KINDS:
        other = Scene(name).arms
        alike = (other.epochs is None) == (scene.arms.epochs is None)
        alike &= other.net_coef.shape == scene.arms.net_coef.shape
        assert survives(scene.arms.take, (other,)) != alike
    rule = scene.policy._model.rule
    few, many = (core.Arms(scene.survey, rule, n, *terms(scene)) for n in (1, scene.count + 1))
    many.take(scene.arms)
    scene.arms.take(few)
    with pytest.raises(ValueError, match="too many"):
        scene.arms.take(many)
    other = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    with pytest.raises(ValueError, match="another policy"):
        scene.arms.take(other._model.arms)


def terms(scene):
    m = len(scene.policy.survey)
    return np.zeros(m, dtype=np.int64), np.ones(m)


@pytest.mark.parametrize("count", [0, -1, HUGE, 2**59, 2**70])
def test_so_many_arms_cannot_be(count):
    scene = Scene("epochs")
    with pytest.raises(REFUSED):
        core.Arms(scene.survey, scene.policy._model.rule, count, *terms(scene))
    with pytest.raises(REFUSED):
        core.Shorts(scene.survey, count, *terms(scene))


@pytest.mark.parametrize(
    "setting", ["span", "log_supports", "form", "net", "epochs", "interactive"]
)
def test_rules_that_cannot_be_do_no_harm(kind, setting):
    scene = Scene(kind)
    for wrong in (-1, 0, 99, np.nan, None, "x", np.zeros(2), HUGE):
        rule = scene.policy._model.rule._replace(**{setting: wrong})
        try:
            arms = core.Arms(scene.survey, rule, 2, *terms(scene))
        except (*REFUSED, RuntimeError):  # no number at all
            continue
        for door in (arms.play_row, lambda live, z, arms=arms: arms.learn_row(0, z, 0.5)):
            survives(door, (np.ones(2, dtype=bool), scene.z))
        arms.derive(np.arange(2))
        arms.check()


def test_arms_that_nobody_has_filled_can_be_played(kind):
    scene = Scene(kind)
    arms = core.Arms(scene.survey, scene.policy._model.rule, scene.count, *terms(scene))
    arms.check()
    scene.arms = arms
    for door, arguments in doors(scene):
        survives(door, arguments)
    arms.check()


PLACES = ("size", "columns", "waiting", "late", "support")
EPOCH_PLACES = ("active", "active_size", "active_columns")
NET_PLACES = ("net_active", "net_place", "net_counts")


@pytest.mark.parametrize("value", [-1, -HUGE, HUGE, 10**6, 33])
@pytest.mark.parametrize("name", [*PLACES, *EPOCH_PLACES, *NET_PLACES])
def test_loops_refuse_arms_out_of_order(kind, name, value):
    scene = Scene(kind)
    if name in NET_PLACES and scene.arms.net_coef.size == 0:
        return  # there is no net
    getattr(scene.arms, name)[1] = value
    block = scene.block()
    with pytest.raises(ValueError, match="contradict"):
        scene.arms.check()
    with pytest.raises(ValueError, match="contradict"):
        core.FusedLoop(scene.arms).play(block)


@pytest.mark.parametrize("value", [-1, HUGE, 10**6])
@pytest.mark.parametrize("name", ["kept", "added", "held"])
def test_epochs_out_of_order_are_refused(name, value):
    scene = Scene("epochs")
    getattr(scene.arms.epochs, name)[1] = value
    if name == "held" and value > 0:  # rows that were let go
        scene.arms.check()
        return
    for attempt in (scene.arms.check, lambda: scene.arms.rows(1)):
        with pytest.raises(ValueError, match="contradict"):
            attempt()


@pytest.mark.parametrize("value", [-1, HUGE, 10**6])
@pytest.mark.parametrize("place", [SIZE, OLDEST, PEOPLE, "columns"])
def test_short_forms_out_of_order_are_refused(place, value):
    scene = Scene("epochs")
    if place == "columns":
        scene.shorts.columns[0] = value
    else:
        scene.shorts.counts[place] = value
    for door, arguments in short_doors(scene):
        if any(argument is scene.arms for argument in arguments) and door.__name__ != "loss":
            with pytest.raises(ValueError, match="another policy"):
                door(*arguments)


def test_a_short_visit_that_nobody_may_play_is_refused():
    scene = Scene("epochs")
    scene.shorts.live[:] = 0
    survives(core.play_short, (scene.arms, scene.shorts, 0, scene.block()))
    assert scene.shorts.short_arm(scene.arms, scene.live, scene.z) == -1


def test_a_damaged_pickle_is_refused(kind):
    model = Scene(kind).policy._model
    rebuild, (survey, rule, arrays) = model.__reduce__()
    assert type(rebuild(survey, rule, arrays)) is type(model)
    for name in (*PLACES, *(EPOCH_PLACES if Scene(kind).has_epochs else ())):
        damaged = arrays | {name: np.full_like(arrays[name], 99)}
        with pytest.raises(ValueError, match=r"contradict|policy's"):
            rebuild(survey, rule, damaged)


def test_views_outlive_their_owners(kind):
    scene = Scene(kind)
    gram, epochs, block = scene.arms.gram, scene.arms.epochs, scene.block()
    before = gram.copy()
    view = None if epochs is None else epochs.gram
    loop = core.FusedLoop(scene.arms)
    del scene, epochs
    gc.collect()
    loop.play(block)
    del loop, block
    gc.collect()
    assert gram.shape == before.shape
    gram[:] = 1.0
    assert view is None or np.isfinite(view).all()


@pytest.mark.filterwarnings("ignore")  # nanobind says so beside
def test_objects_that_were_never_made_are_refused():
    for made in (core.Arms, core.Shorts, core.Forming, core.ElasticNet, core.FusedLoop, core.Block):
        nobody = made.__new__(made)
        for name in dir(made):
            if not name.startswith("_"):
                with pytest.raises((*REFUSED, RuntimeError)):
                    getattr(nobody, name)()


# -- what stands for itself ------------------------------------------------------------------------


def alone():
    """Doors that need no policy, with arguments that are right."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 5))
    gram, moment, ones = rows.T @ rows, rows.sum(axis=0), np.ones(5)
    square, vector, taus = np.zeros((24, 24)), np.zeros(24), np.zeros(40)
    people = np.hstack([np.ones((30, 1)), rows])
    yield core.ElasticNet, (gram, moment, ones, 0.5)
    for name, more in {"start": (ones,), "add_row": (ones, 0.5), "set_penalty": (ones,)}.items():
        yield getattr(core.ElasticNet(gram, moment, ones, 0.5), name), more
    yield core.ElasticNet(gram, moment, ones, 0.5).follow, (rows, np.ones(30))
    yield core.lasso_path, (gram, moment.copy(), 0.1, np.array([2.0, 1.0]), 1e-3, np.zeros((2, 5)))
    yield core.outcomes, (0, 0.1, -0.5, 1.0, np.zeros((4, 3)), np.full(4, 0.5), np.zeros((4, 3)))
    words = np.full((4, 2), 2**64 - 1, dtype=np.uint64)
    yield core.draw_scales, (words, 0.5, np.zeros((4, 8)))
    yield core.noise, (0, 0.1, 0.5)
    yield core.add_at_the_end, (0.1, 1.0, 0.2, 0.1, np.zeros(SUMS))
    models = rng.normal(size=(2, 6))
    flags, may = np.ones(5, dtype=np.int64), np.ones((30, 2), dtype=bool)
    wanted = (people, people.T @ people, models, may, flags, 0 * flags, ones, 1)
    yield core.Forming, wanted
    yield core.Forming(*wanted).find_path, (al.Survey.unit(5).core, 0.1)
    yield core.Forming(*wanted).trim, (al.Survey.unit(5).core, 0.1)
    yield inside.lane_steps, (np.ones(9), np.ones(8), np.ones(8), np.zeros((11, 8)), np.zeros(6))
    yield inside.totals, (np.ones((8, 8)), np.zeros(8))
    yield inside.ln_of_parts, (np.full(16, 0.5), np.zeros(16))
    yield inside.factor, (square, 0.5, 16, square.copy(), vector)
    yield inside.times, (square, vector, 16, vector.copy())
    yield inside.transposed_times, (square, vector, 16, vector.copy())
    yield inside.squared_length, (vector, vector, 16)
    yield inside.add_row, (np.ones(24), vector, 16, taus, vector.copy(), vector.copy())
    yield inside.sweep, (square, 16, vector, vector, vector.copy())
    yield inside.sweep_twice, (square, 16, *(np.zeros((2, 24)) for _ in range(3)))
    yield inside.diagonal_of, (square, vector, 16, vector.copy())
    yield inside.inverse_of, (square, vector, 16, square.copy())
    yield inside.dot, (vector, vector, 16)
    yield inside.inner, (vector, vector)
    yield inside.add_multiple, (0.5, vector, vector.copy(), 16)


@pytest.mark.parametrize("number", range(len(list(alone()))))
def test_doors_without_a_policy_survive_every_wrong_argument(number):
    door, right = list(alone())[number]
    assert not survives(door, right)
    for place, argument in enumerate(right):
        for wrong in wrong_values(argument):
            survives(door, (*right[:place], wrong, *right[place + 1 :]))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e300, 0.0])
def test_a_net_of_anything_ends(value):
    net = core.ElasticNet(np.full((20, 20), value), np.full(20, value), np.ones(20), 1.0)
    net.solve(), net.descend()
    net.coef[:] = value
    net.start(np.full(20, value))
    net.follow(np.full((40, 20), value), np.full(40, value))


def test_a_net_without_columns_is_one():
    net = core.ElasticNet(np.empty((0, 0)), np.empty(0), np.empty(0), 1.0)
    net.solve()
    assert net.coef.shape == (0,)


@pytest.mark.parametrize("part", Columns._fields)
def test_surveys_whose_columns_are_out_of_place_are_refused(part):
    right = world().survey.columns._asdict()
    assert not survives(lambda: core.Survey.of(**right), ())
    for wrong in wrong_values(right[part]):
        given = right | {part: wrong}
        survives(lambda given=given: core.Survey.of(**given), ())
    for other in (-1, 10**6, HUGE):
        given = right | {part: np.full_like(right[part], other)}
        if part not in ("kind", "low", "high", "directions"):
            with pytest.raises(ValueError, match=r"out of place|own all columns"):
                core.Survey.of(**given)


def test_a_form_for_other_people_is_refused():
    *_, (_, wanted) = ((door, given) for door, given in alone() if door is core.Forming)
    for other in (al.Survey.unit(4), al.Survey.unit(6), al.Survey([al.Choice("c", list("abcde"))])):
        for name in ("find_path", "trim"):
            with pytest.raises(ValueError, match="another survey"):
                getattr(core.Forming(*wanted), name)(other.core, 0.1)


def test_a_question_with_more_points_than_can_be_counted_is_weighed():
    width, template = 71, Scene("by question").policy._model.rule
    ends = [np.r_[1.0, np.full(width - 1, 0.5), 1.0], np.r_[1.0, np.full(width - 1, -0.5), 0.0]]
    survey = core.Survey.of(
        *(np.array([number]) for number in (SIGNS, 1, width, 1)),
        start=np.array([0, 1]),
        high=ends[0],
        low=ends[1],
        directions=np.eye(1, width),
    )
    rule = template._replace(log_supports=np.zeros(2))
    arms = core.Arms(survey, rule, 2, np.zeros(1, dtype=np.int64), np.ones(1))
    arms.share[:] = 0.1
    arms.derive(np.arange(2))
    nothing = np.r_[1.0, np.full(width, np.nan)]
    assert {inside.levels(arms, 0, nothing, limit)[4] for limit in (-1.0, 1.0)} == {inside.UNKNOWN}
