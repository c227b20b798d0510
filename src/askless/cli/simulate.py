"""`askless simulate`: a policy on the paper's respondents, or a study in a plausible world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from askless.cli.grid import Grid
from askless.cli.policy_options import chosen_settings, with_policy_options
from askless.cli.terminal import counted, output, progress_bar, refuse_options
from askless.environments import LinearEnvironment, Prior, paper_environment
from askless.errors import SettingError, listed
from askless.policies import POLICIES, Policy, policy_for, policy_of
from askless.simulation import Delay, Runs
from askless.simulation import simulate as run_simulation
from askless.simulation.simulate import check_count
from askless.survey import Study
from askless.survey.policy_descriptions import RECOMMENDED
from askless.whole import check_whole

Number = float | None
HEADINGS = ("run", "regret", "questions a visit", "questions left", "useful dropped")
OTHER = "other arm than the full survey"
HORIZON, HORIZON_OF_STUDY = 100_000, 10_000
OF_THE_PAPER, OF_STUDY = ("arms", "features", "raw"), ("world",)
MOST_WORLDS = 2**32  # as many people there are of a world's kind


@with_policy_options
def simulate(
    context: typer.Context,
    settings: dict[str, Any],
    study: Annotated[
        Path | None,
        typer.Argument(
            help="A study file, whose own policy meets people of a world that is plausible for it;"
            " the paper's respondents if left out.",
            show_default=False,
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(POLICIES)}, or module:Class; with STUDY its own if left out,"
            f" else {RECOMMENDED}."
        ),
    ] = None,
    world: Annotated[
        int, typer.Option(help="With STUDY: which of the worlds that are plausible for it.")
    ] = 0,
    arms: Annotated[
        int, typer.Option(help="Of the paper: arms; the first three are worth playing.")
    ] = 5,
    features: Annotated[int, typer.Option(help="Of the paper: questions; two matter.")] = 50,
    horizon: Annotated[
        int | None,
        typer.Option(help=f"Visits of a run: {HORIZON:,}; with STUDY {HORIZON_OF_STUDY:,}."),
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of all runs, and of the worlds of a study.")] = 0,
    delay: Annotated[
        str | None,
        typer.Option(
            help="How late rewards come, as SHAPE:VISITS; shapes: fixed, random, heavy_tailed,"
            " by_reward (the better, the sooner)."
        ),
    ] = None,
    lost: Annotated[Number, typer.Option(help="Share of rewards that never come.")] = None,
    deadline: Annotated[
        int | None, typer.Option(help="Visits after which a reward is given up.")
    ] = None,
    silence: Annotated[
        Number, typer.Option(help="What a reward that is given up is taken to be.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="decision learns late rewards safely, arrival as they come."),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="Any setting of the policy, as KEY=VALUE; repeatable."),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="The paper's coding, not centred.")] = False,
    workers: Annotated[int, typer.Option(help="Runs played at a time; changes no figure.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Run a policy on simulated people: the paper's, or those of a plausible world of a study."""
    refuse_options(
        context,
        *((OF_STUDY, "without a study file") if study is None else (OF_THE_PAPER, "with a study")),
    )
    if study is None:
        people = paper_environment(arms=arms, features=features, coding="raw" if raw else "centred")
        where = "People: the paper's respondents. A study file as argument plays your study."
        chosen = _policy(policy or RECOMMENDED, people, settings, setting)
    else:
        people, where = _world_of(study, world, seed)
        if policy is not None:
            chosen = _policy(policy, people, settings, setting)
        elif settings or setting:
            raise SettingError(
                f"{study} has the settings of its policy; change them there, or give --policy too,"
                " to play another one"
            )
        else:
            chosen = policy_for(Study.read(study))
    late = _delay(delay, lost=lost, deadline=deadline, silence=silence, order=order)
    default = HORIZON if study is None else HORIZON_OF_STUDY
    visits = default if horizon is None else horizon
    with progress_bar(visits * runs, f"{chosen.name}, {runs} runs") as progress:
        done = run_simulation(
            chosen, people, visits, runs, seed, delay=late, workers=workers, progress=progress
        )
    if as_json:
        typer.echo(json.dumps(done.to_dict()))
    else:
        _show(done, len(people.survey), where)


def _policy(
    name: str, people: LinearEnvironment, options: dict[str, Any], further: list[str] | None
) -> Policy:
    settings = chosen_settings(name, options, further or [])
    return policy_of({"name": name, **settings}, people)


def _world_of(path: Path, number: int, seed: int) -> tuple[LinearEnvironment, str]:
    """Return a world that is plausible for a study, and what is said about it."""
    check_whole(number, "--world", 0, MOST_WORLDS)
    check_count("seed", seed, 0)
    study = Study.read(path)
    people = Prior.of(study).world(number, seed=seed)
    useful = study.survey.names_of(np.any(people.useful, axis=0))
    stay = " Nobody gives up here, whatever plan.dropout says: `askless plan` plays that."
    return people, (
        f"People: those of world {number} of the worlds that are plausible for {study.name}; what"
        f" matters there: {listed(useful) or 'nothing'}.{stay if study.plan.get('dropout') else ''}"
    )


def _delay(spelled: str | None, **settings: Any) -> Delay | None:
    """Read a delay such as random:100; the other settings are its keywords."""
    given = {key: value for key, value in settings.items() if value is not None}
    if spelled is None:
        if set(given) == {"order"}:
            raise SettingError("--order is a setting of late rewards; give --delay too")
        return Delay(**given) if given else None
    shape, _, length = spelled.partition(":")
    try:
        visits = float(length)
    except ValueError:
        raise SettingError(
            f"--delay is {spelled!r}; give a shape and a number of visits, as in random:100"
        ) from None
    return Delay(visits, shape, **given)


def _show(done: Runs, questions: int, where: str) -> None:
    length = f"{counted(len(done.runs), 'run')} of {counted(done.horizon, 'visit')}"
    output.print(
        f"{done.policy}: reward {done.reward_per_visit:,.4g} and {done.questions_per_visit:.2f} of"
        f" {counted(questions, 'question')} a visit, regret {done.regret:,.1f}, means of {length}."
        f"\n{where}",
        markup=False,
        highlight=False,
    )
    interactive = bool(done.settings.get("interactive"))
    grid = Grid((*HEADINGS, *([OTHER] if interactive else [])))
    for run in done.runs:
        grid.add(
            str(run.index),
            f"{run.regret:,.1f}",
            f"{run.questions_per_visit:.2f}",
            str(len(run.questions_left)),
            str(run.useful_dropped),
            *([str(run.other_arms)] if interactive else []),
        )
    grid.show()
    rate = done.horizon * len(done.runs) / done.seconds
    output.print(f"{done.seconds:.2f} s, {rate:,.0f} visits a second", highlight=False)
