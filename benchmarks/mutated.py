"""`make soak`, its second part: states changed at random, each refused or as good as before."""

import collections
import os
import sys
import tempfile
import time
from pathlib import Path

from joblib import Parallel, delayed

from mutated_states import OFTEN, judge


def judged(seeds):
    """Judge some states; returns how many were refused and loaded, by policy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        return collections.Counter((OFTEN[seed % len(OFTEN)], judge(seed, path)) for seed in seeds)


def main():
    """Judge so many states as the first argument says; a broken promise ends it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 12_000
    started, found = time.perf_counter(), collections.Counter()
    jobs = (delayed(judged)(range(first, count, 200)) for first in range(min(200, count)))
    for part in Parallel(n_jobs=os.cpu_count(), return_as="generator_unordered")(jobs):
        found.update(part)
    seconds = time.perf_counter() - started
    ends = collections.Counter()
    for (_, end), number in found.items():
        ends[end] += number
    print(f"{count:,} changed states of {len(set(OFTEN))} policies in {seconds:.0f} s:")
    print("  " + ", ".join(f"{number:,} {end}" for end, number in ends.most_common()))
    print("  of those that were loaded, no promise broken")


if __name__ == "__main__":
    main()
