"""Simulated answers: on the grid, of the stated distributions, correlated as stated."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, chi2, kstest, norm

import askless as al
from askless.core import draw_scales
from askless.environments import AnswerModel
from askless.errors import AsklessError

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["x", "y", "z"]),
        al.Multi("media", ["tv", "web"], may_skip=True),
        al.Scale("income", low=0, high=1),
    ]
)
COUNT = 20_000


def draw(**settings):
    return AnswerModel(SURVEY, **settings).contexts(np.random.default_rng(3), COUNT)


def within(count, probability):
    """Whether a count of COUNT is one that a true probability gives but once in a million."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], COUNT, probability)
    return low <= count <= high


def test_every_context_is_one_that_the_survey_accepts_as_it_is():
    for row in draw(correlation=0.4)[:500]:
        np.testing.assert_array_equal(SURVEY.check_row(row), row)
        assert set(SURVEY.decode(row)) == set(SURVEY.names)


def test_defaults_are_uniform():
    z = draw()
    assert (
        kstest(
            z[:, 1] + 0.5 + np.random.default_rng(0).uniform(-1, 1, COUNT) / 2048, "uniform"
        ).pvalue
        > 1e-6
    )
    skipped = z[:, SURVEY.columns_of("donor")][:, -1]
    assert within(skipped.sum(), 0.1)
    assert within((z[:, 2] == 0.5).sum(), 0.9 * 0.5)
    for column in z[:, SURVEY.columns_of("cause")].T:
        assert within(column.sum(), 1 / 3)


def test_stated_distributions_are_drawn():
    z = draw(
        answers={"age": (2, 5), "donor": 0.9, "cause": [0.7, 0.3, 0], "media": [0.2, 0.6]},
        skips={"donor": 0.5, "media": 0},
    )
    age = z[:, 1] + 0.5 + np.random.default_rng(0).uniform(-1, 1, COUNT) / 2048
    assert kstest(age, "beta", args=(2, 5)).pvalue > 1e-6
    assert within((z[:, 2] == 0.5).sum(), 0.5 * 0.9)
    assert [within(c.sum(), p) for c, p in zip(z[:, 4:7].T, [0.7, 0.3, 0], strict=True)] == [
        True
    ] * 3
    assert within((z[:, 7] == 0.5).sum(), 0.2)
    assert within((z[:, 8] == 0.5).sum(), 0.6)
    assert (z[:, 9] == 0).all()


