"""`make soak`: many random sequences of operations on the public API beside a model of it."""

import collections
import os
import sys
import time

from joblib import Parallel, delayed

from operations import play


def played(seed):
    """Play one sequence; returns what was done, and how many visits were decided and learned."""
    found = play(seed, steps=40)
    people = found.people.values()
    return (
        found.done,
        sum(person.arm is not None for person in people),
        sum(person.reward is not None for person in people),
    )


def main():
    """Play so many sequences as the first argument says; a broken promise ends it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    started, done, decided, learned = time.perf_counter(), collections.Counter(), 0, 0
    jobs = (delayed(played)(seed) for seed in range(count))
    workers = Parallel(n_jobs=os.cpu_count(), return_as="generator_unordered", batch_size=50)
    for i, (own, arms, rewards) in enumerate(workers(jobs), 1):
        done.update(own)
        decided, learned = decided + arms, learned + rewards
        if i % 1_000 == 0 and sys.stderr.isatty():
            sys.stderr.write(f"\r{i:,} of {count:,}")
    seconds = time.perf_counter() - started
    print(f"\n{count:,} sequences, {sum(done.values()):,} operations in {seconds:.0f} s:")
    print("  " + ", ".join(f"{name} {number:,}" for name, number in done.most_common()))
    print(f"  {decided:,} visits decided, {learned:,} learned; no promise broken")


if __name__ == "__main__":
    main()
