"""Blocks of people at the core's border: what is wrong is refused, and nothing moves under them."""

import numpy as np
import pytest

from askless import core
from border_scene import HUGE, REFUSED, Scene, survives, wrong_values

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
