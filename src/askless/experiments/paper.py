"""The paper's experiment: which curves it has, and their runs (maths 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.environments import LinearEnvironment, paper_environment
from askless.experiments.bound import regret_bound, slope
from askless.policies import ElasticNetSurveyUCB, RidgeSurveyUCB, SurveyBandit
from askless.policies.linear_ucb import LinearUCB
from askless.simulation import Runs
from askless.simulation.batch import simulate_all
from askless.survey.survey import Coding

__all__ = ["Curve", "Experiment", "Figure", "Key", "paper_experiment"]

# The paper gives sigma and the norms; it is silent on alpha and delta (maths 7).
SIGMA, ALPHA, DELTA, B1 = 1.0, 1.0, 0.1, 2.0
FEATURES = 50
VISITS, RUNS = 100_000, 5  # of a run; of a curve
EFFECT = 1.0  # of every question that matters, in every arm to which it does
RIDGE, NET = "Ridge SurveyUCB", "Elastic Net SurveyUCB"
ASKS, VALID = ", interactive", ", valid"  # what is added to the name of a curve
STATED = ", b1 50"  # ... with the paper's bound on the 1-norm, not one that is true of these arms
NEVER, NET_NEVER = "the paper's LinUCB", "Elastic Net that never drops"
EPOCH = "Epoch SurveyUCB, interactive"  # ours, with a guarantee: al.SurveyBandit(price=0)
RIDGE_CURVES = (RIDGE, RIDGE + ASKS, NEVER, EPOCH, RIDGE + VALID)
NET_CURVES = (NET, NET + ASKS, RIDGE, NEVER, NET_NEVER, EPOCH, NET + VALID, RIDGE + VALID)
# Arms, beta_min and curves of each figure; the first curve is what the figure is about.
FIGURES = (
    (3, 0.3, RIDGE_CURVES),
    (5, 0.3, RIDGE_CURVES),
    (5, 0.5, RIDGE_CURVES),
    (5, 0.7, NET_CURVES),
    (5, 1.5, NET_CURVES),
)
EXPONENTS = {RidgeSurveyUCB.name: 0.5, ElasticNetSurveyUCB.name: 0.75}  # of the paper's theorems


class Key(NamedTuple):
    """What tells a curve from the others."""

    label: str
    arms: int
    beta_min: float  # 0: it never drops


# The paper says of both algorithms what they do without sub-optimal arms, and shows only ridge.
# And what it shows of the elastic net depends on b1.
OTHERS = (
    Key(NET, 3, 0.7),
    Key(NET, 3, 1.5),
    *(Key(NET + STATED, arms, beta_min) for arms, beta_min in ((5, 0.7), (5, 1.5), (3, 1.5))),
)


@dataclass(frozen=True)
class Curve:
    """The runs of one policy, and the paper's bound on its regret.

    Attributes
    ----------
    key : Key
        Its name, arms and beta_min.
    runs : Runs
        The runs.
    bounds : array (runs × checkpoints) or None
        The bound at every checkpoint; None for Epoch SurveyUCB, to which it does not apply.
    """

    key: Key
    runs: Runs
    bounds: Floats | None

    @property
    def regret(self) -> Floats:
        """Mean regret at every checkpoint."""
        mean: Floats = np.mean([run.regret_at for run in self.runs.runs], axis=0)
        return mean

    @property
    def bound(self) -> Floats | None:
        """Mean bound at every checkpoint."""
        return None if self.bounds is None else np.asarray(self.bounds.mean(axis=0))

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest regret of a run."""
        ends = [run.regret for run in self.runs.runs]
        return min(ends), max(ends)

    @property
    def left(self) -> float:
        """Mean number of questions that some arm still uses at the end."""
        return float(np.mean([len(run.questions_left) for run in self.runs.runs]))

    @property
    def useful_dropped(self) -> float:
        """Mean number of useful (arm, question) pairs that a run dropped."""
        return float(np.mean([run.useful_dropped or 0 for run in self.runs.runs]))

    @property
    def has_guarantee(self) -> bool:
        """Whether its confidence sets hold, whatever is dropped, with probability 1 - delta."""
        return self.runs.settings["radius"] == "valid" and self.key.beta_min < EFFECT

    def growth(self) -> dict[str, float | None]:
        """Return the log-log slopes of regret and bound, and the exponent of the theorem."""
        visits, bound = self.runs.runs[0].visits, self.bound
        return {
            "regret": slope(visits, self.regret),
            "bound": None if bound is None else slope(visits, bound),
            "theorem": EXPONENTS.get(self.runs.policy),
        }

    def summary(self) -> dict[str, Any]:
        """Return what `askless simulate --json` prints of runs, with bound and slopes."""
        bound = self.bound
        last = None if bound is None else float(bound[-1])
        return self.runs.to_dict() | {"bound": last, "slopes": self.growth()}


@dataclass(frozen=True)
class Figure:
    """One of the paper's figures: its title and its curves."""

    name: str
    title: str
    curves: dict[str, Curve]

    @property
    def about(self) -> Key:
        """The curve that the figure is about."""
        return next(iter(self.curves.values())).key


