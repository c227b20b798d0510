"""Policies that learn, replayed on a log."""

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from logged_study import GIVEN, STUDY, Uneven, Visits, log_of, world


def test_a_policy_that_learns_is_replayed_on_rows_drawn_evenly():
    """Its mean must be that of simulated studies of the same length: two ways to one number."""
    log = log_of(al.Uniform(STUDY.survey, **GIVEN), 3_000)
    policy = al.LinUCB(STUDY.survey, **GIVEN)
    found = al.replay_log(policy, log)
    assert policy.rows.sum() == 0
    assert found.policy.rows.sum() == found.counted
    runs = al.simulate(policy, world(), found.counted, runs=30, seed=5).runs
    rewards = np.array([run.reward for run in runs]) / found.counted
    # The replay has one study's spread, of which 30 show how large it is; 5 of them is 1e-6.
    assert abs(found.value - rewards.mean()) < 5 * rewards.std(ddof=1)
    assert found.questions == pytest.approx(3)
    assert found.unobserved == 0
    again = al.replay_log(found.policy, log)  # it goes on from what it has learned
    assert again.policy.rows.sum() == found.counted + again.counted
    with pytest.raises(SettingError, match=r"drew its arm with .*evenly would be .*--state"):
        al.replay_log(policy, log_of(Uneven(STUDY.survey, **GIVEN), 50))


def test_people_who_could_get_fewer_arms_are_not_replayed_more_often():
    """Half may get mail alone, which brings 0; the others get a visit, which brings 1."""
    count, rng = 6_000, np.random.default_rng(2)
    narrow = rng.random(count) < 0.5
    eligible = np.ones((count, 3), dtype=bool)
    eligible[narrow, 1:] = False
    chances = eligible / eligible.sum(axis=1, keepdims=True)
    given = np.where(narrow, 0, rng.integers(3, size=count))
    rewards = np.where(narrow, 0.0, 1.0)
    contexts = np.tile(STUDY.survey.encode({"age": 50, "donor": True, "cause": "x"}), (count, 1))
    log = al.LoggedData(STUDY, contexts, given, rewards, chances, eligible)
    found = al.replay_log(Visits(STUDY.survey, **GIVEN), log)
    wide = found.value  # the share of those who may get all
    # About 1,000 of 2,000 narrow rows and as many wide ones count: 5 standard errors are 0.06.
    assert abs(wide - 0.5) < 0.06
    assert 1_500 < found.counted < 2_600


def test_a_replay_goes_on_after_rows_that_have_not_observed_what_it_asks():
    log = log_of(al.Uniform(STUDY.survey, **GIVEN), 900)
    some = log.contexts.copy()
    some[::2, 1:] = np.nan
    partly = al.LoggedData(STUDY, some, log.arms, log.rewards, log.propensities, log.eligible)
    found = al.replay_log(al.LinUCB(STUDY.survey, **GIVEN), partly)
    assert found.counted > 50
    assert 250 < found.unobserved < 450
    assert found.counted <= 450


def test_it_prints_as_a_table_with_the_ends_of_its_interval():
    """Fails if fields are printed as Python has them, with the policy among them."""
    log = log_of(al.Uniform(STUDY.survey, **GIVEN), 300)
    found = al.replay_log(al.LinUCB(STUDY.survey, **GIVEN), log)
    heading, line, counted, asked = str(found).splitlines()
    assert heading.split() == ["value", "±", "from", "to"]
    half = 1.959964 * found.error
    ends = (found.value - half, found.value + half)
    assert line.split()[3:] == [f"{n:.4g}" for n in (found.value, found.error, *ends)]
    assert counted.startswith(f"{found.counted} of 300 rows count")
    assert asked.startswith("3.00 questions a visit; interval of 95%")
