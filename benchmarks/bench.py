"""Speed as ratios, measured in one interleaved run: prints a table and writes JSON.

Run it with `make bench`, which makes an environment of its own for the rivals.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
from pathlib import Path

import numba
import numpy as np
from contenders import ARMS, CONTENDERS, FEATURES, visits

ROUNDS = 7


def machine() -> str:
    """Name the processor."""
    for line in (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    ):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def measure() -> dict[str, list[float]]:
    """Return the microseconds a visit of every contender, a round after the other."""
    times: dict[str, list[float]] = {name: [] for name, _, _ in CONTENDERS}
    for name, run, count in CONTENDERS:  # compile and warm up
        print(f"warming up {name} ...", file=sys.stderr)
        run(*visits(min(count, 50)))
    for i in range(ROUNDS):
        print(f"round {i + 1} of {ROUNDS}", file=sys.stderr)
        for name, run, count in CONTENDERS:
            times[name].append(1e6 * run(*visits(count)) / count)
    return times


def main() -> None:
    """Measure, print, write."""
    times = measure()
    medians = {name: statistics.median(values) for name, values in times.items()}
    head = f"LinUCB, {ARMS} arms, {FEATURES} questions; median of {ROUNDS} interleaved rounds"
    print(f"{head}\n{machine()}, Python {platform.python_version()}, numba {numba.__version__}\n")
    print(f"{'':<30} {'µs a visit':>11} {'× numpy':>9} {'× obp':>9}")
    rows = []
    for name, median in medians.items():
        row = {
            "name": name,
            "us_per_visit": median,
            "times_numpy": medians["numpy loop"] / median,
            "times_obp": medians["obp LinUCB"] / median,
            "rounds": times[name],
        }
        rows.append(row)
        print(f"{name:<30} {median:>11.2f} {row['times_numpy']:>9.1f} {row['times_obp']:>9.1f}")
    out = Path("bench.json")
    out.write_text(
        json.dumps(
            {
                "machine": machine(),
                "python": platform.python_version(),
                "numpy": np.__version__,
                "numba": numba.__version__,
                "rows": rows,
            },
            indent=2,
        )
    )
    print(f"\nWrote {out}")


if __name__ == "__main__":
    main()
