"""What a visit remembers of its decision, in numbers; names are put to them when somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.policies.decision import Check

if TYPE_CHECKING:
    from askless.policies.base import Policy
    from askless.policies.visit_record import VisitRecord

__all__ = ["Decided"]


class Decided(NamedTuple):
    """An arm, and how it came about; arrays have an entry for each arm that there was then."""

    arm: int
    version: int  # of the state that decided
    may: Flags  # the arms that it could get
    chances: Floats  # with which probability each was to be played
    means: Floats  # expected rewards; NaN for arms that were not compared
    scores: Floats
    ruled_out: Flags  # the arms that could not win, whatever was answered
    check: Check | None

    @classmethod
    def read(cls, policy: Policy, record: VisitRecord) -> Decided | None:
        """Take it back out of a visit's record; refuse arms that are not there."""
        if record.arm is None or record.decided_at is None:
            return None
        roster, chances = policy.roster, record.propensities or {}
        by_arm = np.full((3, len(roster)), np.nan)
        for name, chance in chances.items():
            by_arm[0, roster.index(name)] = chance
        for name, (mean, score) in record.outlook.items():
            by_arm[1:, roster.index(name)] = mean, score
        check = record.check
        if check is not None:
            check = check | {name: roster.index(check[name]) for name in ("full", "short")}
        return cls(
            arm=roster.index(record.arm),
            version=record.decided_at,
            may=~np.isnan(by_arm[0]),
            chances=np.nan_to_num(by_arm[0]),
            means=by_arm[1],
            scores=by_arm[2],
            ruled_out=roster.flags(record.ruled_out),
            check=None if check is None else Check(**check),
        )
