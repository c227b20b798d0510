"""Files and states of policies that cannot be are refused."""

import json

import numpy as np
import pytest

import askless as al
from askless.errors import StateError
from askless.policies import files
from askless.policies.state_proof import RowSpace
from saved_states import opened, read, write


def test_a_cut_off_file_is_refused(saved):
    text = saved.read_text()
    for end in (0, 1, len(text) // 2, len(text.rstrip()) - 1):
        saved.write_text(text[:end])
        with pytest.raises(StateError, match=r"state.json.*damaged"):
            al.load(saved)


def test_a_changed_number_is_noticed(saved):
    text = saved.read_text()
    content = json.loads(text)
    content["content"]["state"]["arms"][0]["n"] += 1
    saved.write_text(json.dumps(content))
    with pytest.raises(StateError, match="checksum"):
        al.load(saved)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_damage(saved, number):
    text = saved.read_text()
    saved.write_text(text.replace('"beta_min": 1.0', f'"beta_min": {number}'))
    assert saved.read_text() != text
    with pytest.raises(StateError, match="damaged"):
        al.load(saved)


def rewrite(path, change):
    """Change the content, its blocks as lists, and give it a checksum that fits."""
    content = opened(read(path))
    write(path, content)
    al.load(path)
    change(content)
    write(path, content)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["state"]["arms"].pop(),
        lambda c: c["state"]["arms"][0]["gram"].pop(),
        lambda c: c["state"]["arms"][0].pop("moment"),
        lambda c: c["state"]["arms"][0]["gram"].__setitem__(0, ["x"]),
        lambda c: c["state"].pop("arms"),
        lambda c: c.pop("survey"),
        lambda c: c["survey"]["questions"].pop(),
        lambda c: c["settings"].__setitem__("delta", 7),
        lambda c: c["settings"].__setitem__("colour", 7),
        lambda c: c["live"].pop(),
        lambda c: c.__setitem__("arms_at_start", 0),
        lambda c: c["counters"].pop("version"),
        lambda c: c["state"]["arms"][0].__setitem__("dropped", []),
        lambda c: c["state"]["arms"][0]["dropped"].__setitem__("0", [-1, 0, 0, 0]),
        lambda c: c["state"]["arms"][0]["dropped"].__setitem__("-1", [1, 0, 0, 0]),
        lambda c: c["state"]["arms"][0].__setitem__("squares", None),
        lambda c: c["state"]["arms"][0]["moment"].__setitem__(0, None),
        lambda c: c.__setitem__("arms_at_start", 99),
        lambda c: c["counters"].__setitem__("next_number", -1),
        lambda c: c["state"]["arms"][0]["dropped"].__setitem__("99", [1, 0, 0, 0]),
        lambda c: c["state"]["arms"][0].__setitem__("n", -3),
        lambda c: c["state"]["arms"][0].__setitem__("n", 10**6),
        lambda c: c["state"]["arms"][0].__setitem__("n", c["state"]["arms"][0]["n"] + 0.9),
        lambda c: c["state"]["arms"][0].__setitem__("n", True),
        lambda c: c["state"]["arms"][0].__setitem__("n", str(c["state"]["arms"][0]["n"])),
        lambda c: c["state"]["arms"][0].update(
            moment=list(map(str, c["state"]["arms"][0]["moment"]))
        ),
        lambda c: c["state"]["arms"][0].update(moment=[c["state"]["arms"][0]["moment"]]),
        lambda c: c["state"]["arms"][0]["gram"][1].__setitem__(1, True),
        lambda c: c["state"]["arms"][0]["gram"][1].__setitem__(1, -1.0),
        lambda c: c["state"]["arms"][0]["gram"][2].__setitem__(1, 1e6),
        lambda c: c["state"]["arms"][0].__setitem__("squares", 0.0),
        lambda c: c["live"].__setitem__(0, 1),
        lambda c: c.__setitem__("learned", [[0, 59], [10**9, 10**9]]),
        lambda c: c.__setitem__("learned", "none"),
        lambda c: c.__setitem__("corrected", {"0": [None, None]}),
        lambda c: c.__setitem__("corrected", {"00": [0.5, None]}),
        lambda c: c.__setitem__("corrected", {"0": [True, None]}),
        lambda c: c.__setitem__("corrected", {"0": [99, None]}),
        lambda c: c.__setitem__("corrected", {"0": [0.5, -1]}),
        lambda c: c.__setitem__("corrected", {"999": [0.5, None]}),
    ],
)
def test_content_that_cannot_be_is_refused_even_with_a_checksum(saved, change):
    rewrite(saved, change)
    with pytest.raises(StateError, match=r"state.json.*damaged"):
        al.load(saved)


def test_no_state_plays_a_retired_arm(saved):
    """Fails if sums are loaded that no rows have: scores would be no numbers, and none the best."""
    policy, name = al.load(saved), "a"
    assert "b" not in policy.live_arms
    content = opened(read(saved))
    gram = content["state"]["arms"][0]["gram"]
    for i, row in enumerate(gram[1:], 1):
        row[i] = -1e9
    write(saved, content)
    with pytest.raises(StateError, match=rf"state.json.*the state of arm '{name}' cannot be"):
        al.load(saved)


