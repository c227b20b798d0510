"""Learning, arms that come and go, and the array door of every policy."""

import copy

import numpy as np
import pandas as pd
import pytest

import askless as al
from askless.errors import AnswerError, AsklessError, RewardError, SettingError, VisitError
from askless.policies.arm_state import arrays_of

SURVEY = al.Survey([al.Scale("age", low=0, high=100), al.YesNo("donor")])
ANSWERS = {"age": 30, "donor": True}


@pytest.fixture
def policy():
    return al.RidgeSurveyUCB(SURVEY, arms=["red", "blue"], reward=(0, 10), beta_min=1)


def test_a_reward_is_learned_once(policy):
    visit = policy.visit(known=ANSWERS)
    policy.learn(visit, 4)
    before = policy.to_dict()
    policy.learn(visit, 4.0)  # the same again is ignored
    policy.learn(visit, np.float64(4))
    with pytest.raises(RewardError, match=r"reward 4; .*5"):
        policy.learn(visit, 5)
    assert policy.to_dict() == before
    assert visit.reward == 4


@pytest.mark.parametrize("reward", [-0.1, 10.1, float("nan"), float("inf"), "3", None, [3]])
def test_a_reward_that_cannot_be_is_refused_and_changes_nothing(policy, reward):
    visit = policy.visit(known=ANSWERS)
    before = policy.to_dict(), visit.to_dict()
    with pytest.raises(RewardError, match="reward"):
        policy.learn(visit, reward)
    with pytest.raises(RewardError, match="reward"):
        policy.learn_row(0, policy.encode(ANSWERS), reward)
    assert (policy.to_dict(), visit.to_dict()) == before


def test_no_arm_no_learning(policy):
    visit = policy.visit()
    before = policy.to_dict()
    with pytest.raises(VisitError, match="not decided"):
        policy.learn(visit, 4)
    assert policy.to_dict() == before


def test_only_a_visit_can_be_learned(policy):
    for thing in (None, policy.visit(known=ANSWERS).to_dict()):
        with pytest.raises(VisitError, match="not a visit"):
            policy.learn(thing, 3)


def test_a_visit_of_another_survey_is_refused(policy):
    other = al.Uniform(al.Survey.unit(1), arms=["red"], reward=(0, 10))
    with pytest.raises(VisitError, match="another survey"):
        policy.learn(other.visit(known={"x1": 0}), 3)


def test_a_visit_survives_a_change_of_words(policy):
    words = al.Survey([al.Scale("age", low=0, high=100, text="Age?", cost=3), al.YesNo("donor")])
    reworded = al.RidgeSurveyUCB(words, arms=["red", "blue"], reward=(0, 10), beta_min=1)
    reworded.learn(policy.visit(known=ANSWERS), 3)
    assert reworded.rows.tolist() == [1, 0]
    ends = al.Survey([al.Scale("age", low=0, high=99), al.YesNo("donor")])
    other = al.RidgeSurveyUCB(ends, arms=["red", "blue"], reward=(0, 10), beta_min=1)
    with pytest.raises(VisitError, match="another survey"):
        other.learn(policy.visit(known=ANSWERS), 3)


def test_a_visit_can_be_learned_by_a_copy_of_its_policy(policy):
    visit = policy.visit(known=ANSWERS)
    twin = type(policy).from_dict(policy.to_dict())
    twin.learn(visit, 3)
    assert twin.rows.tolist() == [1, 0]
    assert policy.rows.tolist() == [0, 0]


def test_a_batch_is_the_same_as_one_by_one():
    rng = np.random.default_rng(0)
    survey = al.Survey.unit(3)
    arms = rng.integers(2, size=3_000)
    contexts = np.hstack([np.ones((3_000, 1)), rng.uniform(-0.5, 0.5, size=(3_000, 3))])
    rewards = np.clip(0.5 + contexts[:, 1] + rng.normal(0, 0.05, 3_000), 0, 1)
    settings = {"arms": ["a", "b"], "reward": (0, 1), "beta_min": 0.5, "sigma": 0.05}
    batch, single = (al.RidgeSurveyUCB(survey, **settings) for _ in range(2))
    batch.learn_rows(arms, contexts, rewards)
    for row in zip(arms, contexts, rewards, strict=True):
        single.learn_row(*row)
    z = contexts[0]
    assert batch.ucb(z).tobytes() == single.ucb(z).tobytes()  # before a refresh evens it out
    assert not batch.support.all()
    assert batch.to_dict() == single.to_dict()


