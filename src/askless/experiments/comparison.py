"""Policies beside each other: all on the same respondents, in one table and one figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.checks.blocks import described
from askless.environments import Environment
from askless.errors import SettingError, extra, shown
from askless.policies import Policy, as_policy
from askless.simulation.batch import check_frame, simulate_all
from askless.simulation.runs import Run, Runs
from askless.simulation.simulate import Checkpoints, checkpoint_visits
from askless.survey.names import check_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "contenders"]

CHECKPOINTS = 1_000
WIDEST = 100  # characters of a table
FIGURES = ("regret", "reward", "questions")
LONGEST = 36  # of a label in it

Line = tuple[str, str, list[str]]  # of a table: a label, what is shown, its numbers
Contender = Policy | str | Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """Runs of several policies on the same respondents; `print` shows them as a table.

    Attributes
    ----------
    runs : dict of str to Runs
        By label, in the order in which the policies were given.
    """

    runs: dict[str, Runs] = field(repr=False)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Go through the figures, a mapping a policy and number of visits.

        At 1,000, 10,000, … visits and at the horizon: `curve`, `visits`, mean `regret` up to then
        (where expectations are known), mean `reward` and `questions` a visit, and `useful_dropped`,
        how many (arm, question) pairs with an effect were dropped in all runs (None where nobody
        knows which have one).
        """
        for label, found in self.runs.items():
            for at in _rows_at(found):
                yield {"curve": label, **_figures(found.runs, at)}

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table."""
        with extra("cli"):
            import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self.rows())

    def plot(self, title: str = "") -> Figure:
        """Draw regret and questions asked against visits: mean over runs, and their range.

        On logarithmic axes, unless a policy has no regret or asks nothing.
        """
        with extra("cli"):
            from askless.simulation.figures import draw  # noqa: PLC0415

        positive = all(min(r.regret, r.questions_per_visit) > 0 for r in self.runs.values())
        return draw(self.runs, title, logarithmic=positive)

    def __str__(self) -> str:
        rows = list(self.rows())
        names = [name for name in FIGURES if name in rows[0]]
        digits = {name: digits_of(name, [row[name] for row in rows]) for name in names}
        lines: list[Line] = []
        for label in self.runs:
            own = [row for row in rows if row["curve"] == label]
            for name in names:
                cells = [f"{row[name]:,.{digits[name]}f}" for row in own]
                lines.append((_short(label) if name == names[0] else "", name, cells))
        count = len(next(iter(self.runs.values())).runs)
        many = "1 run" if count == 1 else f"{count:,} runs"
        heading = (f"mean of {many}, up to", "visits", [f"{row['visits']:,}" for row in own])
        return "\n".join([*_aligned([heading, *lines]), *self._lost()])

    def _lost(self) -> list[str]:
        lost = []
        for label, found in self.runs.items():
            dropped = [run.useful_dropped for run in found.runs]
            if None in dropped:  # nobody knows what is useful here
                return []
            count = sum(number or 0 for number in dropped)
            lost += [f"{label} ({count})"] if count else []
        said = f"Useful questions were dropped by: {', '.join(lost) or 'none'}."
        return [fill(said, WIDEST, break_long_words=False, break_on_hyphens=False)]


def compare(
    policies: Sequence[Contender] | Mapping[str, Contender],
    world: Environment,
    horizon: int,
    runs: int = 1,
    seed: int = 0,
    *,
    workers: int = 1,
    checkpoints: Checkpoints = CHECKPOINTS,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Run several policies on the same respondents.

    Parameters
    ----------
    policies : sequence, or mapping of str to the same
        Each a policy, the name of one, or a mapping with its `name` and settings. A mapping gives
        them labels; else they are called by their names and by the settings in which they differ.
    world : Environment
        The respondents.
    horizon, runs, seed, checkpoints, progress
        As in `simulate`; figures are also kept at 1,000, 10,000, … visits.
    workers : int
        Processes among which the runs of all policies are shared out; it changes no figure.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> found = al.compare(["linucb", {"name": "survey-bandit", "beta_min": 0.5}], world, 2_000)
    >>> list(found.runs)
    ['linucb', 'survey-bandit']
    >>> found.runs["survey-bandit"].questions_per_visit < found.runs["linucb"].questions_per_visit
    True
    >>> print(found)  # doctest: +ELLIPSIS
    mean of 1 run, up to  visits     1,000  2,000
    linucb                regret     ...
    """
    check_frame(horizon, runs, seed, workers)
    visits = [*checkpoint_visits(horizon, checkpoints).tolist(), *_powers(horizon)]
    described(world)  # refuses what is no environment, before a policy is made for it
    contenders = _labelled(policies, world)
    # What goes through visits takes longest, then interactive surveys: long tasks first.
    order = sorted(contenders, key=lambda label: _speed(contenders[label]))
    tasks = [(contenders[label], world) for label in order]
    done = simulate_all(
        tasks, horizon, runs, seed, workers=workers, checkpoints=visits, progress=progress
    )
    found = dict(zip(order, done, strict=True))
    return Comparison({label: found[label] for label in contenders})


