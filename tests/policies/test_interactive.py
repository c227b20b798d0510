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
from askless.environments.base import first_respondents
from askless.errors import SettingError, StateError
from exact_bounds import dense_arm
from visiting import Visiting
from worlds import QUESTIONS, mixed_world, random_answers, small_sets, survey_of

GRAINS = ["arm", "question"]


def made(kind, world, **settings):
    given = {"beta_min": 0.2, "sigma": 0.1, "alpha": 1.0} | settings
    return kind(world.survey, arms=world.arms, reward=world.reward, **given)


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
        visit = filled(policy.visit(), answers)
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
    assert filled(policy.visit(), answers).arm == wins


def filled(visit, answers):
    while asks := visit.asks:
        visit.answer({question: answers[question] for question in asks})
    return visit


def grown(grain="arm", visits=300, **settings):
    """A policy that has learned, with everything a survey can have."""
    world = mixed_world(5)
    policy = made(al.RidgeSurveyUCB, world, interactive=True, grain=grain, **settings)
    rng = np.random.default_rng(3)
    for _ in range(visits):
        answers = random_answers(world.survey, rng)
        visit = filled(policy.visit(), answers)
        expected = world.coefficients[visit.arm_index] @ policy.encode(answers)
        policy.learn(visit, float(expected + rng.uniform(-0.2, 0.2)))
    return policy, rng


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
        visit = filled(policy.visit(), answers)
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


# -- edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("grain", GRAINS)
def test_one_arm_is_asked_its_own_questions(grain):
    survey = survey_of(QUESTIONS[:3])
    policy = al.RidgeSurveyUCB(
        survey, arms=["only"], reward=(0, 1), beta_min=0.1, interactive=True, grain=grain
    )
    visit = filled(policy.visit(), random_answers(survey, np.random.default_rng(0)))
    assert visit.arm == "only"
    assert set(visit.asked) == set(survey.names)


@pytest.mark.parametrize("grain", GRAINS)
def test_all_arms_retired_but_one(grain):
    policy, rng = grown(grain)
    for arm in policy.arms[1:]:
        policy.retire_arm(arm)
    visit = policy.visit()
    assert visit.explain().possible == (policy.arms[0],)
    filled(visit, random_answers(policy.survey, rng))
    assert visit.arm == policy.arms[0]
    used = zip(policy.survey.names, policy.support[0], strict=True)
    assert set(visit.asked) == {name for name, use in used if use}


def with_supports(grain, supports, **settings):
    """A policy on three scales whose arms keep only the given questions."""
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(3),
        arms=[f"arm{k}" for k in range(len(supports))],
        reward=(0, 1),
        beta_min=1e-6,
        interactive=True,
        grain=grain,
        **settings,
    )
    policy._model.restrict(np.array(supports))
    policy._model.refresh()
    return policy


@pytest.mark.parametrize("grain", GRAINS)
def test_an_arm_is_decided_without_a_question(grain):
    policy = with_supports(grain, [[0, 0, 0], [0, 0, 0]])
    visit = policy.visit()
    assert visit.asks == ()
    assert visit.arm == "arm0"
    assert visit.asked == ()


@pytest.mark.parametrize("grain", GRAINS)
def test_a_support_of_only_the_constant_discards_before_anything_is_asked(grain):
    """An arm that needs no answer is known from the start; the other cannot reach it."""
    policy = with_supports(grain, [[0, 0, 0], [1, 1, 1]], sigma=0.05, alpha=0.1)
    rng = np.random.default_rng(0)
    for _ in range(400):
        z = np.array([1.0, *np.round(rng.uniform(-0.5, 0.5, 3) * 1024) / 1024])
        policy.learn_row(0, z, 1.0)
        policy.learn_row(1, z, 0.0)
    visit = policy.visit()
    assert visit.asks == ()
    assert visit.arm == "arm0"
    assert visit.explain().ruled_out == ("arm1",)
    assert "cannot win, whatever is answered: arm1" in str(visit.explain())
    # Where it can, its questions are asked.
    policy.learn_rows([0] * 40_000, np.tile([1.0, 0, 0, 0], (40_000, 1)), [0.0] * 40_000)
    assert policy.visit().asks != ()


