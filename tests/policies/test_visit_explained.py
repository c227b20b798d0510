"""What a visit says of itself, and what it does not take from its policy unchecked."""

import numpy as np
import pytest

import askless as al
from visited_survey import drop


def test_explains_itself_before_and_after(policy):
    drop(policy, "age", arms=[1])
    drop(policy, "media")
    visit = policy.visit(known={"donor": True})
    before = visit.explain()
    assert before.asks == {
        "age": ("red", "green"),
        "cause": ("red", "blue", "green"),
        "media": (),
    }
    assert "age: red, green" in str(before)
    assert "media: asked of everyone" in str(before)
    visit.answer({"age": 30, "cause": "animals", "media": []})
    after = visit.explain()
    assert after.arm == visit.arm
    upper = policy.ucb(visit.context()) + 50  # centred around the middle of 0 to 100
    assert {arm: pair[1] for arm, pair in after.outlook.items()} == dict(
        zip(policy.arms, upper.tolist(), strict=True)
    )
    assert all(pair[0] == 50 for pair in after.outlook.values())  # nothing learned: the middle
    assert "<- played" in str(after)
    assert "after 3 questions" in str(after)


def test_explaining_a_policy_without_an_outlook():
    policy = al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    assert (
        str(policy.visit(known={"x1": 1}).explain())
        == "Played a after 0 questions (state version 0)"
    )


def test_explaining_in_raw_coding_shows_rewards_as_they_are():
    policy = al.OFUL(al.Survey.unit(1, coding="raw"), arms=["a"], reward=(0, 2))
    visit = policy.visit(known={"x1": 0.5})
    assert visit.explain().outlook == {"a": (0.0, float(policy.ucb(visit.context())[0]))}


class Rewriting(al.Policy):
    """Goes on with the array of probabilities that it has handed out."""

    name = "rewriting"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.chances = np.full(len(self.arms), 1 / len(self.arms))

    def _decide(self, z, mask, number):
        return al.Decision(0, np.zeros(len(mask)), self.chances)

    def _ask(self, z, mask, number):
        self.possible = mask.copy()
        return al.Asked(np.isnan(z[1:]), self.possible)

    def _learn(self, played, rows, ys):
        self.chances[:] = [0.25, 0.75]


def test_what_a_visit_recorded_does_not_change_with_the_arrays_of_its_policy():
    # Fails if a visit keeps an array of the policy's: logged propensities would be later ones.
    policy = Rewriting(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    visit, other = policy.visit(known={"x1": 0.5}), policy.visit()
    policy.possible[:] = False
    assert visit.propensities == {"a": 0.5, "b": 0.5}
    policy.learn(visit, 1)
    assert visit.propensities == visit.to_dict()["propensities"] == {"a": 0.5, "b": 0.5}
    assert other.explain().possible == ("a", "b")


def test_a_hook_that_is_put_on_a_policy_is_checked_as_any_other():
    # Fails if the hooks of our own classes are trusted whatever stands in their place.
    policy = al.RidgeSurveyUCB(al.Survey.unit(1), arms=["a", "b", "c"], reward=(0, 1), beta_min=0.1)
    policy.retire_arm("c")
    policy._decide = lambda z, mask, number: al.Decision(2, np.zeros(3))
    with pytest.raises(al.errors.ContractError, match="an arm that the visit may get"):
        policy.visit(known={"x1": 0.5})


@pytest.mark.parametrize("outlook", [[[0.1] * 2, [0.2] * 2], ((0.1, 0.1), (0.2, 0.2))])
def test_an_outlook_may_be_lists(outlook):
    class Lists(al.Uniform):
        name = "lists"

        def _outlook(self, z):
            return outlook

    visit = Lists(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1)).visit(known={"x1": 0.5})
    assert dict(visit.explain().outlook) == dict.fromkeys("ab", (0.6, 0.7))


@pytest.mark.parametrize("outlook", [[["x"] * 2, ["y"] * 2], [[0.1], [0.2]], "no", 3])
def test_an_outlook_that_is_none_is_a_broken_promise(outlook):
    class Wrong(al.Uniform):
        name = "wrong"

        def _outlook(self, z):
            return outlook

    with pytest.raises(al.errors.ContractError, match="_outlook"):
        Wrong(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1)).visit(known={"x1": 0.5})
