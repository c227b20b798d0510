"""What a policy would have earned, by decisions that another one made and logged (maths 10.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.environments import LoggedData
from askless.errors import SettingError, shown
from askless.policies import Policy
from askless.policies.passage import begin, first_known, step
from askless.policies.rivals.sums import RidgeSums
from askless.policies.rows import aligned, number_of
from askless.survey.eligibility import Eligibility
from askless.survey.names import check_number

__all__ = ["Estimate", "OffPolicy", "off_policy"]

NORMAL = 1.959963984540054  # of 95%
PARTS = 10  # of a log: rewards in one are predicted from those before it
UNTOLD = "untold"  # the kind of a visit of which nobody knows which arms rules open to it
FAR = 4.0  # standard errors of the mean weight from 1


@dataclass(frozen=True)
class Estimate:
    """What a policy would earn a visit, in reward units.

    Attributes
    ----------
    name : str
        By which estimator.
    value, error : float
        The estimate and its standard error.
    low, high : float
        Its interval of 95%.
    """

    name: str
    value: float
    error: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON; what is not known is None."""
        numbers = {key: getattr(self, key) for key in ("value", "error", "low", "high")}
        return {"name": self.name} | {
            key: number if math.isfinite(number) else None for key, number in numbers.items()
        }

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return self.value - NORMAL * self.error

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return self.value + NORMAL * self.error


