"""Epoch SurveyUCB and its dense oracle on the same rows, and what must be the same of both."""

import numpy as np


def assert_same_arm(policy, naive, k):
    """Everything that the page says about an arm between two blocks."""
    epochs, state = policy._model.epochs, policy._model.arms
    assert policy.support[k].tolist() == naive.support[k].tolist()
    assert_same_set(state, naive, k)
    assert_same_decision(policy, naive, k)
    assert epochs.ended[k] == naive.ends[k]
    assert policy.warm[k] == naive.warm[k]
    assert policy.rows[k] == naive.n[k] + len(naive.rows[k])
    assert state.n[k] == naive.n[k]
    assert epochs.held[k] == len(naive.rows[k])
    assert epochs.need[k] == naive.need[k]
    logs, passed = np.vstack(naive.logs[k]), np.vstack(naive.passed[k])
    close(epochs.logs[k], logs, atol=1e-8 * max(1.0, np.abs(logs).max()))
    close(epochs.pace[k], np.vstack(naive.pace[k]), atol=1e-10)
    assert epochs.passed[k].astype(bool).tolist() == passed.tolist()
    signed = np.vstack(naive.signed[k])
    scale = np.maximum(np.abs(signed).max(axis=0), 1e-12)
    close(epochs.signed_sums[k] / scale, signed / scale, atol=1e-8)
    dropped = {g: at for g, (_, at) in naive.dropped_by[k].items()}
    assert {int(g): state.dropped_at[k, g] for g in np.flatnonzero(~policy.support[k])} == dropped


def assert_same_set(state, naive, k):
    """The confidence set: its estimate and radius."""
    kept, _, estimate, theta = naive.frozen[k]
    assert state.columns[k, : state.size[k]].tolist() == kept.tolist()
    close(state.estimate[k, : state.size[k]], estimate, atol=1e-10 * naive.span)
    close(state.radius[k], theta)


def assert_same_decision(policy, naive, k):
    """What the arm is chosen by: noise, ridge, active questions, means and width."""
    state = policy._model.arms
    close(state.noise[k], naive.noise[k])
    close(state.ridge[k], naive.penalty[k])
    close([state.misfit[k], state.freedom[k]], [naive.rss[k], naive.df[k]], atol=1e-9)
    assert policy.active[k].tolist() == naive.active[k].tolist()
    assert policy.undecided[k] == naive.undecided[k].sum()
    kept, _, coefficients, width = naive.scoring(k)
    expected = np.zeros(naive.p)
    expected[kept] = coefficients
    close(policy.estimate[k], expected, atol=1e-9 * naive.span)
    close(policy.width[k], width)


def close(one, other, *, atol=0.0):
    np.testing.assert_allclose(one, other, rtol=1e-7, atol=atol)


def run(world, policy, naive, visits, *, random_arms=0.0):
    """Feed both the same rows; compare them at every block's end, and every visit's decision."""
    ends, everyone = 0, np.ones(world.arms, dtype=bool)
    for _ in range(visits):
        answers = world.answers()
        z = world.survey.encode({q: answers[q] for q in policy.asked_now()})
        number = policy._next_number
        close(policy.ucb(z), naive.scores(z), atol=1e-9 * naive.span)
        started = naive.starter(everyone, number) is not None
        winner = naive.winner(z, everyone, number)
        assert policy._decide(z, everyone, number).arm == winner
        drawn = policy._drawn(policy._decide(z, everyone, number), everyone, number)
        close(drawn.propensities, naive.chances(winner, everyone, number, started), atol=1e-12)
        coins = policy.coins(number, 1)[0]
        arm = policy.play(z)
        assert arm == drawn.arm == naive.drawn(winner, everyone, number, coins, started)
        if world.rng.random() < random_arms:
            arm = int(world.rng.integers(world.arms))
        reward = world.reward_of(arm, answers)
        policy.learn_row(arm, z, reward)
        if naive.learn(arm, z, reward):
            ends += 1
            assert_same_arm(policy, naive, arm)
        else:
            assert policy._model.epochs.ended[arm] == naive.ends[arm]
    for k in range(world.arms):
        assert_same_arm(policy, naive, k)
    return ends
