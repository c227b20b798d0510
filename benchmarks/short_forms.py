"""Short forms in the example study and in the paper's world: `make short`."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np

import askless as al
from askless.environments.base import first_respondents
from askless.report.page import drawn, processor
from askless.report.short_form import draw_short_form

SEED, WORLDS, RUNS, PRICE = 1713, 40, 20, 0.002
PEOPLE, VISITS = (500, 2_000, 10_000), 100_000
FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "short-form.png"


def example() -> None:
    """Print what short forms net in plausible worlds of the example study."""
    study = al.Study.example()
    prior, span = al.Prior.of(study), al.RewardRange.of(study.reward).span
    ours = {"name": "survey-bandit", "beta_min": study.settings["beta_min"], "price": PRICE * span}
    rival = {"name": "linucb", "width": "noise"}
    found: dict[str, Any] = {"ours": [], "rival": []}
    for i in range(WORLDS):
        world = prior.world(i, seed=SEED)
        for label, policy in (("ours", ours), ("rival", rival)):
            run = al.simulate(policy, world, max(PEOPLE), seed=SEED, checkpoints=list(PEOPLE))
            only = run.runs[0]
            asked = only.cost_at / only.visits
            found[label].append((only.reward_at / only.visits - PRICE * span * asked, asked))
    net, asked = np.array(found["ours"]).transpose(1, 0, 2)
    gain = net - np.array(found["rival"])[:, 0]
    print("| example study, after so many people | 500 | 2,000 | 10,000 |\n|---|---|---|---|")
    for label, values, digits in (("net, of 100 points", net, 2), ("questions a visit", asked, 1)):
        print(f"| {label} | {' | '.join(f'{x:.{digits}f}' for x in values.mean(axis=0))} |")
    error = gain.std(axis=0, ddof=1) / np.sqrt(WORLDS)
    cells = [f"{x:+.2f} ± {e:.2f}" for x, e in zip(gain.mean(axis=0), error, strict=True)]
    print(f"| net less that of asking everything | {' | '.join(cells)} |")


def draw() -> None:
    """Draw the short form of a plausible world of the example study after 2,000 people."""
    study = al.Study.example()
    world = al.Prior.of(study).world(0, seed=SEED)
    policy = al.SurveyBandit(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=study.settings["beta_min"],
        price=PRICE * world.reward.span,
    )
    player, drops = policy.player(), np.zeros((len(world.arms), len(world.survey)), dtype=np.int64)
    for block in first_respondents(world, SEED, 0, 2_000):
        player.play(block, 0, drops)
    FIGURE.write_bytes(drawn(draw_short_form(policy.short_form()), "png"))


def paper() -> None:
    """Print regret, questions and the forms of the last tenth in the paper's world."""
    world = al.paper_environment(arms=5)
    done = al.simulate(for_paper(world, 0), world, VISITS, RUNS, SEED)
    regret = np.array([run.regret for run in done.runs])
    asked = [run.questions_per_visit for run in done.runs]
    lost = sum(run.useful_dropped or 0 for run in done.runs)
    print(f"\nThe paper's world, {RUNS} runs of {VISITS:,} visits: regret {regret.mean():.0f}")
    print(f"({regret.min():.0f} to {regret.max():.0f}), {np.mean(asked):.2f} questions a visit,")
    print(f"{lost} useful questions dropped.")
    useful = set(world.survey.names_of(world.useful.any(axis=0)))
    stood = [last_form(world, run) for run in range(RUNS)]
    print(f"Short visits ask the {len(useful)} useful questions and no other throughout the last")
    print(f"tenth of {sum(form == useful for form in stood)} of {RUNS} runs.")


def for_paper(world: al.LinearEnvironment, stream: int) -> al.SurveyBandit:
    """Return the policy that plays the paper's world."""
    return al.SurveyBandit(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.3,
        delta=0.1,
        price=PRICE * world.reward.span,
        seed=stream,
    )


def last_form(world: al.LinearEnvironment, run: int) -> set[str] | None:
    """Return the form that stood throughout the last tenth of a run; None if there were others."""
    policy = for_paper(world, run)
    player, begun, since = policy.player(), 0, None
    drops = np.zeros((len(world.arms), len(world.survey)), dtype=np.int64)
    for block in first_respondents(world, SEED, run, VISITS):
        player.play(block, begun, drops)
        begun += len(block)
        if begun <= 0.9 * VISITS:
            since = policy._short.number, policy._short.withdrawn  # forms are numbered as they come
    if (policy._short.number, policy._short.withdrawn) != since:
        return None
    return set(policy.short_form().questions or ())


if __name__ == "__main__":
    print(f"{processor()}, Python {platform.python_version()}\n")
    example()
    draw()
    paper()
