"""Constants that Python and the core both have are the same ones, and so are a rule's settings.

The core's are read out of its sources: a compiled module has no names any more.
"""

import re
from pathlib import Path

import pytest

from askless.core import words
from askless.policies import short_state

CORE = Path(__file__).parents[2] / "src" / "core"
# Of no header: what doors say, and what only a form's check needs.
BESIDES = ("bind_arms.cpp", "short_check.cpp")


def expressions():
    """Return every constant of the core as it is written, by name."""
    found = {}

    def note(name, text):
        assert found.setdefault(name, text) == text, f"{name} is written twice"

    for path in [*sorted(CORE.glob("*.hpp")), *(CORE / name for name in BESIDES)]:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for body in re.findall(r"\bconstexpr (?:Whole|Real) (\w+(?:\[\w*\])? = [^;]*);", text):
            for part in re.split(r",\s*(?=\w+ = )", body):
                name, _, value = part.partition(" = ")
                note(name.partition("[")[0], value)
        for body in re.findall(r"\benum \w+ : Whole \{([^}]*)\}", text):
            last = "-1"
            for part in filter(None, map(str.strip, body.split(","))):
                name, _, value = part.partition(" = ")
                last = value or f"{last} + 1"
                note(name, last)
    return found


def values():
    """Return the value of a name: C++'s sums, products and lists are Python's."""
    written = expressions()

    class Names(dict):
        def __missing__(self, name):
            text = written[name].replace("{", "(").replace("}", ",)")
            return eval(text, {"__builtins__": {}}, self)  # out of our own sources

    return Names()


WORDS = {name: value for name, value in vars(words).items() if name.isupper()}


def test_there_are_words():
    assert len(WORDS) > 80
    assert {"DECLINED", "WHOLE_WIDTH", "NET_SCALED_SQRT", "HALF_WIDTHS", "PRIOR_NOISE"} <= set(
        WORDS
    )


@pytest.mark.parametrize("name", WORDS)
def test_a_word_is_the_core_s(name):
    found = values()[name]
    assert found == WORDS[name]
    assert type(found) is type(WORDS[name])


@pytest.mark.parametrize("name", ["LEVEL", "MOST_LOSS"])
def test_the_interval_of_a_form_s_loss_is_of_the_sums_that_the_core_adds_up(name):
    assert values()[name] == getattr(short_state, name)


def test_a_rule_has_the_core_s_settings():
    text = (CORE / "rule.hpp").read_text(encoding="utf-8")
    settings = re.findall(r"SETTING\((Whole|Real), (\w+)\)", text)
    kinds = {"Whole": int, "Real": float}
    own = {name: kinds[kind] for kind, name in settings}
    hints = {k: v for k, v in words.Rule.__annotations__.items() if k != "log_supports"}
    assert len(settings) == len(own)
    assert own == hints
