"""A study file with every kind of question, and what can be wrong with one."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from askless.errors import StudyError
from survey_strategies import refused

EXAMPLE = """\
# What suits whom, in a file that uses every key.
schema: 1
name: charity
text: Which charity suits whom?
coding: centred

questions:
  - kind: scale
    name: age
    text: How old are you?
    help: In whole years
    low: 18
    high: 90
    cost: 2.5
    always_ask: true
  - kind: yes_no
    name: donor
    may_skip: true
  - kind: choice
    name: cause
    options: [children, animals, climate]
  - kind: multi
    name: media
    options:
      - tv
      - radio
      - web

arms:
  - name: red_cross
    text: Suggest the Red Cross
  - name: wwf
reward:
  low: -10
  high: 100
policy:
  name: ridge
  beta_min: 5
  delta: 0.05
  alpha: 4
  sigma: 50
  b1: 110
  b2: 90.5
  radius: valid
"""


class Fault(NamedTuple):
    """One change of EXAMPLE that makes it wrong."""

    old: str  # what is replaced, there once
    new: str
    at: str  # where the changed text has its error
    says: tuple[str, ...]  # what the message must name

    @property
    def text(self) -> str:
        """The changed file."""
        assert EXAMPLE.count(self.old) == 1, f"{self.old!r} does not stand for one place"
        return EXAMPLE.replace(self.old, self.new)

    @property
    def line(self) -> int:
        """The line of the error, counted from 1."""
        assert self.text.count(self.at) == 1, f"{self.at!r} does not stand for one place"
        start = self.text.index(self.at) + len(self.at) - len(self.at.lstrip("\n"))
        return self.text[:start].count("\n") + 1


@contextmanager
def refused_at(source: object, line: int, *needles: str) -> Iterator[None]:
    """Expect an error that starts with the file and the line and holds every needle."""
    with refused(StudyError, *needles) as caught:
        yield
    message = str(caught.value)
    assert re.match(rf"{re.escape(str(source))}, line {line}[,:]", message), message


# What the shape of the file forbids: the JSON Schema refuses these too.
SHAPE = {
    "unknown key at the top": Fault(
        "arms:", "colour: red\narms:", "colour", ("'colour'", "unknown")
    ),
    "unknown key in a question": Fault(
        "    low: 18", "    step: 1\n    low: 18", "step", ("questions[1]", "'step'", "unknown")
    ),
    "another kind's key in a question": Fault(
        "    may_skip: true", "    low: 1", "low: 1\n", ("questions[2]", "'low'", "unknown")
    ),
    "unknown key in an arm": Fault(
        "  - name: wwf", "  - name: wwf\n    cost: 1", "cost: 1\n", ("arms[2]", "'cost'")
    ),
    "unknown key in the reward": Fault(
        "  low: -10", "  mid: 1\n  low: -10", "mid", ("reward", "'mid'")
    ),
    "unknown key in the policy": Fault(
        "  delta:", "  deltta:", "deltta", ("policy", "'deltta'", "unknown")
    ),
    "a merge of mappings": Fault("arms:", "<<: {a: 1}\narms:", "<<", ("'<<'",)),
    "no schema": Fault("schema: 1\n", "", "name: charity", ("'schema'", "missing")),
    "no reward": Fault(
        "reward:\n  low: -10\n  high: 100\n", "", "schema: 1", ("'reward'", "missing")
    ),
    "no name in a question": Fault(
        "    name: donor\n", "", "- kind: yes_no", ("questions[2]", "'name'", "missing")
    ),
    "no end of a scale": Fault(
        "    high: 90\n", "", "- kind: scale", ("questions[1]", "'high'", "missing")
    ),
    "no options": Fault(
        "    options: [children, animals, climate]\n",
        "",
        "- kind: choice",
        ("questions[3]", "'options'"),
    ),
    "no name in an arm": Fault(
        "- name: wwf", "- text: wwf", "- text: wwf", ("arms[2]", "'name'", "missing")
    ),
    "no low end of the reward": Fault(
        "  low: -10\n", "", "reward:", ("reward", "'low'", "missing")
    ),
    "no beta_min of the policy without a name": Fault(
        "  name: ridge\n  beta_min: 5\n", "", "policy:", ("policy", "'beta_min'", "missing")
    ),
    "a policy that is not written as module:Class": Fault(
        "name: ridge", "name: 'my module:Mine'", "my module", ("policy.name", "module:Class")
    ),
    "a window without a unit": Fault(
        "  high: 100\n",
        "  high: 100\n  window: 14\n",
        "window: 14",
        ("reward.window", "'14'", "a unit", "14 days"),
    ),
    "a window of an unknown unit": Fault(
        "  high: 100\n",
        "  high: 100\n  window: 2 moons\n",
        "window: 2",
        ("reward.window", "'2 moons'", "500 visits"),
    ),
    "a list as a window": Fault(
        "  high: 100\n",
        "  high: 100\n  window: [14, days]\n",
        "window: [",
        ("reward.window", "not a text"),
    ),
    "a text as a silence": Fault(
        "  high: 100\n",
        "  high: 100\n  window: 1 day\n  silence: none\n",
        "silence: none",
        ("reward.silence", "'none'", "number"),
    ),
    "no kind": Fault(
        "kind: yes_no\n    name: donor", "name: donor", "- name: donor", ("questions[2]", "'kind'")
    ),
    "unknown kind": Fault(
        "kind: yes_no", "kind: slider", "kind: slider", ("questions[2]", "slider", "kind", "yes_no")
    ),
    "a list as a kind": Fault(
        "kind: yes_no", "kind: [scale]", "kind: [scale]", ("questions[2]", "kind")
    ),
    "another version": Fault("schema: 1", "schema: 2", "schema: 2", ("schema", "2")),
    "a version in quotes": Fault("schema: 1", "schema: '1'", "schema", ("schema", "'1'")),
    "yes as a version": Fault("schema: 1", "schema: yes", "schema", ("schema", "True")),
    "unknown coding": Fault("coding: centred", "coding: center", "coding", ("coding", "'center'")),
    "unknown policy": Fault(
        "name: ridge", "name: rigde", "name: rigde", ("policy.name", "'rigde'")
    ),
    "unknown grain": Fault(
        "radius: valid", "grain: word", "word", ("policy.grain", "'arm' or 'question'")
    ),
    "unknown interactive": Fault(
        "radius: valid", "interactive: sure", "sure", ("policy.interactive", "'sure'")
    ),
    "a number for a flag": Fault(
        "radius: valid", "interactive: 1", "interactive", ("policy.interactive", "'certified'")
    ),
    "unknown radius": Fault("radius: valid", "radius: wide", "radius", ("policy.radius", "'wide'")),
    "delta of two": Fault("delta: 0.05", "delta: 2", "delta", ("policy.delta", "2")),
    "delta of zero": Fault("delta: 0.05", "delta: 0", "delta", ("policy.delta", "0")),
    "beta_min below zero": Fault(
        "beta_min: 5", "beta_min: -1", "beta_min", ("policy.beta_min", "-1")
    ),
    "alpha of zero": Fault("alpha: 4", "alpha: 0", "alpha", ("policy.alpha", "0")),
    "a text for a number": Fault(
        "low: 18", "low: young", "low: young", ("questions[1].low", "'young'")
    ),
    "a number in quotes": Fault("low: -10", "low: '-10'", "low: '-10'", ("reward.low", "'-10'")),
    "yes for a number": Fault("cost: 2.5", "cost: yes", "cost", ("questions[1].cost", "True")),
    "cost of zero": Fault("cost: 2.5", "cost: 0", "cost", ("questions[1].cost", "0")),
    "quotes around beta_min": Fault(
        "beta_min: 5", "beta_min: '5'", "beta_min", ("'5'", "beta_min")
    ),
    "quotes around delta": Fault("delta: 0.05", "delta: '.1'", "delta", ("policy.delta", "'.1'")),
    "quotes around alpha": Fault("alpha: 4", "alpha: '4'", "alpha", ("policy.alpha", "'4'")),
    "a seed for ridge": Fault("radius: valid", "seed: 4", "seed", ("policy.seed", "unknown key")),
    "delta of one": Fault("delta: 0.05", "delta: 1", "delta", ("policy.delta", "1")),
    "a number for a switch": Fault(
        "may_skip: true", "may_skip: 1", "may_skip", ("questions[2].may_skip", "1")
    ),
    "no as an option": Fault(
        "[children, animals, climate]",
        "[yes, animals, no]",
        "options: [yes",
        ("questions[3].options[3]", "False", "quotes"),
    ),
    "no as an option on a line of its own": Fault(
        "      - radio\n", "      - no\n", "- no\n", ("questions[4].options[2]", "False", "quotes")
    ),
    "a number as a name": Fault("name: wwf", "name: 7", "name: 7", ("arms[2].name", "7", "quotes")),
    "a date as a name": Fault(
        "name: wwf", "name: 2024-01-02", "2024", ("arms[2].name", "2024", "quotes")
    ),
    "a list as a name": Fault("name: wwf", "name: [a]", "name: [a]", ("arms[2].name", "['a']")),
    "nothing as a name": Fault("name: wwf", "name:", "name:\nreward", ("arms[2].name", "None")),
    "an empty name": Fault("name: wwf", "name: ''", "name: ''", ("arms[2].name", "''")),
    "a text for a list of options": Fault(
        "[children, animals, climate]",
        "children",
        "options: children",
        ("questions[3].options", "'children'"),
    ),
    "one option": Fault(
        "[children, animals, climate]", "[children]", "options: [c", ("questions[3].options", "2")
    ),
    "a hundred and one options": Fault(
        "[children, animals, climate]",
        f"[{', '.join(f'o{i}' for i in range(101))}]",
        "options: [o",
        ("questions[3].options", "100"),
    ),
    "no option in a list": Fault(
        "    options:\n      - tv\n      - radio\n      - web\n",
        "    options: []\n",
        "options: []",
        ("questions[4].options", "1"),
    ),
    "eleven options": Fault(
        "      - tv\n",
        "".join(f"      - o{i}\n" for i in range(9)),
        "options:\n",
        ("questions[4].options", "10"),
    ),
    "a text for a question": Fault(
        "  - kind: yes_no\n    name: donor\n    may_skip: true\n",
        "  - donor\n",
        "- donor",
        ("questions[2]", "'donor'"),
    ),
    "a text for an arm": Fault("- name: wwf", "- wwf", "- wwf", ("arms[2]", "'wwf'")),
    "a pair for the reward": Fault(
        "reward:\n  low: -10\n  high: 100\n",
        "reward: [-10, 100]\n",
        "reward",
        ("reward", "[-10, 100]"),
    ),
    "no questions": Fault(
        EXAMPLE[EXAMPLE.index("questions:") : EXAMPLE.index("arms:")],
        "questions: []\n",
        "questions",
        ("questions", "1"),
    ),
    "no arms": Fault(
        "arms:\n  - name: red_cross\n    text: Suggest the Red Cross\n  - name: wwf\n",
        "arms: []\n",
        "arms",
        ("arms", "1"),
    ),
}

# What only the reader sees.
MEANING = {
    "low not below high": Fault(
        "low: 18", "low: 95", "- kind: scale", ("questions[1]", "'age'", "low", "95", "90")
    ),
    "low not below high in a later question": Fault(
        "\narms:",
        "  - kind: scale\n    name: height\n    low: 2\n    high: 1\narms:",
        "- kind: scale\n    name: height",
        ("questions[5]", "'height'", "low"),
    ),
    "reward ends the wrong way round": Fault(
        "low: -10", "low: 200", "reward:", ("reward", "200", "100")
    ),
    "half a visit as a window": Fault(
        "  high: 100\n",
        "  high: 100\n  window: 0.5 visits\n",
        "window:",
        ("reward.window", "0.5 visits", "whole number"),
    ),
    "a silence without a window": Fault(
        "  high: 100\n",
        "  high: 100\n  silence: 0\n",
        "silence:",
        ("reward.silence", "no window", "14 days"),
    ),
    "a silence out of range": Fault(
        "  high: 100\n",
        "  high: 100\n  window: 1 day\n  silence: 101\n",
        "silence:",
        ("reward.silence", "101", "-10 to 100"),
    ),
    "a beta_min of one's own policy that cannot be": Fault(
        "name: ridge\n  beta_min: 5",
        "name: a:B\n  beta_min: 500",
        "beta_min",
        ("policy.beta_min", "500"),
    ),
    "a question called twice": Fault(
        "name: cause", "name: age", "- kind: choice", ("questions[3]", "'age'")
    ),
    "an arm called twice": Fault(
        "- name: wwf", "- name: red_cross", "- name: red_cross\nr", ("arms[2]", "'red_cross'")
    ),
    "an option listed twice": Fault(
        "[children, animals, climate]",
        "[a, b, a]",
        "- kind: choice",
        ("questions[3]", "'cause'", "option", "'a'", "twice"),
    ),
    "a name of spaces": Fault(
        "name: cause", "name: '  '", "- kind: choice", ("questions[3]", "empty name")
    ),
    "an arm's name of spaces": Fault(
        "name: wwf", "name: '  '", "- name: '  '", ("arms[2]", "empty name")
    ),
    "the study's name of spaces": Fault(
        "name: charity", "name: '  '", "name: '  '", ("name", "empty name")
    ),
    # YAML 1.1 has a type of its own for a lone equals sign.
    "an equals sign as a name": Fault(
        "name: wwf", "name: =", "name: =", ("arms[2].name", "=", "quotes")
    ),
    "an infinite end": Fault(
        "high: 90", "high: .inf", "high: .inf", ("questions[1].high", "finite")
    ),
    "an end that is no number": Fault(
        "high: 90", "high: .nan", "high: .nan", ("questions[1].high", "finite")
    ),
    "a huge cost": Fault("cost: 2.5", "cost: 1.0e+12", "cost", ("questions[1].cost", "1000000000")),
    "an infinite cost": Fault("cost: 2.5", "cost: .inf", "cost", ("questions[1].cost", "finite")),
    "an infinite alpha": Fault("alpha: 4", "alpha: .inf", "alpha", ("policy.alpha", "finite")),
    "an infinite beta_min": Fault(
        "beta_min: 5", "beta_min: .inf", "beta_min", ("policy.beta_min", "finite")
    ),
    "delta that is no number": Fault(
        "delta: 0.05", "delta: .nan", "delta", ("policy.delta", "nan")
    ),
    "a choice in raw coding": Fault(
        "coding: centred\n\nquestions:\n",
        "coding: raw\nquestions:\n  - {kind: scale, name: x, low: 0, high: 1}\n",
        "- kind: yes_no",
        ("questions[3]", "'donor'", "raw"),
    ),
}

# Values at the edge of what is allowed: a part of EXAMPLE and what may stand there as well.
ALLOWED = {
    "beta_min of zero": ("beta_min: 5", "beta_min: 0"),
    "a small beta_min": ("beta_min: 5", "beta_min: 0.001"),
    "a delta near one": ("delta: 0.05", "delta: 0.999"),
    "a small delta": ("delta: 0.05", "delta: 1.0e-9"),
    "a small alpha": ("alpha: 4", "alpha: 0.001"),
    "a small cost": ("cost: 2.5", "cost: 0.001"),
    "two options": ("[children, animals, climate]", "[children, animals]"),
    "a hundred options": (
        "[children, animals, climate]",
        f"[{', '.join(f'o{i}' for i in range(100))}]",
    ),
    "one option of a multi": ("      - tv\n      - radio\n", ""),
    "ten options of a multi": ("      - tv\n", "".join(f"      - o{i}\n" for i in range(8))),
    "an option in quotes": ("climate]", "'no']"),
    "one arm": ("  - name: wwf\n", ""),
    "no name in the policy": ("  name: ridge\n", ""),
    "the name of the recommended policy": ("name: ridge", "name: survey-bandit"),
    "a policy of one's own with any settings": (
        "name: ridge\n",
        "name: my.module:Mine\n  rate: [1, 2]\n  how: {fast: true}\n",
    ),
    "a window and a silence": (
        "  high: 100\n",
        "  high: 100\n  window: 1.5 hours\n  silence: -10\n",
    ),
    "a window without a silence": ("  high: 100\n", "  high: 100\n  window: 1 visit\n"),
}
