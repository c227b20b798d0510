"""How well the recommended policy decides at the sizes that studies have: `make deciding`.

Plausible worlds of the example study and of variants of it, none of which anything was tuned on,
played with the same people by every policy; then the paper's experiment. `--settings` tries other
constants, each halved and doubled.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from rich.progress import track

import askless as al
from askless.environments import LinearEnvironment
from askless.evaluation.outcomes import best_rewards, expected_of
from askless.report.page import processor

SEED = 1611  # of the worlds and of their people
PEOPLE = (500, 2_000, 5_000, 20_000)
OURS, NOISE, LI = "SurveyBandit", "LinUCB, noise", "LinUCB, li2010"
PAPER = {(5, 0.3): (540, 3.8), (5, 0.5): (280, 3.05), (3, 0.3): (105, 3.3), (3, 0.5): (80, 2.9)}


def studies() -> Iterator[tuple[str, al.Study]]:
    """Go through the example study and its variants."""
    study = al.Study.example()
    yield "example study", study
    yield "0/1 rewards", replace(study, plan={**study.plan, "noise": "ends"})
    yield "correlated answers", replace(study, plan={**study.plan, "correlation": 0.4})
    rare = {"donor": 0.03, "newsletter": 0.03, "children": 0.03}
    yield "rare contexts", replace(study, plan={**study.plan, "answers": rare})
    yield "ten arms, twenty questions", wide(study)
    yield "range ten times too wide", replace(study, reward=(-450, 550))


def wide(study: al.Study) -> al.Study:
    """Return a study of ten arms and twenty questions."""
    questions = [al.Scale(f"scale{i}", low=0, high=10) for i in range(8)]
    questions += [al.YesNo(f"yes_no{i}") for i in range(8)]
    questions += [al.Choice(f"choice{i}", ["a", "b", "c"]) for i in range(4)]
    arms = tuple(al.Arm(f"arm{i}") for i in range(10))
    plan = {**study.plan, "useful": [2, 7]}
    return replace(study, survey=al.Survey(questions), arms=arms, plan=plan)


def rivals(study: al.Study, settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the policies that are compared."""
    beta_min = study.settings["beta_min"]
    return {
        OURS: {"name": "survey-bandit", "beta_min": beta_min, "price": 0, **settings},
        NOISE: {"name": "linucb", "width": "noise"},
        LI: {"name": "linucb"},
    }


def pilots(people: int) -> dict[str, dict[str, Any]]:
    """Return the pilots that are planned for so many people."""
    return {
        f"pilot of {share:.0%}": {"name": "pilot-then-screen", "planned": people, "share": share}
        for share in (0.1, 0.2)
    }


class Played:
    """What policies earned over the best single arm, and asked, a row a world (worlds × sizes)."""

    def __init__(self, study: al.Study, count: int, people: tuple[int, ...]) -> None:
        prior = al.Prior.of(study)
        self.study, self.people = study, people
        self.worlds = [prior.world(i, seed=SEED) for i in range(count)]
        self.best = best_rewards(self.worlds, SEED, list(people))
        self.single = np.array([single_rewards(world, people) for world in self.worlds])
        self.over: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        self.lost: dict[str, int] = {}

    def play(self, label: str, policy: Mapping[str, Any], people: tuple[int, ...]) -> None:
        """Play a policy in every world, for so many people."""
        runs = [self._run(world, policy, people) for world in track(self.worlds, label)]
        at = np.searchsorted(self.people, people)
        over, asked = (np.full((len(runs), len(self.people)), np.nan) for _ in range(2))
        regret = np.array([run.regret_at for run in runs])
        over[:, at] = (self.best[:, at] - regret - self.single[:, at]) / people
        asked[:, at] = np.array([run.asked_at for run in runs]) / people
        known = self.over.get(label)
        self.over[label] = over if known is None else np.where(np.isnan(over), known, over)
        known = self.asked.get(label)
        self.asked[label] = asked if known is None else np.where(np.isnan(asked), known, asked)
        self.lost[label] = sum(bool(run.useful_dropped) for run in runs)

    @staticmethod
    def _run(world: LinearEnvironment, policy: Mapping[str, Any], people: tuple[int, ...]) -> Any:
        done = al.simulate(policy, world, people[-1], 1, SEED, checkpoints=list(people))
        return done.runs[0]

    def show(self, name: str) -> None:
        """Print a table: points over the best single arm and questions a visit."""
        print(f"\n### {name}: {len(self.worlds)} worlds\n")
        print("| | " + " | ".join(f"{people:,} people" for people in self.people) + " |")
        print("|---|" + "---|" * len(self.people))
        for label, over in self.over.items():
            cells = zip(over.mean(axis=0), self.asked[label].mean(axis=0), strict=True)
            print(f"| {label} | " + " | ".join(f"{a:.2f} / {b:.1f}" for a, b in cells) + " |")
        for label in (NOISE, LI):
            if label in self.over:
                apart = self.over[OURS] - self.over[label]
                error = apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
                cells = zip(apart.mean(axis=0), error, strict=True)
                text = " | ".join(f"{a:+.2f} ± {b:.2f}" for a, b in cells)
                print(f"| over {label} | {text} |")
        print(f"\nWorlds in which {OURS} lost a useful question: {self.lost[OURS]}.", flush=True)


