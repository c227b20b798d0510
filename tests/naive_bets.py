"""An oracle for the bets of epochs (maths 5.2): each is tried, and every row pays its price."""

import numpy as np

BETS = [8 * 0.003 ** (1 - j / 23) for j in range(24)]  # λM of 5.2
ROUNDING = 1e-9  # a lever below this part of the largest is 0, a number this near a border is on it
SIDES = (1, -1)  # against wᵀβ ≥ β_min, against wᵀβ ≤ -β_min


def psi(x):
    return -np.log1p(-x) - x


def solver(gram):
    """Rank of A and a pseudo-inverse of it, each column measured by its own sum (maths 5.2)."""
    own = np.sqrt(np.diag(gram))
    scale = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
    values, vectors = np.linalg.eigh(gram * np.outer(scale, scale))
    large = values > 1e-10
    inverse = (vectors[:, large] / values[large]) @ vectors[:, large].T
    return int(large.sum()), inverse * np.outer(scale, scale)


def cells(numbers, bins):
    """The middle of each number's bin of [0, 1]; borders belong to the upper one (maths 5.2)."""
    return (np.minimum(np.floor((numbers + ROUNDING) * bins), bins - 1) + 0.5) / bins


def best_bet(most, levers, frozen, sign, beta, variance):
    """The largest gain of a side and its λ, rows counted in cells (maths 5.2)."""
    # "A row with a = 0 costs nothing" is taken to hold here as well, though its cell's middle does.
    paying = levers != 0
    heights = cells(np.abs(levers[paying]) / most, 32)
    rooms = cells(0.5 - np.sign(levers[paying]) * frozen[paying], 16)
    rooms = rooms if sign > 0 else 1 - rooms
    gains = []
    for bet in BETS:
        eta = bet * heights
        costs = eta**2 / 8
        small = eta * rooms < 0.9
        adaptive = psi(eta[small] * rooms[small]) * variance / rooms[small] ** 2
        costs[small] = np.minimum(costs[small], adaptive)
        gains.append(bet / most * beta - float(costs.sum()))
    best = int(np.argmax(gains))
    return gains[best], BETS[best] / most


def prices(lam, levers, online, ys, sign, variance):
    """What every row costs a side, and which rows pay the adaptive price (maths 5.2)."""
    eta = lam * np.abs(levers)
    rooms = np.maximum(0.02, 0.5 - np.sign(sign * levers) * online)
    paid, adaptive = eta**2 / 8, np.zeros(len(ys), dtype=bool)
    for i in np.flatnonzero(eta * rooms < 0.95):
        factor = psi(eta[i] * rooms[i]) / rooms[i] ** 2
        if factor * variance < eta[i] ** 2 / 8:
            paid[i], adaptive[i] = factor * (ys[i] - online[i]) ** 2, True
    return paid, adaptive
