"""askless asks people as few questions as it can and still gives each the best decision."""

from importlib.metadata import version as _version

from askless import errors
from askless.checks import check_policy
from askless.environments import LinearEnvironment, PilotAnswers, Prior, paper_environment
from askless.evaluation import Plan, plan
from askless.policies import (
    OFUL,
    POLICIES,
    Decision,
    Direction,
    Effect,
    ElasticNetSurveyUCB,
    EpochSurveyUCB,
    Explanation,
    LinUCB,
    Policy,
    RidgeSurveyUCB,
    SurveyBandit,
    Target,
    Uniform,
    Visit,
    load,
    policy_for,
)
from askless.simulation import Delay, Run, Runs, Sweep, read_sweep, simulate, sweep_frame, warm_up
from askless.sparse import ElasticNet, elastic_net
from askless.survey import (
    Arm,
    Choice,
    Constants,
    Multi,
    Question,
    RewardRange,
    Scale,
    Study,
    Survey,
    YesNo,
)

__version__ = _version("askless")

__all__ = [
    "OFUL",
    "POLICIES",
    "Arm",
    "Choice",
    "Constants",
    "Decision",
    "Delay",
    "Direction",
    "Effect",
    "ElasticNet",
    "ElasticNetSurveyUCB",
    "EpochSurveyUCB",
    "Explanation",
    "LinUCB",
    "LinearEnvironment",
    "Multi",
    "PilotAnswers",
    "Plan",
    "Policy",
    "Prior",
    "Question",
    "RewardRange",
    "RidgeSurveyUCB",
    "Run",
    "Runs",
    "Scale",
    "Study",
    "Survey",
    "SurveyBandit",
    "Sweep",
    "Target",
    "Uniform",
    "Visit",
    "YesNo",
    "check_policy",
    "elastic_net",
    "errors",
    "load",
    "paper_environment",
    "plan",
    "policy_for",
    "read_sweep",
    "simulate",
    "sweep_frame",
    "warm_up",
]
