"""Interactive surveys where arms or questions are few, or answers known, skipped or in parts."""

import numpy as np
import pytest

import askless as al
from asked_interactively import GRAINS, grown
from epoch_world import through
from worlds import QUESTIONS, random_answers, survey_of


@pytest.mark.parametrize("grain", GRAINS)
def test_one_arm_is_asked_its_own_questions(grain):
    survey = survey_of(QUESTIONS[:3])
    policy = al.RidgeSurveyUCB(
        survey, arms=["only"], reward=(0, 1), beta_min=0.1, interactive=True, grain=grain
    )
    visit = through(policy.visit(), random_answers(survey, np.random.default_rng(0)))
    assert visit.arm == "only"
    assert set(visit.asked) == set(survey.names)


@pytest.mark.parametrize("grain", GRAINS)
def test_all_arms_retired_but_one(grain):
    policy, rng = grown(grain)
    for arm in policy.arms[1:]:
        policy.retire_arm(arm)
    visit = policy.visit()
    assert visit.explain().possible == (policy.arms[0],)
    through(visit, random_answers(policy.survey, rng))
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
        visit = through(policy.visit(), answers)
        skipped += sum(visit.answers[q] is None for q in visit.answers)
        assert visit.arm_index == policy.play(policy.encode(answers))
    assert skipped > 0


@pytest.mark.parametrize("grain", GRAINS)
def test_answers_known_from_the_start(grain):
    policy, rng = grown(grain)
    for _ in range(40):
        answers = random_answers(policy.survey, rng)
        known = {q: answers[q] for q in list(answers)[::2]}
        visit = through(policy.visit(known=known), answers)
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
    through(visit, {"a": 0.3, "b": True, "consent": True})
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
            other = through(policy.visit(), random_answers(policy.survey, rng))
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
        visit = through(policy.visit(), answers)
        assert visit.arm_index == policy.play(policy.encode(answers))
        policy.learn(visit, 0.5)
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    assert loaded.settings == policy.settings
    for _ in range(20):
        answers = random_answers(policy.survey, rng)
        assert through(loaded.visit(), answers).asked == through(policy.visit(), answers).asked