def single_rewards(world: LinearEnvironment, people: tuple[int, ...]) -> Any:
    """Return what the arm that is best for all would bring, if it were known, summed up."""
    expected, barred, _ = expected_of(world, SEED, people[-1])
    ranks = np.where(barred, -np.inf, expected.mean(axis=0)).argmax(axis=1)
    return np.cumsum(expected[np.arange(len(ranks)), ranks])[np.array(people) - 1]


def compare(names: list[str], count: int, settings: Mapping[str, Any], *, alone: bool) -> None:
    """Play every policy in the plausible worlds of the studies."""
    for name, study in studies():
        if names and not any(wanted in name for wanted in names):
            continue
        played = Played(study, count, PEOPLE)
        for label, policy in rivals(study, settings).items():
            if not alone or label != LI:
                played.play(label, policy, PEOPLE)
        if not alone:
            for people in PEOPLE:
                for label, policy in pilots(people).items():
                    played.play(label, policy, (people,))
        played.show(name)


def paper(runs: int, settings: Mapping[str, Any]) -> None:
    """Play the paper's experiment; regret and questions a visit, beside what is demanded."""
    print(f"\n### The paper's worlds: {runs} runs of 100,000 visits, delta 0.1\n")
    heads = "arms, beta_min", "full survey", "interactive", "demanded", "useful dropped", "other"
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for (arms, beta_min), (regret, questions) in PAPER.items():
        world = al.paper_environment(arms=arms)
        given = {"beta_min": beta_min, "delta": 0.1, **settings}
        full = al.simulate({"name": "epoch", **given}, world, 100_000, runs, SEED)
        asks = al.simulate(
            {"name": "survey-bandit", "price": 0, **given}, world, 100_000, runs, SEED
        )
        cells = [
            f"{np.mean([run.regret for run in done.runs]):.0f} /"
            f" {np.mean([run.asked_at[-1] / 100_000 for run in done.runs]):.2f}"
            for done in (full, asks)
        ]
        fewer = all(
            (one.asked_at <= two.asked_at).all()
            for one, two in zip(asks.runs, full.runs, strict=True)
        )
        lost = sum(run.useful_dropped for done in (full, asks) for run in done.runs)
        other = sum(run.other_arms for run in asks.runs)
        print(
            f"| {arms}, {beta_min} | {cells[0]} | {cells[1]}{'' if fewer else ' (more!)'} |"
            f" {regret} / {questions} | {lost} | {other} |",
            flush=True,
        )


def main() -> None:
    """Read the command line and print everything that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", help="parts of names; all if left out; or: paper")
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--alone", action="store_true", help="beside one rival only")
    parser.add_argument("--setting", action="append", default=[], help="KEY=VALUE of ours")
    given = parser.parse_args()
    settings = {key: float(value) for key, value in (text.split("=") for text in given.setting)}
    print(f"{processor()}, Python {platform.python_version()}; points over the best single arm /")
    print("questions a visit, means over worlds; ± one standard error of the paired difference.")
    if "paper" not in given.studies:
        compare(given.studies, given.worlds, settings, alone=given.alone)
    if not given.studies or "paper" in given.studies:
        paper(given.runs, settings)


if __name__ == "__main__":
    main()
