"""The compiled core (src/core), in the build for this processor; chosen when it is imported.

All builds give the same numbers, bit for bit. ASKLESS_CORE names another one than the best that the
processor can run: "any", "v3" or "v4".
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from askless.core._processor import level

__all__ = [
    "LEVEL",
    "Arms",
    "Block",
    "ElasticNet",
    "Epochs",
    "Forming",
    "FusedLoop",
    "Shorts",
    "Survey",
    "add_at_the_end",
    "draw_scales",
    "inside",
    "lasso_path",
    "noise",
    "outcomes",
    "play_interactive",
    "play_short",
]

LEVEL: str = os.environ.get("ASKLESS_CORE") or level()

if TYPE_CHECKING:
    from askless.core import _core_any as _core

    inside: Any  # what tests look into
else:
    _core = import_module(f"askless.core._core_{LEVEL}")
    inside = _core.inside

Arms = _core.Arms
Block = _core.Block
ElasticNet = _core.ElasticNet
Epochs = _core.Epochs
Forming = _core.Forming
FusedLoop = _core.FusedLoop
Shorts = _core.Shorts
Survey = _core.Survey
add_at_the_end = _core.add_at_the_end
draw_scales = _core.draw_scales
lasso_path = _core.lasso_path
noise = _core.noise
outcomes = _core.outcomes
play_interactive = _core.play_interactive
play_short = _core.play_short
