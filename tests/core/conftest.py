"""Every kind of policy in turn."""

import pytest

from border_scene import KINDS


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param
