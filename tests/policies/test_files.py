"""Saved policies: exact, versioned, and refused when damaged."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.errors import StateError
from random_states import random_policy, step
from saved_states import numbers_of, opened, read
from worlds import random_answers


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 120))
def test_a_loaded_policy_has_the_same_state_and_the_same_future(tmp_path_factory, seed, visits):
    path = tmp_path_factory.mktemp("saved") / "state.json"
    policy, rng = random_policy(seed, visits)
    policy.save(path)
    loaded = al.load(path)
    assert type(loaded) is type(policy)
    twin = np.random.default_rng(0)
    twin.bit_generator.state = rng.bit_generator.state
    for _ in range(30):
        assert step(policy, rng) == step(loaded, twin)
        z = policy.encode(random_answers(policy.survey, np.random.default_rng(seed)))
        assert policy.ucb(z).tobytes() == loaded.ucb(z).tobytes()
        assert policy.radius.tobytes() == loaded.radius.tobytes()
    assert policy.evidence() == loaded.evidence()
    assert policy.to_dict() == loaded.to_dict()


@pytest.mark.parametrize("kind", [al.LinUCB, al.OFUL, al.Uniform])
def test_every_policy_comes_back_as_what_it_was(tmp_path, kind):
    policy = kind(al.Survey.unit(3, coding="raw"), arms=["a", "b"], reward=(0, 2))
    policy.learn_row(1, [1, 0.5, 0.25, 1], 1.3)
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    assert type(loaded) is kind
    assert loaded.to_dict() == policy.to_dict()
    assert loaded.survey == policy.survey


def test_target_comes_back_with_its_coefficients(tmp_path):
    truth = [[0, 0.1, 0, 0], [0.3, 0, 0, 1 / 3]]
    policy = al.Target(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), coefficients=truth)
    policy.save(tmp_path / "state.json")
    assert al.load(tmp_path / "state.json").coefficients.tolist() == truth


def test_the_file_is_plain_json_without_nan(saved):
    def refuse(constant):
        raise AssertionError(constant)

    content = json.loads(saved.read_text(), parse_constant=refuse)
    assert (content["format"], content["version"]) == ("askless.policy", 6)


def test_people_can_read_what_a_file_is_about(saved):
    """Fails if the first lines are not the plain ones, or a block is among them."""
    lines = saved.read_text().splitlines()
    names = [line.split(":")[0].strip(' "') for line in lines]
    first = ["{", "format", "version", "checksum", "content", "policy", "survey", "arms"]
    assert names[:8] == first
    assert names.index("state") == len(lines) - 3
    plain = json.loads("{" + lines[names.index("settings")].rstrip(",") + "}")
    assert plain["settings"]["beta_min"] == 1


def test_a_block_holds_the_sums_to_the_last_bit(saved):
    """Fails if a number in a file differs in any bit from the one in memory."""
    policy, content = al.load(saved), read(saved)
    arms = policy._model.learned
    for k, arm in enumerate(content["state"]["arms"]):
        size = arms.size[k]
        lower = arms.gram[k][:size, :size][np.tril_indices(size)]
        assert np.array(numbers_of(arm["gram"])).tobytes() == lower.tobytes()
        assert np.array(numbers_of(arm["moment"])).tobytes() == arms.moment[k, :size].tobytes()


VERSION_5 = sorted((Path(__file__).parent / "version_5").glob("*.json"))


@pytest.mark.parametrize("path", VERSION_5, ids=lambda path: path.stem)
def test_a_file_of_version_5_is_read_to_the_last_bit(path, tmp_path):
    """Fails if a file that an older askless wrote is refused, or comes back as another state."""
    policy, old = al.load(path), read(path)
    policy.save(tmp_path / "new.json")
    again = opened(read(tmp_path / "new.json"))
    for arm in old["state"].get("arms", []):  # where whole matrices were kept, triangles are now
        for sums in (arm, *(part for part in arm.values() if isinstance(part, dict))):
            if "gram" in sums:
                sums["gram"] = [row[: i + 1] for i, row in enumerate(sums["gram"])]
    assert again == old
    assert al.load(tmp_path / "new.json").to_dict() == policy.to_dict()
    visit = policy.visit(known={"age": 3, "donor": None, "cause": "y", "media": ["web"]})
    policy.learn(visit, 2.5)


def test_files_of_version_5_of_many_policies_are_tried():
    assert len(VERSION_5) == 9


def test_saving_keeps_permissions_and_links(tmp_path):
    policy = al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    policy.save(real)
    new = tmp_path / "new"
    new.touch()
    assert real.stat().st_mode == new.stat().st_mode
    real.chmod(0o640)
    link.symlink_to(real)
    policy.save(link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640


def test_saving_over_a_file_leaves_nothing_else_behind(saved):
    al.load(saved).save(saved)
    assert [path.name for path in saved.parent.iterdir()] == ["state.json"]


class Mine(al.Uniform):
    """A policy of a user's own."""

    name = "mine"


def test_a_policy_of_ones_own_is_loaded_by_its_class(tmp_path):
    policy = Mine(al.Survey.unit(1), arms=["a"], reward=(0, 1), seed=3)
    policy.save(tmp_path / "state.json")
    with pytest.raises(StateError, match=r"'mine'.*kind="):
        al.load(tmp_path / "state.json")
    with pytest.raises(StateError, match="'mine'"):
        al.load(tmp_path / "state.json", kind=al.Uniform)
    assert al.load(tmp_path / "state.json", kind=Mine).seed == 3


@pytest.mark.parametrize("low", [0.0, 1e3, 1e4, 1e6, 1e9])
@pytest.mark.parametrize("name", ["survey-bandit", "epoch", "linucb", "ridge"])
def test_states_of_raw_rewards_far_from_zero_can_be_loaded(low, name, tmp_path):
    # Sums of such rewards are rounded: a proof to the bit refused what a policy had saved itself.
    given = {"linucb": {"width": "noise"}}.get(name, {"beta_min": 0.2})
    policy = al.POLICIES[name](
        al.Survey.unit(2, coding="raw"), arms=["a"], reward=(low, low + 1), **given
    )
    rng, path = np.random.default_rng(0), tmp_path / "state.json"
    for row in range(2_000):
        policy.learn_row(0, np.append(1.0, rng.integers(0, 1025, 2) / 1024), low + rng.random())
        if row % 200 == 199:
            policy.save(path)
            assert al.load(path).rows.tolist() == policy.rows.tolist()


def test_a_state_is_of_the_policy_that_it_names():
    saved = al.LinUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1)).to_dict()
    with pytest.raises(StateError, match="'linucb', not of 'ridge'"):
        al.RidgeSurveyUCB.from_dict(saved)
