"""A small live study with everything in it: all kinds of visits, several snapshots and days."""

from askless.storage import Pause, Reward, Tick
from live_world import DAY


def play(world):
    """A study with everything in it: all kinds of visits, several snapshots and days."""
    silent = [world.decided(f"silent {n}") for n in range(3)]
    for n in range(4):  # before there is a short form, which may ask nothing
        world.start(f"half {n}")
    for n in range(90):
        world.clock.now += 600
        world.paid(f"person {n}")
    world.clock.now += DAY
    world.do(Tick())
    world.do(Reward(silent[0].visit, 0.5))  # late
    world.do(Pause(True))
    world.do(Pause(False))
    for n in range(4):
        world.decided(f"waiting {n}")
    world.paid("rewarded")
