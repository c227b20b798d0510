"""Simulated people in a live study: some never finish, rewards come late, out of order or never."""

import itertools

import numpy as np

import askless as al
from askless.storage import Answer, LiveStudy, Reward, Start
from askless.survey.study import EXAMPLE

TEXT = EXAMPLE.read_text().replace("# window: 14 days", "window: 20 visits")
SILENT = TEXT.replace("# silence: 0", "silence: 0")


def clock(start=1.7e9):
    """A minute passes with every look at it."""
    return itertools.count(start, 60.25).__next__


def open_live(database, text=TEXT):
    database.migrate()
    return LiveStudy.open(database, al.Study.parse(text), clock=clock())


def play(live, visits, first=0):
    """Let people visit a study; the last rewards stay away. Return what each visit was last."""
    study = live.study
    world = al.Prior.of(study).world(0, seed=1)
    block = next(iter(world.respondents(0, 0)))
    rng = np.random.default_rng(first)
    arms = [arm.name for arm in study.arms]
    due, seen_last = [], {}
    for t in range(first, first + visits):
        person = study.survey.decode(block.contexts[t])
        (seen,) = live.run([Start(own=f"person {t}")])
        while seen.asks and t % 17:  # some look at the first page and go
            (seen,) = live.run([Answer(seen.visit, {q: person[q] for q in seen.asks})])
        seen_last[t] = seen
        if seen.arm is not None and t % 11:
            reward = float(np.clip(block.rewards[t, arms.index(seen.arm)], 0, 100))
            due.append((t + int(rng.integers(0, 25)), Reward(seen.visit, reward)))
        now = [reward for at, reward in due if at <= t]
        due = [(at, reward) for at, reward in due if at > t]
        if now:
            live.run(now)
    return seen_last


def digest(live):
    """The digest of the newest state of a live study."""
    return live.look(lambda replica: replica.as_snapshot().digest)
