"""Fields of forms that were put together by something else than our pages: nothing is guessed."""

import pytest
from starlette.datastructures import FormData

from askless.service.pages.fields import (
    field_of,
    read_answer,
    read_reward,
    reward_field,
    typed_as,
)
from askless.service.pages.speech import speech_in
from askless.survey import Choice, Multi, RewardRange, Scale, YesNo
from askless.survey.pages import QuestionWords, RewardQuestion

QUESTIONS = {
    "scale": Scale("age", low=0, high=100, may_skip=True),
    "yes or no": YesNo("donor", may_skip=True),
    "choice": Choice("cause", options=["a", "b"], may_skip=True),
    "multi": Multi("media", options=["a", "b"], may_skip=True),
    "firm": Multi("media", options=["a", "b"]),
}


def read(which, *fields):
    _, answer, problem = read_answer(0, QUESTIONS[which], FormData(fields), speech_in("en").say)
    return "refused" if problem else answer


@pytest.mark.parametrize(
    ("which", "fields", "answer"),
    [
        ("scale", [("a0", "44"), ("a0", "45")], "refused"),
        ("scale", [("a0", "44"), ("a0", "44")], 44),
        ("scale", [("a0", "44"), ("a0-skip", "-")], "refused"),
        ("scale", [("a0-skip", "-")], None),
        ("yes or no", [("a0", "1"), ("a0", "0")], "refused"),
        ("yes or no", [("a0", "1"), ("a0-skip", "-")], "refused"),
        ("yes or no", [("a0", "yes")], "refused"),
        ("choice", [("a0", "0"), ("a0", "-")], "refused"),
        ("choice", [("a0", "2")], "refused"),
        ("choice", [("a0", "a")], "refused"),
        ("multi", [], "refused"),
        ("multi", [("a0", "+")], []),
        ("multi", [("a0", "0"), ("a0", "+")], "refused"),
        ("multi", [("a0", "1"), ("a0", "0")], ["a", "b"]),
        ("multi", [("a0", "0"), ("a0-skip", "-")], "refused"),
        ("multi", [("a0", "0"), ("a0", "7")], "refused"),
        ("multi", [("a0", "+"), ("a0", "a")], "refused"),
        ("multi", [("a0", "0"), ("a0", "-")], "refused"),
        ("firm", [("a0-skip", "-")], "refused"),
        ("firm", [("a0", "0"), ("a0-skip", "-")], "refused"),
    ],
)
def test_what_a_form_says_twice_or_otherwise_is_refused(which, fields, answer):
    """Fails if of two values one is taken, or what is no option is passed over."""
    assert read(which, *fields) == answer


AMOUNT = Scale("given", low=-1e12, high=1e12)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("1,500,000", 1_500_000),
        ("1,500.50", 1500.5),
        ("1 500 000", 1_500_000),
        ("1\u202f500", 1500),
        ("1'500", 1500),
        ("١٬٥٠٠٬٠٠٠", 1_500_000),
        ("2,5", 2.5),
        ("−3", -3),
        ("0.00001", 0.00001),
    ],
)
def test_numbers_as_people_write_them(typed, number):
    """Fails if what can be one number alone is refused, or is taken for another one."""
    _, answer, problem = read_answer(0, AMOUNT, FormData([("a0", typed)]), speech_in("en").say)
    assert (answer, problem) == (number, "")


@pytest.mark.parametrize("typed", ["1,500", "1e3", "12,34,567", "1 50", "ten", "1,500,00", "1,2,3"])
def test_what_may_be_two_numbers_is_refused_with_a_reason(typed):
    """Fails if a number is guessed, or nobody says how to write it."""
    _, answer, problem = read_answer(0, AMOUNT, FormData([("a0", typed)]), speech_in("en").say)
    assert answer is None
    assert "digits alone" in problem
    assert "e+" not in problem


@pytest.mark.parametrize("value", [0.00001, 1e12, -2.5, 0.1 + 0.2, 44])
def test_an_answer_can_be_sent_again_as_it_stands(value):
    """Fails if Back shows a number that is then refused, or another one."""
    text = typed_as(AMOUNT, value).text
    _, answer, problem = read_answer(0, AMOUNT, FormData([("a0", text)]), speech_in("en").say)
    assert (answer, problem) == (value, "")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_minus_stays_before_its_number(language):
    """Fails if the ends of a range are turned round where lines run from right to left."""
    say, asked = speech_in(language).say, RewardQuestion("How much?")
    words = QuestionWords(text="How much?")
    said = field_of(0, AMOUNT, words, say, typed_as(AMOUNT, 1)).help
    assert "\u2066-1\u202f000\u202f000\u202f000\u202f000\u2069" in said
    amount = reward_field(asked, "?", RewardRange(-3, 3), say, typed_as(AMOUNT, 1), "")
    assert "\u2066-3\u2069" in amount.help


@pytest.mark.parametrize("ask", ["amount", "rating"])
def test_of_two_rewards_none_is_taken(ask):
    form = FormData([("reward", "7"), ("reward", "9")])
    asked, say = RewardQuestion("How much?", ask), speech_in("en").say
    _, value, problem = read_reward(asked, RewardRange(0, 10), form, say)
    assert value is None
    assert problem
