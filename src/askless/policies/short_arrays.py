"""What a study has said about short forms, and the empty arrays of a policy that has them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints, aligned
from askless.kernels.lanes import padded
from askless.kernels.short_models import COUNTS, NUMBERS, RING, Shorts
from askless.survey import Survey


class Terms(NamedTuple):
    """What a study has said about short forms, in units of the reward range."""

    price: float
    budget: float | None  # of a visit, in weights of questions
    planned: int | None
    floor: float


def empty_arrays(survey: Survey, arm_count: int) -> Shorts:
    """Return the arrays of a policy that has no form yet."""
    m, p = len(survey), survey.column_count
    wide = padded(p)

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    def in_lanes(*shape: int) -> Floats:
        return aligned(math.prod(shape)).reshape(shape)

    return Shorts(
        counts=whole(COUNTS),
        numbers=np.zeros(NUMBERS),
        form=whole(m),
        everyone=survey.asked_of_everyone.astype(np.int64),
        wanted=np.ones(m, dtype=np.int64),
        live=np.ones(arm_count, dtype=np.int64),
        cost=np.array([float(question.cost) for question in survey]),
        columns=whole(p),
        ring=np.full((RING, p), np.nan),
        may=whole(RING, arm_count),
        projection=np.zeros((p, p)),
        prior=np.zeros((arm_count, p, p)),
        pull=np.zeros((arm_count, p)),
        gram=np.zeros((arm_count, p, p)),
        moment=np.zeros((arm_count, p)),
        rows=whole(arm_count),
        renewed=whole(arm_count),
        spread=np.zeros((arm_count, p, p)),
        estimate=np.zeros((arm_count, p)),
        width=np.zeros(arm_count),
        told=np.zeros((arm_count, p, p)),
        tells=np.zeros((arm_count, p)),
        whole_root=in_lanes(arm_count, wide, wide),
        whole_estimate=in_lanes(arm_count, wide),
        scores=np.zeros(arm_count),
        packed=np.zeros(p),
        work=np.zeros((2, p, p)),
        known_root=in_lanes(wide, wide),
        known_estimate=in_lanes(wide),
        known_gram=in_lanes(wide, wide),
        known_weights=in_lanes(wide),
    )