def test_a_batch_with_one_bad_row_is_refused_whole(policy):
    z = policy.encode(ANSWERS)
    before = policy.to_dict()
    for arms, contexts, rewards, message in (
        ([0, 1, 0], [z, z, z], [1, 2, 11], "row 2: the reward 11"),
        ([0, 5, 0], [z, z, z], [1, 2, 3], "row 1: there is no arm number 5"),
        ([0, 1], [z, [1, 7, 0.5]], [1, 2], "row 1: question 'age'"),
        ([0, 1], [z], [1, 2], "as many of each"),
        (0, [z], [1], "arms is 0; give a list"),
        ([0], None, [1], "contexts is None"),
        ([0], [z], 3.5, "rewards is 3.5"),
    ):
        with pytest.raises(AsklessError, match=message):
            policy.learn_rows(arms, contexts, rewards)
    assert policy.to_dict() == before
    policy.learn_rows([], [], [])
    assert policy.to_dict() == before


def test_a_batch_goes_by_position_not_by_label(policy):
    z = np.array([policy.encode({"age": age, "donor": True}) for age in (0, 50, 100)])
    rewards = pd.Series([1.0, 5.0, 9.0], index=[2, 1, 0])
    twin = copy.deepcopy(policy)
    policy.learn_rows(pd.Series([0, 0, 0], index=[5, 6, 7]), pd.DataFrame(z), rewards)
    twin.learn_rows([0, 0, 0], z, [1.0, 5.0, 9.0])
    assert policy.to_dict() == twin.to_dict()


def test_so_many_arms_can_be_added_and_no_more():
    policy = al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    for i in range(500):
        policy.add_arm(f"b{i}")
    assert np.isfinite(policy.radius).all()
    with pytest.raises(SettingError, match="500 arms"):
        policy.add_arm("one more")
    assert len(policy.arms) == 501


@pytest.mark.parametrize("arm", [-1, 2, 0.0, True, "red", None])
def test_an_arm_number_that_is_not_there_is_refused(policy, arm):
    with pytest.raises(SettingError, match="no arm number"):
        policy.learn_row(arm, policy.encode(ANSWERS), 3)
    assert policy.rows.sum() == 0


def test_contexts_without_a_needed_question_are_refused_by_name(policy):
    z = policy.encode({"age": 30})
    assert np.isnan(z[2])
    for call in (policy.ucb, policy.play, lambda z: policy.learn_row(0, z, 3)):
        with pytest.raises(AnswerError, match="'donor' is not answered"):
            call(z)
    assert policy.rows.sum() == 0


def test_the_array_door_has_the_documented_shapes_and_units():
    # One arm, one row, by hand: D = [[α+1, ½], [½, α+¼]] with α = 1, y = 10 − 8 = 2.
    policy = al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 16), alpha=1, b2=1)
    policy.learn_row(0, [1, 0.5], 10)
    d = np.array([[2, 0.5], [0.5, 1.25]])
    estimate = np.linalg.solve(d, [2, 1])
    np.testing.assert_allclose(policy.estimate, [estimate], rtol=1e-12)
    theta = 8 * np.sqrt(np.log(np.linalg.det(d)) + 2 * np.log(1 / 0.05)) + 1
    np.testing.assert_allclose(policy.radius, [theta], rtol=1e-12)
    z = np.array([1, -0.25])
    upper = z @ estimate + theta * np.sqrt(z @ np.linalg.inv(d) @ z)
    np.testing.assert_allclose(policy.ucb(z), [upper], rtol=1e-12)
    assert policy.support.shape == (1, 1)


def test_what_is_handed_out_is_a_copy(policy):
    policy.support[:] = False
    policy.radius[:] = 0
    policy.estimate[:] = 9
    policy.rows[:] = 9
    assert policy.support.all()
    assert (policy.radius > 0).all()
    assert not policy.estimate.any()
    assert policy.rows.sum() == 0


def test_an_added_arm_starts_full_with_its_own_share_and_touches_no_other(policy):
    # maths 2.4: the j-th arm added later works with δ/(K₀ 2ʲ).
    z = policy.encode(ANSWERS)
    policy.learn_row(0, z, 9)
    before, radius = policy.to_dict()["state"]["arms"], policy.radius
    policy.add_arm("green")
    policy.add_arm(al.Arm("late", text="An afterthought"))
    assert policy.arms == ("red", "blue", "green", "late")
    assert policy.support[2:].all()
    assert policy.to_dict()["state"]["arms"][:2] == before
    assert policy.radius[:2].tobytes() == radius.tobytes()
    shares = 0.05 / (2 * np.array([1, 2, 4]))
    noise = 5 * np.sqrt(2 * np.log(3 / shares))  # m + 1 = 3, full support
    np.testing.assert_allclose(policy.radius[1:] - noise, 10 * np.sqrt(5), rtol=1e-12)


def test_names_of_arms_are_never_used_again(policy):
    policy.retire_arm("red")
    before = policy.to_dict()
    for name in ("red", "blue", ""):
        with pytest.raises(SettingError):
            policy.add_arm(name)
    assert policy.to_dict() == before


