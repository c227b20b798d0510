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
from asking import measure_bounds, run_everything, run_interactive
from contenders import ARMS, CONTENDERS, FEATURES, visits
from dropping import DROPPING, run_dropping
from nets import ACTIVE, NETS, ROWS, stream
from processor import machine

ROUNDS = 7
NET_ROUNDS = 5
EPOCH_VISITS = 102_400
ASKING = {"arm": 20_480, "question": 2_048}  # visits of an interactive run, by grain


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


def measure_nets() -> list[dict[str, float | str]]:
    """Return the microseconds of a refit of every maker, rows and active columns."""
    rows: list[dict[str, float | str]] = []
    for active in ACTIVE:
        for n in ROWS:
            data = stream(n, active)
            print(f"elastic nets: {n:,} rows, {active} active", file=sys.stderr)
            for _, run, _ in NETS:
                run(data, 1)
            spent = [
                [1e6 * run(data, count) / count for _, run, count in NETS]
                for _ in range(NET_ROUNDS)
            ]
            medians = [statistics.median(column) for column in zip(*spent, strict=True)]
            for (name, _, _), median in zip(NETS, medians, strict=True):
                rows.append(
                    {
                        "name": name,
                        "rows": n,
                        "active": active,
                        "us_per_refit": median,
                        "times_enet_path": medians[0] / median,
                    }
                )
    return rows


def show_nets(rows: list[dict[str, float | str]]) -> None:
    """Print a line for each maker and number of active columns."""
    print(f"\nElastic net, 51 columns, µs of a refit; median of {NET_ROUNDS} interleaved rounds\n")
    heads = "".join(f"{f'n = {n:,}':>12}" for n in ROWS)
    print(f"{'':<26}{'active':>7}{heads}{'× enet_path':>18}")
    for active in ACTIVE:
        for name, _, _ in NETS:
            own = [row for row in rows if row["name"] == name and row["active"] == active]
            cells = "".join(f"{row['us_per_refit']:>12,.1f}" for row in own)
            least = min(float(row["times_enet_path"]) for row in own)
            print(f"{name:<26}{active:>7}{cells}{least:>15,.0f} up")


def measure_asking() -> dict[str, dict[str, float]]:
    """Return the microseconds of a certified bound, and of a visit with and without asking all."""
    print("interactive surveys", file=sys.stderr)
    run_everything()
    for grain in ASKING:
        run_interactive(grain, 10)
    spent: dict[str, list[float]] = {"asks everything": []} | {grain: [] for grain in ASKING}
    for _ in range(ROUNDS):
        spent["asks everything"].append(run_everything())
        for grain, count in ASKING.items():
            spent[grain].append(run_interactive(grain, count))
    bounds = {name: statistics.median(values) for name, values in measure_bounds().items()}
    return {
        "us_per_bound": bounds,
        "us_per_visit": {name: statistics.median(values) for name, values in spent.items()},
    }


def show_asking(asking: dict[str, dict[str, float]]) -> None:
    """Print what a bound and a visit cost."""
    print("\nInteractive surveys, ridge, 5 arms, 50 questions, beta_min 0.3, published_sqrt\n")
    for name, median in asking["us_per_bound"].items():
        print(f"{'bound, 50 unasked: ' + name:<38} {median:>9.2f} µs")
    full = asking["us_per_visit"]["asks everything"]
    for name, median in asking["us_per_visit"].items():
        label = "a visit, sequential: " + (f"grain {name}" if name in ASKING else name)
        print(f"{label:<38} {median:>9.2f} µs {median / full:>8.1f} ×")


def measure_epochs() -> dict[str, float]:
    """Return the microseconds a visit of the fused loops that drop questions."""
    print("epochs", file=sys.stderr)
    for name in DROPPING:
        run_dropping(name, 2_048)
    spent: dict[str, list[float]] = {name: [] for name in DROPPING}
    for _ in range(ROUNDS):
        for name in DROPPING:
            spent[name].append(run_dropping(name, EPOCH_VISITS))
    return {name: statistics.median(values) for name, values in spent.items()}


def show_epochs(medians: dict[str, float]) -> None:
    """Print what a visit costs with and without epochs."""
    print(f"\nFused loops, 5 arms, 50 questions, centred, {EPOCH_VISITS:,} visits\n")
    for name, median in medians.items():
        ridge = medians[name.replace("epoch", "ridge")]
        print(f"{name:<38} {median:>9.2f} µs {ridge / median:>8.1f} × ridge")


def main() -> None:
    """Measure, print, write."""
    times = measure()
    nets = measure_nets()
    asking = measure_asking()
    epochs = measure_epochs()
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
    show_nets(nets)
    show_asking(asking)
    show_epochs(epochs)
    out = Path("bench.json")
    out.write_text(
        json.dumps(
            {
                "machine": machine(),
                "python": platform.python_version(),
                "numpy": np.__version__,
                "numba": numba.__version__,
                "rows": rows,
                "nets": nets,
                "asking": asking,
                "epochs": epochs,
            },
            indent=2,
        )
    )
    print(f"\nWrote {out}")


if __name__ == "__main__":
    main()
