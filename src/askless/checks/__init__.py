"""The public contract: what every policy does, ours and a user's own."""

from askless.checks.contract import check_policy

__all__ = ["check_policy"]
