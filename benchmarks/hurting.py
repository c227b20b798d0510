"""Short forms in worlds that are built to hurt them, beside asking everything: `make hurting`.

Rewards are 0 or 1, ten yes/no questions, prices 0.002 of the range; means of 10 seeds.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator

import numpy as np

import askless as al
from askless.report.page import processor

PEOPLE, SEEDS, PRICE, COUNT = (500, 2_000, 10_000), range(10), 0.002, 10


class World:
    """People who answer yes or no, and rewards of 0 or 1 with the means that `_expect` gives."""

    arms = ("a", "b")
    reward = (0.0, 1.0)

    def __init__(self) -> None:
        self.survey = al.Survey([al.YesNo(f"q{i}") for i in range(COUNT)])

    def _answers(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Draw yes (1) and no (0), everyone's own."""
        return (rng.random((count, COUNT)) < 0.5).astype(float)

    def _expect(self, yes: np.ndarray, first: int) -> np.ndarray:
        """Return what each arm is expected to bring the people from the `first` on (n × 2)."""
        raise NotImplementedError

    def respondents(self, seed: int, run: int) -> Iterator[al.Block]:
        """Draw people, block after block."""
        rng, first = np.random.default_rng([seed, run]), 0
        while True:
            yes = self._answers(rng, 500)
            expected = self._expect(yes, first)
            rewards = (rng.random(expected.shape) < expected).astype(float)
            contexts = np.c_[np.ones(len(yes)), yes - 0.5]
            yield al.Block(contexts, rewards, expected)
            first += len(yes)


class OnlyTogether(World):
    """Two questions, neither of which alone changes who wins."""

    def _expect(self, yes, first):  # noqa: ARG002
        return np.c_[np.full(len(yes), 0.5), 0.1 + 0.25 * (yes[:, 0] + yes[:, 1])]


class RareStake(World):
    """An answer that three in a hundred give, with a large stake."""

    def _answers(self, rng, count):
        yes = super()._answers(rng, count)
        yes[:, 0] = rng.random(count) < 0.03
        return yes

    def _expect(self, yes, first):  # noqa: ARG002
        return np.c_[0.5 - 0.4 * yes[:, 0], 0.4 + 0.5 * yes[:, 0]]


class NearCopies(World):
    """Five questions that are almost the same one, which matters."""

    def _answers(self, rng, count):
        yes = super()._answers(rng, count)
        for i in range(1, 5):
            flip = rng.random(count) < 0.05
            yes[:, i] = np.where(flip, 1 - yes[:, 0], yes[:, 0])
        return yes

    def _expect(self, yes, first):  # noqa: ARG002
        return np.c_[0.4 + 0.2 * yes[:, 0], 0.6 - 0.2 * yes[:, 0]]


class Interaction(World):
    """An arm that is better where two answers differ: no linear model sees it."""

    def _expect(self, yes, first):  # noqa: ARG002
        differ = yes[:, 0] != yes[:, 1]
        return np.c_[0.45 + 0.1 * yes[:, 2], np.where(differ, 0.7, 0.3)]


class Drift(World):
    """After 5,000 people another question matters."""

    def _expect(self, yes, first):
        matters = yes[:, 0 if first < 5_000 else 1]
        return np.c_[0.4 + 0.2 * matters, 0.6 - 0.2 * matters]


def main() -> None:
    """Print a table."""
    print(
        f"{processor()}, Python {platform.python_version()}; net reward of 1,000 visits less that"
    )
    print(
        f"of asking everything (LinUCB with the measured noise), {PRICE:g} a question / questions a"
    )
    print(f"visit, after {', '.join(f'{n:,}' for n in PEOPLE)} people:\n")
    print("| world | price 0.002 | and full_floor 0.1 | price 0 | forms at the end of 10 runs |")
    print("|---|---|---|---|---|")
    for kind in (OnlyTogether, RareStake, NearCopies, Interaction, Drift):
        world = kind()
        ours = {"name": "survey-bandit", "beta_min": 0.1}
        made = ({"price": PRICE}, {"price": PRICE, "full_floor": 0.1}, {"price": 0})
        rival = net(world, {"name": "linucb", "width": "noise"})
        cells = []
        for own in made:
            found = net(world, ours | own)
            gains = (found[0] - rival[0]).mean(axis=0)
            asked = found[1].mean(axis=0)
            cells.append(
                " · ".join(f"{1e3 * g:+.1f} / {q:.1f}" for g, q in zip(gains, asked, strict=True))
            )
        print(f"| {kind.__doc__} | {' | '.join(cells)} | {last_forms(world)} |", flush=True)


def net(world: World, policy: dict[str, object]) -> tuple[np.ndarray, np.ndarray]:
    """Return net reward and questions a visit (seeds × sizes)."""
    rows = []
    for seed in SEEDS:
        run = al.simulate(policy, world, max(PEOPLE), seed=seed, checkpoints=list(PEOPLE)).runs[0]
        asked = run.cost_at / run.visits
        rows.append((run.reward_at / run.visits - PRICE * asked, asked))
    gains, asked = zip(*rows, strict=True)
    return np.array(gains), np.array(asked)


def last_forms(world: World) -> str:
    """Return the forms that stand at the end of the runs, and of how many, the most frequent first.

    Forms that one run alone ends with are counted together.
    """
    forms: Counter[str] = Counter()
    for seed in SEEDS:
        policy = al.SurveyBandit(
            world.survey, arms=world.arms, reward=world.reward, beta_min=0.1, price=PRICE, seed=seed
        )
        player, drops, begun = policy.player(), np.zeros((2, COUNT), dtype=np.int64), 0
        for block in world.respondents(seed, 0):
            player.play(block, begun, drops)
            begun += len(block)
            if begun >= max(PEOPLE):
                break
        form = policy.short_form().questions
        forms["none stands" if form is None else "+".join(form) or "no question"] += 1
    often = [f"{form} ({count})" for form, count in forms.most_common() if count > 1]
    once = sum(count == 1 for count in forms.values())
    return ", ".join(often + [f"others ({once})"] * (once > 0))


if __name__ == "__main__":
    main()
