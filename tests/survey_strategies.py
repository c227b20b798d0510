"""What the tests of the survey room share: questions to draw, and the encoding written by hand."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

from askless.survey import Choice, Multi, Scale, Survey, YesNo

STEP = 1 / 1024  # of the columns (maths 1.3)
OPTIONS = ["tv", "radio", "web", "print", "other", "none of these", "é", "8", "9", "10"]


@contextmanager
def refused(error: type[Exception], *needles: str) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Expect an error of this class whose message holds every needle."""
    with pytest.raises(error) as caught:
        yield caught
    message = str(caught.value)
    missing = [needle for needle in needles if needle not in message]
    assert not missing, f"{message!r} does not mention {missing}"


# -- strategies ----------------------------------------------------------------------------------


@st.composite
def scales(draw, name="q", may_skip=None):
    # Spans far above the spacing of floats, so that every grid point has a number of its own.
    low = draw(st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6)))
    span = draw(st.one_of(st.integers(1, 1000), st.floats(1e-3, 1e6)))
    skip = draw(st.booleans()) if may_skip is None else may_skip
    return Scale(name, low=low, high=low + span, may_skip=skip)


@st.composite
def questions(draw, name="q", most_options=6):
    kind = draw(st.sampled_from(["scale", "yes_no", "choice", "multi"]))
    if kind == "scale":
        return draw(scales(name))
    skip = draw(st.booleans())
    if kind == "yes_no":
        return YesNo(name, may_skip=skip)
    fewest = 2 if kind == "choice" else 1
    options = OPTIONS[: draw(st.integers(fewest, most_options))]
    return (Choice if kind == "choice" else Multi)(name, options, may_skip=skip)


@st.composite
def surveys(draw, most=4, most_options=6):
    m = draw(st.integers(1, most))
    return Survey([draw(questions(f"q{i}", most_options)) for i in range(m)])


def answers_to(question):
    """Any answer that a person may give."""
    if isinstance(question, Scale):
        answers = st.floats(question.low, question.high)
    elif isinstance(question, YesNo):
        answers = st.booleans()
    elif isinstance(question, Choice):
        answers = st.sampled_from(question.options)
    else:
        # In the survey's order, which is the order in which they are kept.
        answers = st.sets(st.sampled_from(question.options)).map(
            lambda given: [option for option in question.options if option in given]
        )
    return st.one_of(st.none(), answers) if question.may_skip else answers


# -- the encoding, by hand -----------------------------------------------------------------------


def extreme_answers(question):
    """Every answer at an extreme of a question, the skip included."""
    if isinstance(question, Scale):
        answers = [question.low, question.high]
    elif isinstance(question, YesNo):
        answers = [False, True]
    elif isinstance(question, Choice):
        answers = list(question.options)
    else:
        r = len(question.options)
        answers = [
            list(some)
            for size in range(r + 1)
            for some in itertools.combinations(question.options, size)
        ]
    return [*answers, None] if question.may_skip else answers


def encoded(question, answer, *, raw=False):
    """The row of the table in maths 1.1 for an extreme answer."""
    if isinstance(question, Scale | YesNo):
        first, last = (0.0, 1.0) if raw else (-0.5, 0.5)
        top = question.high if isinstance(question, Scale) else True
        own = [0.0] if answer is None else [last if answer == top else first]
    elif isinstance(question, Choice):
        own = [1.0 if answer == option else 0.0 for option in question.options]
    elif answer is None:
        own = [0.0] * len(question.options)
    else:
        own = [0.5 if option in answer else -0.5 for option in question.options]
    return np.array(own + [float(answer is None)] * question.may_skip)


def extreme_values(question, *, raw=False):
    """Every extreme encoded value of a question, one a row, the skip point included."""
    return np.array([encoded(question, a, raw=raw) for a in extreme_answers(question)])


def extreme_contexts(survey):
    """Every combination of extreme values, the constant first."""
    values = [extreme_values(question, raw=survey.coding == "raw") for question in survey]
    rows = [np.concatenate([[1.0], *row]) for row in itertools.product(*values)]
    return np.array(rows)
