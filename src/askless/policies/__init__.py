"""The algorithms: what to ask, which arm to play, what to learn; one a file."""

from askless.policies.base import Policy
from askless.policies.catalogue import (
    POLICIES,
    as_policy,
    load,
    policy_class,
    policy_for,
    policy_of,
    register,
)
from askless.policies.decision import Asked, Decision
from askless.policies.effects import Effect
from askless.policies.elastic_net_survey_ucb import ElasticNetSurveyUCB
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.evidence import Direction, Evidence
from askless.policies.explanation import Explanation
from askless.policies.hooks import VisitKind
from askless.policies.in_order import InOrder
from askless.policies.ridge_survey_ucb import RidgeSurveyUCB
from askless.policies.rivals import (
    OFUL,
    TSRC,
    WTSRC,
    EpsilonGreedy,
    LassoBandit,
    LinTS,
    LinUCB,
    PilotThenScreen,
    SparseUCB,
    Target,
    ThresholdedLasso,
    Uniform,
)
from askless.policies.survey_bandit import SurveyBandit
from askless.policies.visit import Visit
from askless.policies.visit_record import VisitRecord

__all__ = [
    "OFUL",
    "POLICIES",
    "TSRC",
    "WTSRC",
    "Asked",
    "Decision",
    "Direction",
    "Effect",
    "ElasticNetSurveyUCB",
    "EpochSurveyUCB",
    "EpsilonGreedy",
    "Evidence",
    "Explanation",
    "InOrder",
    "LassoBandit",
    "LinTS",
    "LinUCB",
    "PilotThenScreen",
    "Policy",
    "RidgeSurveyUCB",
    "SparseUCB",
    "SurveyBandit",
    "Target",
    "ThresholdedLasso",
    "Uniform",
    "Visit",
    "VisitKind",
    "VisitRecord",
    "as_policy",
    "load",
    "policy_class",
    "policy_for",
    "policy_of",
    "register",
]
