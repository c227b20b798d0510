"""Policies of every kind, every door of the core to them, and arguments that are wrong for it."""

import copy
import functools

import numpy as np

from askless import core
from askless.core import inside
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


def terms(scene):
    m = len(scene.policy.survey)
    return np.zeros(m, dtype=np.int64), np.ones(m)
