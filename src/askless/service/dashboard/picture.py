"""The dashboard's page put together: what it says first, its figures, its charts and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askless.service.dashboard.chart import Chart
from askless.service.dashboard.charts import charts_of
from askless.service.dashboard.glance import Glance
from askless.service.dashboard.words import count, many, moment, number, passed, share
from askless.storage.overview import Overview
from askless.survey import Study

__all__ = ["Picture", "picture_of"]

# What a line of the journal says, for those that concern the study.
LINES = {
    "started": "a visit began",
    "consented": "somebody agreed to take part",
    "asked": "questions were put",
    "answered": "answers came",
    "revised": "answers were changed",
    "decided": "its arm was decided",
    "rewarded": "its reward came",
    "late": "its reward came too late",
    "learned": "it was learned",
    "lost": "its window passed without a reward",
    "ticked": "windows were looked at",
    "paused": "the study was paused",
    "resumed": "the study was resumed",
    "stopped": "the study was stopped",
    "settings": "the study file was read",
    "erased": "it was erased",
}


@dataclass(frozen=True)
class Picture:
    """What a page shows.

    Attributes
    ----------
    study : Study
        The study.
    seen : Glance
        What the policy says of itself.
    verdict, detail : str
        The sentence that matters, and on what it rests.
    figures : list of tuple
        A few numbers: what, how many, and what to know of it.
    form : list of str
        What there is to say about short visits.
    rewards : list of tuple
        About rewards and learning: what, and how many.
    charts : dict of Chart
        By name, in the order of the page.
    events : list of dict
        The last lines of the journal.
    """

    study: Study
    seen: Glance
    verdict: str
    detail: str
    figures: list[tuple[str, str, str]]
    form: list[str]
    rewards: list[tuple[str, str]]
    charts: dict[str, Chart]
    events: list[dict[str, str]]

    @property
    def effects(self) -> list[Chart]:
        """The charts of signed effects, one an arm."""
        return [chart for name, chart in self.charts.items() if name.startswith("effects-")]


def picture_of(study: Study, overview: Overview, seen: Glance) -> Picture:
    """Put together what the page shows."""
    verdict, detail = _verdict(study, overview, seen)
    return Picture(
        study=study,
        seen=seen,
        verdict=verdict,
        detail=detail,
        figures=_figures(overview, seen),
        form=_form(study, overview, seen),
        rewards=_rewards(study, overview, seen),
        charts={chart.name: chart for chart in charts_of(study, overview, seen)},
        events=[_line(event) for event in overview.events],
    )


def _verdict(study: Study, overview: Overview, seen: Glance) -> tuple[str, str]:
    whole, now = len(study.survey), overview.recent.get("", {})
    asks = "asks" if seen.state == "running" else "asked"
    if not now.get("decided"):
        return (
            f"Nobody has finished a visit yet; the survey {asks} up to {many(whole, 'question')}.",
            "The first figures come with the first visits.",
        )
    mean = now["asked"] / now["decided"]
    few = f"{mean:.1f}".removesuffix(".0")
    when = {"running": " now", "paused": " before it was paused", "stopped": " in the end"}
    verdict = f"The survey {asks} {few} of {many(whole, 'question')}{when[seen.state]}."
    by = "visit that was" if now["decided"] == 1 else f"{count(now['decided'])} visits that were"
    return verdict, f"On average, by the last {by} decided."


def _figures(overview: Overview, seen: Glance) -> list[tuple[str, str, str]]:
    total = overview.totals.get("", {})
    started, decided = total.get("started", 0), total.get("decided", 0)
    asked, rewarded = total.get("asked", 0), total.get("rewarded", 0)
    mean = total["reward"] / rewarded if rewarded else None
    return [
        ("People", count(started), "have come"),
        ("Finished", share(decided, started), f"{count(decided)} got to their arm"),
        (
            "Questions a visit",
            number(asked / decided if decided else None),
            "on average, since the first visit",
        ),
        ("Mean reward", number(mean), f"of {count(rewarded)} that came in time"),
        ("Waiting", count(seen.waiting), "decided visits whose reward is to come or to learn"),
    ]


def _form(study: Study, overview: Overview, seen: Glance) -> list[str]:
    form = seen.form
    if form is None:
        return ["This study has no short visits: a question leaves when it is proved useless."]
    since = "" if overview.form_since is None else f" Since {moment(overview.form_since)} UTC."
    if form.questions is None:
        said = [f"No short form stands: every visit asks {_all(form.of)}.{since}"]
    elif len(form.questions) >= form.of:
        said = [f"Every question is worth its price: all visits ask {_all(form.of)}.{since}"]
    else:
        names = ", ".join(form.questions) or "nothing"
        said = [
            f"Short visits ask {len(form.questions)} of {many(form.of, 'question')}: {names}."
            f" {form.full_share:.0%} of visits are full, so that learning goes on.{since}"
        ]
    if form.loss is None:
        said.append("What short forms cost has not been measured yet.")
    else:
        middle, low, high = form.loss
        cost = (
            f"short forms have cost {number(middle)} of reward a visit (95% at all times:"
            f" {number(low)} to {number(high)})"
        )
        if high - low >= 2 * study.reward.span:  # as far apart as two rewards can be
            cost = "what short forms cost cannot be told yet: there are too few checks"
        said.append(
            "By the randomised check, in which a coin decides between what all answers and what"
            f" the short form's say, {cost}; a short visit saves questions worth"
            f" {number(form.saving)} at {number(form.price)} each."
        )
    if form.budget is not None and form.questions is not None and form.cost > form.budget:
        said.append(
            f"A visit costs {number(form.cost)} questions on average from here on, and may cost"
            f" {number(form.budget)}: the budget is not kept."
        )
    if form.withdrawn:
        said.append(f"Forms withdrawn because they cost too much: {form.withdrawn}.")
    return said


def _all(questions: int) -> str:
    return "the one question" if questions == 1 else f"all {questions} questions"


def _rewards(study: Study, overview: Overview, seen: Glance) -> list[tuple[str, str]]:
    total = overview.totals.get("", {})
    decided, in_time = seen.decided, total.get("rewarded", 0)
    standing = total.get("decided", 0)  # without those that were erased
    oldest = "–" if seen.oldest is None else f"{passed(seen.at - seen.oldest)} ago"
    return [
        ("decided visits", count(decided)),
        ("rewards in time", f"{count(in_time)} ({share(in_time, standing)})"),
        ("rewards that came too late", count(total.get("late", 0))),
        ("window for rewards", "none" if study.window is None else str(study.window)),
        ("decided, not learned", count(decided - seen.learned)),
        ("of them waiting for their reward, or their turn", count(seen.waiting)),
        ("of them given up, or erased", count(decided - seen.learned - seen.waiting)),
        ("the longest wait began", oldest),
        ("events in the journal", count(seen.events)),
    ]


def _line(event: dict[str, Any]) -> dict[str, str]:
    body, kind = event["body"], event["kind"]
    what = LINES.get(kind, kind)
    if kind == "dropped":
        what = f"{body['arm']} dropped {body['question']}"
    elif kind == "retired":
        what = f"{body['arm']} was retired"
    elif kind == "priced":
        what = f"a question may cost {number(body['price'])}"
    elif kind == "form":
        asked = body["questions"]
        what = "every visit is full" if asked is None else f"short form: {', '.join(asked) or '–'}"
    visit = "" if event["visit"] is None else str(event["visit"])
    return {
        "serial": count(event["serial"]),
        "at": moment(event["at"]),
        "visit": visit,
        "what": what,
    }
