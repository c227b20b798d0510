"""The public contracts: what every policy and every environment does, ours and a user's own."""

from askless.checks.contract import check_policy
from askless.checks.environment import check_environment

__all__ = ["check_environment", "check_policy"]