@pytest.mark.parametrize("grain", GRAINS)
def test_a_question_skipped_in_mid_visit(grain):
    policy, rng = grown(grain)
    skippable = [q.name for q in policy.survey if q.may_skip]
    skipped = 0
    for _ in range(40):
        answers = random_answers(policy.survey, rng) | dict.fromkeys(skippable)
        visit = filled(policy.visit(), answers)
        skipped += sum(visit.answers[q] is None for q in visit.answers)
        assert visit.arm_index == policy.play(policy.encode(answers))
    assert skipped > 0


@pytest.mark.parametrize("grain", GRAINS)
def test_answers_known_from_the_start(grain):
    policy, rng = grown(grain)
    for _ in range(40):
        answers = random_answers(policy.survey, rng)
        known = {q: answers[q] for q in list(answers)[::2]}
        visit = filled(policy.visit(known=known), answers)
        assert not set(visit.asked) & set(known)
        assert visit.arm_index == policy.play(policy.encode(answers))
    everything = policy.visit(known=answers)
    assert everything.asks == ()
    assert everything.arm_index == policy.play(policy.encode(answers))


@pytest.mark.parametrize("grain", GRAINS)
def test_always_ask_is_asked_of_everyone(grain):
    survey = al.Survey(
        [al.Scale("a", low=0, high=1), al.YesNo("b"), al.YesNo("consent", always_ask=True)]
    )
    policy = al.RidgeSurveyUCB(
        survey, arms=["x", "y"], reward=(0, 1), beta_min=0.1, interactive=True, grain=grain
    )
    policy._model.restrict(np.array([[1, 0, 0], [0, 0, 0]]))
    policy._model.refresh()
    visit = policy.visit()
    assert "consent" in visit.asks
    visit.answer({"consent": True})
    filled(visit, {"a": 0.3, "b": True, "consent": True})
    assert "b" not in visit.asked


@pytest.mark.parametrize("grain", GRAINS)
def test_part_of_what_is_asked_may_be_answered(grain):
    policy, rng = grown(grain)
    for _ in range(30):
        answers = random_answers(policy.survey, rng)
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({asks[-1]: answers[asks[-1]]})
        assert visit.arm_index == policy.play(policy.encode(answers))


@pytest.mark.parametrize("grain", GRAINS)
def test_a_visit_sees_what_is_learned_meanwhile(grain):
    policy, rng = grown(grain)
    for _ in range(10):
        answers = random_answers(policy.survey, rng)
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({asks[0]: answers[asks[0]]})
            other = filled(policy.visit(), random_answers(policy.survey, rng))
            policy.learn(other, float(rng.uniform(-1, 1)))
        assert visit.arm_index == policy.play(policy.encode(answers))
        policy.learn(visit, 0.0)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("kind", [al.RidgeSurveyUCB, al.ElasticNetSurveyUCB, al.LinUCB, al.OFUL])
def test_every_ucb_policy_keeps_the_contract(kind, grain):
    survey = survey_of(QUESTIONS[:5])
    policy = kind(
        survey, arms=["a", "b", "c"], reward=(0, 10), beta_min=1, interactive=True, grain=grain
    )
    al.check_policy(policy, visits=30)


@pytest.mark.parametrize("grain", GRAINS)
def test_arms_added_later_and_saved_policies(grain, tmp_path):
    policy, rng = grown(grain)
    policy.add_arm("new")
    for _ in range(30):
        answers = random_answers(policy.survey, rng)
        visit = filled(policy.visit(), answers)
        assert visit.arm_index == policy.play(policy.encode(answers))
        policy.learn(visit, 0.5)
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    assert loaded.settings == policy.settings
    for _ in range(20):
        answers = random_answers(policy.survey, rng)
        assert filled(loaded.visit(), answers).asked == filled(policy.visit(), answers).asked


