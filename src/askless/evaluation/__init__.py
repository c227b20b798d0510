"""What runs amount to: plans of studies."""

from askless.evaluation.plan import Plan, plan

__all__ = ["Plan", "plan"]
