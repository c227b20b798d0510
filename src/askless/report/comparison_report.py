"""A comparison written to files: its figure and its table."""

from __future__ import annotations

from pathlib import Path

from askless.experiments import Comparison

__all__ = ["write_comparison"]


def write_comparison(comparison: Comparison, title: str, folder: Path) -> list[Path]:
    """Write the figure as PNG and SVG, and the table as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = comparison.plot(title)
    paths = [folder / f"comparison{ending}" for ending in (".png", ".svg", ".csv")]
    drawn.savefig(paths[0], dpi=150)
    drawn.savefig(paths[1])
    comparison.to_frame().to_csv(paths[2], index=False)
    return paths
