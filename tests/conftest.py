"""What tests of several rooms need: a catalogue that forgets what a test has registered."""

import pytest

from askless.policies import POLICIES
from askless.survey.policy_descriptions import KNOWN


@pytest.fixture
def catalogue():
    """Let a test register policies; afterwards those before it are known again."""
    policies, names = dict(POLICIES), dict(KNOWN)
    yield POLICIES
    for known, before in ((POLICIES, policies), (KNOWN, names)):
        known.clear()
        known.update(before)
