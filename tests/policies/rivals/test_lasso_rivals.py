"""The LASSO Bandit and the Thresholded Lasso bandit beside their published rules."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Lasso

import askless as al
from askless.policies.rivals.lasso_bandit import forced_arm

SURVEY = al.Survey(
    [al.Scale(f"x{i}", low=0, high=1) for i in range(5)] + [al.YesNo("y"), al.YesNo("z")]
)
P = SURVEY.column_count
EXACT = 2e-6  # coordinate descent stops where a coefficient moves by less than 1e-8


def world():
    """Two questions matter, to two of three arms."""
    return al.LinearEnvironment(
        SURVEY,
        arms=["a", "b", "c"],
        coefficients={"a": {"x1": 2.0}, "b": {"y": 1.6}, "c": {"x1": -2.0}},
        reward=(-2, 2),
        spread=0.5,
    )


def lasso(rows, ys, penalty, total=None):
    """(1/n)‖Y − Zβ‖² + λ‖β‖₁; scikit-learn has half of it, and n is `total` where that is given."""
    if not rows:
        return np.zeros(P)
    share = len(rows) / (total or len(rows))
    with warnings.catch_warnings(action="ignore"):
        model = Lasso(penalty / 2 / share, fit_intercept=False, tol=1e-12, max_iter=100_000)
        return model.fit(np.array(rows), np.array(ys)).coef_


@pytest.mark.parametrize(("arms", "q"), [(1, 1), (2, 1), (3, 2), (5, 4)])
def test_forced_times_are_those_of_the_paper(arms, q):
    """T_i = {(2ⁿ − 1)Kq + j : n ≥ 0, q(i − 1) < j ≤ qi}, times and arms from 1."""
    times = {
        (2**n - 1) * arms * q + j: i - 1
        for n in range(12)
        for i in range(1, arms + 1)
        for j in range(q * (i - 1) + 1, q * i + 1)
    }
    for t in range(1, 2_000):
        assert forced_arm(t - 1, arms, q) == times.get(t)


def test_the_lasso_bandit_plays_by_the_published_rule():
    """Arm by arm; fails if h/2, a penalty, its fall or a forced row is wrong."""
    policy = al.LassoBandit(
        SURVEY, arms=["a", "b", "c"], reward=(-2, 2), q=2, h=1.0, lam_forced=0.04, lam_all=0.06
    )
    block = next(world().respondents(1, 0))
    forced, every = {k: ([], []) for k in range(3)}, {k: ([], []) for k in range(3)}
    free = left_out = 0
    for t, z in enumerate(block.contexts[:150], start=1):
        visit = policy.visit(known=SURVEY.decode(z))
        arm = forced_arm(t - 1, 3, 2)
        assert visit.kind == ("full" if arm is None else f"forced {arm}")
        if arm is None:
            penalty = 0.06 * np.sqrt((np.log(t) + np.log(P)) / t)
            by_forced = np.array([lasso(*forced[k], 0.04) for k in range(3)])
            by_all = np.array([lasso(*every[k], penalty) for k in range(3)])
            assert policy._by_forced == pytest.approx(by_forced, abs=EXACT)
            assert policy._by_all == pytest.approx(by_all, abs=EXACT)
            first = by_forced @ z
            near = [k for k in range(3) if first[k] >= max(first) - 1.0 / 4 / 2]
            arm = max(near, key=lambda k: by_all[k] @ z)
            free += 1
            left_out += 3 - len(near)
        else:
            forced[arm][0].append(z)
            forced[arm][1].append(block.rewards[t - 1, arm] / 4)
        assert visit.arm_index == arm
        every[arm][0].append(z)
        every[arm][1].append(block.rewards[t - 1, arm] / 4)
        policy.learn(visit, block.rewards[t - 1, arm])
    assert free > 60
    assert left_out > 20


@pytest.mark.parametrize("start", [0, 4])
def test_the_thresholded_lasso_plays_by_the_published_rule(start):
    """Of the arms one below the other; fails if a threshold, its root or the fit is wrong."""
    policy = al.ThresholdedLasso(
        SURVEY, arms=["a", "b", "c"], reward=(-2, 2), lam=0.01, start=start, seed=3
    )
    block = next(world().respondents(2, 0))
    rows, ys, played = [], [], []
    by_fit = 0
    for t, z in enumerate(block.contexts[:200]):
        visit = policy.visit(known=SURVEY.decode(z))
        counts = [played.count(k) for k in range(3)]
        coefs = np.zeros((3, P))
        if t > 1:
            penalty = 0.01 * np.sqrt(2 * np.log(t) * np.log(3 * P) / t)
            each = [[i for i in range(t) if played[i] == k] for k in range(3)]
            found = np.array(
                [lasso([rows[i] for i in e], [ys[i] for i in e], penalty, t) for e in each]
            )
            first = np.abs(found) > 4 * penalty
            kept = first & (np.abs(found) >= 4 * penalty * np.sqrt(first.sum()))
            for k, e in enumerate(each):
                if kept[k].any():
                    own = np.array([rows[i] for i in e])[:, kept[k]]
                    coefs[k, kept[k]] = np.linalg.lstsq(own, [ys[i] for i in e], rcond=None)[0]
        assert policy._coefs == pytest.approx(coefs, abs=EXACT)
        if min(counts) < start:
            assert visit.arm_index == int(np.argmin(counts))
        elif coefs.any():
            assert visit.arm_index == int(np.argmax(coefs @ z))
            by_fit += 1
        else:
            assert visit.propensity == pytest.approx(1 / 3)
        rows.append(z)
        played.append(visit.arm_index)
        ys.append(block.rewards[t, visit.arm_index] / 4)
        policy.learn(visit, block.rewards[t, visit.arm_index])
    assert by_fit > 100


@pytest.mark.parametrize(
    ("kind", "given", "complaint"),
    [
        (al.LassoBandit, {"q": 0}, "q is 0"),
        (al.LassoBandit, {"h": -1}, "h is -1"),
        (al.LassoBandit, {"lam_all": 0}, "lam_all is 0"),
        (al.ThresholdedLasso, {"lam": float("nan")}, "lam is nan"),
        (al.ThresholdedLasso, {"start": 1.5}, "start is 1.5"),
    ],
)
def test_settings_that_cannot_be_are_refused(kind, given, complaint):
    with pytest.raises(al.errors.SettingError, match=complaint):
        kind(SURVEY, arms=["a", "b"], reward=(0, 1), **given)
