"""What is still to be shown of a question: recomputed, and compared with what came of it."""

import re

import numpy as np
import pytest

import askless as al

QUESTIONS = [al.Scale("age", low=18, high=90), al.YesNo("donor"), al.Choice("pet", ["dog", "cat"])]
SAID = re.compile(
    r"; to drop it, rewards must still show that (?P<first>.+?) brings less than 2"
    r" (?P<than>more|less) than (?P<second>.+?)(?:, and (?P<more>\d+) more such comparisons?)?;"
    r" if it has no effect, that takes about (?P<visits>[\d,]+) more full visits with this arm"
)


def learned(visits, seed, policy=None):
    """One arm, whose reward `donor` alone changes."""
    if policy is None:
        survey = al.Survey(QUESTIONS)
        policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 10), beta_min=2)
    rng = np.random.default_rng(seed)
    for _ in range(visits):
        donor = bool(rng.random() < 0.5)
        pet = str(rng.choice(["dog", "cat"]))
        z = policy.survey.encode({"age": float(rng.uniform(18, 90)), "donor": donor, "pet": pet})
        policy.learn_row(0, z, 3 + 4 * donor + rng.uniform(-2, 2))
    return policy


@pytest.mark.parametrize("visits", [70, 90, 120, 160])
def test_what_is_said_is_what_the_tests_still_lack(visits):
    """Fails if another comparison is named, one is miscounted, or the visits are not its own."""
    policy = learned(visits, seed=1)
    epochs, survey = policy._model.epochs, policy.survey
    line = np.log(policy.support[0].sum() / (0.9 * policy.delta))  # ln(|H|/q), one arm
    size = int(policy._model.arms.size[0])
    found = 0
    for row in policy.evidence():
        said = SAID.search(row.reason)
        if said is None:
            continue
        found += 1
        (way,) = row.directions
        assert (said["first"], said["second"]) == tuple(way.answers.split(" - "))
        at = survey.columns.start[survey.index(row.question)]
        open_sides = [s for s in (0, 1) if not epochs.passed[0, at, s]]
        needs = {s: (line - epochs.logs[0, at, s]) / epochs.pace[0, at, s] for s in open_sides}
        assert int(said["more"] or 0) == len(open_sides) - 1
        side = max(needs, key=needs.get)
        assert said["than"] == ("more", "less")[side]
        held, need = int(epochs.held[0]), int(epochs.need[0])
        expected = max(size + needs[side] - held, need - held, 1)
        shown = int(said["visits"].replace(",", ""))
        assert expected <= shown <= max(expected + 1, 1.1 * expected)  # two digits, rounded up
    assert found or not policy.support[0, [0, 2]].any()


def test_about_as_many_visits_are_needed_as_were_said():
    """Fails if the number is of another scale: of all arms, or of rows since the start."""
    ratios = []
    for seed in range(12):
        policy = learned(70, seed)
        before = {row.question: SAID.search(row.reason) for row in policy.evidence()}
        rows = int(policy.rows[0])
        learned(3_000, seed + 1_000, policy)
        for row in policy.evidence():
            if before[row.question] and not row.kept:
                said = int(before[row.question]["visits"].replace(",", ""))
                ratios.append((row.dropped_at - rows) / said)
    assert len(ratios) >= 8
    assert 1 / 2 <= np.median(ratios) <= 2


BEGINS = re.compile(r"tests begin after about ([\d,]+) more full visits with it")
NEXT = re.compile(r"at the next look at the rewards, after about ([\d,]+) more full visits")


def wide(visits, seed, policy=None):
    """One arm and twelve questions without effect, so that warm-up is long."""
    names = [f"q{i}" for i in range(12)]
    if policy is None:
        survey = al.Survey([al.YesNo(name) for name in names])
        policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.15)
    rng = np.random.default_rng(seed)
    for _ in range(visits):
        z = policy.survey.encode({name: bool(rng.random() < 0.5) for name in names})
        policy.learn_row(0, z, float(rng.random() < 0.5))
    return policy


def test_before_the_first_tests_it_is_said_when_they_come():
    """Fails if the number counts from the start, or is of another scale than what came."""
    ratios = []
    for seed in range(10):
        policy = wide(60, seed)
        assert policy.warm[0]
        (said,) = {BEGINS.search(row.reason)[1] for row in policy.evidence()}
        visits = 0
        while policy.warm[0]:
            wide(1, 10_000 + 100 * seed + visits, policy)
            visits += 1
        ratios.append(visits / int(said.replace(",", "")))
        after = {NEXT.search(row.reason) for row in policy.evidence()}
        (first,) = {int(found[1].replace(",", "")) for found in after}
        left = int(policy._model.epochs.need[0] - policy._model.epochs.held[0])
        assert left <= first <= 1.1 * left + 1
        wide(left - 1, seed + 77, policy)
        assert policy.epochs[0] == 0
        wide(1, seed + 78, policy)
        assert policy.epochs[0] == 1
    assert 0.6 <= np.median(ratios) <= 1.6


def test_a_question_that_matters_is_said_to_stay():
    """Fails if rewards that speak for an effect are passed over, or the wrong side is named."""
    (row,) = [row for row in learned(2_000, seed=3).evidence() if row.question == "donor"]
    assert row.kept
    assert row.reason.endswith(
        "; it is to stay, as rewards look: they speak against the claim that yes brings less than 2"
        " more than no"
    )