def contenders(beta_min: float, delta: float) -> dict[str, dict[str, Any]]:
    """Return the standard contenders by their labels; everything but delta at its default."""
    same: dict[str, Any] = {"delta": delta}
    drops = same | {"beta_min": beta_min}
    return {
        "LinUCB (Li 2010)*": {"name": "linucb", **same},
        "LinUCB, noise*": {"name": "linucb", "width": "noise", **same},
        "OFUL": {"name": "oful", **same},
        "Ridge, valid": {"name": "ridge", **drops},
        "Ridge, published": {"name": "ridge", "radius": "published", **drops},
        "Ridge, published_sqrt*": {"name": "ridge", "radius": "published_sqrt", **drops},
        "Elastic net, valid": {"name": "elastic-net", **drops},
        "Epoch": {"name": "epoch", **drops},
        "SurveyBandit, price 0": {"name": "survey-bandit", "price": 0, **drops},
    }


def _speed(policy: Policy) -> int:
    if policy.player() is None:
        return 0
    return 1 if policy._settings().get("interactive") else 2


def _labelled(
    policies: Sequence[Contender] | Mapping[str, Contender], world: Environment
) -> dict[str, Policy]:
    """Return the policies by their labels."""
    if isinstance(policies, str | Policy) or not isinstance(policies, Sequence | Mapping):
        raise SettingError(f"policies is {shown(policies)}; give a list, or labels and policies")
    if not policies:
        raise SettingError("there are no policies to compare; give at least one")
    if isinstance(policies, Mapping):
        for label in policies:
            check_name(label, "a policy")
        return {label: as_policy(given, world) for label, given in policies.items()}
    made = [as_policy(given, world) for given in policies]
    return dict(zip(_labels(made), made, strict=True))


def _labels(policies: Sequence[Policy]) -> list[str]:
    """Return labels that differ: a name, the settings that tell its policies apart, a number."""
    labels: list[str] = []
    for policy in policies:
        own = policy._settings()
        others = [other._settings() for other in policies if other.name == policy.name]
        parts = [
            f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
            for key, value in own.items()
            if isinstance(value, float | int | str) and any(o.get(key) != value for o in others)
        ]
        label, number = ", ".join([policy.name, *parts]), 1
        unique = label
        while unique in labels:
            number += 1
            unique = f"{label} ({number})"
        labels.append(unique)
    return labels


def _rows_at(runs: Runs) -> list[int]:
    """Return the indices of the checkpoints at 1,000, 10,000, … visits and at the horizon."""
    found = np.searchsorted(runs.runs[0].visits, [*_powers(runs.horizon), runs.horizon])
    return [int(at) for at in found]


def _powers(horizon: int) -> list[int]:
    return [10**e for e in range(3, 16) if 10**e < horizon]


def _figures(runs: Sequence[Run], at: int) -> dict[str, Any]:
    """Return the means over runs up to a checkpoint."""
    visits = runs[0].visits[at]
    regret = float(np.mean([run.regret_at[at] for run in runs]))
    dropped = [drop.useful for run in runs for drop in run.drops if drop.visit <= visits]
    return {
        "visits": int(visits),
        **({} if math.isnan(regret) else {"regret": regret}),
        "reward": float(np.mean([run.reward_at[at] for run in runs]) / visits),
        "questions": float(np.mean([run.asked_at[at] for run in runs]) / visits),
        "useful_dropped": None if None in dropped else sum(map(bool, dropped)),
    }


def digits_of(name: str, values: Sequence[float]) -> int:
    """With how many digits values are shown: one for questions, else about three in all."""
    if name == "questions":
        return 1
    most = max(map(abs, values))
    return 0 if most >= 100 else 1 if most >= 10 else 2


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"


def _aligned(lines: list[Line]) -> Iterator[str]:
    """Lay a table out; where it would be too wide, its first columns of numbers are left out."""
    first, second = (max(len(line[i]) for line in lines) for i in (0, 1))
    widths = [2 + max(len(line[2][i]) for line in lines) for i in range(len(lines[0][2]))]
    while len(widths) > 1 and sum(widths) + first + second + 2 > WIDEST:
        widths.pop(0)
    for label, name, cells in lines:
        numbers = zip(cells[-len(widths) :], widths, strict=True)
        yield f"{label:<{first}}  {name:<{second}}" + "".join(f"{c:>{w}}" for c, w in numbers)
