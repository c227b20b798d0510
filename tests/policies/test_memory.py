"""Studies that do not fit into memory are refused before any is taken; containers' limits count."""

import subprocess
import sys
from pathlib import Path

import pytest

import askless as al
from askless.errors import SettingError
from askless.policies import memory

GIB = 2**30
ROOMY = {"beta_min": 0.1, "arms": ["a", "b"], "reward": (0, 1)}


def put(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_the_limit_of_a_group_and_of_those_around_it_are_found(tmp_path):
    """Fails if a container's limit is not seen, wherever in the tree it stands."""
    put(tmp_path, "proc/self/cgroup", "0::/user/study\n")
    put(tmp_path, "sys/fs/cgroup/user/study/memory.max", "max\n")
    put(tmp_path, "sys/fs/cgroup/user/memory.max", f"{3 * GIB}\n")
    put(tmp_path, "sys/fs/cgroup/memory.max", f"{9 * GIB}\n")
    put(tmp_path, "sys/fs/memory.max", "1\n")  # not of a group
    assert sorted(memory.limits_of_groups(tmp_path)) == [3 * GIB, 9 * GIB]


def test_the_first_version_of_control_groups_is_read_too(tmp_path):
    put(tmp_path, "proc/self/cgroup", "5:devices:/\n4:cpu,memory:/box\n0::/\n")
    put(tmp_path, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", f"{GIB}\n")
    put(tmp_path, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    assert sorted(memory.limits_of_groups(tmp_path)) == [GIB, 9223372036854771712]


def test_a_container_that_sees_its_group_as_the_root_has_its_limit(tmp_path):
    put(tmp_path, "proc/self/cgroup", "0::/../outside\n")
    put(tmp_path, "sys/fs/cgroup/memory.max", f"{2 * GIB}")
    assert set(memory.limits_of_groups(tmp_path)) == {2 * GIB}


@pytest.mark.parametrize("text", ["", "\n", "nonsense", "0::", "::::", "\x00"])
def test_files_that_say_nothing_are_no_limit(tmp_path, text):
    put(tmp_path, "proc/self/cgroup", text)
    assert list(memory.limits_of_groups(tmp_path)) == []
    assert list(memory.limits_of_groups(tmp_path / "nothing")) == []


def test_there_is_as_much_as_the_machine_has_at_most():
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith("MemTotal"))
    found = memory.memory_there_is()
    assert 0 < found <= kilobytes * 1024 * 1.01


@pytest.mark.parametrize(
    ("kind", "settings", "tables"),
    [
        (al.RidgeSurveyUCB, {}, 2 * 2),
        (al.RidgeSurveyUCB, {"interactive": True}, 3 * 2 + 2),
        (al.ElasticNetSurveyUCB, {}, 3 * 2),
        (al.EpochSurveyUCB, {}, 5 * 2 + 2),
        (al.SurveyBandit, {"price": 0.0005}, 5 * 2 + 2 + 5 * 2 + 5),
    ],
)
def test_what_does_not_fit_is_refused_and_what_fits_is_not(monkeypatch, kind, settings, tables):
    """Fails if the tables of a policy are miscounted, or the message lacks the figures."""
    survey = al.Survey.unit(299)
    monkeypatch.setattr(memory, "memory_there_is", lambda: tables * 8 * 300**2)
    kind(survey, **ROOMY, **settings)
    monkeypatch.setattr(memory, "memory_there_is", lambda: tables * 8 * 300**2 - 1)
    with pytest.raises(SettingError, match=r"2 arms with 300 columns.*GiB.*there are.*fewer arms"):
        kind(survey, **ROOMY, **settings)


def test_rivals_and_arms_that_are_added_must_fit_too(monkeypatch):
    survey = al.Survey.unit(99)
    monkeypatch.setattr(memory, "memory_there_is", lambda: 3 * 2 * 8 * 100**2)
    policy = al.LinUCB(survey, arms=["a", "b"], reward=(0, 1))
    policy.add_arm("c")
    before = policy.to_dict()
    with pytest.raises(SettingError, match="4 arms"):
        policy.add_arm("d")
    assert policy.to_dict() == before
    al.LinTS(survey, arms=["a", "b", "c"], reward=(0, 1))
    with pytest.raises(SettingError, match="4 arms"):
        al.LinTS(survey, arms=["a", "b", "c", "d"], reward=(0, 1))


def test_nothing_is_refused_where_nobody_says_how_much_there_is(monkeypatch):
    monkeypatch.setattr(memory, "memory_there_is", lambda: None)
    memory.check_fits(1e30, 2, 3)


PROCESS = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
import askless as al
try:
    al.SurveyBandit(al.Survey.unit(9_000), arms=["a", "b"], reward=(0, 1), beta_min=0.1)
except al.errors.SettingError as error:
    print(error)
"""


def test_a_limit_of_the_process_is_seen_before_memory_runs_out():
    """Fails if memory is asked for before it is known to be there."""
    done = subprocess.run(
        [sys.executable, "-c", PROCESS], capture_output=True, text=True, check=True
    )
    assert "2 arms with 9,001 columns each would take 7.2 GiB" in done.stdout
    assert "there are 3.0 GiB" in done.stdout