@dataclass(frozen=True)
class Experiment:
    """All curves of the paper's experiment, by their keys."""

    horizon: int
    runs: int
    seed: int
    curves: dict[Key, Curve]

    @property
    def size(self) -> str:
        """How many runs, of how many visits."""
        return size(self.runs, self.horizon)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The paper's five figures."""
        return tuple(
            Figure(
                name=f"{'net' if labels[0] == NET else 'ridge'}-arms{arms}-betamin{beta_min:g}",
                title=f"{labels[0]}, {arms} arms, beta_min = {beta_min:g}:"
                f" mean and range of {_counted(self.runs, 'run')}",
                curves={label: self.curves[key_of(label, arms, beta_min)] for label in labels},
            )
            for arms, beta_min, labels in FIGURES
        )

    @property
    def others(self) -> dict[Key, Curve]:
        """The curves that are in no figure; claims are judged by them."""
        return {key: self.curves[key] for key in OTHERS}


def size(runs: int, visits: int) -> str:
    """Say how many runs, of how many visits."""
    return f"{_counted(runs, 'run')} of {_counted(visits, 'visit')}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def key_of(label: str, arms: int, beta_min: float) -> Key:
    """Return a curve's key; what never drops does not depend on beta_min."""
    return Key(label, arms, 0.0 if label in (NEVER, NET_NEVER) else beta_min)


def keys() -> tuple[Key, ...]:
    """Return every curve once, in the order of the figures."""
    drawn = (key_of(label, arms, at) for arms, at, labels in FIGURES for label in labels)
    return tuple(dict.fromkeys((*drawn, *OTHERS)))


def paper_experiment(
    horizon: int = VISITS,
    runs: int = RUNS,
    seed: int = 0,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Experiment:
    """Run all curves of the paper's experiment on the same respondents.

    SurveyUCB as the paper has it, also interactive, and without dropping, which the paper calls
    LinUCB. Interactive surveys are asked by arm, as in the paper, with bounds that hold (maths 4).
    The radii are `published_sqrt` and, of the elastic net, `published_scaled_sqrt`, which guarantee
    nothing but are the only ones that drop questions within the paper's horizon, and keep what the
    paper says is kept. Beside them the same algorithms with confidence sets that hold, `valid`, and
    the recommended policy, `SurveyBandit`; both with every setting but delta at its default.
    """
    # Interactive surveys take longest, then more arms: long tasks first.
    order = sorted(keys(), key=lambda key: (not key.label.endswith(ASKS), -key.arms))
    tasks = [_task(key) for key in order]
    done = simulate_all(tasks, horizon, runs, seed, workers=workers, progress=progress)
    curves = {
        key: Curve(key, found, _bounds(policy, found))
        for key, (policy, _), found in zip(order, tasks, done, strict=True)
    }
    return Experiment(horizon, runs, seed, {key: curves[key] for key in keys()})


def world_of(arms: int, coding: Coding = "raw") -> LinearEnvironment:
    """Return the paper's respondents; they are the same people in both codings."""
    return paper_environment(arms=arms, features=FEATURES, coding=coding)


def _task(key: Key) -> tuple[LinearUCB, LinearEnvironment]:
    label, arms, beta_min = key
    if label == EPOCH or label.endswith(VALID):
        world = world_of(arms, "centred")
        kind = SurveyBandit if label == EPOCH else _kind(label)
        given: dict[str, Any] = {"delta": DELTA} | ({"price": 0} if label == EPOCH else {})
    else:
        world, kind = world_of(arms), _kind(label)
        is_net = kind is ElasticNetSurveyUCB
        given = {
            "radius": "published_scaled_sqrt" if is_net else "published_sqrt",
            "interactive": label.endswith(ASKS),
            "sigma": SIGMA,
            "alpha": ALPHA,
            "delta": DELTA,
            "b1": float(FEATURES) if label.endswith(STATED) else B1,
            "b2": math.sqrt(FEATURES),
        }
    policy = kind(world.survey, arms=world.arms, reward=world.reward, beta_min=beta_min, **given)
    return policy, world


def _kind(label: str) -> Any:
    return ElasticNetSurveyUCB if label.startswith("Elastic Net") else RidgeSurveyUCB


def _bounds(policy: LinearUCB, runs: Runs) -> Floats | None:
    if policy.has_epochs:  # a frozen model is older than its rows: the lemma's sum is another one
        return None
    return np.array(
        [
            regret_bound(
                run.plays_at,
                run.widest_at,
                columns=policy.survey.column_count,
                longest=policy.constants.l2,
                alpha=policy.alpha,
            )
            for run in runs.runs
        ]
    )


def visits_of(horizon: int, runs: int) -> int:
    """Count the visits that `paper_experiment` plays."""
    return horizon * runs * len(keys())


def runs_of(experiment: Experiment) -> Mapping[Key, Runs]:
    """Return the runs of every curve, as the claims look at them."""
    return {key: curve.runs for key, curve in experiment.curves.items()}


def flat_rows(curve: Curve) -> Iterator[dict[str, Any]]:
    """Go through a curve's runs and checkpoints: one row of a table each."""
    settings = curve.runs.settings
    same = {
        "curve": curve.key.label,
        "arms": curve.key.arms,
        "beta_min": curve.key.beta_min,
        **{name: settings[name] for name in ("radius", "coding", "alpha", "delta", "interactive")},
    }
    for i, run in enumerate(curve.runs.runs):
        for j, visits in enumerate(run.visits):
            yield {
                "run": run.index,
                "visits": int(visits),
                "regret": float(run.regret_at[j]),
                "asked": int(run.asked_at[j]),
                "bound": None if curve.bounds is None else float(curve.bounds[i, j]),
            } | same
