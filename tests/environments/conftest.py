"""Pilot files that are read, and those that are refused."""

import re

import pytest

import askless as al
from askless.errors import SettingError
from pilot_files import SURVEY


@pytest.fixture
def read(tmp_path):
    def read(content, survey=SURVEY):
        path = tmp_path / "pilot.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return al.PilotAnswers.read(path, survey)

    return read


@pytest.fixture
def refused(read):
    """The message with which a file is refused, a problem a line, without the folder's name."""

    def refused(content, survey=SURVEY):
        with pytest.raises(SettingError) as caught:
            read(content, survey)
        return [re.sub(r"^.*pilot\.csv", "pilot.csv", p) for p in str(caught.value).split("\n")]

    return refused
