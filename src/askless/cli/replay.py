"""`askless replay`: what a policy would have earned, on decisions that were logged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from askless.cli.grid import Grid
from askless.cli.terminal import check_order, output
from askless.environments import LoggedData
from askless.errors import SettingError
from askless.evaluation import OffPolicy, Replayed, off_policy, replay_log
from askless.evaluation.off_policy import Estimate
from askless.policies import Policy, load, policy_class, policy_for
from askless.policies.files import read_state
from askless.survey import Study

HEADINGS = ("estimator", "reward a visit", "±", "from", "to")


def replay(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    log: Annotated[Path, typer.Argument(help="The log, or a visits file: CSV or Parquet.")],
    state: Annotated[
        Path | None,
        typer.Option(
            help="A saved policy, to be judged as it is; left out, the study's own learns from the"
            " log, whose arms must then have been drawn evenly."
        ),
    ] = None,
    clip: Annotated[
        float | None, typer.Option(help="With --state: cut weights above it to it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Say what a policy would have earned on the people of a log."""
    check_order(study, log, "log")
    read = Study.read(study)
    rows = LoggedData.read(log, read)
    if state is None:
        if clip is not None:
            raise SettingError("--clip says nothing without --state; leave it out")
        replayed = replay_log(policy_for(read), rows)
        if as_json:
            typer.echo(json.dumps(replayed.to_dict() | {"logged": float(rows.rewards.mean())}))
        else:
            _show_replay(replayed, read, rows)
        return
    found = off_policy(_saved(state, read), rows, clip=clip)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        _show(found, state)


def _saved(state: Path, study: Study) -> Policy:
    """Read a saved policy; where its class has no name that is known, the study says which."""
    own = policy_class(study.policy)
    return load(state, kind=own if read_state(state).get("policy") == own.name else None)


def _show_replay(found: Replayed, study: Study, rows: LoggedData) -> None:
    _print(
        f"{study.policy} would have earned {found.value:.4g} a visit with {found.questions:.1f}"
        f" questions; the log's own decisions earned {rows.rewards.mean():.4g}. It learned from"
        f" {found.counted:,} of {found.rows:,} rows (those in which it played the arm logged). That"
        " is one course of its learning: on other people it might have learned otherwise."
    )
    if found.unobserved:
        _print(f"In {found.unobserved:,} rows it would have asked what the log has not observed.")


def _show(found: OffPolicy, state: Path) -> None:
    best = found.estimates[-1]
    about = "do not trust it, as said below" if found.is_doubtful else f"95%: {_ends(best)}"
    _print(
        f"{state} would have earned {best.value:.4g} a visit ({best.name}; {about}); the log's own"
        f" decisions earned {found.logged:.4g}."
    )
    grid = Grid(HEADINGS, words=HEADINGS[:1])
    for one in found.estimates:
        numbers = (one.value, one.error, one.low, one.high)
        grid.add(one.name, *(f"{number:.4g}" for number in numbers))
    grid.show()
    _print(
        f"Estimated from {found.counted:,} of {found.rows:,} rows, those that have observed what it"
        f" asks; intervals of 95%. They are worth {found.effective:,.0f} decisions of its own"
        f" (effective sample size; the largest weight is {found.largest:.3g}"
        f"{f', {found.clipped:,} were cut' if found.clipped else ''})."
    )
    if found.unsupported is None:
        _print("Whether it plays arms that the log never gave such people, the log does not say.")
    elif found.unsupported > 0:
        _print(
            f"Mind: {found.unsupported:.1%} of its decisions are for arms that the log never, or"
            " almost never, gave such people. What these bring nobody can say: IPS takes it for 0,"
            " the others for what similar rows bring."
        )
    if found.is_doubtful:
        _print(
            f"Mind: the mean weight is {found.weight.value:.3g} ± {found.weight.error:.2g}, and"
            " should be 1. The log has too little of what the policy does; do not trust the"
            " intervals."
        )
    for kind, (rows, counted) in found.kinds.items():
        if counted < rows and len(found.kinds) > 1:
            _print(f"Of its {kind} visits, {counted:,} of {rows:,} count; they keep their share.")


def _ends(estimate: Estimate) -> str:
    return f"{estimate.low:.4g} to {estimate.high:.4g}"


def _print(text: str) -> None:
    output.print(text, markup=False, highlight=False)
