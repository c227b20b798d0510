"""Which charts the dashboard has, and out of what they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askless.service.dashboard import specs
from askless.service.dashboard.chart import Chart, Column
from askless.service.dashboard.glance import Glance
from askless.service.dashboard.running_mean import running_mean
from askless.service.dashboard.words import count, moment, number
from askless.service.dashboard.words import day as written_day
from askless.storage.overview import Overview
from askless.survey import Study

__all__ = ["charts_of"]

MOST_ARMS, MOST_DRAWN = 6, 8  # arms and effects that are drawn
Row = dict[str, Any]


def percent(value: float | None) -> str:
    """Write a share with a decimal."""
    return "–" if value is None else f"{value:.1%}"


def text(value: Any) -> str:
    """Write what may be missing."""
    return "–" if value is None else str(value)


def charts_of(study: Study, overview: Overview, seen: Glance) -> list[Chart]:
    """Return all charts of a study, in the order of the page."""
    made = [
        _course(study, overview),
        _days(overview),
        _questions(study, overview),
        _shares(study, overview, seen),
        _means(study, overview),
    ]
    if seen.effects is not None:
        made += _effects(study, overview, seen.effects)
    if seen.form is not None:
        made.append(_path(seen))
    return made


def _course(study: Study, overview: Overview) -> Chart:
    rows, drawn = [], []
    for part in overview.course:
        decided, short = part["decided"], part["short"]
        means = {
            "all": part["asked"] / decided if decided else None,
            "full": (part["asked"] - part["asked_short"]) / (decided - short)
            if decided > short
            else None,
            "short": part["asked_short"] / short if short else None,
        }
        visit = part["start"] + min(overview.width, max(part["started"], 1))
        rows.append(
            {"visit": visit}
            | {name: part[name] for name in ("started", "decided", "full", "short", "checks")}
            | {f"questions_{name}": value for name, value in means.items()}
        )
        for name, series in zip(means, specs.SERIES, strict=True):
            if means[name] is not None:
                drawn.append({"visit": visit, "series": series, "questions": means[name]})
    return Chart(
        "questions-a-visit",
        "Questions a visit",
        "How many questions visits were asked on average, from the first visit to the last.",
        [
            Column("visit", "up to visit", count),
            Column("questions_all", "questions, all", number),
            Column("questions_full", "full", number),
            Column("questions_short", "short", number),
            Column("started", "arrived", count),
            Column("full", "full visits", count),
            Column("checks", "checks", count),
            Column("short", "short visits", count),
        ],
        rows,
        specs.course(len(study.survey)),
        drawn,
    )


def _days(overview: Overview) -> Chart:
    rows = [
        {"day": written_day(row["start"])}
        | {name: row[name] for name in ("started", "decided", "rewarded", "late")}
        for row in overview.days
    ]
    return Chart(
        "arrivals",
        "Arrivals and completion",
        "How many people came each day (UTC), and how many got to their arm on it, whenever they"
        " had come; rewards stand at the day of their visit's arm.",
        [
            Column("day", "day"),
            Column("started", "arrived", count),
            Column("decided", "finished", count),
            Column("rewarded", "rewards in time", count),
            Column("late", "too late", count),
        ],
        rows,
        specs.days(),
    )


def _questions(study: Study, overview: Overview) -> Chart:
    none = dict.fromkeys(("put", "answered", "skipped", "here"), 0)
    rows = []
    for name in study.survey.names:
        found = overview.questions.get(name, none)
        open_ = found["put"] - found["answered"] - found["skipped"] - found["here"]
        rows.append({"question": name, **found, "after": open_})
    return Chart(
        "where-people-leave",
        "Where people leave",
        "What became of each question that was put. Whoever has not answered stands at the first"
        " open question of theirs: they have left, or are still answering.",
        [
            Column("question", "question"),
            Column("put", "put", count),
            Column("answered", "answered", count),
            Column("skipped", "skipped", count),
            Column("here", "stopped here", count),
            Column("after", "stopped before", count),
        ],
        rows,
        specs.amounts(
            "question",
            len(rows),
            [("answered", "answered"), ("skipped", "skipped"), ("here", "stopped here")],
            "visits",
        ),
    )


def _arms(study: Study) -> list[str]:
    return [arm.name for arm in study.arms]


def _shares(study: Study, overview: Overview, seen: Glance) -> Chart:
    whole = overview.totals.get("", {}).get("decided", 0)
    last = overview.recent.get("", {}).get("decided", 0)
    rows = []
    for arm in _arms(study):
        decided = overview.totals.get(arm, {}).get("decided", 0)
        lately = overview.recent.get(arm, {}).get("decided", 0)
        rows.append(
            {
                "arm": arm,
                "visits": decided,
                "share": decided / whole if whole else None,
                "now": lately / last if last else None,
                "state": "in play" if arm in seen.live else "retired",
            }
        )
    return Chart(
        "arm-shares",
        "Who gets which arm",
        f"Shares of decided visits: of all so far, and now (the last {count(last)}).",
        [
            Column("arm", "arm"),
            Column("visits", "visits", count),
            Column("share", "so far", percent),
            Column("now", "now", percent),
            Column("state", "state"),
        ],
        rows,
        specs.shares("arm", len(rows), "share", "now", "share of visits"),
    )


def _means(study: Study, overview: Overview) -> Chart:
    low, high = study.reward.low, study.reward.high
    rows = []
    for arm in _arms(study):
        sums = overview.totals.get(arm)
        mean = sums and running_mean(sums["rewarded"], sums["reward"], sums["squares"], low, high)
        rows.append(
            {
                "arm": arm,
                "rewards": sums["rewarded"] if sums else 0,
                "estimate": mean.middle if mean else None,
                "low": mean.low if mean else None,
                "high": mean.high if mean else None,
                "late": sums["late"] if sums else 0,
            }
        )
    return Chart(
        "mean-rewards",
        "Mean reward by arm",
        "The mean reward of the visits that got each arm and whose reward has come. Intervals of"
        " 95% that hold at all times, by the range of rewards alone (empirical Bernstein). Arms"
        " were given to different people: the difference of two means is no effect.",
        [
            Column("arm", "arm"),
            Column("rewards", "rewards", count),
            Column("estimate", "mean", number),
            Column("low", "from", number),
            Column("high", "to", number),
            Column("late", "too late", count),
        ],
        rows,
        specs.intervals("arm", len(rows), "reward", (low, high)),
    )


def _effects(study: Study, overview: Overview, effects: Sequence[Row]) -> list[Chart]:
    rows = [_effect(effect, overview) for effect in effects]
    span = study.reward.span
    ends = [abs(row[name]) for row in rows for name in ENDS if row[name] is not None]
    reach = min(span, max(1.25 * max(ends, default=0.0), span / 20))  # the same for all arms
    return [
        _effects_of(
            f"effects-{place}",
            arm,
            [row for row in rows if row["arm"] == arm],
            reach,
            of=int(study.survey.columns.start[-1]),
            is_drawn=place < MOST_ARMS,
        )
        for place, arm in enumerate(_arms(study))
    ]


def _effect(effect: Row, overview: Overview) -> Row:
    """Return an effect with its state, and since when it has it."""
    dropped = overview.dropped.get((effect["arm"], effect["question"]))
    return {name: effect[name] for name in ("arm", "question", "answers", *ENDS, "low", "high")} | {
        "state": "kept" if effect["kept"] else "dropped",
        "since_rows": effect["dropped_at"],
        "since": None if effect["kept"] or dropped is None else moment(dropped),
    }


def _effects_of(
    name: str, arm: str, rows: list[Row], reach: float, *, of: int, is_drawn: bool
) -> Chart:
    """Return what answers do to the reward of an arm; the largest are drawn, `of` there are."""
    told = [row for row in rows if row["estimate"] is not None]
    told.sort(key=lambda row: -abs(row["estimate"]))
    drawn = [
        {"effect": f"{row['question']}: {row['answers']}"}
        | {key: row[key] for key in (*ENDS, "low", "high", "state")}
        for row in told[:MOST_DRAWN]
    ]
    about = (
        f"What answers do to the reward of {arm}: the largest estimates. Thick: at the end of an"
        " epoch; thin: at all times (both 95%)."
    )
    if not drawn:
        about = "Nothing can be said yet: too few visits have been learned."
    if len(rows) < of:
        about += f" The table has the {count(len(rows))} largest, its file all {count(of)}."
    spec = specs.intervals("effect", len(drawn), "reward", (-reach, reach), kept=True)
    return Chart(
        name,
        arm,
        about,
        EFFECTS,
        rows,
        spec if is_drawn else {},
        drawn,
    )


ENDS = ("estimate", "end_low", "end_high")
EFFECTS = [
    Column("question", "question"),
    Column("answers", "answers"),
    Column("estimate", "effect", number),
    Column("end_low", "at the end, from", number),
    Column("end_high", "to", number),
    Column("low", "at all times, from", number),
    Column("high", "to", number),
    Column("state", "state"),
    Column("since", "since (UTC)", text),
    Column("since_rows", "rows by then", text),
]


def _path(seen: Glance) -> Chart:
    form = seen.form
    assert form is not None
    rows = [
        {
            "question": step.question or "(asked of everyone)",
            "questions": step.questions,
            "reward": step.reward,
            "net": step.net,
            "asked": "asked" if step.asked else "left out",
        }
        for step in ([form.start, *form.path] if form.path else [])
    ]
    return Chart(
        "short-form",
        "What the short form is chosen from",
        "Forms of growing length: what the models expect of each (too hopeful while there are few"
        " people), and what is left of it after the price of asking.",
        [
            Column("question", "question added"),
            Column("questions", "questions", count),
            Column("reward", "expected reward", number),
            Column("net", "less the price", number),
            Column("asked", "in the form"),
        ],
        rows,
    )
