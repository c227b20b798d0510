"""Charts as they are drawn: what stands at their axes, by the library that draws them."""

import re

import pytest
import vl_convert

from askless.service.dashboard import specs

PARTS = [("answered", "answered"), ("skipped", "skipped"), ("here", "stopped here")]


def plain(part):
    """A spec with colours that are none of a stylesheet."""
    if isinstance(part, dict):
        return {key: plain(value) for key, value in part.items()}
    if isinstance(part, list):
        return [plain(value) for value in part]
    return "#123456" if isinstance(part, str) and part.startswith("--") else part


def words(spec, rows):
    """What is written into a drawing."""
    fixed = {**plain(spec), "width": 400, "data": {"values": rows}}
    del fixed["autosize"]
    return re.findall(r"<text[^>]*>([^<]*)</text>", vl_convert.vegalite_to_svg(fixed))


@pytest.mark.parametrize("many", [1, 2, 3, 7, 3_000])
def test_of_people_there_are_no_halves(many):
    """Fails if an axis that counts visits has fractions, or a number twice."""
    question = {"question": "age", "answered": many, "skipped": 0, "here": 0}
    day = {"day": "2026-01-01", "started": many, "decided": 0}
    for spec, row in (
        (specs.amounts("question", 1, PARTS, "visits"), question),
        (specs.days(), day),
    ):
        drawn = words(spec, [row])
        numbers = [word for word in drawn if re.fullmatch(r"[\d.,]+", word)]
        assert len(set(numbers)) == len(numbers) >= 2
        assert all(re.fullmatch(r"\d{1,3}(,\d{3})*", number) for number in numbers)


def test_a_long_name_has_the_whole_row():
    """Fails if names that begin alike are cut where they still are the same."""
    names = [f"send the letter of the {part}" for part in ("first kind", "other kind")]
    rows = [{"arm": name, "share": 0.5, "now": 0.5} for name in names]
    drawn = words(specs.shares("arm", 2, "share", "now", "share of visits"), rows)
    assert set(names) <= set(drawn)
