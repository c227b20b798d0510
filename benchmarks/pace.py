"""`make pace SINCE=REVISION`: how long fused epochs take beside another revision of this code.

Each revision has a process of its own; they take turns, a run of the paper's experiment each, so
that whatever else the machine does slows both down. The ratio is that of the medians.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from revisions import places, sources_of

import askless as al

VISITS, TURNS = 100_000, 150


def serve() -> None:
    """Play a run for every line that comes in; say how many seconds it took."""
    world = al.paper_environment(arms=5)
    policy = al.EpochSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.3, delta=0.1
    )
    al.simulate(policy, world, 1_000)  # where nothing is built, this compiles
    for line in sys.stdin:
        began = time.perf_counter()
        al.simulate(policy, world, VISITS, seed=int(line))
        print(time.perf_counter() - began, flush=True)


def player(source: Path | None) -> subprocess.Popen[str]:
    """Start a process that plays with these sources, or with ours."""
    environment = dict(os.environ) if source is None else places(source)
    return subprocess.Popen(
        [sys.executable, __file__],
        env=environment | {"OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def seconds(process: subprocess.Popen[str], seed: int) -> float:
    """Let a process play a run; return how long that took."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{seed}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main(since: str) -> None:
    """Print the times of both revisions and their ratio."""
    with sources_of(since) as source, player(source) as before, player(None) as now:
        turns = [(seconds(before, seed), seconds(now, seed)) for seed in range(TURNS)]
        for process in (before, now):
            process.communicate()
    (one, other) = zip(*turns, strict=True)
    for label, times in ((since, one), ("now", other)):
        low, _, high = statistics.quantiles(times, n=4)
        middle = statistics.median(times)
        print(f"{label:<12} {1e3 * middle:7.1f} ms ({1e3 * low:.1f} to {1e3 * high:.1f})")
    print(f"ratio of the medians: {statistics.median(other) / statistics.median(one):.2f}")


if __name__ == "__main__":
    if len(sys.argv) == 1 and not sys.stdin.isatty():
        serve()
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        sys.exit("say since when: make pace SINCE=REVISION")
