"""What the core computes, in digests: the steps tests look into, and every policy played a little.

`test_builds` runs this with each build. Prints a line of JSON: digests by name.
"""

import copy
import hashlib
import json
import sys

import numpy as np

import askless as al
from askless import core
from askless.core import inside
from askless.environments.base import first_respondents
from askless.policies.arm_state import ArmState, arrays_of
from core.padding import padded_copy
from worlds import mixed_world

SIZES = [1, 2, 7, 8, 9, 15, 16, 17, 24, 51]
SMALL = {
    "sigma": 0.03,
    "alpha": 0.3,
    "b1": 0.5,
    "b2": 0.5,
}  # so that questions go
NET = {"beta_min": 0.5, "sigma": 0.01, "alpha": 0.1}
POLICIES = {
    "survey-bandit": {"beta_min": 0.2, "price": 0.01, "full_floor": 0.3},
    "survey-bandit, interactive": {"beta_min": 0.2, "price": 0},
    "survey-bandit, by question": {"beta_min": 0.2, "price": 0, "grain": "question"},
    "epoch": {"beta_min": 0.2},
    "ridge": {"beta_min": 0.2, **SMALL},
    "ridge, published_sqrt": {"beta_min": 0.2, **SMALL, "radius": "published_sqrt"},
    "ridge, interactive": {"beta_min": 0.2, "interactive": True, **SMALL},
    "ridge, by question": {"beta_min": 0.2, "interactive": True, "grain": "question", **SMALL},
    "ridge, heuristic": {"beta_min": 0.2, "interactive": "paper_heuristic", **SMALL},
    "elastic-net": NET,
    "elastic-net, ridge": {"beta_min": 0.3, "radius": "ridge", "sigma": 0.05, "alpha": 1.0},
    "elastic-net, interactive": {**NET, "interactive": True},
    "linucb": {},
    "linucb, noise": {"width": "noise"},
    "oful": {},
    "lints": {},
    "epsilon-greedy": {},
    "tsrc": {"questions": 3},
    "wtsrc": {"questions": 3},
    "lasso-bandit": {},
    "thresholded-lasso": {},
    "sparse-ucb": {},
    "pilot-then-screen": {"planned": 3_000},
    "uniform": {},
    "target": {},
}


def digest(*arrays):
    """A digest of the bytes of arrays or numbers."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()[:16]


def steps():
    """Digests of the core's steps, on arrays of many sizes."""
    found, rng = {}, np.random.default_rng(1)
    numbers = rng.normal(size=(2_000, 25)) * 10.0 ** rng.integers(-5, 6, size=(2_000, 25))
    out, sums = np.zeros((2_000, 11, 8)), np.zeros((2_000, 6))
    for row, a, b in zip(numbers, out, sums, strict=True):
        inside.lane_steps(row[:9], row[9:17], row[17:], a, b)
    found["lanes"] = digest(out, sums)
    y, logarithms = rng.uniform(1 / 32, 1, size=8_000), np.empty(8_000)
    inside.ln_of_parts(y, logarithms)
    found["ln of parts"] = digest(logarithms)
    for name in ("ln", "ln_1_plus", "exponential", "error_complement"):
        function = getattr(inside, name)
        found[name] = digest([function(x) for x in np.abs(numbers).ravel()[:20_000].tolist()])
    sums = np.zeros((200, 8))
    for row in sums:
        inside.totals(rng.normal(size=(8, 8)), row)
    found["totals"] = digest(sums)
    for p in SIZES:
        found[f"triangle of {p}"] = digest(*triangle(rng, p))
        found[f"net of {p}"] = digest(*net(rng, p))
    means, luck, rewards = rng.uniform(-0.4, 0.4, (500, 3)), rng.random(500), np.zeros((500, 3))
    for shape in range(4):
        core.outcomes(shape, 0.1, -0.5, 1.0, means, luck, rewards)
        found[f"outcomes {shape}"] = digest(rewards)
    return found


