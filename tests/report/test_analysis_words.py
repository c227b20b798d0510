"""Numbers as words: with the digits that rewards need, and one as one."""

from askless.report.analysis_words import Words, counted


def test_figures_have_the_digits_that_the_range_needs():
    """Fails if a yes/no outcome is shown in whole numbers, or zero with a minus."""
    assert Words(1).plain(0.6184) == "0.618"
    assert Words(100).signed(-0.04) == "+0.0"
    assert Words(5_000).plain(1234.5) == "1,234"
    assert (Words(1).plain(None), Words(1).ends(None, None)) == ("", "")


def test_one_is_counted_as_one():
    """Fails if one person is people, or thousands run together."""
    assert counted(1, "person", "people") == "1 person"
    assert counted(2_000, "reward", "rewards") == "2,000 rewards"
