"""What an interactive visit says: arms that are possible, answers that move bounds."""

import numpy as np
import pytest

import askless as al
from asked_interactively import GRAINS, grown, made
from exact_bounds import dense_arm
from worlds import mixed_world, random_answers


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
