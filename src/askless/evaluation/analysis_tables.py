"""The tables of an analysis: the same names in CSV files and in JSON, visits counted from 1."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from askless.evaluation.analysis import Analysis

__all__ = ["EVERYBODY", "Table", "tables_of"]

EVERYBODY = "everybody"
INTERVAL = ("estimate", "low", "high")


class Table(NamedTuple):
    """A tidy table: a name a column, a row an observation; None is an empty cell."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def to_csv(self) -> str:
        """Return it so that R's read.csv and pandas read it as it is meant."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(map(_cell, row) for row in self.rows)
        return text.getvalue()

    def to_list(self) -> list[dict[str, Any]]:
        """Return its rows as plain data for JSON."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _cell(value: Any) -> Any:
    return str(value).upper() if isinstance(value, bool) else value  # R knows TRUE, not True


def tables_of(analysis: Analysis) -> dict[str, Table]:
    """Return the tables by their names."""
    return {
        "effects": _effects(analysis),
        "arm_means": Table(
            ("arm", "by", *INTERVAL, "epochs", "why"),
            [
                (row.arm, row.by, row.estimate, row.low, row.high, row.epochs, row.why or None)
                for row in analysis.arm_means
            ],
        ),
        "contrasts": Table(
            ("arm", "other_arm", "by", *INTERVAL, "why"),
            [
                (row.arm, row.other, row.by, row.estimate, row.low, row.high, row.why or None)
                for row in analysis.contrasts
            ],
        ),
        "policy_value": Table(
            ("what", *INTERVAL, "visits", "why"),
            [
                (row.what, row.estimate, row.low, row.high, row.visits, row.why or None)
                for row in analysis.values
            ],
        ),
        "who_gets_what": Table(
            ("question", "answer", "people", "arm", "share"),
            [tuple(row) for row in analysis.shared.shares],
        ),
        "rule": _rule(analysis),
        "asked": Table(
            ("first_visit", "last_visit", "questions_a_visit", "share_full", "mean_reward"),
            [
                (row.first + 1, row.last + 1, row.asked, row.full, row.reward)
                for row in analysis.stretches
            ],
        ),
        "drops": Table(
            ("arm", "question", "after_visits"),
            [(row.arm, row.question, row.visit) for row in analysis.drops],
        ),
    }


def _effects(analysis: Analysis) -> Table:
    ends = ("low_at_the_end", "high_at_the_end", "low_at_all_times", "high_at_all_times")
    return Table(
        (
            *("arm", "question", "answers", "estimate", *ends),
            *("epochs", "kept", "dropped_after_rows", "why"),
        ),
        [
            (
                *(row.arm, row.question, row.answers, row.estimate),
                *(row.end_low, row.end_high, row.low, row.high),
                *(row.epochs, row.kept, row.dropped_at, analysis.why_of(row) or None),
            )
            for row in analysis.effects
        ],
    )


def _rule(analysis: Analysis) -> Table:
    rule = analysis.shared.rule
    return Table(
        ("leaf", "conditions", "arm", "share_of_people", "share_given_this_arm"),
        [
            (i, " and ".join(leaf.conditions) or EVERYBODY, leaf.arm, leaf.share, leaf.right)
            for i, leaf in enumerate(rule.leaves if rule else (), start=1)
        ],
    )
