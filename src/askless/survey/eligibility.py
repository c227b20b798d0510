"""Who may get which arm: the rules of a study's arms, on the answers to its questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.errors import SettingError, meant, shown
from askless.survey.arms import Arm
from askless.survey.kinds import Scale
from askless.survey.question import Answer
from askless.survey.rule import Both, Node, Not, Rule, Test, tests_of, wrong
from askless.survey.rule_reading import READINGS, Compared
from askless.survey.survey import Survey

__all__ = ["Eligibility", "SurveyRule"]

MOST_CELLS = 50_000  # of answers that rules tell apart, which are gone through one by one

Numbers = Callable[[Compared], Floats]  # what people are, for a comparison


class SurveyRule:
    """A rule on the questions of a survey.

    Parameters
    ----------
    rule : Rule
        What it says; questions and options that the survey does not have are refused, and so is a
        rule that no answers, or all answers, satisfy.
    survey : Survey
        The questions.

    Attributes
    ----------
    questions : array of bool (questions)
        Which questions it needs.

    Examples
    --------
    >>> import askless as al
    >>> region = al.Choice("region", ["north", "south"])
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), region])
    >>> rule = SurveyRule(Rule("age >= 65 and region == north"), survey)
    >>> rule.holds({"age": 70, "region": "north"}), rule.holds({"age": 64.9, "region": "north"})
    (True, False)
    """

    def __init__(self, rule: Rule, survey: Survey) -> None:
        self.rule, self.survey = rule, survey
        self.compared: dict[Test, Compared] = {}
        for test in tests_of(rule.tree):
            if test.question not in survey.names:
                raise wrong(
                    test.at,
                    f"there is no question {shown(test.question)}"
                    f"{meant(test.question, survey.names, 'the survey has')}",
                )
            question = survey[test.question]
            self.compared[test] = READINGS[question.kind].compared(question, test)
        named = {test.question for test in self.compared}
        self.questions: Flags = np.array([name in named for name in survey.names])
        self._check_sense()

    def _check_sense(self) -> None:
        cells = Cells(self.survey, [self])
        if cells.count > MOST_CELLS:
            return  # nobody can go through them; it is taken as it is
        found = self.truth(cells.numbers)
        if not found.any():
            raise SettingError("no answers satisfy this rule, so that nobody gets the arm")
        if found.all():
            raise SettingError("all answers satisfy this rule; leave it out")

    def truth(self, numbers: Numbers) -> Flags:
        """Return of whom it holds, given what they are."""
        return self._truth(self.rule.tree, numbers)

    def _truth(self, node: Node, numbers: Numbers) -> Flags:
        if isinstance(node, Test):
            compared = self.compared[node]
            return compared.truth(numbers(compared))
        if isinstance(node, Not):
            return ~self._truth(node.part, numbers)
        parts = [self._truth(part, numbers) for part in node.parts]
        return np.asarray((np.all if isinstance(node, Both) else np.any)(parts, axis=0))

    def holds(self, answers: Mapping[str, Answer]) -> bool:
        """Whether it holds for someone who answers so; a comparison with a skip is false.

        They are compared as given, before they are encoded; what is not answered counts as a skip.
        """

        def number(compared: Compared) -> Floats:
            question, answer = self.survey[compared.question], answers.get(compared.question)
            reading = READINGS[question.kind]
            return np.array([reading.of_answer(question, answer, compared.option)])

        return bool(self.truth(number)[0])


class Cells:
    """All ways in which some rules can see a person: a cell each, and answers in it."""

    def __init__(self, survey: Survey, rules: Sequence[SurveyRule]) -> None:
        used: dict[str, list[Compared]] = {}
        for rule in rules:
            for compared in rule.compared.values():
                used.setdefault(compared.question, []).append(compared)
        self.survey = survey
        self.answers = {
            name: READINGS[survey[name].kind].all_cells(survey[name], tests)
            for name, tests in used.items()
        }
        self.count = math.prod(len(answers) for answers in self.answers.values())
        self._lengths = [len(answers) for answers in self.answers.values()]

    def numbers(self, compared: Compared) -> Floats:
        """Return what the people of all cells are, for a comparison."""
        question, reading = self.survey[compared.question], READINGS
        answers = self.answers[question.name]
        own = [reading[question.kind].of_answer(question, a, compared.option) for a in answers]
        shape = [1] * len(self._lengths)
        place = list(self.answers).index(question.name)
        shape[place] = len(own)
        return np.broadcast_to(np.array(own).reshape(shape), self._lengths).reshape(-1)

    def example(self, cell: int) -> dict[str, Answer]:
        """Return answers that lie in a cell, in the order of the survey."""
        places = np.unravel_index(cell, self._lengths)
        pairs = zip(self.answers.items(), places, strict=True)
        found = {name: answers[place] for (name, answers), place in pairs}
        return {name: found[name] for name in self.survey.names if name in found}


class Eligibility:
    """Which arms a person may get: those whose rule holds, and those that have none.

    Parameters
    ----------
    survey : Survey
        The questions that rules may speak of.
    arms : sequence of Arm or str
        A rule that cannot be is refused with the arm's name.

    Attributes
    ----------
    rules : tuple of SurveyRule or None
        Of each arm.
    questions : array of bool (questions)
        Which questions some rule needs: those are asked of everyone, before anything else.
    exists : bool
        Whether there is any rule.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> arms = al.Arm("basic"), al.Arm("senior", eligible_if="age >= 65 and not donor")
    >>> eligibility = Eligibility(survey, arms)
    >>> eligibility.open_to({"age": 40, "donor": False})
    array([ True, False])
    >>> survey.names_of(eligibility.questions)
    ('age', 'donor')
    """

    def __init__(self, survey: Survey, arms: Sequence[str | Arm]) -> None:
        self.survey = survey
        self.arms = tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in arms)
        self.rules = tuple(self._read(arm) for arm in self.arms)
        own = [rule.questions for rule in self.rules if rule is not None]
        self.exists = bool(own)
        self.questions: Flags = np.any([np.zeros(len(survey), dtype=bool), *own], axis=0)
        self._cuts = self._grid_cuts()
        self._covered: set[bytes] = set()  # arms of which it is known that they leave nobody out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Eligibility):
            return NotImplemented
        return self.survey == other.survey and self.arms == other.arms

    def __hash__(self) -> int:
        return hash((self.survey, self.arms))

    def __deepcopy__(self, memo: dict[int, Any]) -> Eligibility:
        return self  # nothing of it ever changes: copies of a policy share it

    def _read(self, arm: Arm) -> SurveyRule | None:
        if arm.eligible_if is None:
            return None
        try:
            return SurveyRule(Rule(arm.eligible_if), self.survey)
        except SettingError as error:
            raise SettingError(f"arm {arm.name!r}: eligible_if: {error}") from None

    def same_rules(self, other: Eligibility) -> bool:
        """Whether both say the same of arms in the same order; spaces and quotes may differ."""
        mine, theirs = (
            [None if rule is None else rule.rule.tree for rule in each.rules]
            for each in (self, other)
        )
        return mine == theirs

    def asking(self) -> Survey:
        """Return the survey with the questions that rules need marked `always_ask`."""
        if not np.greater(self.questions, self.survey.asked_of_everyone).any():
            return self.survey
        needed = set(self.survey.names_of(self.questions))
        return Survey(
            [replace(q, always_ask=True) if q.name in needed else q for q in self.survey],
            coding=self.survey.coding,
        )

    def open_to(self, answers: Mapping[str, Answer]) -> Flags:
        """Return which arms someone may get who answers so (K)."""
        return np.array([rule is None or rule.holds(answers) for rule in self.rules])

    def allowed(self, contexts: Floats) -> Flags:
        """Return which arms many people may get, given their contexts (n × K).

        As `open_to` says of `decode` of each.
        """

        def numbers(compared: Compared) -> Floats:
            question = self.survey[compared.question]
            columns = contexts[:, self.survey.columns_of(question.name)]
            raw = self.survey.coding == "raw"
            found = READINGS[question.kind].of_columns(question, columns, compared.option, raw=raw)
            for point, cut in self._cuts.get(question.name, {}).items():
                found[(columns[:, 0] == point) & ~np.isnan(found)] = cut
            return found

        everyone = np.ones(len(contexts), dtype=bool)
        return np.column_stack([everyone if r is None else r.truth(numbers) for r in self.rules])

    def decode(self, z: Floats) -> dict[str, Answer]:
        """Turn a context back into answers, as the survey does, but to what rules name.

        Columns tell answers of a scale apart no finer than their grid: who is at the point of a
        number that a rule names has answered that. Else nobody of a pilot would be 65.
        """
        answers = self.survey.decode(z)
        for name, cuts in self._cuts.items():
            if answers.get(name) is not None:
                point = float(z[self.survey.columns_of(name)][0])
                answers[name] = cuts.get(point, answers[name])
        return answers

    def _grid_cuts(self) -> dict[str, dict[float, float]]:
        """Return the numbers that rules name of each scale, by their points in its column.

        The smallest, where several lie at one.
        """
        found: dict[str, dict[float, float]] = {}
        raw = self.survey.coding == "raw"
        tests = [test for r in self.rules if r is not None for test in r.compared.values()]
        for test in sorted(tests, key=lambda test: test.numbers, reverse=True):
            question = self.survey[test.question]
            if isinstance(question, Scale):
                cut = test.numbers[0]
                found.setdefault(question.name, {})[float(question.values(cut, raw=raw)[0])] = cut
        return found

    def needing(self, question: str) -> tuple[str, ...]:
        """Return the arms whose rules need a question."""
        place = self.survey.index(question)
        pairs = zip(self.arms, self.rules, strict=True)
        return tuple(arm.name for arm, rule in pairs if rule is not None and rule.questions[place])

    def check_cover(self, among: Flags) -> None:
        """Refuse arms that leave somebody without any; some answers of theirs are named."""
        rules = [rule for rule, may in zip(self.rules, among.tolist(), strict=True) if may]
        known = among.tobytes()
        ruled = [rule for rule in rules if rule is not None]
        if len(ruled) < len(rules) or known in self._covered:
            return
        cells = Cells(self.survey, ruled)
        if cells.count > MOST_CELLS:
            raise SettingError(
                f"arms: the rules tell {cells.count:,} kinds of people apart, too many to see"
                " whether each may get an arm; leave one arm without eligible_if"
            )
        lost = ~np.any([rule.truth(cells.numbers) for rule in ruled], axis=0)
        if lost.any():
            example = cells.example(int(lost.argmax()))
            raise SettingError(
                f"arms: someone with {_in_words(example)} would get no arm; open one to them, or"
                " leave one arm without eligible_if"
            )
        self._covered.add(known)


def _in_words(answers: Mapping[str, Answer]) -> str:
    """Say what someone answers."""
    return ", ".join(f"{name} {_word(answer)}" for name, answer in answers.items())


def _word(answer: Answer) -> str:
    if answer is None:
        return "skipped"
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, list):
        return " and ".join(answer) or "none of those named"
    return f"{answer:.10g}" if isinstance(answer, int | float) else answer