def test_a_state_in_memory_is_refused_like_one_in_a_file(saved):
    """Fails if `from_dict` raises anything but a StateError that says what is wrong."""
    content = read(saved)
    for damage, said in (
        ({"settings": {}}, "beta_min"),
        ({"arms": 3}, "int"),
        ({"live": []}, "live"),
    ):
        with pytest.raises(StateError, match=said):
            al.RidgeSurveyUCB.from_dict(content | damage)
    with pytest.raises(StateError, match="it has no 'state'"):
        al.RidgeSurveyUCB.from_dict({key: content[key] for key in content if key != "state"})


def noisy_policy(kind):
    survey, rng = al.Survey.unit(3), np.random.default_rng(0)
    settings = {"width": "noise"} if kind is al.LinUCB else {"beta_min": 0.3}
    policy = kind(survey, arms=["a", "b"], reward=(0, 1), **settings)
    for _ in range(60):
        z = np.append(1.0, np.round(rng.uniform(-0.5, 0.5, 3), 2))
        policy.learn_row(0, z, float(rng.random()))
    return policy


@pytest.mark.parametrize(
    "change",
    [
        lambda n: n.pop("noise"),
        lambda n: n.pop("renewed"),
        lambda n: n.__setitem__("noise", 0),
        lambda n: n.__setitem__("noise", -0.1),
        lambda n: n.__setitem__("noise", "x"),
        lambda n: n.__setitem__("noise", None),
        lambda n: n.__setitem__("noise", True),
        lambda n: n.__setitem__("ridge", 0.009),
        lambda n: n.__setitem__("misfit", -1e-9),
        lambda n: n.__setitem__("freedom", -1),
        lambda n: n.__setitem__("freedom", [1]),
        lambda n: n.__setitem__("renewed", -1),
        lambda n: n.__setitem__("renewed", 1.5),
        lambda n: n.__setitem__("renewed", 2**60),
    ],
)
@pytest.mark.parametrize("kind", [al.LinUCB, al.EpochSurveyUCB, al.SurveyBandit])
def test_a_damaged_noise_is_refused(tmp_path, kind, change):
    """Fails if a noise that cannot be is loaded, or raises anything but a StateError."""
    path, content = tmp_path / "state.json", noisy_policy(kind).to_dict()
    files.write_state(path, content)
    al.load(path)
    content = json.loads(json.dumps(content))
    change(content["state"]["arms"][0]["noise"])
    files.write_state(path, content)
    with pytest.raises(StateError, match=r"state.json.*damaged"):
        al.load(path)


def test_files_of_others_and_of_newer_versions_are_refused(saved, tmp_path):
    content = json.loads(saved.read_text())
    saved.write_text(json.dumps(content | {"version": 1}))
    with pytest.raises(StateError, match=r"version 1.*older"):
        al.load(saved)
    saved.write_text(json.dumps(content | {"version": 2}))
    older = r"version 2.*older.*another rule.*noise; start a new policy and learn its rows again"
    with pytest.raises(StateError, match=older):
        al.load(saved)
    saved.write_text(json.dumps(content | {"version": 3}))
    with pytest.raises(StateError, match=r"version 3.*older.*no short forms"):
        al.load(saved)
    saved.write_text(json.dumps(content | {"version": 4}))
    with pytest.raises(StateError, match=r"version 4.*older.*what short ones had told"):
        al.load(saved)
    saved.write_text(json.dumps(content | {"version": 7}))
    with pytest.raises(StateError, match=r"version 7.*newer"):
        al.load(saved)
    saved.write_text(json.dumps(content | {"format": "other"}))
    with pytest.raises(StateError, match="not a saved askless policy"):
        al.load(saved)
    saved.write_text("[1, 2]")
    with pytest.raises(StateError, match="not a saved askless policy"):
        al.load(saved)
    saved.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StateError, match="damaged"):
        al.load(saved)
    with pytest.raises(StateError, match="cannot read"):
        al.load(tmp_path / "nothing.json")
    with pytest.raises(StateError, match="cannot write"):
        al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1)).save(tmp_path / "no" / "x.json")


def learned_and_dropped():
    survey = al.Survey([al.YesNo("q1"), al.YesNo("q2")])
    policy = al.RidgeSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.9, sigma=0.01)
    for number in range(17):
        visit = policy.visit(known={"q1": number % 2 == 0, "q2": number % 3 == 0})
        policy.learn(visit, 0.5)
    return policy


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["counters"].update(version=16), "more visits than it has changed"),
        (lambda data: data.update(learned=[[0, 10**9]]), "whose number is still to be given"),
        (
            lambda data: next(iter(data["state"]["arms"][0]["dropped"].values())).__setitem__(
                0, 99
            ),
            "after more rows than it had",
        ),
    ],
)
def test_counts_go_together(change, said):
    policy = learned_and_dropped()
    data = json.loads(json.dumps(policy.to_dict()))
    assert data["state"]["arms"][0]["dropped"]
    change(data)
    with pytest.raises(StateError, match=said):
        al.RidgeSurveyUCB.from_dict(data)


def test_a_sum_of_halves_has_the_parity_of_its_rows():
    space = RowSpace(al.Survey([al.YesNo("q")]), al.RewardRange(0, 1))
    for total, fits in ((0.5, True), (-1.5, True), (0.0, False), (1.0, False)):
        lower = np.array([[17.0, 0.0], [total, 17 / 4]])
        reason = space.doubt_sums(17, lower, np.zeros(2), 0.25)
        assert (reason is None) == fits
