"""What tests of several rooms need: a catalogue that forgets what a test has registered."""

from collections.abc import Iterator

import pytest

from askless.policies import POLICIES, Policy
from askless.survey.policy_descriptions import KNOWN


@pytest.fixture
def catalogue() -> Iterator[dict[str, type[Policy]]]:
    """Let a test register policies; afterwards those before it are known again."""
    policies, known = dict(POLICIES), dict(KNOWN)
    yield POLICIES
    for current, before in ((POLICIES, policies), (KNOWN, known)):
        current.clear()
        current.update(before)


@pytest.fixture(autouse=True)
def forgetting(request: pytest.FixtureRequest) -> None:
    """Let an example of the package register policies, which other tests do not see."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("catalogue")
