"""What an analysis says of a study: means, contrasts, value, who gets what (maths 10.3, 10.4)."""

import dataclasses
import json

import numpy as np
import pytest
from scipy.stats import norm

import askless as al
from askless.evaluation.analysis_tables import tables_of
from askless.evaluation.arm_means import arm_models, contrasts, cut, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import Block, History, _expected_of
from askless.evaluation.pocock import pocock
from askless.evaluation.who_gets_what import who_gets_what
from askless.policies.effects import IMPOSSIBLE, POCOCK
from reminders import STUDY, recorded


@pytest.mark.parametrize(
    ("misses", "looks", "published"),
    [
        *((0.05, n, c) for n, c in ((1, 1.960), (2, 2.178), (5, 2.413), (10, 2.555), (20, 2.672))),
        *((0.1, n, c) for n, c in ((5, 2.122), (10, 2.270), (20, 2.392))),
        (0.01, 5, 2.986),
    ],
)
def test_pocock_is_what_has_been_published(misses, looks, published):
    """Fails on a slip in the integration; the constants are Jennison and Turnbull's (1999)."""
    assert pocock(misses, looks) == pytest.approx(published, abs=1.5e-3)


def test_effects_use_these_constants():
    """Fails if the constants of effects are not those for 15 looks."""
    for misses, constant in POCOCK.items():
        assert constant == pytest.approx(pocock(misses, 15), abs=0.005)


@pytest.mark.parametrize("which", ["short", "full"])
def test_a_rebuilt_study_is_analysed_as_one_that_was_watched(which, request):
    """Fails if rebuilding sees other blocks, visits, drops, forms or rewards than playing did."""
    _, done, history, found = request.getfixturevalue(which)
    policy = done.policy
    models = arm_models(history, policy)
    by_draws, drawn_pairs = drawn_means(history, policy)
    assert list(found.arm_means) == [*means(history, policy, models), *by_draws]
    assert list(found.contrasts) == [*contrasts(history, policy, models), *drawn_pairs]
    assert list(found.effects) == policy.effects(ended=True)
    assert found.policy.to_dict() == policy.to_dict()
    assert list(found.drops) == history.drops
    assert list(found.forms) == history.forms
    assert found.shared == who_gets_what(history, policy)


def test_counts_and_stretches_are_those_of_the_visits(short):
    """Fails if a visit is counted twice, or not, or a mean is of other visits."""
    _, done, _, found = short
    records = [visit.record for visit in done.visits]
    assert found.visits == len(records) == sum(found.kinds.values())
    assert found.rewarded == sum(record.reward is not None for record in records) < found.visits
    assert found.kinds["short"] == sum(record.kind == "short" for record in records) > 0
    assert [row.first for row in found.stretches][1:] == [r.last + 1 for r in found.stretches][:-1]
    for row in found.stretches:
        own = records[row.first : row.last + 1]
        assert row.asked == pytest.approx(np.mean([len(r.asked) for r in own]))
        assert row.full == np.mean([r.kind != "short" for r in own])
        assert row.reward == pytest.approx(np.mean([r.reward for r in own if r.reward is not None]))


def test_means_by_draws_are_wider_the_surer_they_are(short):
    """Fails if intervals that hold together are those that hold one by one."""
    _, done, history, _ = short
    one, sure = (drawn_means(history, done.policy, misses)[0][0] for misses in (0.05, 0.0125))
    ratio = norm.isf(0.0125 / 2) / norm.isf(0.025)
    assert sure.high - sure.estimate == pytest.approx(ratio * (one.high - one.estimate))


def test_what_no_reward_allows_is_not_shown():
    """Fails if ends cross, or lie outside the range, or an estimate lies outside its interval."""
    assert cut(1.3, 0.1, 0, 1)["low"] is None
    assert cut(1.05, 0.1, 0, 1) == {"estimate": 1, "low": pytest.approx(0.95), "high": 1}
    assert cut(-0.3, 0.5, -0.2, 0.1) == {"estimate": -0.2, "low": -0.2, "high": 0.1}


@pytest.mark.parametrize("name", ["uniform", "lints", "linucb"])
def test_policies_without_epochs_are_analysed_by_what_they_have(name):
    """Fails if draws go unused, or the text speaks of epochs that there were none of."""
    study = al.Study.parse(STUDY.replace("beta_min: 0.3POLICY", f"name: {name}"))
    found = al.analyse(study, recorded(study, 400).visits)
    assert "epoch" not in found.methods()
    by_draws = [row for row in found.arm_means if row.by == "draws"]
    if name == "uniform":
        assert all(row.low <= row.estimate <= row.high for row in by_draws)
        assert found.shared.rule is None
        shares = [row.share for row in found.shared.shares]
        assert shares == pytest.approx([0.5] * len(shares))
        assert shares
    else:
        assert all(row.why for row in found.arm_means if row.estimate is None)


