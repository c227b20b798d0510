"""The algorithms: what to ask, which arm to play, what to learn; one a file."""

from askless.policies.base import Policy
from askless.policies.catalogue import (
    OURS,
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
from askless.policies.evidence import Direction, Evidence
from askless.policies.explanation import Explanation
from askless.policies.hooks import VisitKind
from askless.policies.in_order import InOrder
from askless.policies.ours import *  # noqa: F403
from askless.policies.visit import Visit
from askless.policies.visit_record import VisitRecord

__all__ = [  # noqa: PLE0604 (ours are texts too)
    *OURS,
    "POLICIES",
    "Asked",
    "Decision",
    "Direction",
    "Effect",
    "Evidence",
    "Explanation",
    "InOrder",
    "Policy",
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
