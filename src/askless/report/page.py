"""Pages that need nothing but themselves: one HTML file with its style and its figures inside."""

from __future__ import annotations

import base64
import os
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askless import __version__
from askless.errors import SettingError, extra

with extra("cli"):
    import matplotlib as mpl
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENDINGS", "check_folder", "drawn", "pictured", "render", "versions", "write"]

ENDINGS = ("png", "svg")  # of a figure's files


def render(template: str, **content: Any) -> str:
    """Fill in a template of this package; everything but markup is escaped."""
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"whole": whole, "decimal": decimal}
    return environment


def whole(value: float | None) -> str:
    """Show a number without decimals; a dash where there is none."""
    return "–" if value is None else f"{value:,.0f}"


def decimal(value: float | None, digits: int = 2) -> str:
    """Show a number with decimals; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def drawn(figure: Figure, ending: str) -> bytes:
    """Return a figure as PNG or SVG: the same bytes every time."""
    buffer = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "askless"}):  # else its identifiers are new every time
        dates = {"Date": None} if ending == "svg" else {}
        figure.savefig(buffer, format=ending, dpi=150, metadata=dates)
    figure.set_layout_engine("none")  # laid out now: the next format need not do it again
    return buffer.getvalue()


def pictured(
    figures: Mapping[str, tuple[Figure, Figure | None]],
) -> tuple[dict[str, str | bytes], dict[str, str]]:
    """Return figures as files, PNG and SVG, and as a page shows them, by their names.

    Each may have one for narrow screens beside it, which the page alone shows, as `name-narrow`.
    """
    files: dict[str, str | bytes] = {}
    images = {}
    for name, (figure, narrow) in figures.items():
        files |= {f"{name}.{ending}": drawn(figure, ending) for ending in ENDINGS}
        images[name] = data_uri(files[f"{name}.svg"], "image/svg+xml")
        if narrow is not None:
            images[f"{name}-narrow"] = data_uri(drawn(narrow, "svg"), "image/svg+xml")
    return files, images


def data_uri(data: str | bytes, kind: str) -> str:
    """Return data as an address that carries it."""
    data = data.encode() if isinstance(data, str) else data
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def versions() -> dict[str, str]:
    """Name what the figures were made with."""
    packages = ("numpy", "scipy", "matplotlib")
    return {
        "askless": __version__,
        **{name: version(name) for name in packages},
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": str(os.cpu_count() or 1),
    }


def processor() -> str:
    """Name the processor."""
    described = Path("/proc/cpuinfo")
    for line in described.read_text().splitlines() if described.exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def check_folder(folder: Path) -> None:
    """Make a folder for the files before the work; refuse what cannot be one."""
    if folder.exists() and not folder.is_dir():
        raise SettingError(f"{folder} is a file; name a folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise SettingError(f"{folder} cannot be written to; name another folder with --out")


def write(path: Path, data: str | bytes) -> Path:
    """Write a file in one step: it is the old one or the new one, never half."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
