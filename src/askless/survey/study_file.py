"""The shape of a study file: its JSON Schema, and YAML text to checked data with line numbers.

`python -m askless.survey.study_file` prints the JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationError,
)

from askless.errors import StudyError, shown

LARGEST_FILE = 1_000_000  # characters
DEEPEST = 12  # levels of nesting; a study file needs five

Place = tuple[str | int, ...]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Name = Annotated[str, Field(strict=True, min_length=1)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _QuestionSection(_Section):
    name: Name = Field(description="How the question is called in code, files and tables.")
    text: StrictStr = Field("", description="What the person reads; the name if left out.")
    help: StrictStr = Field("", description="A second, smaller line for the person.")
    cost: Positive = Field(1.0, description="What asking it costs, in any unit.")
    always_ask: StrictBool = Field(False, description="Ask everyone, whatever the models use.")
    may_skip: StrictBool = Field(False, description="Whether it may be left unanswered.")


class ScaleSection(_QuestionSection):
    """A number between two ends."""

    kind: Literal["scale"]
    low: Number
    high: Number


class YesNoSection(_QuestionSection):
    """Yes or no."""

    kind: Literal["yes_no"]


class ChoiceSection(_QuestionSection):
    """One of several options."""

    kind: Literal["choice"]
    options: Annotated[list[Name], Field(min_length=2, max_length=100)]


class MultiSection(_QuestionSection):
    """Any of several options."""

    kind: Literal["multi"]
    options: Annotated[list[Name], Field(min_length=1, max_length=10)]


class ArmSection(_Section):
    """One decision that can be made for a person."""

    name: Name
    text: StrictStr = Field("", description="What is decided, for people; the name if left out.")


class RewardSection(_Section):
    """The smallest and the largest reward there can be."""

    low: Number
    high: Number


class PolicySection(_Section):
    """Which policy decides, and its settings; what is left out gets the policy's default."""

    name: Literal["ridge", "linucb", "oful", "uniform"]
    beta_min: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = Field(
        None, description="Smallest change of expected reward for which a question is worth asking."
    )
    delta: Annotated[float, Field(strict=True, gt=0, lt=1)] | None = Field(
        None, description="How often the guarantees may fail."
    )
    alpha: Positive | None = None
    sigma: Positive | None = None
    b1: Positive | None = None
    b2: Positive | None = None
    radius: Literal["valid", "published", "published_sqrt", "li2010"] | None = None
    seed: Annotated[int, Field(strict=True, ge=0)] | None = None


def _no_flag(version: Any) -> Any:
    """Keep a YAML `yes` from passing as the number 1."""
    return str(version) if isinstance(version, bool) else version


