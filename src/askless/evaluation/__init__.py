"""What runs and studies amount to: plans before them, and what can be said after them."""

from askless.evaluation.analysis import Analysis, analyse
from askless.evaluation.arm_means import ArmMean, Contrast
from askless.evaluation.log_replay import Replayed, replay_log
from askless.evaluation.off_policy import Estimate, OffPolicy, off_policy
from askless.evaluation.plan import Plan
from askless.evaluation.planning import plan
from askless.evaluation.policy_value import Value
from askless.evaluation.rebuild import rebuild

__all__ = [
    "Analysis",
    "ArmMean",
    "Contrast",
    "Estimate",
    "OffPolicy",
    "Plan",
    "Replayed",
    "Value",
    "analyse",
    "off_policy",
    "plan",
    "rebuild",
    "replay_log",
]
