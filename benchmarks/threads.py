"""`make soak`: threads read and visit while one learns; first without locks, which must show."""

import sys
import time

from threading_world import Story, crowded, ridge, survey_bandit, watched, without_lock

READERS, VISITORS = 4, 3  # and one learner: eight threads


def noticed_without_lock(story):
    """Whether a story without a lock goes wrong: a torn table, a lost row, an error."""
    for _ in range(20):
        policy = without_lock(story.make())
        try:
            _, torn = watched(story, policy, READERS, VISITORS)
            crowd = without_lock(story.make())
            lost = len(crowded(crowd, 4, 60)) - crowd.version
        except Exception:  # whatever it runs into
            return True
        if torn or lost or policy.version != story.versions:
            return True
    return False


def main():
    """Go on for so many seconds as the first argument says, with each of two policies."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    for make in (survey_bandit, ridge):
        story = Story(make, 400)
        print(f"{make.__name__}, without its lock: ", end="", flush=True)
        if not noticed_without_lock(story):
            sys.exit("nothing was noticed: this stress shows nothing")
        print("noticed")
        began, rounds, reads, visits, rows = time.perf_counter(), 0, 0, 0, 0
        while time.perf_counter() - began < seconds:
            policy = story.make()
            counts, torn = watched(story, policy, READERS, VISITORS)
            crowd = make()
            learned = crowded(crowd, READERS + VISITORS + 1, 25)
            if torn or policy.version != story.versions or crowd.version != len(learned):
                sys.exit(f"torn: {torn[:5]}; learned {policy.version} of {story.versions}")
            rounds, rows = rounds + 1, rows + policy.version + crowd.version
            reads, visits = reads + counts["read"], visits + counts["visited"]
        print(
            f"{make.__name__}, {READERS + VISITORS + 1} threads: {rows:,} rows learned,"
            f" {reads:,} tables read, {visits:,} visits decided in {rounds} rounds;"
            " no torn table, no lost row"
        )


if __name__ == "__main__":
    main()
