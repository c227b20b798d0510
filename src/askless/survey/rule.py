"""A rule that says who may get an arm: `age >= 65 and region == north`, read and never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from askless.errors import SettingError, near, shown

__all__ = ["Both", "Either", "Node", "Not", "Rule", "Test", "Value"]

LONGEST = 1_000  # characters
DEEPEST = 20  # brackets and nots within each other
KEYWORDS = ("and", "or", "not", "in", "has")
ORDER = ("<", "<=", ">", ">=")
COMPARISONS = ("==", "!=", *ORDER)
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
# What other languages have for what a rule says in words.
HABITS = {"=": "==", "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "<>": "!="}

TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<quoted>"[^"]*"|'[^']*')
    | (?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w.])
    | (?P<word>[^\W\d](?:[\w.-]*\w)?)
    | (?P<sign>==|!=|<=|>=|<>|&&|\|\||[<>()\[\],=!&|])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of a rule and at which character it begins, from 1."""

    kind: str  # quoted, number, word, sign, or end
    text: str  # without its quotes
    at: int

    def is_sign(self, *signs: str) -> bool:
        """Whether it is one of these signs or keywords; a quoted one is a name."""
        return self.kind in ("sign", "word") and self.text in signs


class Value(NamedTuple):
    """What an answer is compared with, as it is written: a number or a word."""

    text: str
    number: float | None  # None: a word, or put in quotes


@dataclass(frozen=True)
class Test:
    """One comparison: a question, how it is compared, and with what.

    `how` is one of the comparisons, "in" or "not in" (of several options), "has" (a multi that has
    one chosen), or "is" (a yes/no that stands alone).
    """

    __test__ = False  # not one of pytest's

    question: str
    how: str
    values: tuple[Value, ...]
    at: int = field(default=1, compare=False)  # where it stands does not tell rules apart


@dataclass(frozen=True)
class Not:
    """What does not hold."""

    part: Node


@dataclass(frozen=True)
class Both:
    """All parts hold."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """One part holds at least."""

    parts: tuple[Node, ...]


Node = Test | Not | Both | Either


@dataclass(frozen=True)
class Rule:
    """Who may get an arm, in terms of the answers to some questions.

    Parameters
    ----------
    text : str
        Comparisons joined by `and`, `or`, `not` and brackets: `age >= 65`, `18 <= age < 65`,
        `region == north`, `region in [north, east]`, `donor` or `donor == no` for a yes/no,
        `media has web` for a multi. Names and options that are no plain words stand in quotes.

    Attributes
    ----------
    tree : Node
        What it says; whether its questions and options are there, `Eligibility` looks.

    Examples
    --------
    >>> rule = Rule("age >= 65 and (region == north or not donor)")
    >>> rule.questions
    ('age', 'region', 'donor')
    >>> Rule("age >= 65 and")
    Traceback (most recent call last):
        ...
    askless.errors.SettingError: character 14: the rule ends where a question should stand; write
    a comparison such as age >= 65
    """

    text: str
    tree: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise SettingError(f"the rule is {shown(self.text)}; give a text: age >= 65")
        if len(self.text) > LONGEST:
            raise SettingError(
                f"the rule has {len(self.text):,} characters; write one of {LONGEST:,} at most"
            )
        object.__setattr__(self, "text", self.text.strip())
        object.__setattr__(self, "tree", _Parser(self.text).rule())

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of the questions that it needs, each once, in the order of the rule."""
        return tuple(dict.fromkeys(test.question for test in tests_of(self.tree)))


def tests_of(node: Node) -> Iterator[Test]:
    """Go through the comparisons of a rule."""
    if isinstance(node, Test):
        yield node
    elif isinstance(node, Not):
        yield from tests_of(node.part)
    else:
        for part in node.parts:
            yield from tests_of(part)


def wrong(at: int, what: str) -> SettingError:
    """Return the error of a place in a rule."""
    return SettingError(f"character {at}: {what}")


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            piece = re.match(r"[^\s()\[\],]+|.", text[at:], re.DOTALL)
            assert piece is not None
            given = piece.group()
            if given[0] in "\"'":
                raise wrong(at + 1, f"the quote {given[0]} is never closed; close it")
            raise wrong(
                at + 1,
                f"{shown(given[:60])} is no number, no plain word and no sign of a rule; put a name"
                " or an option in quotes",
            )
        kind = found.lastgroup or ""
        piece_text = found.group()
        if kind == "quoted":
            piece_text = piece_text[1:-1]
        if kind == "sign" and piece_text in HABITS:
            raise wrong(at + 1, f"a rule has no {piece_text}; write {HABITS[piece_text]}")
        if kind != "space":
            yield Token(kind, piece_text, at + 1)
        at = found.end()
    yield Token("end", "", len(text) + 1)


