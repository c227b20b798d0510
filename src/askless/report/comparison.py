"""The standard contenders of `askless compare`, and a comparison written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askless.simulation import Comparison

__all__ = ["contenders", "write_comparison"]


def contenders(beta_min: float, delta: float) -> dict[str, dict[str, Any]]:
    """Return the policies by the names of their curves; everything but delta at its default."""
    same: dict[str, Any] = {"delta": delta}
    drops = same | {"beta_min": beta_min}
    return {
        "LinUCB (Li 2010)*": {"name": "linucb", **same},
        "LinUCB, noise*": {"name": "linucb", "width": "noise", **same},
        "OFUL": {"name": "oful", **same},
        "Ridge, valid": {"name": "ridge", **drops},
        "Ridge, published": {"name": "ridge", "radius": "published", **drops},
        "Ridge, published_sqrt*": {"name": "ridge", "radius": "published_sqrt", **drops},
        "Elastic net, valid": {"name": "elastic-net", **drops},
        "Epoch": {"name": "epoch", **drops},
        "SurveyBandit, price 0": {"name": "survey-bandit", "price": 0, **drops},
    }


def write_comparison(comparison: Comparison, title: str, folder: Path) -> list[Path]:
    """Write the figure as PNG and SVG, and the table as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = comparison.plot(title)
    paths = [folder / f"comparison{ending}" for ending in (".png", ".svg", ".csv")]
    drawn.savefig(paths[0], dpi=150)
    drawn.savefig(paths[1])
    comparison.to_frame().to_csv(paths[2], index=False)
    return paths
