"""Where simulated respondents come from."""

from askless.environments.answers import AnswerModel
from askless.environments.linear import Block, LinearEnvironment
from askless.environments.paper import paper_environment
from askless.environments.pilot import PilotAnswers
from askless.environments.prior import Prior

__all__ = [
    "AnswerModel",
    "Block",
    "LinearEnvironment",
    "PilotAnswers",
    "Prior",
    "paper_environment",
]
