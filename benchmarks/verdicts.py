"""How often a plan's verdict is right: 200 studies of five kinds, `make verdicts`.

The truth is the verdict of 20 times as many worlds. Prints a line a kind; "more people" is right if
the number is within a factor of two. Every study is a line of build/verdicts.jsonl; one that is
there is not judged again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track

import askless as al
from askless.evaluation import planning, ways

KEPT = Path("build/verdicts.jsonl")
WORLDS, TIMES, STUDIES = 30, 20, 40  # of a plan; so many times more for the truth; of a kind

Rng = np.random.Generator


def study_of(count: int, arms: int, policy: str, plan: str) -> al.Study:
    """Return a study of yes/no questions and scales in turn, with rewards from 0 to 10."""
    kinds = ["kind: yes_no", "kind: scale, low: 0, high: 10"]
    questions = "".join(f"  - {{{kinds[i % 2]}, name: q{i}}}\n" for i in range(count))
    named = ", ".join(f"{{name: arm{k}}}" for k in range(arms))
    return al.Study.parse(
        f"schema: 1\nquestions:\n{questions}arms: [{named}]\nreward: {{low: 0, high: 10}}\n"
        f"policy: {{{policy}}}\nplan: {{{plan}}}\n"
    )


def few_of_many(rng: Rng) -> tuple[al.Study, int]:
    """Ten to fourteen questions, of which one or two matter much."""
    low = rng.uniform(2, 3)
    plan = f"useful: [1, 2], effect: [{low:.2f}, {low + 2:.2f}], noise: [0.5, 1.5]"
    return study_of(int(rng.integers(10, 15)), 2, "beta_min: 2", plan), int(rng.integers(300, 700))


def all_of_few(rng: Rng) -> tuple[al.Study, int]:
    """Three to five questions that all matter."""
    count, low = int(rng.integers(3, 6)), rng.uniform(1.2, 2)
    plan = f"useful: {count}, effect: [{low:.2f}, {low + 0.4:.2f}], noise: 0.3, gap: 0"
    return study_of(count, 2, "beta_min: 1, price: 0.002", plan), int(rng.integers(80, 400))


def nothing(rng: Rng) -> tuple[al.Study, int]:
    """Arms that differ, and answers that say little."""
    gap = rng.uniform(1.5, 3)
    plan = f"useful: [0, 1], effect: [0.2, 0.5], gap: [{gap:.2f}, {gap + 1:.2f}], noise: [1, 2]"
    count, price = int(rng.integers(6, 12)), rng.uniform(0.05, 0.15)
    return study_of(count, 3, f"beta_min: 1, price: {price:.3f}", plan), int(rng.integers(150, 500))


def too_small(rng: Rng) -> tuple[al.Study, int]:
    """Few people for the questions that there are."""
    plan = "useful: [1, 3], effect: [2, 4], noise: [1, 2]"
    return study_of(int(rng.integers(8, 12)), 3, "beta_min: 2", plan), int(rng.integers(30, 110))


def leaving(rng: Rng) -> tuple[al.Study, int]:
    """People who give up."""
    share = rng.uniform(0.005, 0.04)
    plan = f"useful: [1, 3], effect: [1.5, 4], noise: [0.5, 2], dropout: {share:.3f}"
    return study_of(int(rng.integers(6, 12)), 2, "beta_min: 1.5", plan), int(rng.integers(150, 600))


KINDS: tuple[Callable[[Rng], tuple[al.Study, int]], ...] = (
    few_of_many,
    all_of_few,
    nothing,
    too_small,
    leaving,
)


def verdicts(kind: int, number: int) -> tuple[str, int | None, bool, str, int | None]:
    """Return the verdict, its number of people and whether it is close, and the true ones."""
    ways.PILOTS = ()  # no verdict looks at them
    study, people = KINDS[kind](np.random.default_rng([kind, number]))
    said = al.plan(study, respondents=[people], worlds=WORLDS, seed=number, workers=1).verdict
    planning.SEARCHED = TIMES * WORLDS  # how many people it takes is found out in all of them
    true = al.plan(
        study, respondents=[people], worlds=TIMES * WORLDS, seed=1_000 + number, workers=1
    ).verdict
    planning.SEARCHED = WORLDS
    return said.kind, said.people, said.is_close, true.kind, true.people


def is_right(said: tuple[str, int | None, bool, str, int | None]) -> bool:
    """Whether a verdict is the true one."""
    kind, people, _, true, needed = said
    if kind != true:
        return False
    return kind != "more people" or 0.5 <= (people or 0) / (needed or 1) <= 2


def judged(studies: int) -> list[tuple[str, int | None, bool, str, int | None]]:
    """Return the verdicts of all studies, those that are kept and those that are judged now."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()] if KEPT.exists() else []
    done = {
        tuple(line["job"]): tuple(line["verdicts"]) for line in lines if line["worlds"] == WORLDS
    }
    jobs = [(kind, number) for kind in range(len(KINDS)) for number in range(studies)]
    left = [job for job in jobs if job not in done]
    found = Parallel(n_jobs=2, return_as="generator")(delayed(verdicts)(*job) for job in left)
    with KEPT.open("a") as file:
        for job, own in zip(
            left, track(found, total=len(left), description="studies", transient=True), strict=True
        ):
            file.write(json.dumps({"job": job, "worlds": WORLDS, "verdicts": own}) + "\n")
            file.flush()
            done[job] = own
    return [done[job] for job in jobs]


def main(studies: int) -> bool:
    """Print the table; return whether nine in ten verdicts are right."""
    every = judged(studies)
    print(
        f"{'studies':<14}{'right':>7}{'of':>5}{'close':>7}{'wrong, not close':>18}  true verdicts"
    )
    total = 0
    for kind, make in enumerate(KINDS):
        own = every[kind * studies : (kind + 1) * studies]
        right = sum(map(is_right, own))
        total += right
        surely = sum(not is_right(one) and not one[2] for one in own)
        truth = ", ".join(f"{name} {n}" for name, n in Counter(one[3] for one in own).most_common())
        close = sum(one[2] for one in own)
        print(f"{make.__name__:<14}{right:>7}{studies:>5}{close:>7}{surely:>18}  {truth}")
    print(f"\n{total} of {len(every)} verdicts are right.")
    return total >= 0.9 * len(every)


if __name__ == "__main__":
    if not main(int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES):
        raise SystemExit("fewer than nine in ten verdicts are right")
