"""A live study with simulated people in it: a newcomer sees the survey get shorter."""

from askless.errors import extra as _extra

with _extra("service"):
    from askless.demo.people import people_of
    from askless.demo.running import Demo, play
    from askless.demo.sending import Sender
    from askless.demo.story import Story

__all__ = ["Demo", "Sender", "Story", "people_of", "play"]
