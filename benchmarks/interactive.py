"""What interactive surveys save, and that they never play another arm: `make interactive`.

First worlds with every kind of question, then the paper's experiment. The paper's heuristic, whose
bound is none, stands beside the certified one: `other arms` counts the visits in which the full
survey would have given another arm.
"""

from __future__ import annotations

import argparse
import platform

import askless as al
from askless.report.page import processor
from worlds import mixed_world, small_sets

ASKS = {
    "full survey": {},
    "paper's heuristic": {"interactive": "paper_heuristic"},
    "certified, by arm": {"interactive": True},
    "certified, by question": {"interactive": True, "grain": "question"},
}


def savings(runs: int, visits: int, workers: int) -> None:
    """Print the paper's experiment: questions a visit and regret."""
    print(
        f"\nThe paper's five arms, raw coding, published_sqrt: {runs} runs of {visits:,} visits\n"
    )
    print(f"{'beta_min':>8}  {'':<24}{'questions':>10}{'saved':>8}{'regret':>10}{'other arms':>12}")
    for beta_min in (0.5, 0.3):
        world = al.paper_environment(arms=5, coding="raw")
        whole = 0.0
        for name, settings in ASKS.items():
            policy = al.RidgeSurveyUCB(
                world.survey,
                arms=world.arms,
                reward=world.reward,
                beta_min=beta_min,
                radius="published_sqrt",
                **settings,
            )
            done = al.simulate(policy, world, visits, runs, workers=workers)
            asked = done.questions_per_visit
            whole = whole or asked
            print(
                f"{beta_min:>8g}  {name:<24}{asked:>10.2f}{whole - asked:>8.2f}"
                f"{done.regret:>10,.0f}{done.other_arms:>12,}",
                flush=True,
            )


def same_arms() -> None:
    """Print the visits that got another arm than the full survey's."""
    print("\nEvery kind of question, 20,000 visits: questions a visit / visits with another arm\n")
    print(f"{'':<38}" + "".join(f"{name:>24}" for name in ASKS))
    for kind in (al.RidgeSurveyUCB, al.ElasticNetSurveyUCB):
        for radius in ("valid", "published_sqrt"):
            for arms in (3, 5, 10):
                world, cells = mixed_world(arms), []
                for settings in ASKS.values():
                    policy = kind(
                        world.survey,
                        arms=world.arms,
                        reward=world.reward,
                        beta_min=0.2,
                        radius=radius,
                        **small_sets(kind.name, radius),
                        **settings,
                    )
                    done = al.simulate(policy, world, 20_000, seed=1)
                    cells.append(f"{done.questions_per_visit:.2f} / {done.other_arms}")
                name = f"{kind.name}, {radius}, {arms} arms"
                print(f"{name:<38}" + "".join(f"{cell:>24}" for cell in cells), flush=True)


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--visits", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print(f"{processor()}, Python {platform.python_version()}, askless {al.__version__}")
    same_arms()
    savings(given.runs, given.visits, given.workers)


if __name__ == "__main__":
    main()
