"""A policy that writes down what it learns, and in which order."""

import copy

import numpy as np

import askless as al


class Notes(al.Policy):
    """Writes down what it learns, in its order; arms take turns."""

    name = "notes"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.notes = []

    def _decide(self, z, mask, number):
        candidates = np.flatnonzero(mask)
        return al.Decision(int(candidates[number % len(candidates)]), np.zeros(len(mask)))

    def _learn(self, played, rows, ys):
        for arm, row, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            self.notes.append([arm, float(row[1]), y])

    def _state(self):
        return {"notes": copy.deepcopy(self.notes)}

    def _restore(self, state):
        self.notes = copy.deepcopy(state["notes"])


def notes(arms=1):
    return Notes(al.Survey.unit(1), arms=[f"a{k}" for k in range(arms)], reward=(0, 1))


def decided(policy, count):
    return [policy.visit(known={"x1": i / 16}) for i in range(count)]


def learned(policy):
    """The people whose visits were learned, in this order."""
    return [round((x + 0.5) * 16) for _, x, _ in policy.notes]
