"""Compile ahead what policies need, so that nobody waits for it when the first person comes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from askless.environments import LinearEnvironment
from askless.errors import SettingError, shown
from askless.policies import (
    OFUL,
    ElasticNetSurveyUCB,
    EpochSurveyUCB,
    LassoBandit,
    LinUCB,
    PilotThenScreen,
    Policy,
    RidgeSurveyUCB,
    SurveyBandit,
    Target,
    Uniform,
)
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.delays import Delay
from askless.simulation.simulate import simulate
from askless.sparse import elastic_net
from askless.survey import Choice, Scale, Survey

__all__ = ["warm_up"]

WARM: set[tuple[object, ...]] = set()  # what has been compiled, or loaded, in this process


def warm_up(policy: Policy | None = None) -> None:
    """Compile everything that a policy needs, or that all policies of askless need.

    Its decisions, asking, learning and unlearning, effects, saving, and its simulation. What is
    compiled is kept in a cache on disk, so that later processes find it there. The policy is not
    changed; a second call returns at once.

    Parameters
    ----------
    policy : Policy, optional
        What is to be used. Without it, all there is: a minute or two.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    >>> al.warm_up(policy)
    >>> policy.rows
    array([0, 0])
    """
    for _ in warming(policy):
        pass


def warming(policy: Policy | None = None) -> Iterator[str]:
    """Do as `warm_up`; yields before each step what is compiled in it."""
    if not isinstance(policy, Policy | None):
        raise SettingError(f"policy is {shown(policy)}; give a policy, or nothing for all of them")
    for chosen in _ours() if policy is None else (policy,):
        settings = chosen._settings()
        grain = settings["grain"] if settings.get("interactive") else None
        yield chosen.name + (f", {settings['interactive']}, by {grain}" if grain else "")
        key = type(chosen), str(settings), bool(chosen.roster.live.all())
        if key not in WARM:
            _use(chosen)
            WARM.add(key)
    if policy is None:
        yield "the elastic net by itself"
        _use_net()


def _ours() -> Iterator[Policy]:
    """Make one policy of every kind that has kernels of its own, the recommended one first."""
    survey = Survey([Scale("scale", low=0, high=1), Choice("choice", ("a", "b"), may_skip=True)])
    names, rewards = ["a", "b"], (0.0, 1.0)
    drops: dict[str, Any] = {"arms": names, "reward": rewards, "beta_min": 0.1}
    yield SurveyBandit(survey, **drops)
    yield EpochSurveyUCB(survey, **drops, interactive=True)
    yield EpochSurveyUCB(survey, **drops)
    yield RidgeSurveyUCB(survey, **drops)
    yield ElasticNetSurveyUCB(survey, **drops)
    yield RidgeSurveyUCB(survey, **drops, interactive=True, grain="question")
    yield RidgeSurveyUCB(survey, **drops, interactive="paper_heuristic")
    yield LinUCB(survey, arms=names, reward=rewards)
    yield LinUCB(survey, arms=names, reward=rewards, width="noise")
    yield OFUL(survey, arms=names, reward=rewards)
    known = np.zeros((len(names), survey.column_count))
    yield Target(survey, arms=names, reward=rewards, coefficients=known)
    yield Uniform(survey, arms=names, reward=rewards)
    yield LassoBandit(survey, arms=names, reward=rewards)  # other rivals need no more than that


def _use_net() -> None:
    for start in (None, [0.0]):
        elastic_net([[1.0]], [0.5], 1, alpha=1.0, lam=0.1, start=start)


def _use(policy: Policy) -> None:
    """Do with copies of a policy all that can be done with it."""
    world = _world(policy)
    simulate(policy, world, 2)  # in a compiled loop, if it has one
    simulate(policy, world, 2, delay=Delay(1))  # visit by visit, or row by row
    if isinstance(policy, PilotThenScreen):
        _use_net()  # it comes at the end of the pilot, which may be far away
    if not isinstance(policy, LinearUCB):
        return
    policy, reward = copy.deepcopy(policy), policy.reward.middle
    z = next(world.respondents(0, 0)).contexts[0].copy()
    if policy.has_epochs:  # nothing is scored before every arm has some rows (maths 8.7)
        first = np.repeat(np.arange(len(policy.arms)), policy._model.rule.start).tolist()
        policy.learn_rows(first, [z] * len(first), [reward] * len(first))
    if isinstance(policy, SurveyBandit) and policy._short is not None:
        policy._short.use_all(policy._model, z)  # else not before some dozens of full visits
    visit, answers = policy.visit(), policy.survey.decode(z)
    visit.explain()
    while asks := visit.asks:
        visit.answer({question: answers[question] for question in asks})
    policy.learn(visit, reward)
    policy.unlearn(visit)
    for writeable in (True, False):  # such as a table gives out; to numba they are two types
        z.setflags(write=writeable)
        arm = policy.play(z)
        policy.learn_row(arm, z, reward)
        policy.ucb(z)
    policy.learn_rows([arm], [z], [reward])
    policy.effects(ended=True)
    policy.evidence()
    if not policy.has_epochs:
        policy._model.joined(policy._model)  # as merging does
    policy._model.restrict(policy._model.learned.support)  # as loading drops does
    type(policy).from_dict(policy.to_dict()).play(z)


def _world(policy: Policy) -> LinearEnvironment:
    """Return respondents who all bring the middle reward."""
    flat = np.zeros((len(policy.arms), policy.survey.column_count))
    if policy.survey.coding == "raw":
        flat[:, 0] = policy.reward.middle
    return LinearEnvironment(
        policy.survey, arms=policy.arms, reward=policy.reward, coefficients=flat, spread=0.0
    )
