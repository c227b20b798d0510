"""From a study to its policy; a policy's complaints point back to the file."""

import pytest

import askless as al
from askless.errors import AsklessError, StudyError

STUDY = """\
schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
arms: [{name: red}, {name: blue}]
reward: {low: 0, high: 10}
policy: POLICY
"""


def study(policy):
    return al.Study.parse(STUDY.replace("POLICY", policy), source="charity.yaml")


def test_each_policy_gets_its_settings():
    ridge = al.policy_for(study("{name: ridge, beta_min: 2, delta: 0.01, radius: published}"))
    assert isinstance(ridge, al.RidgeSurveyUCB)
    assert (ridge.beta_min, ridge.delta, ridge.settings.radius) == (2, 0.01, "published")
    assert ridge.arms == ("red", "blue")
    assert isinstance(al.policy_for(study("{name: linucb}")), al.LinUCB)
    assert isinstance(al.policy_for(study("{name: oful, sigma: 1}")), al.OFUL)
    assert al.policy_for(study("{name: uniform, seed: 5}")).seed == 5


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("{name: ridge}", "'beta_min' is missing"),
        ("{name: ridge, beta_min: 10}", "beta_min: beta_min is 10"),
        ("{name: uniform, beta_min: 1}", "unknown key 'beta_min'"),
        ("{name: linucb, radius: published}", "li2010"),
        ("{name: ridge, beta_min: 1, seed: 5}", "unknown key 'seed'"),
        ("{name: ridge, betamin: 1}", "did you mean 'beta_min'"),
        ("{name: rigde, beta_min: 1}", "'rigde'.*'ridge'"),
    ],
)
def test_a_complaint_names_file_line_and_setting(policy, message):
    with pytest.raises(StudyError, match=rf"charity.yaml, line 6, policy.*{message}"):
        al.policy_for(study(policy))


def test_an_unknown_policy_is_refused():
    described = al.Study(al.Survey.unit(1), (al.Arm("a"),), al.RewardRange(0, 1), policy="magic")
    with pytest.raises(AsklessError, match=r"'magic'.*ridge"):
        al.policy_for(described)