class _Parser:
    """Reads a rule from left to right; each method takes one thing and moves on."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.place = 0
        self.depth = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.now
        self.place += token.kind != "end"
        return token

    def takes(self, *signs: str) -> bool:
        """Move on if one of these signs or keywords stands here; say whether it did."""
        found = self.now.is_sign(*signs)
        self.place += found
        return found

    def rule(self) -> Node:
        if self.now.kind == "end":
            raise SettingError("the rule is empty; write a comparison such as age >= 65")
        tree = self.either()
        given = self.now
        if given.kind != "end":
            hint = near(given.text, KEYWORDS) if given.kind == "word" else ""
            hint = hint or (
                "; join comparisons by and or or, put texts with spaces in quotes"
                + self.words_here()
            )
            raise wrong(given.at, f"{given.text!r} stands where and, or or the end should{hint}")
        return tree

    def words_here(self) -> str:
        """Return in quotes the words that stand side by side here; nothing of a single one."""
        words = [self.tokens[self.place - 1], *self.tokens[self.place :]]
        beside = takewhile(lambda one: one.kind == "word" and one.text not in KEYWORDS, words)
        text = " ".join(one.text for one in beside)
        return f', such as "{text}"' if " " in text else ""

    def either(self) -> Node:
        parts = [self.both()]
        while self.takes("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def both(self) -> Node:
        parts = [self.negated()]
        while self.takes("and"):
            parts.append(self.negated())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def negated(self) -> Node:
        """Take a comparison, or what stands in brackets or after a not: these go deeper."""
        start = self.now
        if not start.is_sign("not", "("):
            return self.comparison()
        self.depth += 1
        if self.depth > DEEPEST:
            raise wrong(start.at, f"the rule is nested more than {DEEPEST} deep; write it simpler")
        self.take()
        if start.text == "not":
            inner: Node = Not(self.negated())
        else:
            inner = self.either()
            if not self.takes(")"):
                raise wrong(
                    self.now.at, f"the bracket of character {start.at} is never closed; add )"
                )
        self.depth -= 1
        return inner

    def comparison(self) -> Node:
        if self.now.kind == "number":
            return self.turned()
        question = self.question()
        sign = self.take() if self.now.is_sign(*COMPARISONS, "in", "has") else None
        if sign is None:
            if self.now.is_sign("not") and self.tokens[self.place + 1].is_sign("in"):
                self.place += 2
                return Test(question.text, "not in", self.listed(), question.at)
            return Test(question.text, "is", (), question.at)
        if sign.text == "in":
            return Test(question.text, "in", self.listed(), question.at)
        value = self.value()
        if self.now.is_sign(*COMPARISONS):
            raise wrong(self.now.at, "a range has its question in the middle; write 18 <= age < 65")
        return Test(question.text, sign.text, (value,), question.at)

    def turned(self) -> Node:
        """Take a comparison that begins with a number: 65 <= age, 18 <= age < 65."""
        low, sign = self.value(), self.take()
        if sign.kind != "sign" or sign.text not in COMPARISONS:
            raise wrong(
                sign.at,
                f"a comparison should follow the number {low.text}; write {low.text} <= age",
            )
        question = self.question()
        first = Test(question.text, TURNED[sign.text], (low,), question.at)
        then = self.now
        if not then.is_sign(*COMPARISONS):
            return first
        self.take()
        if sign.text not in ORDER or then.text not in ORDER or sign.text[0] != then.text[0]:
            raise wrong(then.at, "a range goes one way; write 18 <= age < 65")
        return Both((first, Test(question.text, then.text, (self.value(),), question.at)))

    def question(self) -> Token:
        token = self.take()
        if token.kind == "end":
            raise wrong(
                token.at,
                "the rule ends where a question should stand; write a comparison such as age >= 65",
            )
        if token.kind not in ("word", "quoted") or token.is_sign(*KEYWORDS):
            raise wrong(
                token.at,
                f"{token.text!r} stands where a question should; write a comparison such as"
                " age >= 65, and put a question of that name in quotes",
            )
        return token

    def value(self) -> Value:
        token = self.take()
        if token.kind not in ("word", "quoted", "number") or token.is_sign(*KEYWORDS):
            given = repr(token.text) if token.text else "the end"
            raise wrong(
                token.at,
                f"{given} stands where a number or an option should; write one, in quotes if it is"
                " no plain word",
            )
        return Value(token.text, float(token.text) if token.kind == "number" else None)

    def listed(self) -> tuple[Value, ...]:
        start = self.now
        if not self.takes("["):
            raise wrong(start.at, "in takes a list of options; write region in [north, east]")
        values = [self.value()]
        while self.takes(","):
            values.append(self.value())
        if not self.takes("]"):
            raise wrong(self.now.at, f"the list of character {start.at} is never closed; add ]")
        return tuple(values)
