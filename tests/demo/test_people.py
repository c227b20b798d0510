"""Simulated people answer everything, may get what their answers allow, and lose patience."""

from itertools import islice

import numpy as np
import pytest

import askless as al
from askless.demo.people import LATE, LONGEST_WAIT, LOST_A_QUESTION, people_of, world_of
from askless.survey.eligibility import Eligibility
from askless.survey.study import EXAMPLE

RULED = """
schema: 1
name: ruled
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: choice, name: region, options: [north, east, south]}
  - {kind: multi, name: media, options: [tv, web], may_skip: true}
arms:
  - {name: mail}
  - {name: call, eligible_if: age >= 65 and not donor}
  - {name: mixed, eligible_if: media has web}
reward: {low: -1, high: 3}
policy: {name: %s}
plan: {skips: 0.3, useful: 2, noise: 0.2, eligible: {mixed: 0.5}%s}
"""


@pytest.fixture
def ruled():
    return al.Study.parse(RULED % ("survey-bandit, beta_min: 0.5", ""))


def some(study, count=2_000, seed=5):
    return list(islice(people_of(study, seed), count))


def test_people_are_those_of_a_plausible_world(ruled):
    """Fails if answers or rewards are not what the environment draws, over its blocks' ends."""
    people = some(ruled, 1_500)
    blocks = list(islice(world_of(ruled, 5).respondents(5, 0), 2))
    contexts = np.vstack([block.contexts for block in blocks])[:1_500]
    rewards = np.vstack([block.rewards for block in blocks])[:1_500]
    encoded = np.array([ruled.survey.encode(person.answers) for person in people])
    np.testing.assert_array_equal(encoded, contexts)
    np.testing.assert_array_equal([list(p.rewards.values()) for p in people], rewards)
    assert [list(person.rewards) for person in people[:1]] == [["mail", "call", "mixed"]]


def test_people_may_get_what_their_answers_and_shares_allow(ruled):
    """Fails if rules or shares are taken for each other, or either is left out."""
    rules = Eligibility(ruled.survey, ruled.arms)
    people = some(ruled, 500)
    for person in people:
        by_rule = {
            n for n, may in zip(person.rewards, rules.open_to(person.answers), strict=True) if may
        }
        assert person.open_to == by_rule & set(person.arms)
    assert {"mail", "call"} <= set.intersection(*(set(person.arms) for person in people))
    assert {"mixed" in person.arms for person in people} == {True, False}
    assert {"call" in person.open_to for person in people} == {True, False}


def test_everyone_may_get_every_arm_where_the_file_says_nothing():
    person = next(people_of(al.Study.example(), 0))
    assert person.arms is None
    assert person.open_to == {"red_cross", "wwf", "msf"}


def test_patience_and_waits_are_drawn_as_stated():
    """Fails if a share is off by more than five standard deviations."""
    people = some(al.Study.example(), 4_000)
    for share, found in (
        (LOST_A_QUESTION, [person.patience < 1 for person in people]),
        (1 - (1 - LOST_A_QUESTION) ** 8, [person.patience < 8 for person in people]),
        (LATE, [person.wait > 0 for person in people]),
    ):
        assert abs(np.mean(found) - share) < 5 * np.sqrt(share * (1 - share) / len(people))
    assert max(person.wait for person in people) == LONGEST_WAIT


def test_people_depend_on_the_seed_alone():
    study = al.Study.example()
    assert some(study, 50) == some(study, 50)
    assert some(study, 50, seed=6) != some(study, 50)


def test_a_study_without_beta_min_has_plausible_effects():
    """Fails if a policy that has no beta_min cannot be shown, or a stated effect is not taken."""
    for effect, low, high in (("", 0.8, 2.0), (", effect: 0.4", 0.4, 0.4)):
        study = al.Study.parse(RULED % ("linucb", effect))
        world = world_of(study, 1)
        sizes = [
            q.effect(row[study.survey.columns_of(q.name)])
            for row in world.coefficients
            for q in study.survey
        ]
        sizes = [size for size in sizes if size > 1e-12]
        assert sizes
        assert low - 1e-9 <= min(sizes) <= max(sizes) <= high + 1e-9


def test_a_study_without_a_plausible_world_is_refused_with_its_line():
    text = EXAMPLE.read_text().replace("noise: [5, 20]", "noise: [60, 70]")
    with pytest.raises(al.errors.StudyError, match="do not fit into the reward range"):
        next(people_of(al.Study.parse(text)))
