"""Policies of a user's own: a class to register, and the same as a module's text."""

import askless as al

TEXT = '''
import askless as al

class Rotates(al.Policy):
    """Plays the arms in turn, `step` further at each visit; asks everything."""

    name = "rotates"

    def __init__(self, survey, *, arms, reward, step=1):
        super().__init__(survey, arms=arms, reward=reward)
        self.step = step

    def _decide(self, z, mask, number):
        arms = mask.nonzero()[0]
        return al.Decision(int(arms[number * self.step % len(arms)]), mask.astype(float))

    def _settings(self):
        return {"step": self.step}
'''


def rotates(name="rotates"):
    """Return a new class of that name, as a script would define it."""
    names = {"__name__": "__main__"}
    exec(TEXT.replace('"rotates"', repr(name)), names)
    return names["Rotates"]


def played_in_turn(world, visits, step=1):
    """Return how often each arm is played, counted by hand."""
    arms = len(world.arms)
    return [sum(1 for t in range(visits) if t * step % arms == k) for k in range(arms)]


assert issubclass(rotates(), al.Policy)