def test_answers_are_correlated_as_stated():
    matrix = np.eye(5)
    matrix[0, 4] = matrix[4, 0] = 0.8
    z = draw(correlation=matrix)
    # Uniform marginals under a Gaussian copula of correlation r correlate with 6/π·asin(r/2).
    found, expected = np.corrcoef(z[:, 1], z[:, 10])[0, 1], 6 / np.pi * np.arcsin(0.4)
    assert abs(found - expected) < 6 / np.sqrt(COUNT)
    assert abs(np.corrcoef(z[:, 1], z[:, 4])[0, 1]) < 6 / np.sqrt(COUNT)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"answers": {"colour": 1}}, "'colour'"),
        ({"answers": {"age": 1}}, "'age'.*Beta"),
        ({"answers": {"age": (0, 1)}}, "'age'.*above 0"),
        ({"answers": {"donor": 1.5}}, "'donor'.*a probability"),
        ({"answers": {"cause": [0.5, 0.5]}}, "'cause'.*3 probabilities"),
        ({"answers": {"cause": [0.5, 0.4, 0]}}, "'cause'.*sum to 0.9"),
        ({"skips": 2}, "skips of 'donor'.*2"),
        ({"skips": {"colour": 0.1}}, "'colour'"),
        ({"correlation": [[1, 0.5], [0.5, 1]]}, "5 × 5"),
        ({"correlation": -0.9}, "positive definite"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(AsklessError, match=message):
        AnswerModel(SURVEY, **settings)


# -- a survey of uniform scales: answers cut from words of random bits ----------------------------

PLACES, BITS = 5, 11  # answers in a word, and bits of an answer


def words_with(place, bits):
    """Words that have some bits in the place of one answer and zeros elsewhere."""
    return (np.asarray(bits, dtype=np.uint64) << np.uint64(BITS * place))[:, None]


def drawn_from(words, answers, shift=0.0):
    out = np.full((len(words), 1 + answers), np.nan)
    draw_scales(words, shift, out)
    assert (out[:, 0] == 1).all()
    return out[:, 1:]


@pytest.mark.parametrize("place", range(PLACES))
def test_every_answer_of_a_word_has_the_law_of_a_rounded_uniform_number(place):
    """By enumeration: of floor(1024 u + ½) the ends are half as likely as all between them."""
    found = drawn_from(words_with(place, np.arange(2**BITS)), PLACES)
    steps, counts = np.unique(found[:, place] * 1024, return_counts=True)
    assert steps.tolist() == list(range(1025))
    below = [min(Fraction(2 * k + 1, 2048), Fraction(1)) for k in range(1025)]  # P(at most k)
    expected = [now - before for now, before in zip(below, [0, *below], strict=False)]
    assert [Fraction(int(count), 2**BITS) for count in counts] == expected


def test_answers_share_no_bits_and_nine_are_left_over():
    """Fails if a bit says something about two answers, or about none that it should."""
    moved = []
    for bit in range(64):
        word = np.array([[np.uint64(2**64 - 1) ^ np.uint64(1 << bit)]], dtype=np.uint64)
        full = drawn_from(np.array([[2**64 - 1]], dtype=np.uint64), PLACES)
        moved.append(np.flatnonzero(drawn_from(word, PLACES)[0] != full[0]).tolist())
    # Where all bits of an answer are set, each of them by itself changes it: 2046 is 1023 already.
    assert moved == [[bit // BITS] for bit in range(PLACES * BITS)] + [[]] * 9


def test_answers_in_a_word_and_in_the_next_are_independent():
    """Chi-square tests of all pairs of ten answers; once in a million are they refused wrongly."""
    count, bins, pairs = 200_000, 16, list(itertools.combinations(range(10), 2))
    survey = al.Survey.unit(10)
    z = AnswerModel(survey).contexts(np.random.Generator(np.random.Philox(5)), count)[:, 1:]
    cells = np.minimum((z + 0.5) * 1024, 1023).astype(int) // (1024 // bins)
    shares = np.full(bins, 128 / 2048)
    shares[0], shares[-1] = 127 / 2048, 129 / 2048  # the lowest end is half as likely, and so on
    expected = count * np.outer(shares, shares)
    bound = chi2.isf(1e-6 / len(pairs), bins**2 - 1)
    for one, other in pairs:
        seen = np.bincount(bins * cells[:, one] + cells[:, other], minlength=bins**2)
        assert ((seen.reshape(bins, bins) - expected) ** 2 / expected).sum() < bound


@pytest.mark.parametrize(("questions", "coding", "shift"), [(7, "centred", 0.5), (10, "raw", 0.0)])
def test_everyone_begins_with_a_word_of_their_own(questions, coding, shift):
    """Cut by hand, in whole numbers; those who come first do not depend on how many come."""
    model = AnswerModel(al.Survey.unit(questions, coding=coding))
    words = np.random.Philox(8).random_raw(6).tolist()  # two for each of three people
    expected = []
    for person in range(3):
        numbers = [
            words[2 * person + word] // 2 ** (BITS * place) % 2**BITS
            for word in range(2)
            for place in range(PLACES)
        ]
        expected.append([1.0, *((v + 1) // 2 / 1024 - shift for v in numbers[:questions])])
    for count in (3, 40):
        found = model.contexts(np.random.Generator(np.random.Philox(8)), count)
        assert found[:3].tolist() == expected


def test_other_surveys_of_scales_are_drawn_as_they_were():
    """Correlated scales, and those with a law of their own, are uniform numbers, rounded."""
    survey, rng = al.Survey.unit(3), np.random.default_rng
    z = AnswerModel(survey, {"x1": (1, 1)}).contexts(rng(4), 50)
    np.testing.assert_array_equal(
        z[:, 1:], np.floor(rng(4).random((50, 3)) * 1024 + 0.5) / 1024 - 0.5
    )
    z = AnswerModel(survey, correlation=0.5).contexts(rng(4), 50)
    mixed = rng(4).standard_normal((50, 3)) @ np.linalg.cholesky(0.5 * np.eye(3) + 0.5).T
    np.testing.assert_array_equal(z[:, 1:], np.floor(norm.cdf(mixed) * 1024 + 0.5) / 1024 - 0.5)


def test_any_generator_of_numpy_s_will_do():
    """Fails if bits are taken as a generator has them: the Mersenne Twister's come 32 at a time."""
    model = AnswerModel(al.Survey.unit(5))
    z = model.contexts(np.random.Generator(np.random.MT19937(1)), 1_000)
    assert (z[:, 1:].std(axis=0) > 0.2).all()  # of uniform numbers: 0.29
