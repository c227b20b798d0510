"""What the columns of an export mean: for people as Markdown, for programs as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from askless.simulation.visits_file import ANSWER, CHANCE, CHECKED, columns_of
from askless.survey import Choice, Multi, Scale, Study, YesNo
from askless.survey.question import Question

__all__ = ["Column", "codebook", "event_columns", "in_words", "visit_columns"]

TYPES = {int: "whole number", float: "number", str: "text", datetime: "time (UTC, ISO 8601)"}
NOTHING = "none of them, if the question is in answered"  # an empty cell of a multi

# Why a cell, or a row, is not there.
MISSING = {
    "not asked": "`answer.QUESTION` is empty, and the question is in neither `asked` nor `known`:"
    " the visit did not need it",
    "skipped": "`answer.QUESTION` is empty, and the question is in `skipped`: the person would not"
    " answer it",
    "not yet answered": "`answer.QUESTION` is empty, and the question is in `asked`, but in neither"
    " `answered` nor `skipped`: the visit is open, or the person has gone",
    "not yet rewarded": "`reward` is empty and `status` is waiting or rewarded: the reward may"
    " still come, or has come and waits for its turn to be learned",
    "lost": "`reward` is empty and `status` is lost, or late without a place in `learned`: nothing"
    " came within the study's window, and nothing was learned",
    "erased": "the `number` is in no row: the visit was erased. `events` says that, and nothing"
    " else of it",
}
STATUSES = {
    "open": "questions are open, no arm is decided",
    "waiting": "decided, no reward yet",
    "rewarded": "the reward has come and waits for its turn to be learned",
    "learned": "learned with its reward",
    "silent": "no reward came within the window; learned with what the study takes silence to be",
    "lost": "no reward came within the window; not learned",
    "late": "a reward came after the window; it is in reward_came alone",
}
EVENTS = {
    "settings": "the study file, as it was from here on",
    "started": "a visit began: eligible arms, questions that it may ask, answers known before",
    "consented": "the person agreed to take part, on a page: its language, and the SHA-256 digest"
    " of the text that was agreed to",
    "asked": "questions were put",
    "answered": "answers came",
    "revised": "answers were changed before the decision",
    "decided": "the arm was decided: the place in the order of decisions, and the visit's record",
    "rewarded": "the reward came in time",
    "late": "the reward came too late to be learned",
    "ticked": "time passed: what had waited for its whole window was given up",
    "learned": "a visit was learned: its place in that order, after how many decisions, its block",
    "lost": "a visit was given up without a reward",
    "dropped": "an arm's model dropped a question",
    "form": "a short form was chosen, or withdrawn",
    "paused": "no new visits from here on",
    "resumed": "new visits again",
    "stopped": "the study is over: no new visits, ever",
    "retired": "an arm is played no more",
    "priced": "what asking one question may cost was changed",
    "erased": "a visit was erased; what it had said is nowhere any more",
}
MEANINGS = {
    "number": "the visit's number in the study, from 0",
    "kind": "full, short, check (a full visit whose arm was tossed between two), or what the"
    " study's policy calls its own",
    "eligible": "the arms that it could play, separated by ;",
    "form": "the questions that it could ask at most, separated by ;",
    "asked": "the questions that were put, in their order, separated by ;",
    "known": "the questions whose answers were there before, separated by ;",
    "answered": "the questions to which there is an answer, separated by ;",
    "skipped": "the questions that the person would not answer, separated by ;",
    "arm": "the arm played; empty while questions are open",
    "version": "the version of the policy's state that decided",
    "reward": "what the visit was learned with; empty until then",
    "block": "the arm's block of rows in which it was learned; of a short visit which form"
    " it taught",
    "learned": "its place in the order of learning, from 0",
    "learned_after": "how many visits had been decided when it was learned",
    CHECKED + "full": "beside a short form: the arm that all answers give",
    CHECKED + "short": "beside a short form: the arm that the form's answers give",
    CHECKED + "expected": "by how much the first is expected to be better",
    CHECKED + "bet": "the bet on that difference",
    CHECKED + "saving": "what the short form saves",
}


@dataclass(frozen=True)
class Column:
    """A column of an export.

    Attributes
    ----------
    name, text : str
        How it is called, and what it says; of a question what the person read.
    type : type
        Of its cells.
    kind : str
        Of a question: scale, yes_no, choice or multi.
    codes : dict
        What its cells can be, each with its label; empty where they are not listed.
    low, high : float or None
        The ends of a number.
    missing : tuple of str
        Why a cell may be empty, or its row not there.
    """

    name: str
    text: str
    type: type
    kind: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    missing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; what it does not have is left out."""
        said: dict[str, Any] = {"name": self.name, "text": self.text, "type": TYPES[self.type]}
        if self.kind:
            said["kind"] = self.kind
        if self.codes:
            said["codes"] = [{"code": c, "label": label} for c, label in self.codes.items()]
        if self.low is not None:
            said |= {"low": self.low, "high": self.high}
        return said | ({"missing": list(self.missing)} if self.missing else {})