# -- saying why ----------------------------------------------------------------------------------


@pytest.mark.parametrize("grain", GRAINS)
def test_explains_which_arms_are_possible_and_what_an_answer_can_change(grain):
    policy, rng = grown(grain, visits=3_000, radius="published_sqrt")
    seen = 0
    for _ in range(40):
        answers = random_answers(policy.survey, rng)
        z = policy.encode(answers)
        scores = policy.ucb(z) + policy.reward.middle
        visit = policy.visit()
        while asks := visit.asks:
            why = visit.explain()
            assert set(why.possible) | set(why.ruled_out) == set(policy.arms)
            assert policy.arms[policy.play(z)] in why.possible
            assert set(why.asks) == set(why.moves) == set(asks)
            for k, arm in enumerate(policy.arms):
                low, high = why.bounds[arm]
                assert low - 1e-9 <= scores[k] <= high + 1e-9
            for question in asks:
                assert set(why.moves[question]) == set(why.asks[question]) <= set(why.possible)
                for arm, move in why.moves[question].items():
                    assert move == pytest.approx(moved(policy, visit, question, arm), rel=0.01)
                assert question in str(why)
            assert "at most" in str(why)
            seen += len(why.ruled_out)
            visit.answer({q: answers[q] for q in asks})
        done = visit.explain()
        assert done.bounds == {}
        assert set(done.outlook) == set(done.possible)
        assert set(done.possible) | set(done.ruled_out) == set(policy.arms)
        for arm, (_, upper) in done.outlook.items():
            assert upper == pytest.approx(scores[policy.arm_index(arm)])
    assert seen > 0


def moved(policy, visit, question, arm):
    """How far apart answers put an arm's UCB, the other open questions at their points' mean."""
    z = visit.context()
    for other in policy.survey:
        own = policy.survey.columns_of(other.name)
        if np.isnan(z[own]).any():
            z[own] = other.points().mean(axis=0)
    own = policy.survey.columns_of(question)
    points = policy.survey[question].points()
    if policy.survey[question].kind == "scale":
        inside = np.zeros((2_001, points.shape[1]))
        inside[:, 0] = np.linspace(-0.5, 0.5, 2_001)
        points = np.vstack([points, inside])
    columns, root, estimate, radius = dense_arm(policy, policy.arm_index(arm))
    rows = np.repeat(z[None, :], len(points), axis=0)
    rows[:, own] = points
    return np.ptp(
        rows[:, columns] @ estimate + radius * np.linalg.norm(rows[:, columns] @ root.T, axis=1)
    )


@pytest.mark.parametrize("grain", GRAINS)
def test_a_fresh_policy_says_that_answers_move_bounds(grain):
    policy = made(al.RidgeSurveyUCB, mixed_world(3), interactive=True, grain=grain)
    visit = policy.visit(known={"yes_no1": True})
    why = visit.explain()
    # Nothing is known of the slope, but a bound is lower in the middle of a scale than at its ends.
    assert all(move > 0.01 for move in why.moves["scale0"].values())
    assert why.possible == policy.arms


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
    visit = filled(policy.visit(), random_answers(policy.survey, np.random.default_rng(0)))
    assert visit.arm == "arm0"
    with pytest.raises(StateError):
        policy.visit(visit.to_dict() | {"ruled_out": change})


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interactive": "certain"}, r"interactive is 'certain'.*'certified' or 'paper_heuristic'"),
        ({"interactive": 1}, "interactive is 1"),
        ({"interactive": None}, "interactive is None"),
        ({"interactive": True, "grain": "questions"}, r"grain is 'questions'.*'arm' or 'question'"),
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
