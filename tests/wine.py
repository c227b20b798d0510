"""scikit-learn's wines as worlds: 178 bottles, 13 measurements, an arm a grower."""

import numpy as np
from sklearn.datasets import load_wine

import askless as al

WINE = load_wine()
ARMS = ("first", "second", "third")
SURVEY = al.Survey(
    [
        al.Scale(name.replace("/", " "), low=float(column.min()), high=float(column.max()))
        for name, column in zip(WINE.feature_names, WINE.data.T, strict=True)
    ]
)
BOTTLES = [dict(zip(SURVEY.names, map(float, row), strict=True)) for row in WINE.data]
RIGHT = np.eye(3)[WINE.target]  # 1 for the arm that is the grower


def wine_world(kind="right", **settings):
    """`right`: 1 for the grower, else 0. `noisy`: numbers that lie on no grid. `unknown`: too."""
    made = {"arms": ARMS, "answers": BOTTLES} | settings
    if kind == "right":
        return al.TableEnvironment(SURVEY, rewards=RIGHT, expected=RIGHT, reward=(0, 1), **made)
    noise = np.random.default_rng(1).uniform(-0.25, 0.25, RIGHT.shape)
    means = RIGHT / 3 - 0.1
    known = {"expected": means} if kind == "noisy" else {}
    return al.TableEnvironment(SURVEY, rewards=means + noise, reward=(-0.4, 0.9), **known, **made)


class Limited:
    """A world in which each arm is open to some; every third may get one arm alone."""

    def __init__(self, world):
        self.world, self.survey, self.arms, self.reward = (
            world,
            world.survey,
            world.arms,
            world.reward,
        )

    def respondents(self, seed, run):
        rng = np.random.default_rng([seed, run])
        for block in self.world.respondents(seed, run):
            allowed = rng.random(block.rewards.shape) < 0.7
            allowed[~allowed.any(axis=1)] = True
            allowed[::3] = np.eye(len(self.arms), dtype=bool)[rng.integers(len(self.arms))]
            yield al.Block(block.contexts, block.rewards, block.expected, allowed)