def visit_columns(study: Study, *, with_ids: bool = False) -> list[Column]:
    """Return the columns of a study's visits: those of a visits file, and what a database adds."""
    arms = {arm.name: arm.text for arm in study.arms}
    answers = {ANSWER + question.name: question for question in study.survey}
    low, high = study.reward.low, study.reward.high
    columns = []
    for name, kind in columns_of(study).items():
        if name in answers:
            columns.append(_answer(name, answers[name]))
        elif name.startswith(CHANCE):
            text = f"with which probability the arm {name.removeprefix(CHANCE)} was to be played"
            columns.append(Column(name, text, kind, low=0.0, high=1.0))
        elif name == "reward":
            missing = ("not yet rewarded", "lost")
            columns.append(Column(name, MEANINGS[name], kind, "", {}, low, high, missing))
        else:
            of_arms = arms if name in ("arm", "eligible") else {}
            columns.append(Column(name, MEANINGS[name], kind, codes=of_arms))
    columns += [
        Column("status", "where the visit stands", str, codes=STATUSES),
        Column("started_at", "when it began", datetime),
        Column("decided_at", "when its arm was decided; empty while questions are open", datetime),
        Column("rewarded_at", "when its reward came, in time or late", datetime),
        Column("reward_came", "the reward that came, also too late", float, low=low, high=high),
    ]
    if with_ids:
        text = "how the caller names the person; empty where no name was given"
        columns.append(Column("id", text, str))
    return columns


def _answer(name: str, question: Question) -> Column:
    codes: dict[str, str] = {}
    low = high = None
    if isinstance(question, Choice | Multi):
        codes = {option: option for option in question.options}
        if isinstance(question, Multi):
            codes[""] = NOTHING
    elif isinstance(question, YesNo):
        codes = {"yes": "yes", "no": "no"}
    elif isinstance(question, Scale):
        low, high = question.low, question.high
    kind = float if isinstance(question, Scale) else str
    skipped = ("skipped",) if question.may_skip else ()
    missing = ("not asked", *skipped, "not yet answered")
    return Column(name, question.text, kind, question.kind, codes, low, high, missing)


def event_columns() -> list[Column]:
    """Return the columns of a study's journal."""
    return [
        Column("serial", "the event's place in the journal, from 1, without gaps", int),
        Column("page", "the last event before the transaction that wrote it", int),
        Column("at", "when it was written", datetime),
        Column("kind", "what happened", str, codes=EVENTS),
        Column("visit", "the number of the visit; empty where it is of the whole study", int),
        Column("body", "what else there is to say, as JSON; {} of visits that were erased", str),
    ]


def codebook(
    study: Study, ending: str, counts: Mapping[str, int], *, with_ids: bool = False
) -> dict[str, Any]:
    """Return what an export of a study has, as plain data.

    Parameters
    ----------
    study : Study
        Its questions and arms.
    ending : str
        Of the tables: csv or parquet.
    counts : mapping
        How many rows of which kind there are.
    with_ids : bool
        Whether the callers' own ids are among the columns.

    Examples
    --------
    >>> import askless as al
    >>> book = codebook(al.Study.example(), "csv", {"visits": 0})
    >>> next(c for c in book["tables"]["visits.csv"] if c["name"] == "answer.region")["codes"]
    [{'code': 'north', 'label': 'north'}, {'code': 'south', 'label': 'south'}]
    """
    return {
        "format": "askless.codebook",
        "version": 1,
        "study": study.name,
        "text": study.text,
        "counts": dict(counts),
        "reward": {
            "low": study.reward.low,
            "high": study.reward.high,
            "window": study.window,
            "silence": study.silence,
        },
        "ids": with_ids,
        "missing": {why: text.replace("`", "") for why, text in MISSING.items()},
        "tables": {
            f"visits.{ending}": [c.to_dict() for c in visit_columns(study, with_ids=with_ids)],
            f"events.{ending}": [c.to_dict() for c in event_columns()],
        },
    }


# -- for people ----------------------------------------------------------------------------------


def in_words(book: Mapping[str, Any]) -> str:
    """Return a codebook as Markdown."""
    lines = [f"# Codebook of the study {_plain(book['study'])}", ""]
    if book["text"]:
        lines += [_plain(book["text"]), ""]
    counted = ", ".join(f"{count:,} {what}" for what, count in book["counts"].items())
    reward = book["reward"]
    lines += [f"It has {counted}.", "", f"Rewards go from {reward['low']:g} to {reward['high']:g}."]
    if reward["window"] is not None:
        silence = reward["silence"]
        taken = "is not learned" if silence is None else f"is taken to be {silence:g}"
        lines[-1] += f" What has not come within {reward['window']} {taken}."
    lines += ["", "## What is missing, and why", "", "| kind | how to tell |", "|---|---|"]
    lines += [f"| {why} | {text} |" for why, text in MISSING.items()]
    lines += [
        "",
        f"`visits` has the visits that have an arm, in the order of decisions, then those"
        f" whose questions are open. {_privacy(book['ids'])}",
    ]
    for table, columns in book["tables"].items():
        lines += ["", f"## {table}", "", "| column | text | kind | values | missing |"]
        lines += ["|---|---|---|---|---|", *map(_line, columns)]
    return "\n".join(lines) + "\n"


def _privacy(with_ids: bool) -> str:
    if not with_ids:
        return (
            "The ids that callers gave to people are left out (`--with-ids` writes them), and so"
            " are the secrets by which callers name visits."
        )
    return (
        "`id` is how callers name people: whoever has this file can tell who said what. In CSV an"
        " id that a spreadsheet could take for a formula has an apostrophe before it, and so has"
        " one that begins with an apostrophe. The secrets by which callers name visits are left"
        " out."
    )


def _line(column: Mapping[str, Any]) -> str:
    values: Sequence[str] = [
        _plain(c["code"] if c["code"] == c["label"] else f"{c['code'] or 'empty'}: {c['label']}")
        for c in column.get("codes", ())
    ]
    if "low" in column:
        values = [f"{column['low']:g} to {column['high']:g}"]
    cells = [
        f"`{_plain(column['name'])}`",
        _plain(column["text"]),
        column.get("kind", column["type"]),
        "<br>".join(values),
        ", ".join(column.get("missing", ())),
    ]
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return words of a study so that they stay within a cell of a table."""
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.split())
