"""The core's border: whatever Python hands over, the process survives it, and arms stay in order.

Every door is called with what is right, then with one argument wrong at a time. `make sanitize`
runs this with every address and index checked: nothing is read or written out of bounds either.
"""

import gc

import numpy as np
import pytest

import askless as al
from askless import core
from askless.core.words import OLDEST, PEOPLE, SIZE
from border_scene import (
    HUGE,
    KINDS,
    REFUSED,
    Scene,
    doors,
    short_doors,
    survives,
    terms,
    wrong_values,
)


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
