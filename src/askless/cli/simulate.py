"""`askless simulate`: a policy on the paper's respondents."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
import yaml
from rich.table import Table

from askless.cli.terminal import output, progress_bar
from askless.environments import LinearEnvironment, paper_environment
from askless.errors import SettingError
from askless.policies import POLICIES, Policy, policy_class, policy_of
from askless.policies.building import settings_of
from askless.policies.settings import GRAINS, INTERACTIVE
from askless.simulation import Delay, Runs
from askless.simulation import simulate as run_simulation

Number = float | None


def simulate(
    policy: Annotated[
        str, typer.Option(help=f"One of {', '.join(POLICIES)}, or module:Class.")
    ] = "survey-bandit",
    radius: Annotated[
        str | None, typer.Option(help="valid, published, published_sqrt (no guarantee), ...")
    ] = None,
    beta_min: Annotated[
        Number, typer.Option(help="Smallest effect worth a question; 0: never drop.")
    ] = None,
    price: Annotated[
        Number,
        typer.Option(help="survey-bandit: what asking one question may cost; 0: no short forms."),
    ] = None,
    arms: Annotated[int, typer.Option(help="Arms; the first three are worth playing.")] = 5,
    features: Annotated[int, typer.Option(help="Questions; two matter.")] = 50,
    horizon: Annotated[int, typer.Option(help="Visits of a run.")] = 100_000,
    runs: Annotated[int, typer.Option(help="Runs.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
    sigma: Annotated[Number, typer.Option(help="Sub-Gaussian constant of the noise.")] = None,
    alpha: Annotated[Number, typer.Option(help="Ridge penalty.")] = None,
    delta: Annotated[Number, typer.Option(help="How often the guarantees may fail.")] = None,
    b1: Annotated[Number, typer.Option(help="Bound on the parameters' 1-norm.")] = None,
    b2: Annotated[Number, typer.Option(help="Bound on the parameters' 2-norm.")] = None,
    lam: Annotated[
        Number, typer.Option(help="Elastic net: its penalty as a multiple of the noise level.")
    ] = None,
    growth: Annotated[
        Number, typer.Option(help="Epoch: by which factor an epoch makes an arm's rows grow.")
    ] = None,
    optimism: Annotated[
        str | None,
        typer.Option(help="Epoch: how many standard errors a score adds, or valid."),
    ] = None,
    explore: Annotated[
        Number,
        typer.Option(help="Epoch: the t-th visit draws its arm with this chance over t^(1/3)."),
    ] = None,
    explore_floor: Annotated[
        Number, typer.Option(help="Epoch: the least that this chance can be.")
    ] = None,
    width: Annotated[str | None, typer.Option(help="LinUCB: li2010 or noise.")] = None,
    interactive: Annotated[
        str | None,
        typer.Option(
            help="Ask only what can matter: certified, or paper_heuristic (no guarantee)."
        ),
    ] = None,
    grain: Annotated[
        str | None,
        typer.Option(help="arm asks all questions of an arm at once, question one at a time."),
    ] = None,
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
        typer.Option(help="A setting without an option of its own, as KEY=VALUE; repeatable."),
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="The paper's coding, not centred.")] = False,
    workers: Annotated[int, typer.Option(help="Runs played at a time; changes no figure.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Run a policy on the paper's simulated respondents."""
    for name, value, known in (("interactive", interactive, INTERACTIVE), ("grain", grain, GRAINS)):
        if value is not None and value not in known:
            raise SettingError(f"--{name} is {value!r}; choose {' or '.join(known)}")
    world = paper_environment(arms=arms, features=features, coding="raw" if raw else "centred")
    given = {
        "beta_min": beta_min,
        "price": price,
        "sigma": sigma,
        "alpha": alpha,
        "delta": delta,
        "b1": b1,
        "b2": b2,
        "radius": radius,
        "lam": lam,
        "growth": growth,
        "optimism": _number_or_name(optimism),
        "explore": explore,
        "explore_floor": explore_floor,
        "width": width,
        "interactive": interactive,
        "grain": grain,
    }
    chosen = _policy(policy, world, given, _settings(setting or [], given))
    late = _delay(delay, lost=lost, deadline=deadline, silence=silence, order=order)
    with progress_bar(horizon * runs, f"{policy}, {runs} runs") as progress:
        done = run_simulation(
            chosen, world, horizon, runs, seed, delay=late, workers=workers, progress=progress
        )
    if as_json:
        typer.echo(json.dumps(done.to_dict()))
    else:
        _show(done)


def _number_or_name(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _policy(
    name: str, world: LinearEnvironment, options: dict[str, Any], further: dict[str, Any]
) -> Policy:
    """Make a policy from the options that were given and its further settings."""
    settings = {key: value for key, value in options.items() if value is not None}
    known = settings_of(policy_class(name))
    for key in settings:
        if key not in known:
            raise SettingError(f"--{key.replace('_', '-')} is not a setting of {name}")
    if known.get("beta_min") and "beta_min" not in settings:
        raise SettingError(f"{name} needs --beta-min; 0 never drops")
    return policy_of({"name": name, **settings, **further}, world)


def _settings(given: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Read settings such as rate=0.5; their values are read as YAML reads them."""
    found: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SettingError(f"--setting is {text!r}; give a key and a value, as in rate=0.5")
        if key in options:
            raise SettingError(f"--setting {text}: use the option --{key.replace('_', '-')}")
        if key in found:
            raise SettingError(f"--setting {key} is there twice; leave one out")
        found[key] = _value(text, value)
    return found


def _value(text: str, value: str) -> bool | float | str | None:
    try:
        read = yaml.safe_load(value)
    except (yaml.YAMLError, ValueError):
        read = []
    if isinstance(read, dict | list):
        raise SettingError(f"--setting {text}: give a number, a text, true or false")
    return read if isinstance(read, bool | int | float | str | None) else value  # a date is a text


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


def _show(done: Runs) -> None:
    interactive = bool(done.settings.get("interactive"))
    length = f"{_counted(len(done.runs), 'run')} of {_counted(done.horizon, 'visit')}"
    table = Table(title=f"{done.policy}: {length}")
    for heading in ("run", "regret", "questions a visit", "questions left", "useful dropped"):
        table.add_column(heading, justify="right")
    if interactive:
        table.add_column("other arm than the full survey", justify="right")
    for run in done.runs:
        table.add_row(
            str(run.index),
            f"{run.regret:,.1f}",
            f"{run.questions_per_visit:.2f}",
            str(len(run.questions_left)),
            str(run.useful_dropped),
            *([str(run.other_arms)] if interactive else []),
        )
    table.add_section()
    table.add_row("mean", f"{done.regret:,.1f}", f"{done.questions_per_visit:.2f}", "", "")
    output.print(table)
    rate = done.horizon * len(done.runs) / done.seconds
    output.print(f"{done.seconds:.2f} s, {rate:,.0f} visits a second", highlight=False)


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
