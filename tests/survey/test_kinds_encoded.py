"""The columns of the four kinds: answers encoded and decoded, on their grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askless.survey import Scale
from four_questions import AGE
from survey_strategies import STEP, answers_to, encoded, extreme_answers, questions, scales


@pytest.mark.parametrize(
    ("answer", "centred", "raw"),
    [
        (18, -0.5, 0.0),
        (27, -0.375, 0.125),
        (54, 0.0, 0.5),
        (90, 0.5, 1.0),
        (18.1, -511 / 1024, STEP),
    ],
)
def test_a_scale_is_its_share_of_the_way_on_the_grid(answer, centred, raw):
    # 18.1 is 0.1/72 = 1.42 steps of 1/1024 above the low end.
    assert AGE.encode(answer).tolist() == [centred]
    assert AGE.encode(answer, raw=True).tolist() == [raw]


@pytest.mark.parametrize(("answer", "steps"), [(0.3, 307), (0.7, 717), (0.9999, 1024), (4e-4, 0)])
def test_a_scale_takes_the_nearest_step(answer, steps):
    # 307.2, 716.8, 1023.9 and 0.41 steps.
    unit = Scale("q", low=0, high=1)
    assert unit.encode(answer, raw=True).tolist() == [steps * STEP]
    assert unit.encode(answer).tolist() == [steps * STEP - 0.5]


@given(questions())
@settings(derandomize=True, deadline=None)
def test_extreme_answers_are_encoded_as_the_table_says(question):
    for answer in extreme_answers(question):
        assert question.encode(answer).tolist() == encoded(question, answer).tolist()


@given(questions(), st.data())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_an_answer_comes_back_from_its_columns(question, data):
    answer = data.draw(answers_to(question))
    values = question.encode(answer)
    assert np.all(values * 1024 == np.round(values * 1024))
    back = question.decode(values)
    if isinstance(question, Scale) and answer is not None:
        half_a_step = STEP / 2 * (question.high - question.low)
        rounding = 1e-12 * max(abs(question.low), abs(question.high))
        assert question.low <= back <= question.high
        assert abs(back - answer) <= half_a_step + rounding
    else:
        assert back == answer
        assert type(back) is type(answer)
    assert question.encode(back).tobytes() == values.tobytes()


@given(scales(may_skip=False), st.integers(0, 1024))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_every_point_of_a_scales_grid_survives_decoding_bit_for_bit(scale, step):
    raw, centred = np.array([step * STEP]), np.array([step * STEP - 0.5])
    assert scale.encode(scale.decode(centred)).tobytes() == centred.tobytes()
    assert scale.encode(scale.decode(raw, raw=True), raw=True).tobytes() == raw.tobytes()


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.9), (0.2, 0.9)])
def test_the_ends_of_a_scale_come_back_exactly(low, high):
    # Here low + (high - low) is not high in floating point: once above it, once below.
    scale = Scale("q", low=low, high=high)
    assert low + (high - low) != high
    assert [scale.decode(scale.encode(end)) for end in (low, high)] == [low, high]
    assert [scale.decode(np.array([end]), raw=True) for end in (0.0, 1.0)] == [low, high]
