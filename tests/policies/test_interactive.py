"""Interactive surveys: never another arm than the full survey's, and as few questions as may be.

What would make these fail: a bound that is too low, an arm discarded at a tie that it would win, a
played arm whose own questions were not all asked, state that changes by asking, or a loop that
differs from visits.
"""

import copy
import json

import numpy as np
import pytest

import askless as al
from asked_interactively import GRAINS, grown, made
from askless.environments.base import first_respondents
from askless.errors import SettingError, StateError
from epoch_world import through
from visiting import Visiting
from worlds import QUESTIONS, mixed_world, random_answers, small_sets, survey_of


@pytest.mark.slow
@pytest.mark.parametrize("arms", [3, 5, 10])
@pytest.mark.parametrize("radius", ["valid", "published_sqrt"])
@pytest.mark.parametrize("kind", [al.RidgeSurveyUCB, al.ElasticNetSurveyUCB])
def test_the_arm_is_the_full_surveys_in_every_visit(kind, radius, arms):
    """The paper's heuristic beside it: `make interactive`."""
    world, settings = mixed_world(arms), {"radius": radius, **small_sets(kind.name, radius)}
    full = al.simulate(made(kind, world, **settings), world, 20_000, seed=1)
    asked = []
    for grain in GRAINS:
        policy = made(kind, world, **settings, interactive=True, grain=grain)
        runs = al.simulate(policy, world, 20_000, seed=1)
        assert runs.other_arms == 0
        # The same decisions teach the same: regret and supports are those of the full survey.
        np.testing.assert_allclose(runs.runs[0].regret_at, full.runs[0].regret_at, rtol=1e-9)
        assert (runs.runs[0].support == full.runs[0].support).all()
        asked.append(runs.questions_per_visit)
    assert asked[1] < asked[0] < full.questions_per_visit


def test_the_papers_heuristic_discards_winners():
    worlds = [mixed_world(arms) for arms in (3, 5, 10)]
    others = [
        al.simulate(
            made(al.RidgeSurveyUCB, world, interactive="paper_heuristic"), world, 20_000, seed=1
        ).other_arms
        for world in worlds
    ]
    assert sum(others) > 0


@pytest.mark.parametrize("grain", GRAINS)
def test_equal_ucbs_go_to_the_first_arm_as_in_the_full_survey(grain):
    """Arms that learn the same from the same rows are tied again and again."""
    survey = survey_of([("yes_no", 0, False), ("choice", 2, False)])
    policy = al.RidgeSurveyUCB(
        survey, arms=["a", "b", "c", "d"], reward=(0, 1), beta_min=0, interactive=True, grain=grain
    )
    rng, ties = np.random.default_rng(0), 0
    for _ in range(600):
        answers = random_answers(survey, rng)
        scores = policy.ucb(policy.encode(answers))
        ties += (scores > scores.max() - 1e-10).sum() > 1
        visit = through(policy.visit(), answers)
        assert visit.arm_index == policy.play(policy.encode(answers))
        policy.learn(visit, 0.5)
    assert ties > 100


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize(("first", "wins"), [(True, "x"), (False, "known")])
def test_an_arm_that_can_only_tie_wins_if_it_comes_first(grain, first, wins):
    """A known arm is a hair above what another can reach: a tie, which the lower index wins."""
    names = ["low", "x", "known"] if first else ["low", "known", "x"]
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(2), arms=names, reward=(0, 1), beta_min=1e-6, interactive=True, grain=grain
    )
    x, known = names.index("x"), names.index("known")
    policy._model.restrict(np.array([[int(k == x)] * 2 for k in range(3)]))
    policy._model.refresh()
    z = np.array([[1.0, a, b] for a in (-0.5, 0.5) for b in (-0.5, 0.5)])
    highest = max(float(policy.ucb(row)[x]) for row in z)
    # Let the other arm, known without a question, be above it by less than a tie's tolerance.
    policy._model.arms.estimate[known, 0] += highest - policy.ucb(z[0])[known] + 1e-10
    policy._model.arms.estimate[0, 0] -= 10.0
    best = max(z, key=lambda row: policy.ucb(row)[x])
    assert policy.arms[policy.play(best)] == wins
    answers = dict(zip(("x1", "x2"), (float(v) + 0.5 for v in best[1:]), strict=True))
    assert through(policy.visit(), answers).arm == wins


@pytest.mark.parametrize("grain", GRAINS)
def test_the_loop_does_what_visits_do(grain):
    world = mixed_world(5)
    fused = al.simulate(made(al.RidgeSurveyUCB, world, interactive=True, grain=grain), world, 700)
    asked, arms = [], np.zeros(5, dtype=int)
    visiting = made(al.RidgeSurveyUCB, world, interactive=True, grain=grain)
    player = Visiting(visiting)
    for block in first_respondents(world, 0, 0, 700):
        played = player.play(block, 0, np.zeros((5, len(QUESTIONS)), dtype=np.int64))
        asked += played.asked.tolist()
        arms += np.bincount(played.arms, minlength=5)
        assert not played.others.any()
    assert sum(asked) == fused.runs[0].asked
    assert (arms == fused.runs[0].plays).all()