def triangle(rng, p):
    """A factor, products with it, and an update."""
    rows = rng.normal(size=(3 * p, p))
    gram = padded_copy(rows.T @ rows)
    root, inverse, wide = np.zeros_like(gram), np.zeros_like(gram), len(gram)
    weights, w, back, variance, taus, slopes, lifts, gain = np.zeros((8, wide))
    z = padded_copy(rng.normal(size=p))
    log_det = inside.factor(gram, 0.3, p, root, weights)
    inside.times(root, z, p, w)
    inside.transposed_times(root, w, p, back)
    numbers = [log_det, inside.squared_length(weights, w, p), inside.dot(z, w, p)]
    numbers += [inside.inner(z, w), inside.inverse_of(root, weights, p, inverse)]
    numbers += [inside.add_row(weights, w, p, taus, slopes, lifts)]
    inside.sweep(root, p, slopes, lifts, gain)
    inside.diagonal_of(root, weights, p, variance)
    return numbers, root, weights, w, back, inverse, slopes, lifts, gain, variance


def net(rng, p):
    """An elastic net found, followed over some rows, and found by descent; and a lasso's path."""
    rows = rng.normal(size=(3 * p + 20, p))
    truth = np.where(rng.random(p) < 0.4, 1.0, 0.0)
    y = rows @ truth + rng.normal(size=len(rows))
    gram, moment, penalty = rows.T @ rows, rows.T @ y, np.full(p, 8.0)
    followed, descended = (core.ElasticNet(gram, moment, penalty, 2.0) for _ in range(2))
    residuals = [followed.solve(), descended.descend()]
    residuals.append(followed.follow(rng.normal(size=(20, p)), rng.normal(size=20)))
    path = np.zeros((3, p))
    core.lasso_path(gram, moment.copy(), 1e-8, np.array([9.0, 4.0, 1.0]), 1e-6, path)
    return residuals, followed.coef, descended.coef, path


def policy_of(name, world):
    """Return a policy of the list, for a world."""
    settings = dict(POLICIES[name])
    if name == "target":
        settings["coefficients"] = world.coefficients
    kind = al.POLICIES[name.partition(",")[0]]
    return kind(world.survey, arms=world.arms, reward=world.reward, **settings)


def state_of(policy):
    """All arrays of a policy that the core owns; else what it saves."""
    model, short = getattr(policy, "_model", None), getattr(policy, "_short", None)
    if not isinstance(model, ArmState):
        return [np.frombuffer(json.dumps(policy.to_dict(), default=str).encode(), dtype=np.uint8)]
    owners = [model.arms, getattr(model, "epochs", None), getattr(short, "shorts", None)]
    arrays = [arrays_of(owner) for owner in owners if owner is not None]
    return [array for named in arrays for _, array in sorted(named.items())]


def played(name, visits):
    """A digest of what a policy does in its loop, one visit after the other, and of its state."""
    world = mixed_world(4)
    visits = visits // 4 if "by question" in name else visits
    runs = al.simulate(policy_of(name, world), world, visits, seed=3).runs[0]
    told = [runs.plays_at, runs.regret_at, runs.asked_at, runs.support]
    policy, drops = policy_of(name, world), np.zeros((4, len(world.survey)), dtype=np.int64)
    player = policy.player()
    for block in first_respondents(world, 4, 0, visits):
        if player is not None:
            told += player.play(block, 0, drops)
    one_by_one = copy.deepcopy(policy)
    (block,) = first_respondents(world, 5, 0, 100)
    for z, luck in zip(block.contexts, block.luck, strict=True):
        arm = one_by_one.play(z)
        one_by_one.learn_row(arm, z, float(world.coefficients[arm] @ z + 0.2 * luck - 0.1))
        told.append(arm)
    return digest(*told, drops, *state_of(policy), *state_of(one_by_one))


if __name__ == "__main__":
    assert {name.partition(",")[0] for name in POLICIES} == set(al.POLICIES)
    policies = {name: played(name, 3_000) for name in POLICIES}
    sys.stdout.write(json.dumps({"build": core.LEVEL, **steps(), **policies}))
