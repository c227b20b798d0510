"""Fields of forms that were put together by something else than our pages: nothing is guessed."""

import pytest
from starlette.datastructures import FormData

from askless.service.pages.fields import read_answer
from askless.service.pages.speech import speech_in
from askless.survey import Choice, Multi, Scale, YesNo

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
