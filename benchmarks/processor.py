"""Which machine the figures were made on."""

import platform
from pathlib import Path


def machine() -> str:
    """Name the processor."""
    for line in (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    ):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
