"""How often intervals of an analysis miss, and how wide they are: part of `make guarantee`.

1,000 studies a world with adaptive allocation, drops, skips, late rewards, rare rewards and short
forms; beside ours what pooled least squares and arm averages give. Then studies of 3,000 and 10,000
people with an outcome of yes or no: is the sign of the largest effect found, and how wide are
intervals? Prints tables for docs/analysing.md.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import askless as al
from askless.evaluation.history import History
from askless.report.page import processor
from coverage_studies import SURVEY, WORLDS, play, play_rows  # type: ignore[import-not-found]
from evaluation.test_coverage import USUAL, most  # type: ignore[import-not-found]

RUNS, LARGEST = 1_000, 200
PEOPLE = (3_000, 10_000)
WIDEST = 1.6  # beside least squares on randomised rows; with 3,000 a third of the rows is warm-up
REMINDERS = """
schema: 1
name: reminders
questions:
  - {kind: yes_no, name: phone}
  - {kind: yes_no, name: children}
  - {kind: yes_no, name: work}
  - {kind: scale, name: worry, low: 1, high: 5}
  - {kind: scale, name: trust, low: 1, high: 5}
  - {kind: choice, name: region, options: [north, south, west]}
  - {kind: yes_no, name: ill, may_skip: true}
  - {kind: yes_no, name: car}
arms: [{name: letter}, {name: message}, {name: call}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.1, price: 0}
plan: {useful: [2, 4], effect: [0.1, 0.3], noise: ends, gap: [0, 0.1]}
"""


def misses(runs: int, workers: Parallel) -> bool:
    """Print how often each interval misses; return whether all are within their bounds."""
    fine, columns, rows = True, {}, {}
    for name in WORLDS:
        found = [study for study, _ in workers(delayed(play)(name, run) for run in range(runs))]
        ours = [kind for kind in found[0] if kind not in USUAL]
        told: dict[str, list[bool]] = {}
        for kind in found[0]:
            missed = [study[kind] for study in found if study[kind] is not None]
            if kind in ours and sum(missed) > most(len(missed), len(ours)):
                print(f"{name}, {kind}: {sum(missed)} of {len(missed)} miss", flush=True)
                fine = False
            told.setdefault(kind.split(",")[0], []).extend(missed)
        columns[name] = {kind: _share(missed) for kind, missed in told.items()}
        rows |= dict.fromkeys(kind for kind in told if kind not in USUAL)
    print(f"\n| misses in {runs:,} studies a world | {' | '.join(columns)} |")
    print("|---|" + "---|" * len(columns), flush=True)
    for kind in (*rows, *USUAL):
        label = f"*{kind}*" if kind in USUAL else kind
        print(f"| {label} | {' | '.join(own.get(kind, '') for own in columns.values())} |")
    return fine


def _share(missed: list[bool]) -> str:
    """Say how many miss, and of how many."""
    return f"{np.mean(missed):.1%} of {len(missed):,}" if missed else ""


def largest(people: int, run: int) -> tuple[bool, list[float]]:
    """Play a study; return whether its largest effect is found, and how wide intervals are.

    Widths are those at the end of the arm that was played most, beside least squares on as many
    rows of people drawn at random.
    """
    study = al.Study.parse(REMINDERS)
    world: Any = al.Prior.of(study).world(run, seed=7)
    policy: Any = al.policy_for(study)
    rows = play_rows(policy, world, people, run, History(policy))
    directions = [
        (question.name, own) for question in study.survey for own in question.directions()
    ]
    effects, found = policy.effects(ended=True), []
    for row, (name, own) in zip(effects, directions * len(policy.arms), strict=True):
        columns = study.survey.columns_of(name)
        found.append((float(own @ world.coefficients[policy.arm_index(row.arm), columns]), row))
    truth, row = max(found, key=lambda pair: abs(pair[0]))
    right = row.end_low is not None and (row.end_low > 0 if truth > 0 else row.end_high < 0)
    counts = np.bincount([arm for arm, _, _ in rows], minlength=len(policy.arms))
    k, contexts = int(counts.argmax()), np.array([z for _, z, _ in rows])
    own_rows = np.array([z for arm, z, _ in rows if arm == k])
    means = study.reward.middle + own_rows @ world.coefficients[k]
    inverse = np.linalg.pinv(contexts.T @ contexts * (counts[k] / len(contexts)))
    ratios = []
    for row, (name, own) in zip(effects[k * len(directions) :], directions, strict=False):
        if row.end_low is not None and row.kept:
            w = np.zeros(contexts.shape[1])
            w[study.survey.columns_of(name)] = own
            usual = 1.96 * np.sqrt(np.mean(means * (1 - means)) * (w @ inverse @ w))
            ratios.append(float((row.end_high - row.end_low) / 2 / usual))
    return bool(right), ratios


def main(runs: int) -> bool:
    """Print all tables."""
    print(f"{processor()}, 2 processes; a survey of {len(SURVEY)} questions, 2 or 3 arms")
    workers = Parallel(n_jobs=2)
    fine = misses(runs, workers)
    print("\n| people | sign of the largest effect found | width beside randomised rows |")
    print("|---|---|---|")
    for people in PEOPLE:
        count = max(1, min(LARGEST, runs))
        signs, ratios = zip(
            *workers(delayed(largest)(people, run) for run in range(count)), strict=True
        )
        middle = np.median(np.concatenate(ratios))
        print(f"| {people:,} | {np.mean(signs):.0%} of {count} | {middle:.2f} |", flush=True)
        fine &= bool(np.mean(signs) >= 0.5) and (people == PEOPLE[0] or bool(middle <= WIDEST))
    return fine


if __name__ == "__main__":
    if not main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        raise SystemExit("a bound is exceeded")