def test_arms_that_are_not_open_to_everyone_have_no_mean_by_draws():
    """Fails if the mean of those who could get every arm is shown as that of everybody."""
    study = al.Study.parse(
        STUDY.replace("beta_min: 0.3POLICY", "name: uniform").replace(
            "plan: {", "plan: {eligible: {message: 0.5}, "
        )
    )
    found = al.analyse(study, recorded(study, 100).visits)
    assert all("could not get every arm" in row.why for row in found.arm_means if row.by == "draws")
    for row in found.shared.shares:
        assert 0.5 < row.share < 1 if row.arm == "letter" else row.share < 0.5


def test_an_analysis_is_plain_data_and_prose_with_its_numbers(short):
    """Fails if something cannot be written as JSON, or the methods have other numbers."""
    study, _, _, found = short
    data = json.loads(json.dumps(found.to_dict()))
    assert data["visits"] == found.visits
    assert len(data["effects"]) == len(found.effects)
    assert data["people"] == found.shared.people
    for name, table in tables_of(found).items():  # as the CSV files have them
        assert data[name] == json.loads(json.dumps(table.to_list()))
    assert data["forms"][0]["from_visit"] == data["asked"][0]["first_visit"] == 1
    text = found.methods()
    asked = sum(row.asked * (row.last - row.first + 1) for row in found.stretches) / found.visits
    for part in (f"{found.visits:,} participants", f"{asked:.1f} questions", "letter, message"):
        assert part in text
    assert f"{found.rewarded:,} rewards" in text
    for part in ("price 0.02 a question", "seed 0", "50% (full_floor)", "40% of the visits"):
        assert part in text
    assert "depends on its own rewards" in text
    assert any("have no reward" in said for said in found.assumptions())
    assert dataclasses.replace(found, drops=()).assumptions() != []
    assert study.name == data["study"]


def test_an_effect_without_an_interval_says_why(short):
    """Fails if a reason is missing, is there without need, or is that of another arm."""
    _, _, _, found = short
    row = found.effects[0]
    full = dict(row) | {"estimate": 0.1, "low": -1.0, "high": 1.0, "end_low": 0.0, "end_high": 0.2}
    why = {
        name: dataclasses.replace(found, whys={"letter": "warm"}).why_of(
            al.Effect(**full | changed)
        )
        for name, changed in {
            "whole": {},
            "no interval": {"end_low": None, "end_high": None},
            "warm": {"estimate": None, "arm": "letter"},
            "untold": {"estimate": None, "arm": "message"},
            "empty": {"low": None, "high": None, "why": IMPOSSIBLE},
        }.items()
    }
    assert why["whole"] == ""
    assert why["no interval"].startswith("from all epochs, none of which carries an interval")
    assert (why["warm"], why["untold"]) == ("warm", "no epoch tells these answers apart")
    assert "no reward allows" in why["empty"]


def test_what_warm_up_says_is_in_no_arm_mean(full):
    """Fails if blocks that are too short for an epoch count like one."""
    _, done, history, _ = full
    rng, columns = np.random.default_rng(4), np.arange(done.policy.survey.column_count)
    contexts = [v.context for v in history.full if not np.isnan(v.context).any()]

    def block(warm, level):
        own = {"warm": warm, "noise": 0.01, "before": 100}
        found = Block(columns, np.zeros(len(columns)), np.eye(len(columns)), **own)
        found.contexts = contexts
        found.rewards = list(level + rng.uniform(-0.1, 0.1, len(contexts)))
        return found

    plain, mixed = History(done.policy), History(done.policy)
    late, early = block(False, 0.1), block(True, -0.3)
    plain.full = mixed.full = history.full
    plain.blocks, mixed.blocks = [[late], [late]], [[early, late], [early]]
    (one, _), (both, warm) = arm_models(plain, done.policy), arm_models(mixed, done.policy)
    assert (both.estimate, both.error, both.epochs) == (one.estimate, one.error, one.epochs)
    assert (warm.epochs, warm.why) == (0, "the arm was in warm-up to the end")


def test_what_is_expected_of_an_arm_does_not_know_what_was_asked_for_its_sake(full, short):
    """Fails if answers that only people with a certain arm are asked for enter the scores."""
    for (_, done, history, _), knows in ((full, False), (short, True)):
        policy = done.policy
        rows = [_expected_of(policy, visit.context) for visit in history.full[-40:]]
        constant = np.clip(policy.estimate[:, 0] + policy._shift, 0, 1)
        assert (np.ptp(rows, axis=0) > 0.05).any() == knows
        if not knows:
            np.testing.assert_allclose(rows, [constant] * len(rows))