def test_retiring(policy):
    z = policy.encode(ANSWERS)
    waiting = policy.visit(known=ANSWERS)
    assert waiting.arm == "red"
    policy.retire_arm("red")
    assert policy.ucb(z)[0] == -np.inf
    assert policy.play(z) == 1
    assert policy.live_arms == ("blue",)
    policy.learn(waiting, 3)  # a reward that was still to come
    assert policy.rows.tolist() == [1, 0]
    with pytest.raises(SettingError, match="retired already"):
        policy.retire_arm("red")
    with pytest.raises(SettingError, match="last one"):
        policy.retire_arm("blue")
    with pytest.raises(SettingError, match="no arm 'pink'"):
        policy.retire_arm("pink")


def test_a_retired_arm_is_not_asked_for():
    policy = al.Target(
        al.Survey.unit(2),
        arms=["a", "b"],
        reward=(0, 1),
        coefficients=[[0, 1, 0], [0, 0, 1]],
    )
    assert policy.asked_now() == ("x1", "x2")
    policy.retire_arm("a")
    assert policy.asked_now() == ("x2",)
    assert policy.play(policy.encode({"x2": 1})) == 1


def test_arms_that_are_not_played_keep_their_bytes(policy):
    policy.learn_row(1, policy.encode(ANSWERS), 3)
    before = copy.deepcopy(arrays_of(policy._model.arms))
    policy.learn_row(0, policy.encode(ANSWERS), 9)
    after = arrays_of(policy._model.arms)
    assert before["gram"][0].tobytes() != after["gram"][0].tobytes() or after["waiting"][0]
    for name, array in before.items():
        assert array[1].tobytes() == after[name][1].tobytes(), name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"arms": []}, "no arms"),
        ({"arms": ["a", "a"]}, "'a'"),
        ({"arms": "ab"}, "list of arms"),
        ({"arms": [""]}, "empty name"),
        ({"reward": (1, 1)}, "reward"),
        ({"reward": 5}, "reward"),
        ({"reward": (0, float("nan"))}, "reward"),
    ],
)
def test_bad_descriptions_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        al.Uniform(SURVEY, **({"arms": ["a"], "reward": (0, 1)} | settings))
    with pytest.raises(SettingError, match="survey"):
        al.Uniform("age", arms=["a"], reward=(0, 1))


def test_repr_says_what_it_is(policy):
    assert repr(policy) == "RidgeSurveyUCB(2 questions, arms=['red', 'blue'], reward=(0, 10))"
    assert repr(policy.visit()) == "Visit(number=0, 0 answers, open)"


def test_a_policy_that_was_saved_before_its_visits_gives_their_numbers_to_nobody_else(policy):
    saved = policy.to_dict()
    visits = [policy.visit(known=ANSWERS).to_dict() for _ in range(3)]
    restarted = type(policy).from_dict(saved)
    restarted.learn(restarted.visit(visits[1]), 4)
    assert restarted.visit().number == 2
    other = type(policy).from_dict(saved)
    other.learn(policy.visit(visits[0]), 4)  # learned without having been resumed here
    other.learn(policy.visit(visits[2]), 4)
    assert [other.visit().number for _ in range(2)] == [3, 4]
    assert other.learned == ((0, 0), (2, 2))


@pytest.mark.parametrize("number", [-1, 2**63 - 1, 2**70, 1.0, "1", True])
def test_a_number_that_no_visit_can_have_is_refused(policy, number):
    before = policy.to_dict()
    with pytest.raises(VisitError, match="the number of a visit is"):
        policy.visit(number=number)
    assert policy.to_dict() == before


def test_the_last_number_is_the_last(policy):
    last = policy.visit(number=2**63 - 2, known=ANSWERS)
    twin = type(policy).from_dict(policy.to_dict())  # what is handed out can be saved
    assert twin.visit(last.to_dict()).number == 2**63 - 2
    with pytest.raises(VisitError, match="the number of a visit is"):
        policy.visit()


def test_a_class_without_a_name_of_its_own_is_not_saved(tmp_path):
    class Nameless(al.LinUCB):
        def _decide(self, z, mask, number):
            return al.Decision(int(np.flatnonzero(mask)[-1]), np.zeros(len(mask)))

    policy = Nameless(SURVEY, arms=["red", "blue"], reward=(0, 10))
    with pytest.raises(SettingError, match="no name of its own"):
        policy.save(tmp_path / "state.json")  # it would be loaded as LinUCB


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "x", None])
def test_a_seed_of_one_s_own_policy_is_checked_when_it_draws(seed):
    policy = al.Uniform(SURVEY, arms=["red", "blue"], reward=(0, 10))
    policy.seed = seed
    with pytest.raises(SettingError, match="seed is"):
        policy.visit(known=ANSWERS)
