"""What a study must ask and draw so that its effects and arm means can be published.

Plays two studies with several settings in the same plausible worlds, and prints which share of
effects, arm means and differences of arms have an interval at the end, how wide these are, and
what the setting costs: the tables of docs/analysing.md.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import askless as al
from askless.environments.base import first_respondents
from askless.evaluation.arm_means import arm_models, contrasts, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import History
from askless.report.page import processor

PEOPLE, WORLDS, SEED = 3_000, 20, 11
SETTINGS: dict[str, dict[str, float]] = {
    "as it is": {},
    "`price: 0`": {"price": 0},
    "`price: 0`, `explore_floor: 0.1`": {"price": 0, "explore_floor": 0.1},
    "`full_floor: 0.5`, `explore_floor: 0.1`": {"full_floor": 0.5, "explore_floor": 0.1},
    "`full_floor: 1`, `explore_floor: 0.1`": {"full_floor": 1, "explore_floor": 0.1},
    "`full_floor: 1`, `explore_floor: 0.2`": {"full_floor": 1, "explore_floor": 0.2},
}
TURNOUT = """
schema: 1
name: turnout
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: voted_last_time}
  - {kind: choice, name: party, options: [left, centre, right, none of them]}
  - {kind: scale, name: interest, low: 0, high: 10}
  - {kind: yes_no, name: student}
  - {kind: choice, name: education, options: [primary, secondary, university]}
  - {kind: multi, name: news, options: [tv, newspaper, social media]}
  - {kind: scale, name: income, low: 0, high: 200, may_skip: true}
arms: [{name: postcard}, {name: message}, {name: call}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.15}
plan: {useful: [2, 3], effect: [0.2, 0.5], gap: [0, 0.1], noise: ends}
"""


def play(study: al.Study, changed: dict[str, float], number: int) -> list[float]:
    """Play a study in a world; return the shares with an interval, a width, and what it costs."""
    world: Any = al.Prior.of(study).world(number, seed=SEED)
    arms = [arm.name for arm in study.arms]
    policy: Any = al.SurveyBandit(
        study.survey, arms=study.arms, reward=study.reward, **dict(study.settings) | changed
    )
    history = History(policy)
    done = al.record_visits(policy, world, PEOPLE, seed=SEED, run=number, watch=history)
    models = arm_models(history, done.policy)
    drawn, drawn_pairs = drawn_means(history, done.policy)
    effects = list(done.policy.effects(ended=True))
    wide = [row.end_high - row.end_low for row in effects if row.end_low is not None]
    expected = np.vstack([b.expected for b in first_respondents(world, SEED, number, PEOPLE)])
    own = [row[arms.index(v.record.arm)] for row, v in zip(expected, done.visits, strict=True)]
    return [
        len(wide) / len(effects),
        either(means(history, done.policy, models), drawn),
        either(contrasts(history, done.policy, models), drawn_pairs),
        float(np.median(wide)) / 2 / study.reward.span if wide else np.nan,
        float(np.mean(own)),
        float(np.mean([len(v.record.asked) for v in done.visits])),
    ]


def either(by_model: Any, by_draws: Any) -> float:
    """Return how many have an interval in one of the two ways."""
    pairs = zip(by_model, by_draws, strict=True)
    return float(np.mean([one.low is not None or two.low is not None for one, two in pairs]))


def main(worlds: int) -> None:
    """Print a table a study."""
    print(f"{processor()}, {worlds} worlds a study, {PEOPLE:,} people each")
    for study in (al.Study.parse(TURNOUT), al.Study.example()):
        print(f"\n{study.name}, {len(study.survey)} questions, {len(study.arms)} arms\n")
        print(
            "| policy | effects | arm means | differences | half-width of an effect"
            f" | questions a visit | reward a visit, beside the first |\n{'|---' * 7}|"
        )
        first: Any = None
        for name, changed in SETTINGS.items():
            found = np.array([play(study, changed, i) for i in range(worlds)])
            reward = found[:, 4] / study.reward.span
            first = reward if first is None else first
            gap, error = reward - first, (reward - first).std(ddof=1) / np.sqrt(worlds)
            shares = " | ".join(f"{share:.0%}" for share in found[:, :3].mean(axis=0))
            print(
                f"| {name} | {shares} | {np.nanmean(found[:, 3]):.3f} | {found[:, 5].mean():.1f}"
                f" | {gap.mean():+.4f} ± {error:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS)
