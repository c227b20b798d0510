"""What runs amount to: plans of studies."""

from askless.evaluation.plan import Plan
from askless.evaluation.planning import plan

__all__ = ["Plan", "plan"]
