"""`askless check STUDY`: whether a study file is in order, and what it amounts to."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from askless.cli.grid import Grid
from askless.cli.terminal import counted, output
from askless.environments import Prior
from askless.policies import Policy, SurveyBandit, policy_for
from askless.simulation.simulate import describe
from askless.survey import Question, Study

QUESTIONS = ("question", "kind", "may be skipped", "cost", "asked of everyone")


def check(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Check a study file; says what is wrong with it, with line and key, or what it amounts to."""
    read = Study.read(study)
    with warnings.catch_warnings(action="ignore"):  # the doubts have what it warns of
        policy = policy_for(read)
    if read.plan:
        Prior.of(read)  # refuses what cannot be planned
    from askless.evaluation.sense import doubts_of  # noqa: PLC0415 (so that help comes at once)

    settings, doubts = describe(policy), doubts_of(read)
    if as_json:
        summary = {
            "study": read.name,
            "questions": list(read.survey.names),
            "columns": read.survey.column_count,
            "arms": [arm.name for arm in read.arms],
            "eligible_if": {arm.name: arm.eligible_if for arm in read.arms if arm.eligible_if},
            "reward": [read.reward.low, read.reward.high],
            "window": read.window,
            "silence": read.silence,
            "policy": read.policy,
            "settings": settings,
            "asked": [_asked(question) for question in read.survey],
            "doubts": doubts,
        }
        typer.echo(json.dumps(summary))
        return
    _show(read, policy, settings)
    for doubt in doubts:
        output.print(f"[bold]Mind:[/bold] {escape(doubt)}", highlight=False, soft_wrap=True)


def _show(read: Study, policy: Policy, settings: dict[str, Any]) -> None:
    questions, arms = (counted(len(read.survey), "question"), counted(len(read.arms), "arm"))
    output.print(
        f"{read.name}: in order; {questions}, {arms}.",
        style="bold",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    grid = Grid(("", ""), words=("",))
    grid.add("questions", f"{len(read.survey)}, in {read.survey.column_count} columns")
    grid.add("arms", ", ".join(arm.name for arm in read.arms))
    for arm in read.arms:
        if arm.eligible_if is not None:
            grid.add(f"  {arm.name}", f"if {arm.eligible_if}")
    grid.add("reward", f"{read.reward.low:g} to {read.reward.high:g}")
    if read.window is not None:
        given_up = "not learned" if read.silence is None else f"taken to be {read.silence:g}"
        grid.add("window", f"{read.window}, then {given_up}")
    grid.add("policy", read.policy)
    for name, value in settings.items():
        unused = name == "full_floor" and isinstance(policy, SurveyBandit) and not policy.price
        if (
            value is None or unused
        ):  # the grain of a survey that is not interactive, the lam of a set one
            continue
        grid.add(f"  {name}", f"{value:g}" if isinstance(value, float) else str(value))
    if isinstance(policy, SurveyBandit) and not {"price", "questions"} & set(read.settings):
        grid.add("  price", f"{policy.price:.3g} a question, by default")
    grid.show()
    _questions(read).show()


def _asked(question: Question) -> dict[str, Any]:
    """Return what `check` says about a question."""
    return {
        "name": question.name,
        "kind": question.kind,
        "may_skip": question.may_skip,
        "cost": question.cost,
        "always_ask": question.always_ask,
    }


def _questions(study: Study) -> Grid:
    grid = Grid(QUESTIONS, words=QUESTIONS[:2])
    for question in study.survey:
        grid.add(
            question.name,
            question.kind.replace("_", "/"),
            "yes" if question.may_skip else "",
            f"{question.cost:g}",
            "yes" if question.always_ask else "",
        )
    return grid