class StudyFile(_Section):
    """A study: a survey, its arms, its reward and the policy that decides."""

    schema_: Annotated[Literal[1], BeforeValidator(_no_flag)] = Field(
        alias="schema", description="Version of this format."
    )
    name: Name = Field("study", description="How the study is called.")
    text: StrictStr = Field("", description="What the study is about, for people.")
    coding: Literal["centred", "raw"] = "centred"
    questions: Annotated[
        list[
            Annotated[
                ScaleSection | YesNoSection | ChoiceSection | MultiSection,
                Field(discriminator="kind"),
            ]
        ],
        Field(min_length=1),
    ]
    arms: Annotated[list[ArmSection], Field(min_length=1)]
    reward: RewardSection
    policy: PolicySection


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of study files, for editors and other programs."""
    schema = StudyFile.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "askless study file",
    }


class Located:
    """Data of a YAML text that still knows on which line each of its keys stands."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines: dict[Place, int] = {}
        self.data: Any
        if len(text) > LARGEST_FILE:
            raise StudyError(f"{source}: the file is longer than {LARGEST_FILE:,} characters")
        try:
            self._look(text)
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.data = None if node is None else self._build(node, ())
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            problem = ", ".join(part for part in (error.context, error.problem) if part)
            raise StudyError(f"{source}, line {line}: this is not YAML: {problem}") from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            character = f"#x{ord(text[error.position]):04x}"
            raise StudyError(
                f"{source}, line {line}: this is not YAML: the character {character} is not allowed"
            ) from None
        if not isinstance(self.data, dict):
            raise StudyError(f"{source}: a study file is a mapping that starts with 'schema: 1'")

    def _look(self, text: str) -> None:
        """Refuse before anything is built what could blow up: aliases, tags, deep nesting."""
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent):
                raise StudyError(
                    f"{self.source}, line {line}: a study file may not use YAML aliases (*);"
                    " write the value out"
                )
            if getattr(event, "tag", None) is not None:
                raise StudyError(
                    f"{self.source}, line {line}: a study file may not use YAML tags"
                    f" ({event.tag} {shown(getattr(event, 'value', ''))}); write the plain value"
                )
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEEPEST:
                    raise StudyError(f"{self.source}, line {line}: nested too deeply")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _build(self, node: yaml.Node, place: Place) -> Any:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(item, (*place, i)) for i, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            try:
                return yaml.SafeLoader("").construct_object(node)
            except (ValueError, OverflowError):  # what looks like a date or number and is none
                raise StudyError(
                    f"{self.where(place)}: {shown(node.value)} is no number or date; quote it"
                ) from None
        built: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = f"{self.source}, line {key_node.start_mark.line + 1}"
            if not isinstance(key_node, yaml.ScalarNode):
                raise StudyError(f"{line}: a list or mapping cannot be a key; write a word")
            key = key_node.value
            if key in built:
                raise StudyError(f"{line}: the key {key!r} is there twice")
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            built[key] = self._build(value_node, (*place, key))
        return built

    def where(self, place: Place) -> str:
        """Name a place as file, line and key."""
        known = place
        while known and known not in self.lines:
            known = known[:-1]
        line = self.lines.get(known, 1)
        key = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in place).lstrip(".")
        return f"{self.source}, line {line}" + (f", {key}" if key else "")


def read_study_file(text: str, source: str) -> tuple[StudyFile, Located]:
    """Check a study file's text against its shape; the first few errors in one message."""
    located = Located(text, source)
    try:
        return StudyFile.model_validate(located.data), located
    except ValidationError as error:
        problems = list(_problems(error, located))
    more = f"\n(and {len(problems) - 8} more)" if len(problems) > 8 else ""
    raise StudyError("\n".join(problems[:8]) + more)


def _problems(error: ValidationError, located: Located) -> Iterator[str]:
    for problem in error.errors():
        # pydantic puts the tag of a union into the place; the file does not have it there.
        place = tuple(
            part
            for i, part in enumerate(problem["loc"])
            if not (
                i == 2
                and problem["loc"][0] == "questions"
                and part == _kind_at(located, problem["loc"][:2])
            )
        )
        yield f"{located.where(place)}: {_say(problem['type'], problem, place)}"


def _kind_at(located: Located, place: Place) -> Any:
    question = located.data["questions"][place[1]]
    return question.get("kind") if isinstance(question, dict) else None


def _say(kind: str, problem: Any, place: Place) -> str:
    given = shown(problem["input"])
    sayings = {
        "extra_forbidden": f"unknown key {place[-1]!r}" if place else "unknown key",
        "missing": f"{place[-1]!r} is missing" if place else "something is missing",
        "union_tag_not_found": "the question has no 'kind': scale, yes_no, choice or multi",
        "union_tag_invalid": f"the kind {problem.get('ctx', {}).get('tag')!r} is none of"
        " scale, yes_no, choice and multi",
        "string_type": f"{given} is not a text; put it in quotes",
        "model_type": f"{given} is not a mapping; write keys and values",
        "model_attributes_type": f"{given} is not a mapping; write keys and values",
        "dict_type": f"{given} is not a mapping; write keys and values",
    }
    message = problem["msg"]
    return sayings.get(kind, f"{message[0].lower()}{message[1:]} (given: {given})")


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))  # noqa: T201