@dataclass(frozen=True)
class OffPolicy:
    """What a log says about a policy.

    Attributes
    ----------
    estimates : tuple of Estimate
        By inverse propensities (IPS), the same self-normalised, and doubly robust.
    logged : float
        What the decisions in the log brought, over the rows that count.
    rows, counted : int
        How many rows the log has, and of how many it observed what the policy would have asked.
    effective : float
        As how many decisions of its own those are worth: (Σw)²/Σw², Kish's effective sample size.
    weight : Estimate
        The mean of the weights, which must be near 1; where it is not, the log has too little of
        what the policy does, and no estimate is to be trusted, whatever its interval.
    unsupported : float or None
        The share of the policy's decisions for arms that the log never gave such people, or with a
        probability below one over its rows; None where it has the propensities of the arms played
        alone. What these bring nobody can say.
    clipped : int
        How many weights were cut.
    largest : float
        The largest weight before that.
    kinds : dict
        Of how many rows each kind of visit would have been, and how many of these count.
    """

    estimates: tuple[Estimate, ...]
    logged: float
    rows: int
    counted: int
    effective: float
    weight: Estimate
    unsupported: float | None
    clipped: int
    largest: float
    kinds: dict[str, tuple[int, int]]

    @property
    def is_doubtful(self) -> bool:
        """Whether the mean of the weights is further from 1 than chance explains."""
        return abs(self.weight.value - 1.0) > FAR * self.weight.error

    def __getitem__(self, name: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise KeyError(name)

    def __str__(self) -> str:
        of_each = [
            [one.name, *map(number_of, (one.value, one.error, one.low, one.high))]
            for one in self.estimates
        ]
        logged = ["the log's own", number_of(self.logged), "", "", ""]
        lines = [["reward a visit", "value", "±", "from", "to"], *of_each, logged]
        said = [
            f"{self.counted:,} of {self.rows:,} rows count, worth {self.effective:,.0f} decisions"
            " of its own; intervals of 95%"
        ]
        if self.unsupported:
            said.append(f"{self.unsupported:.1%} of its decisions are for arms never given there")
        if self.is_doubtful:
            weight = f"{self.weight.value:.3g} ± {self.weight.error:.2g}"
            said.append(f"the mean weight is {weight}, and should be 1: trust no interval")
        return "\n".join([*aligned(lines), *said])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON; None where a log of one row has no error."""
        plain = asdict(self) | {"is_doubtful": self.is_doubtful}
        plain["estimates"] = [e.to_dict() for e in self.estimates]
        return plain | {"weight": self.weight.to_dict()}


def off_policy(
    policy: Policy, log: LoggedData, *, clip: float | None = None, model: Any = None
) -> OffPolicy:
    """Estimate what a policy would earn, as it is and learning nothing, on the people of a log.

    One that has learned from these very rows is judged too well: give it others.

    The rows, in the order of their decisions, are taken to be its next visits. A row counts only if
    the log has observed everything that the policy would have asked; where it has several kinds of
    visits, each kind keeps the share that it would have had. The intervals are right for many rows
    whose propensities are stated and not small (maths 10.5); `is_doubtful` says where that fails.

    Parameters
    ----------
    policy : Policy
        Of the log's study.
    log : LoggedData
        With propensities.
    clip : float, optional
        Weights above it are cut to it, which trades variance for bias.
    model : array (n × K), optional
        Predicted rewards for the doubly robust estimator, made without the row's own reward; left
        out, ridge models of the rows before each tenth of the log.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> study = al.Study(world.survey, world.arms, world.reward)
    >>> done = al.record_visits("uniform", world, horizon=2_000)
    >>> log = al.LoggedData.of_visits([visit.record for visit in done.visits], study)
    >>> greedy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    >>> learned = al.record_visits(greedy, world, horizon=2_000, run=1).policy
    >>> found = al.off_policy(learned, log)
    >>> found["IPS"].low > found.logged  # it plays better than at random, surely
    True
    """
    check_match(policy, log)
    if np.isnan(log.chances).any():
        first = int(np.flatnonzero(np.isnan(log.chances))[0]) + 1
        raise SettingError(
            f"row {first} of the log has no propensity, without which nothing can be said of what"
            " another policy would earn; add a column 'propensity', with which probability the arm"
            " was played"
        )
    if clip is not None and not check_number(clip, "clip") > 0:
        raise SettingError(f"clip is {clip:g}; give a number above 0")
    chances, kinds = decisions(policy, log)
    counts = ~np.isnan(chances[:, 0])
    if not counts.any() and (kinds == UNTOLD).all():
        raise SettingError(
            "no row of the log has observed what the rules of the policy's arms need, and satisfies"
            " one of an arm that it could get; it cannot be evaluated"
        )
    for kind in _kinds(kinds):
        if not counts[kinds == kind].any():
            of_kind = "" if (kinds == kind).all() else f", in a visit of the kind {str(kind)!r},"
            raise SettingError(
                f"no row of the log has observed what the policy would ask{of_kind} and so it"
                " cannot be evaluated"
            )
    predicted = _predicted(log) if model is None else _model(model, log)
    return _estimated(log, counts, chances, kinds, predicted, clip)


def check_match(policy: Policy, log: LoggedData) -> None:
    """Refuse what is no policy, and policies of other studies."""
    if not isinstance(policy, Policy):
        raise SettingError(f"policy is {shown(policy)}; give an askless.Policy")
    study = log.study
    if not policy.survey.same_columns(study.survey):
        raise SettingError("the policy's questions are not those of the log's study")
    if list(policy.arms) != [arm.name for arm in study.arms]:
        raise SettingError(
            "the policy's arms are not those of the log's study; give the study the policy's arms"
        )
    if not policy.roster.has_rules(Eligibility(study.survey, study.arms)):
        raise SettingError(
            "the rules of the policy's arms (eligible_if) are not those of the log's study; make it"
            " with the study's arms"
        )
    if policy.reward != study.reward:
        raise SettingError("the policy's reward range is not that of the log's study")


def _model(given: Any, log: LoggedData) -> Floats:
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.shape != log.eligible.shape or not np.isfinite(table).all():
        raise SettingError(
            f"model is {shown(given, 60)}; give finite numbers of shape {log.eligible.shape}: a row"
            " of the log a row, an arm a column"
        )
    return table


def decisions(policy: Policy, log: LoggedData) -> tuple[Floats, Any]:
    """Return with which probability the policy would play each arm (n × K), and kinds of visits.

    NaN in rows that have not observed what it would ask.
    """
    found, kinds = np.full(log.eligible.shape, np.nan), np.full(len(log), "", dtype=object)
    observed, live, owner = log.observed, policy.roster.live, policy.survey.owner
    eligible, told = open_arms(policy, log)
    for i in range(len(log)):
        if not (told[i] and eligible[i].any()):
            kinds[i] = UNTOLD
            continue
        mask = eligible[i] & live
        if not mask.any():
            continue
        start = begin(policy, policy._next_number + i, mask)
        known = first_known(policy, log.contexts[i])
        kinds[i] = start.kind
        while (now := step(policy, start, known)).decision is None:
            if (now.asks & ~observed[i]).any():
                break
            columns = now.asks[owner]
            known[1:][columns] = log.contexts[i, 1:][columns]
        if now.decision is not None:
            found[i] = now.decision.chances()
    return found, kinds


def open_arms(policy: Policy, log: LoggedData) -> tuple[Flags, Flags]:
    """Return which arms each row could get by the policy's rules (n × K), and where that is known.

    It is known of those who were asked all that rules need.
    """
    rules = policy.roster.rules
    if rules is None:
        return log.eligible, np.ones(len(log), dtype=bool)
    told = np.asarray(~(rules.questions & ~log.observed).any(axis=1))
    return log.eligible & rules.allowed(log.contexts), told


def _predicted(log: LoggedData) -> Floats:
    """Return rewards as ridge models predict them of the rows before each part (n × K).

    A model that sees the past alone is right for logs of policies that learned, too. What was not
    observed is 0, the middle of a question's answers.
    """
    survey, reward = log.study.survey, log.study.reward
    contexts = np.where(np.isnan(log.contexts), 0.0, log.contexts)
    sums = RidgeSums(log.eligible.shape[1], survey.column_count)
    found = np.empty(log.eligible.shape)
    for part in _parts(len(log)):
        found[part] = reward.middle + reward.span * (contexts[part] @ sums.mean.T)
        for i in range(part.start, part.stop):
            y = (log.rewards[i] - reward.middle) / reward.span
            sums.gram[log.arms[i]] += np.outer(contexts[i], contexts[i])
            sums.moment[log.arms[i]] += y * contexts[i]
        sums.refresh()
    return np.clip(found, reward.low, reward.high)


def _parts(count: int) -> Iterator[slice]:
    ends = np.linspace(0, count, PARTS + 1).astype(np.int64).tolist()
    yield from (slice(a, b) for a, b in pairwise(ends) if a < b)


def _estimated(
    log: LoggedData,
    counts: Flags,
    chances: Floats,
    kinds: Any,
    predicted: Floats,
    clip: float | None,
) -> OffPolicy:
    each, arms, rewards = np.arange(len(log)), log.arms, log.rewards
    raw = np.where(counts, chances[each, arms] / log.chances, 0.0)
    weights = raw if clip is None else np.minimum(raw, clip)
    if not weights.any():
        raise SettingError(
            "the log never has the arm that the policy would play, and so says nothing about it"
        )
    direct = np.where(counts[:, None], chances * predicted, 0.0).sum(axis=1)
    robust = direct + weights * (rewards - predicted[each, arms])
    strata, shares = _strata(counts, kinds)
    # Each row stands for as many as its kind of visit would have been.
    stands = np.zeros(len(log))
    for stratum, share in zip(strata, shares, strict=True):
        stands[stratum] = share * counts.sum() / stratum.sum()
    whole = stands * weights
    known, missing = log.propensities[counts], None
    if not np.isnan(known).any():
        lost = np.where(known < 1.0 / len(log), chances[counts], 0.0).sum(axis=1)
        missing = float((stands[counts] * lost).mean())
    ratio = _mean("", weights * rewards, strata, shares).value
    mean = _mean("mean weight", weights, strata, shares)
    value = ratio / mean.value
    around = _mean("", weights * (rewards - value), strata, shares).error / mean.value
    return OffPolicy(
        estimates=(
            _mean("IPS", weights * rewards, strata, shares),
            Estimate("self-normalised", value, around),
            _mean("doubly robust", robust, strata, shares),
        ),
        logged=float(rewards[counts].mean()),
        rows=len(log),
        counted=int(counts.sum()),
        effective=float(whole.sum() ** 2 / (whole**2).sum()),
        weight=mean,
        unsupported=missing,
        clipped=int((weights < raw).sum()),
        largest=float(raw.max()),
        kinds={
            str(kind): (int((kinds == kind).sum()), int(((kinds == kind) & counts).sum()))
            for kind in _kinds(kinds)
        },
    )


def _strata(counts: Flags, kinds: Any) -> tuple[list[Flags], list[float]]:
    """Return the rows of each kind that count, and its share of all; one where all rows count."""
    if counts.all():
        return [counts], [1.0]
    every = [kinds == kind for kind in _kinds(kinds)]
    told = float((kinds != UNTOLD).mean())
    return [own & counts for own in every], [float(own.mean()) / told for own in every]


def _kinds(kinds: Any) -> Any:
    """Return the kinds of visits that there are, each once."""
    return np.unique(kinds[kinds != UNTOLD])


def _mean(name: str, terms: Floats, strata: list[Flags], shares: list[float]) -> Estimate:
    """Return the mean over kinds of visits, each with its share; its error is that of theirs."""
    value = variance = 0.0
    for stratum, share in zip(strata, shares, strict=True):
        own = terms[stratum]
        value += share * float(own.mean())
        seen = own if len(own) > 1 else terms[np.logical_or.reduce(strata)]  # one says nothing
        spread = float(seen.var(ddof=1)) if len(seen) > 1 else math.inf
        variance += share**2 * spread / len(own)
    return Estimate(name, value, math.sqrt(variance))
