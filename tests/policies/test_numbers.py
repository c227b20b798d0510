"""Numbers kept as ranges are a set of whole numbers."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askless.errors import StateError
from askless.policies.numbers import Numbers


@settings(derandomize=True, max_examples=300)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=60))
def test_they_are_a_set(changes):
    numbers, plain = Numbers(), set()
    for add, number in changes:
        if add:
            numbers.add(number)
            plain.add(number)
        elif number in plain:
            numbers.remove(number)
            plain.remove(number)
        assert {n for n in range(14) if n in numbers} == plain
        assert len(numbers) == len(plain)
        spans = list(numbers.spans())
        assert [n for first, last in spans for n in range(first, last + 1)] == sorted(plain)
        # No two ranges touch: there are no more of them than needed.
        assert all(a[1] + 1 < b[0] for a, b in itertools.pairwise(spans))
        assert Numbers.from_data(numbers.to_data()) == numbers


@settings(derandomize=True, max_examples=300)
@given(st.sets(st.integers(0, 15)), st.sets(st.integers(0, 15)))
def test_two_of_them_together(one, other):
    first, second = Numbers(), Numbers()
    for number in one:
        first.add(number)
    for number in other:
        second.add(number)
    shared = first.shared(second)
    assert (shared in one & other) if one & other else shared is None
    if shared is None:
        union = Numbers()
        for number in one | other:
            union.add(number)
        assert first.joined(second) == union


@pytest.mark.parametrize(
    "data",
    [
        [[3, 1]],
        [[0, 1], [2, 3]],
        [[4, 5], [1, 2]],
        [[-1, 0]],
        [[0]],
        [[0, 1.0]],
        [[0, True]],
        [[0, 2**63]],
    ],
)
def test_ranges_that_cannot_be_are_refused(data):
    with pytest.raises(StateError, match="no range that can be"):
        Numbers.from_data(data)
