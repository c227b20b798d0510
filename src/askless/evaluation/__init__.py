"""What runs and studies amount to: plans before them, and what can be said after them."""

from askless.evaluation.plan import Plan
from askless.evaluation.planning import plan
from askless.evaluation.rebuild import rebuild

__all__ = ["Plan", "plan", "rebuild"]
