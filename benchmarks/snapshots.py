"""How large saved policies are and how long saving takes; how long large surveys take to make."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import askless as al

ROUNDS = 5
POLICIES: dict[str, tuple[dict[str, float], int]] = {  # settings and visits
    "SurveyBandit, 5,000 visits": ({"beta_min": 0.3}, 5_000),
    "SurveyBandit with price 0, 5,000 visits": ({"beta_min": 0.3, "price": 0}, 5_000),
    "SurveyBandit with price 0, in a long epoch": ({"beta_min": 0.03, "price": 0}, 50_000),
}
QUESTIONS = (3_000, 25_000)


def cpu(task: Callable[[], object]) -> float:
    """Return the CPU milliseconds that a task takes, the median of some rounds."""
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        task()
        spent.append(1e3 * (time.process_time() - start))
    return statistics.median(spent)


def learned(name: str) -> al.SurveyBandit:
    """Return a policy with 50 questions and 5 arms after some visits."""
    settings, visits = POLICIES[name]
    world = al.paper_environment(arms=5, features=50)
    policy = al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, **settings)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    people, player, done = world.respondents(1, 0), policy.player(), 0
    while done < visits:
        block = next(people)
        player.play(block, done, drops)
        done += len(block)
    return policy


def measure_snapshot(policy: al.SurveyBandit) -> tuple[float, float, float]:
    """Return a file's kilobytes, and the milliseconds of saving and of loading it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        saving = cpu(lambda: policy.save(path))
        return path.stat().st_size / 1e3, saving, cpu(lambda: al.load(path))


def mixed(count: int) -> list[al.Question]:
    """Return questions of all kinds."""
    kinds: tuple[Callable[[str], al.Question], ...] = (
        lambda name: al.Scale(name, low=0, high=1),
        lambda name: al.YesNo(name, may_skip=True),
        lambda name: al.Choice(name, ["x", "y", "z"]),
        lambda name: al.Multi(name, ["x", "y", "z"]),
    )
    return [kinds[i % 4](f"q{i}") for i in range(count)]


def study_text(count: int) -> str:
    """Return a study file with so many questions."""
    lines = [f"  - {{kind: scale, name: q{i}, low: 0, high: 1}}" for i in range(count)]
    head = "schema: 1\nname: large\narms: [{name: a}, {name: b}]\nreward: {low: 0, high: 1}\n"
    return head + "policy: {name: uniform}\nquestions:\n" + "\n".join(lines) + "\n"


CONSTRUCTION: dict[str, Callable[[int], object]] = {
    "Survey.unit": al.Survey.unit,
    "Survey, questions of all kinds": lambda count: al.Survey(mixed(count)),
    "Study.parse, a study file": lambda count: al.Study.parse(study_text(count)),
}


def measure_construction(name: str, count: int) -> float:
    """Return the microseconds a question of making a survey or study."""
    start = time.process_time()
    CONSTRUCTION[name](count)
    return 1e6 * (time.process_time() - start) / count


if __name__ == "__main__":
    for case in POLICIES:
        size, saving, loading = measure_snapshot(learned(case))
        print(f"{case}: {size:,.0f} kB, saved in {saving:.1f} ms, loaded in {loading:.1f} ms")
    for case in CONSTRUCTION:
        each = ", ".join(f"{n:,}: {measure_construction(case, n):.1f}" for n in QUESTIONS)
        print(f"{case}, µs a question at {each}")
