"""`askless simulate`: a policy on the paper's respondents."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from askless.cli.grid import Grid
from askless.cli.policy_options import chosen_settings, with_policy_options
from askless.cli.terminal import counted, output, progress_bar
from askless.environments import paper_environment
from askless.errors import SettingError
from askless.policies import POLICIES, policy_of
from askless.simulation import Delay, Runs
from askless.simulation import simulate as run_simulation
from askless.survey.policy_descriptions import RECOMMENDED

Number = float | None
HEADINGS = ("run", "regret", "questions a visit", "questions left", "useful dropped")
OTHER = "other arm than the full survey"


@with_policy_options
def simulate(
    settings: dict[str, Any],
    policy: Annotated[
        str, typer.Option(help=f"One of {', '.join(POLICIES)}, or module:Class.")
    ] = RECOMMENDED,
    arms: Annotated[int, typer.Option(help="Arms; the first three are worth playing.")] = 5,
    features: Annotated[int, typer.Option(help="Questions; two matter.")] = 50,
    horizon: Annotated[int, typer.Option(help="Visits of a run.")] = 100_000,
    runs: Annotated[int, typer.Option(help="Runs.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
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
    """Run a policy on the paper's simulated respondents."""
    world = paper_environment(arms=arms, features=features, coding="raw" if raw else "centred")
    settings = chosen_settings(policy, settings, setting or [])
    chosen = policy_of({"name": policy, **settings}, world)
    late = _delay(delay, lost=lost, deadline=deadline, silence=silence, order=order)
    with progress_bar(horizon * runs, f"{policy}, {runs} runs") as progress:
        done = run_simulation(
            chosen, world, horizon, runs, seed, delay=late, workers=workers, progress=progress
        )
    if as_json:
        typer.echo(json.dumps(done.to_dict()))
    else:
        _show(done, features)


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


def _show(done: Runs, questions: int) -> None:
    length = f"{counted(len(done.runs), 'run')} of {counted(done.horizon, 'visit')}"
    output.print(
        f"{done.policy}: regret {done.regret:,.1f} and {done.questions_per_visit:.2f} of"
        f" {counted(questions, 'question')} a visit, means of {length}.",
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
