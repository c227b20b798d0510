"""What a study's decisions were worth: beside the best single arm and beside asking everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askless.core.arrays import Floats
from askless.core.words import TOSS
from askless.evaluation.arm_means import MISSES, ArmMean, ArmModel, means
from askless.evaluation.bounded_mean import bounded_mean
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import History
from askless.policies import Policy, VisitRecord
from askless.policies.effects import IMPOSSIBLE
from askless.simulation.visits_file import LoggedVisit

__all__ = ["Value", "policy_values"]

DECISIONS, BEST, EVERYTHING = "decisions", "less the best single arm", "less asking everything"
FULL, SHORT = "full visits", "short visits"
OF_FULL = 1.0 - TOSS  # how often a full visit gets the arm of all answers where the form's differs


@dataclass(frozen=True)
class Value:
    """A mean reward, or a difference of two, in reward units a visit (maths 10.4).

    Attributes
    ----------
    what : str
        Of what.
    estimate, low, high : float or None
        With an interval of 95%; None where there is none.
    visits : int
        From how many visits.
    why : str
        Why there is none, or what it is compared with.
    """

    what: str
    estimate: float | None
    low: float | None
    high: float | None
    visits: int
    why: str = ""


def policy_values(
    history: History, policy: Policy, models: Sequence[ArmModel], visits: Sequence[LoggedVisit]
) -> list[Value]:
    """Return what the decisions brought, and by how much that is more than with less effort."""
    records = [visit.record for visit in visits if visit.record.reward is not None]
    short = [record for record in records if record.kind == "short"]
    full = [record for record in records if record.kind != "short"]
    every, planned = _rewards(records), len(visits)
    found = [_mean(policy, DECISIONS, every, planned)]
    if short:
        found += [
            _of_full_rule(policy, full, planned),
            _mean(policy, SHORT, _rewards(short), planned),
        ]
    return [
        *found,
        _beside_best(history, policy, models, every, planned),
        _beside_full(history, policy, len(short), len(records), planned),
    ]


def _rewards(records: Sequence[VisitRecord]) -> Floats:
    return np.array([record.reward for record in records], dtype=np.float64)


def _mean(policy: Policy, what: str, rewards: Floats, planned: int) -> Value:
    if not len(rewards):
        return Value(what, None, None, None, 0, "none of them has a reward")
    reward = policy.reward
    middle, low, high = bounded_mean(rewards, reward.low, reward.high, MISSES, planned)
    return Value(what, middle, low, high, len(rewards))


def _of_full_rule(policy: Policy, records: Sequence[VisitRecord], planned: int) -> Value:
    """Return what full visits would have brought if all had got the arm of all their answers.

    Where the form gives another arm, a coin gives that to a quarter of them; the others stand for
    these, too (inverse propensities, maths 10.4).
    """
    if not records:
        return Value(FULL, None, None, None, 0, "none of them has a reward")
    reward, weights = policy.reward, np.array([_weight(record) for record in records])
    units = (_rewards(records) - reward.low) / reward.span
    found = bounded_mean(weights * units, 0.0, 1 / OF_FULL, MISSES, planned)
    middle, low, high = (reward.low + reward.span * min(value, 1.0) for value in found)
    tossed = int((weights != 1.0).sum())
    why = f"on {tossed:,} of them the form gives another arm" if tossed else ""
    return Value(FULL, middle, low, high, len(records), why)


def _weight(record: VisitRecord) -> float:
    """Return for how many visits by the full rule a full visit stands."""
    check = record.check
    if check is None or check["full"] == check["short"]:
        return 1.0
    return float(record.arm == check["full"]) / OF_FULL


def _beside_best(
    history: History,
    policy: Policy,
    models: Sequence[ArmModel],
    rewards: Floats,
    planned: int,
) -> Value:
    """Compare with the arm that is best for all, whichever that is: all intervals hold at once."""
    if not len(rewards):
        return Value(BEST, None, None, None, 0, "no visit has a reward")
    rows = _mean_of_each(history, policy, models, MISSES / 2 / len(models))
    lacking = [row.arm for row in rows if row.estimate is None]
    if lacking:
        why = f"no mean of {', '.join(lacking)}, neither by the model nor by draws"
        if any(row.why == IMPOSSIBLE for row in rows):
            why = IMPOSSIBLE
        return Value(BEST, None, None, None, len(rewards), why)
    reward = policy.reward
    middle, low, high = bounded_mean(rewards, reward.low, reward.high, MISSES / 2, planned)
    known = [
        (row.estimate, row.low, row.high, row.arm)
        for row in rows
        if row.estimate is not None and row.low is not None and row.high is not None
    ]
    best = max((estimate, arm) for estimate, _, _, arm in known)
    highest, lowest = max(end for _, _, end, _ in known), max(end for _, end, _, _ in known)
    ends = (max(-reward.span, low - highest), min(reward.span, high - lowest))
    why = f"beside {best[1]}; {_ways(rows)}"
    return Value(BEST, middle - best[0], *ends, len(rewards), why)


def _mean_of_each(
    history: History, policy: Policy, models: Sequence[ArmModel], misses: float
) -> list[ArmMean]:
    """Return the mean of every arm by its model where epochs carry it, else by draws."""
    by_model = means(history, policy, models, misses)
    by_draws, _ = drawn_means(history, policy, misses)
    return [own if own.epochs else drawn for own, drawn in zip(by_model, by_draws, strict=True)]


def _ways(rows: Sequence[ArmMean]) -> str:
    """Say by which way the means were found."""
    found = {
        way: [row.arm for row in rows if row.by == by]
        for by, way in (("model", "by the model"), ("draws", "by draws"))
    }
    if not all(found.values()):
        return f"means {next(way for way, arms in found.items() if arms)}"
    return "means " + ", ".join(f"{way} ({', '.join(arms)})" for way, arms in found.items())


def _beside_full(history: History, policy: Policy, short: int, count: int, planned: int) -> Value:
    """Compare with asking everything of everybody, by full visits beside which a form stood.

    They are a random sample of the people (maths 9.4). Where both give the same arm, nothing was
    lost, whatever the rewards; where they do not, a fair toss says what the difference is.
    """
    if not short:
        return Value(EVERYTHING, None, None, None, count, "there were no short visits")
    compared = [
        v.record for v in history.full if v.record.check and v.record.number in history.rewards
    ]
    if not compared:
        return Value(EVERYTHING, None, None, None, count, "no full visit was compared")
    gains = np.array([_gain(r, history.rewards[r.number], policy) for r in compared])
    differs = np.array([float(r.check["full"] != r.check["short"]) for r in compared if r.check])
    middle, low, high = bounded_mean(gains, -4.0, 4.0, MISSES / 2, planned)
    _, _, most = bounded_mean(differs, 0.0, 1.0, MISSES / 2, planned)
    share = policy.reward.span * short / count
    ends = share * max(low, -most), share * min(high, most)
    return Value(
        EVERYTHING, share * middle, *ends, count, f"on {len(compared):,} full visits beside a form"
    )


def _gain(record: VisitRecord, reward: float, policy: Policy) -> float:
    """Return what the form's arm brought beyond that of all answers, without bias; in ranges."""
    check = record.check or {}
    if not check["tossed"]:
        return 0.0
    sign = 1.0 if record.arm == check["short"] else -1.0
    share = (reward - policy.reward.low) / policy.reward.span
    return 4.0 * sign * (share - float(check["expected"]))
