"""Which effects are other than zero, and which come first, by intervals that are known."""

from askless.evaluation.sureness import is_sure, surest
from askless.policies import Effect


def effect(question="donor", estimate=12.0, **other):
    given = {"low": -3.0, "high": 30.0, "end_low": 4.0, "end_high": 20.0, "epochs": 3}
    given |= {"kept": True, "dropped_at": None} | other
    return Effect(arm="wwf", question=question, answers="yes - no", estimate=estimate, **given)


def test_the_surest_come_first_and_those_without_an_interval_last():
    """Fails if a large and unsure estimate leads, or one whose interval was cut to the range."""
    large = effect(question="large", estimate=50.0, end_low=-40.0, end_high=100.0)  # cut at 100
    sure = effect(question="sure", estimate=5.0, end_low=4.0, end_high=6.0)
    bare = effect(question="bare", estimate=90.0, end_low=None, end_high=None, low=80.0, high=99.0)
    assert [row.question for row in surest([bare, large, sure], 3)] == ["sure", "large", "bare"]
    assert [row.question for row in surest([bare, large, sure], 1)] == ["sure"]


def test_an_effect_is_sure_by_the_end_and_without_it_at_all_times():
    """Fails if an interval that holds zero makes an effect sure, or the wrong one is asked."""
    assert is_sure(effect())
    assert not is_sure(effect(end_low=-1.0, low=1.0))
    assert not is_sure(effect(end_low=None, end_high=None))
    assert is_sure(effect(end_low=None, end_high=None, low=1.0))