@pytest.mark.parametrize("grain", GRAINS)
def test_the_played_arms_questions_are_all_asked_and_the_row_is_learned(grain):
    policy, rng = grown(grain)
    for _ in range(200):
        answers = random_answers(policy.survey, rng)
        visit = through(policy.visit(), answers)
        used = policy.support[visit.arm_index]
        needed = {q for q, use in zip(policy.survey.names, used, strict=True) if use}
        assert needed <= set(visit.asked)
        before = policy.rows[visit.arm_index]
        policy.learn(visit, 0.25)
        assert policy.rows[visit.arm_index] == before + 1


@pytest.mark.parametrize("grain", GRAINS)
def test_asking_changes_nothing_and_is_a_function_of_state_and_answers(grain):
    policy, rng = grown(grain)
    before = policy.to_dict()
    answers = random_answers(policy.survey, rng)
    visit, elsewhere = policy.visit(), copy.deepcopy(policy).visit()
    while asks := visit.asks:
        resumed = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert resumed.asks == visit.asks == elsewhere.asks
        for one in (visit, elsewhere):
            one.answer({q: answers[q] for q in asks})
    assert visit.arm == elsewhere.arm
    before["counters"]["next_number"] += 1
    assert policy.to_dict() == before


def test_one_question_at_a_time_in_the_question_grain():
    policy, rng = grown("question")
    for _ in range(50):
        visit = policy.visit()
        while asks := visit.asks:
            assert len(asks) == 1
            visit.answer({asks[0]: random_answers(policy.survey, rng)[asks[0]]})


def test_the_arm_grain_asks_the_questions_of_the_most_played_arm_first():
    policy, _ = grown("arm")
    first = int(np.argmax(policy.rows))
    used = zip(policy.survey.names, policy.support[first], strict=True)
    assert policy.visit().asks == tuple(name for name, use in used if use)


def test_an_expensive_question_is_asked_later():
    def first_asked(cost):
        survey = al.Survey([al.Scale("a", low=0, high=1, cost=cost), al.Scale("b", low=0, high=1)])
        policy = al.RidgeSurveyUCB(
            survey, arms=["x", "y"], reward=(0, 1), beta_min=0, interactive=True, grain="question"
        )
        rng = np.random.default_rng(0)
        for _ in range(60):
            z = np.array([1.0, *(np.round(rng.uniform(-0.5, 0.5, 2) * 1024) / 1024)])
            policy.learn_row(0, z, float(0.5 + 0.6 * z[1] + 0.3 * z[2]))
            policy.learn_row(1, z, float(0.5 - 0.6 * z[1] - 0.3 * z[2]))
        return policy.visit().asks

    assert first_asked(1.0) == ("a",)
    assert first_asked(4.0) == ("b",)


def test_policies_that_differ_only_in_how_they_ask_can_be_merged():
    world = mixed_world(3)
    asks, full = made(al.RidgeSurveyUCB, world, interactive=True), made(al.RidgeSurveyUCB, world)
    rng = np.random.default_rng(0)
    for policy in (asks, full):
        answers = random_answers(world.survey, rng)
        policy.learn_row(0, policy.encode(answers), 0.5)
    asks.merge(full)
    assert asks.rows.tolist() == [2, 0, 0]
    assert (asks.interactive, asks.grain) == ("certified", "arm")


@pytest.mark.parametrize("change", [["arm0"], ["nobody"]])
def test_a_saved_visit_that_rules_out_its_own_arm_is_refused(change):
    policy = made(al.RidgeSurveyUCB, mixed_world(3), interactive=True)
    visit = through(policy.visit(), random_answers(policy.survey, np.random.default_rng(0)))
    assert visit.arm == "arm0"
    with pytest.raises(StateError):
        policy.visit(visit.to_dict() | {"ruled_out": change})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interactive": "certain"}, r"interactive is 'certain'.*'certified' or 'paper_heuristic'"),
        ({"interactive": 1}, "interactive is 1"),
        ({"interactive": None}, "interactive is None"),
        ({"interactive": True, "grain": "items"}, r"grain is 'items'.*'arm' or 'question'"),
        ({"interactive": True, "grain": 1}, "grain is 1"),
        ({"grain": "question"}, "set interactive too"),
        ({"interactive": "paper_heuristic", "grain": "question"}, "leave grain out"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(SettingError, match=message):
        made(al.RidgeSurveyUCB, mixed_world(3), **settings)


def test_settings_are_normalised_and_kept():
    policy = made(al.RidgeSurveyUCB, mixed_world(3), interactive=True)
    assert (policy.settings.interactive, policy.settings.grain) == ("certified", "arm")
    assert made(al.RidgeSurveyUCB, mixed_world(3)).settings.interactive is False
