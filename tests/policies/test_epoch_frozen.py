"""What an arm is chosen and judged by is frozen while a block of its rows goes on."""

import copy
import itertools
from typing import NamedTuple

import numpy as np
import pytest

import askless as al
from boundary_worlds import SCALE, YES_NO
from worlds import survey_of

FROZEN = (
    *("noise", "ridge", "support", "estimate", "radius", "width", "n"),
    *("active", "active_columns", "active_size", "active_estimate", "active_root"),
)
FROZEN_EPOCHS = (
    *("need", "warm", "undecided", "logs", "passed", "pace"),
    *("model_root", "model_weights", "model_estimate"),
)


def frozen_state(policy, k):
    """All that arm k is chosen, asked for and judged by."""
    arms, epochs = policy._model.arms, policy._model.epochs
    parts = [getattr(arms, name)[k] for name in FROZEN]
    return b"".join(
        np.asarray(part).tobytes()
        for part in parts + [getattr(epochs, name)[k] for name in FROZEN_EPOCHS]
    )


def contenders(interactive):
    """Four arms in which questions matter a little, so that much stays undecided for long."""
    survey = survey_of([YES_NO, SCALE, YES_NO, SCALE, YES_NO])
    table = np.zeros((4, 6))
    table[0, 1], table[1, 2], table[2, 3], table[3, 5] = 0.1, 0.12, 0.08, 0.05
    world = al.LinearEnvironment(
        survey, arms=list("abcd"), reward=(0, 1), coefficients=table, spread=0.3
    )
    policy = al.EpochSurveyUCB(
        survey,
        arms=world.arms,
        reward=(0, 1),
        beta_min=0.1,
        explore=0.5,
        interactive=interactive,
    )
    return policy, world


class Recorded(NamedTuple):
    """A run of the contenders."""

    fresh: al.EpochSurveyUCB  # the policy before it
    contexts: np.ndarray
    rewards: np.ndarray  # of all arms
    where: np.ndarray  # the arm of each visit, and which of its blocks it belongs to
    thawed: int  # visits at which something changed that is to be frozen


def recorded(interactive):
    policy, world = contenders(interactive)
    blocks = list(itertools.islice(world.respondents(3, 0), 3))
    contexts = np.concatenate([block.contexts for block in blocks])
    rewards = np.concatenate([block.rewards for block in blocks])
    fresh, where, thawed = copy.deepcopy(policy), [], 0
    for z, row in zip(contexts, rewards, strict=True):
        k = policy.play(z)
        before, block = frozen_state(policy, k), int(policy._model.epochs.ended[k])
        policy.learn_row(k, z, float(row[k]))
        where.append((k, block))
        thawed += policy._model.epochs.ended[k] == block and frozen_state(policy, k) != before
    return Recorded(fresh, contexts, rewards, np.array(where), thawed)


@pytest.mark.parametrize("interactive", [False, True])
def test_rewards_of_an_epoch_do_not_choose_its_rows(interactive):
    """Which visits become an epoch's rows, and what they are asked, is fixed before its rewards.

    Plays a run, then again with all rewards of one block of one arm changed: the same arms are
    played, with the same questions, until that block ends. Fails if the model that decides, the
    noise, or who is undecided is computed from the block under way.
    """
    fresh, contexts, rewards, where, _ = recorded(interactive)

    def replay(table):
        again = copy.deepcopy(fresh)
        drops = np.zeros((4, len(again.survey)), dtype=np.int64)
        done = again.player().play(al.Block(contexts, table), 0, drops)
        return done.arms, done.asked

    arms, asked = replay(rewards)
    assert (arms == where[:, 0]).all()
    rng, tried = np.random.default_rng(1), 0
    for k, block in np.unique(where, axis=0):
        rows = np.flatnonzero((where == (k, block)).all(axis=1))
        if len(rows) < 33:
            continue
        other = rewards.copy()
        other[rows, k] = rng.permutation(1 - other[rows, k])
        until, (played, questions) = rows[-1] + 1, replay(other)
        assert (played[:until] == arms[:until]).all()
        assert (questions[:until] == asked[:until]).all()
        tried += 1
    assert tried >= 12


def test_what_an_arm_is_chosen_and_judged_by_is_frozen():
    """Fails if a row changes, by a bit, what its arm is chosen or judged by in mid-block."""
    assert recorded(interactive=False).thawed == 0
