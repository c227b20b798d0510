"""What a policy would have earned, by decisions that another one made and logged (maths 10.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from askless.environments import LoggedData
from askless.errors import SettingError, shown
from askless.kernels.bundles import Floats, Ints
from askless.policies import Policy
from askless.policies.passage import begin, step
from askless.policies.rivals.sums import RidgeSums
from askless.survey.names import check_number

__all__ = ["Estimate", "OffPolicy", "off_policy"]

NORMAL = 1.959963984540054  # of 95%
PARTS = 10  # of a log: rewards in one are predicted from those before it


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
    unsupported : float or None
        The share of the policy's decisions for arms that the log never gave such people; None
        where it has the propensities of the arms played alone. What these bring nobody can say.
    clipped : int
        How many weights were cut.
    largest : float
        The largest weight before that.
    """

    estimates: tuple[Estimate, ...]
    logged: float
    rows: int
    counted: int
    effective: float
    unsupported: float | None
    clipped: int
    largest: float

    def __getitem__(self, name: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        ends = [asdict(e) | {"low": e.low, "high": e.high} for e in self.estimates]
        return asdict(self) | {"estimates": ends}


def off_policy(
    policy: Policy, log: LoggedData, *, clip: float | None = None, model: Any = None
) -> OffPolicy:
    """Estimate what a policy would earn, as it is and learning nothing, on the people of a log.

    A row counts only if the log has observed everything that the policy would have asked. The
    intervals are right for many rows whose propensities are known and not small; logs of policies
    that learned meanwhile are fine as long as these are stated (maths 10.5).

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
    chances = decisions(policy, log)
    counts = np.flatnonzero(~np.isnan(chances[:, 0]))
    if not len(counts):
        raise SettingError(
            "no row of the log has observed what the policy would ask; it cannot be evaluated"
        )
    predicted = _model(model, log)[counts] if model is not None else _predicted(log)[counts]
    return _estimated(log, counts, chances[counts], predicted, clip)


def check_match(policy: Policy, log: LoggedData) -> None:
    """Refuse what is no policy, and policies of other studies."""
    if not isinstance(policy, Policy):
        raise SettingError(f"policy is {shown(policy)}; give an askless.Policy")
    study = log.study
    if not policy.survey.same_columns(study.survey):
        raise SettingError("the policy's questions are not those of the log's study")
    if list(policy.arms) != [arm.name for arm in study.arms]:
        raise SettingError("the policy's arms are not those of the log's study")


def _model(given: Any, log: LoggedData) -> Floats:
    table = np.asarray(given, dtype=np.float64)
    if table.shape != log.eligible.shape or not np.isfinite(table).all():
        raise SettingError(
            f"model is {shown(given, 60)}; give finite numbers of shape {log.eligible.shape}: a row"
            " of the log a row, an arm a column"
        )
    return table


def decisions(policy: Policy, log: LoggedData) -> Floats:
    """Return with which probability the policy would play each arm (n × K).

    NaN in rows that have not observed what it would ask.
    """
    found = np.full(log.eligible.shape, np.nan)
    observed, live, owner = log.observed, policy.roster.live, policy.survey.owner
    for i in range(len(log)):
        mask = log.eligible[i] & live
        if not mask.any():
            continue
        start, known = begin(policy, i, mask), policy.survey.nothing_known()
        while (now := step(policy, start, known)).decision is None:
            if (now.asks & ~observed[i]).any():
                break
            columns = now.asks[owner]
            known[1:][columns] = log.contexts[i, 1:][columns]
        if now.decision is not None:
            found[i] = now.decision.chances()
    return found


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
    log: LoggedData, counts: Ints, chances: Floats, predicted: Floats, clip: float | None
) -> OffPolicy:
    arms, rewards = log.arms[counts], log.rewards[counts]
    each = np.arange(len(counts))
    raw = chances[each, arms] / log.chances[counts]
    weights = raw if clip is None else np.minimum(raw, clip)
    total = float(weights.sum())
    by_weight = weights * rewards
    direct = (chances * predicted).sum(axis=1)
    robust = direct + weights * (rewards - predicted[each, arms])
    # Left out of the log are arms of propensity 0; where it has those of arms played, nobody knows.
    known = log.propensities[counts]
    missing = None
    if not np.isnan(known).any():
        missing = float(np.where(known == 0.0, chances, 0.0).sum(axis=1).mean())
    return OffPolicy(
        estimates=(
            _mean("IPS", by_weight),
            _ratio("self-normalised", weights, rewards),
            _mean("doubly robust", robust),
        ),
        logged=float(rewards.mean()),
        rows=len(log),
        counted=len(counts),
        effective=total**2 / float((weights**2).sum()) if total > 0 else 0.0,
        unsupported=missing,
        clipped=int((weights < raw).sum()),
        largest=float(raw.max()),
    )


def _mean(name: str, terms: Floats) -> Estimate:
    count = len(terms)
    error = float(terms.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return Estimate(name, float(terms.mean()), error)


def _ratio(name: str, weights: Floats, rewards: Floats) -> Estimate:
    """Return Σwr/Σw with its standard error by the delta method."""
    total = float(weights.sum())
    if total == 0.0:
        return Estimate(name, math.nan, math.nan)
    value = float((weights * rewards).sum()) / total
    spread = weights * (rewards - value)
    count = len(weights)
    error = math.sqrt(float((spread**2).sum()) * count / max(count - 1, 1)) / total
    return Estimate(name, value, error)
