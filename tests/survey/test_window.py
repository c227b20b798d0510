"""How long a reward may take: read from a text, and written so that it is read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askless.errors import SettingError
from askless.survey import RewardRange, Window
from askless.survey.window import check_silence


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90 minutes", 5_400),
        ("1 minute", 60),
        ("36 hours", 129_600),
        ("14 days", 1_209_600),
        ("1 day", 86_400),
        ("0.5 days", 43_200),
        ("2 weeks", 1_209_600),
        ("  2   weeks ", 1_209_600),
    ],
)
def test_a_length_of_time_is_read(text, seconds):
    window = Window.of(text)
    assert (window.in_visits, window.seconds) == (False, seconds)
    with pytest.raises(SettingError, match="no length in visits"):
        _ = window.visits
    assert Window.of(window) is window


@pytest.mark.parametrize(("text", "visits"), [("500 visits", 500), ("1 visit", 1)])
def test_a_number_of_visits_is_read(text, visits):
    window = Window.of(text)
    assert (window.in_visits, window.visits) == (True, visits)
    assert str(window) == text
    with pytest.raises(SettingError, match=f"a window of {text} has no length in seconds"):
        _ = window.seconds


@pytest.mark.parametrize(
    "text",
    [
        *("", "14", "days", "14days", "-1 days", "1e3 days", "14 Days", "1,000 visits", "inf days"),
        *("14 days\n", "١٤ days", "1 2 days", "14 dayss", "14 moons", "nan visits", 14, None, True),
    ],
)
def test_what_is_no_window_is_refused_with_examples(text):
    with pytest.raises(SettingError, match=r"window is .*such as 14 days.*500 visits"):
        Window.of(text)


@pytest.mark.parametrize(
    ("text", "days"), [("3 months", 90), ("1 month", 30), ("2 years", 730), ("1.5 months", 45)]
)
def test_months_and_years_are_answered_with_days(text, days):
    """Fails if the days are not those of the months, or cannot be written so."""
    with pytest.raises(SettingError, match=rf"window is '{text}'; .*: {days} days$"):
        Window.of(text)
    assert Window.of(f"{days} days").seconds == days * 86_400


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 days", "0 days; give one from a second to a hundred years"),
        ("0.001 minutes", "0.001 minutes; give one from a second"),
        ("5300 weeks", "5300 weeks; give one from a second to a hundred years"),
        ("9" * 400 + " days", "finite number"),
        ("0 visits", "0 visits; give a whole number from 1"),
        ("2.5 visits", "2.5 visits; give a whole number from 1"),
        ("1" + "0" * 16 + " visits", "give a whole number from 1 to 1000000000000000"),
    ],
)
def test_a_length_that_cannot_be_is_refused(text, says):
    with pytest.raises(SettingError, match=says):
        Window.of(text)


def test_a_window_by_its_parts_is_checked_too():
    assert Window(14, "days") == Window.of("14 days")
    with pytest.raises(SettingError, match="the unit of a window is 'day'; did you mean 'days'"):
        Window(14, "day")
    with pytest.raises(SettingError, match="the length of a window is '14'"):
        Window("14", "days")


@given(
    st.one_of(
        st.builds(Window, st.integers(1, 10**15), st.just("visits")),
        st.builds(Window, st.floats(1e-2, 36_525), st.sampled_from(["hours", "days"])),
        st.builds(Window, st.floats(1.7e-6, 5_000), st.just("weeks")),
    )
)
def test_a_window_is_written_as_it_can_be_read(window):
    assert Window.of(str(window)) == window


def test_silence_is_a_reward_and_needs_a_window():
    reward = RewardRange(-1, 2)
    assert [check_silence(value, "1 day", reward) for value in (-1, 0, 2)] == [-1, 0, 2]
    for value, window, says in (
        (0, None, "no window"),
        (2.5, "1 day", "-1 to 2"),
        (float("nan"), "1 day", "finite"),
        ("0", "1 day", "give a number"),
    ):
        with pytest.raises(SettingError, match=says):
            check_silence(value, window, reward)
