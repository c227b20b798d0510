"""The core's own logarithms and powers, beside those of the machine's library.

Both are nearest numbers but for some: so they are at most one unit in the last place apart.
"""

import math
import random

from askless.core import inside

TINY, LEAST, MOST = 5e-324, 2.0**-1022, math.nextafter(math.inf, 0)


def wide(rng, count):
    """Positive numbers of every size, subnormals too."""
    return [math.ldexp(rng.uniform(0.5, 1), rng.randint(-1073, 1024)) for _ in range(count)]


def near(rng, centre, count):
    """Numbers on both sides of one, from next to it to some tenths away."""
    steps = (10 ** rng.uniform(-16, -0.5) for _ in range(count))
    sides = [centre + rng.choice((-1, 1)) * step for step in steps]
    return [*sides, math.nextafter(centre, -math.inf), math.nextafter(centre, math.inf)]


def furthest(found, expected, numbers):
    """The most that two functions differ, in units in the last place, and where."""
    return max(
        (abs(found(x) - exact) / math.ulp(exact), x)
        for x, exact in ((x, expected(x)) for x in numbers)
        if found(x) != exact
    )


def same(found, expected):
    """Whether two numbers are the same, signs of zeros and NaN too."""
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


def test_ln():
    rng = random.Random(1)
    edges = [TINY, 3 * TINY, LEAST, math.nextafter(LEAST, 0), MOST, 1.0, 0.5, 2.0, math.sqrt(0.5)]
    edges += [math.nextafter(x, to) for x in (0.5, 2.0, math.sqrt(0.5)) for to in (0.0, 3.0)]
    numbers = [*wide(rng, 40_000), *near(rng, 1.0, 40_000), *edges]
    numbers += [rng.uniform(0, 100) for _ in range(20_000)]
    off, where = furthest(inside.ln, math.log, numbers)
    assert off <= 1, where
    assert same(inside.ln(1.0), 0.0)
    for x, exact in ((0.0, -math.inf), (-0.0, -math.inf), (math.inf, math.inf)):
        assert same(inside.ln(x), exact)
    for x in (math.nan, -TINY, -1.0, -math.inf):
        assert math.isnan(inside.ln(x))


def test_ln_1_plus():
    rng = random.Random(2)
    numbers = [*near(rng, 0.0, 40_000), *near(rng, -0.5, 10_000), *wide(rng, 20_000)]
    numbers += [rng.uniform(-1, 10) for _ in range(20_000)]
    numbers += [-1 + 2.0 ** rng.uniform(-53, -1) for _ in range(5_000)]
    numbers += [TINY, -TINY, LEAST, -LEAST, 2.0**-53, -(2.0**-53), 2.0**-54, MOST]
    off, where = furthest(inside.ln_1_plus, math.log1p, numbers)
    assert off <= 1, where
    for x in (0.0, -0.0, TINY, -TINY, math.inf, math.nan):
        assert same(inside.ln_1_plus(x), math.log1p(x))
    assert inside.ln_1_plus(-1.0) == -math.inf
    for x in (math.nextafter(-1, -2), -2.0, -math.inf):
        assert math.isnan(inside.ln_1_plus(x))


def test_exponential():
    rng = random.Random(3)
    numbers = [rng.uniform(-745, 709.78) for _ in range(40_000)]
    numbers += [*near(rng, 0.0, 40_000), *near(rng, 1.0, 5_000)]
    numbers += [rng.uniform(-745.14, -708) for _ in range(10_000)]  # subnormal results
    numbers += [(n + 0.5) * math.log(2) for n in range(-1_070, 1_023)]  # where halves are chosen
    off, where = furthest(inside.exponential, math.exp, numbers)
    assert off <= 1, where
    for x in (0.0, -0.0, TINY, -TINY, math.inf, -math.inf, math.nan, -745.2, -1e300, -MOST):
        assert same(inside.exponential(x), math.exp(x))
    for x in (709.79, 1e300, MOST):
        assert inside.exponential(x) == math.inf


def test_exponential_is_finite_up_to_the_largest_number():
    rng = random.Random(4)
    numbers = [rng.uniform(709.78, math.log(MOST)) for _ in range(1_000)]
    off, where = furthest(inside.exponential, math.exp, [*numbers, math.log(MOST)])
    assert off <= 1, where


def test_error_complement():
    """Next to 1, where normal quantiles look for it (people.cpp), to rounding; not relatively."""
    rng = random.Random(5)
    numbers = [rng.uniform(-1.65, 1.65) for _ in range(20_000)]
    numbers += [0.0, -0.0, TINY, -TINY, LEAST, math.sqrt(2), -math.sqrt(2)]
    assert max(abs(inside.error_complement(x) - math.erfc(x)) for x in numbers) <= 2e-15
    numbers = [rng.uniform(-3, 3) for _ in range(20_000)]
    assert max(abs(inside.error_complement(x) - math.erfc(x)) for x in [*numbers, 3, -3]) <= 1e-13
    assert inside.error_complement(0.0) == 1.0
    assert math.isnan(inside.error_complement(math.nan))
