"""Elastic Net SurveyUCB: a question leaves only if its coefficients are also exactly zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from askless.core.arrays import Floats
from askless.core.words import OWN
from askless.policies import shared_settings as shared
from askless.policies.linear_ucb import LinearUCB
from askless.policies.settings import LAM_SELECTS, NET_RADII
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Words

__all__ = ["ElasticNetSurveyUCB"]


class ElasticNetSurveyUCB(LinearUCB):
    """The paper's second algorithm, refitted exactly after every visit (maths 3).

    As `RidgeSurveyUCB`, but each arm has an elastic net, and a question leaves an arm's model only
    if its effect is certainly at most `beta_min` **and** all its coefficients are exactly zero. So
    a `beta_min` that was chosen too large does less harm; regret is higher.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions.
    reward : (float, float)
        The smallest and the largest reward there can be.
    beta_min : float
        The smallest change of expected reward for which a question is worth asking; 0: never drop.
    delta : float, optional
        How often the guarantees may fail; 0.05 (raw coding: 0.1) unless given.
    alpha : float, optional
        The ridge penalty; 5 with the radii `valid` and `ridge`, 1 with the others and in raw
        coding.
    sigma : float, optional
        Sub-Gaussian constant of the noise; half the reward range unless given (raw coding: 1).
    b1, b2 : float, optional
        Bounds on the 1-norm and on the 2-norm of an arm's parameters; derived from the reward range
        unless given (maths 1.2).
    radius : str
        How wide the confidence sets are (maths 3.2).
        `valid`: all of them hold at all times with probability 1 - delta, whatever has been
        dropped. The net is not penalised for the constant.
        `ridge`: the sets are the `valid` ones of `RidgeSurveyUCB`, and hold likewise; the net only
        decides which coefficients are zero. Ridge's regret with robustness to `beta_min`.
        `published`: the paper's λ and radius. It holds where the columns are at most 1 and b1
        bounds the parameters, and is very wide.
        `published_scaled`: the paper's appendix, λ divided by the number of columns and a radius
        to match; wider still.
        `published_sqrt`, `published_scaled_sqrt`: the square roots of those radii, with which the
        paper's figures were probably made. They are **not** confidence sets: for reproduction
        only. With the first the net loses predictive questions that the second keeps.
    lam : float, optional
        λ as a multiple of λ₀, the level of the noise at all times; for the radii `valid` (1 unless
        given) and `ridge` (0.3 unless given: its guarantee holds with any λ, and a smaller one
        keeps more).
    interactive : bool or {"certified", "paper_heuristic"}
        Ask a person only what can still change the decision: the arm is the one that the full
        survey would give (maths 4). `True` is "certified"; "paper_heuristic" is the paper's rule,
        for comparison only: it can play another arm.
    grain : {"arm", "question"}, optional
        Interactive: ask all open questions of an arm at once ("arm", the default), or one question
        at a time, that which settles most for its cost.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.ElasticNetSurveyUCB(
    ...     survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5
    ... )
    >>> visit = policy.visit(known={"age": 44, "donor": True})
    >>> visit.arm
    'red_cross'
    >>> policy.learn(visit, reward=25)
    >>> policy.evidence()[0].reason.split("; ")[1]
    'its coefficients are zero'
    """

    name: ClassVar[str] = "elastic-net"
    drops: ClassVar[bool] = True
    has_net: ClassVar[bool] = True

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.BetaMin,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        radius: Annotated[
            str | None, Words(shared.RADIUS, words=tuple(NET_RADII), otherwise="`valid`")
        ] = None,
        lam: Annotated[
            float | None,
            Number(
                "Penalty as a multiple of the noise level; the published radii have their own.",
                least=shared.SMALLEST,
                most=shared.LARGEST,
                otherwise=f"1; {LAM_SELECTS:g} with the radius `ridge`",
            ),
        ] = None,
        interactive: shared.Interactive = False,
        grain: shared.Grain = None,
    ) -> None:
        self._begin(locals())

    @property
    def lam(self) -> float | None:
        """λ as a multiple of λ₀; none with the published radii, which have their own."""
        rule = self._model.rule
        return float(rule.multiple) if rule.penalty == OWN else None

    @property
    def coefficients(self) -> Floats:
        """Coefficients of the elastic nets (K × p) in reward units; many are exactly zero."""
        return self._unpacked(self.reward.span * self._model.arms.net_coef)

    @property
    def kkt_residual(self) -> Floats:
        """By how much each net violates its optimality conditions, relatively (K).

        Above 1e-10 a net has not converged; then its arm drops nothing.
        """
        return self._model.arms.net_residual.copy()
