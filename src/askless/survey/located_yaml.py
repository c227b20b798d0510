"""YAML text to data that still knows on which line each key stands; nothing in it can blow up."""

from __future__ import annotations

from typing import Any

import yaml

from askless.errors import StudyError, shown

LARGEST_FILE = 10_000_000  # characters: tens of thousands of questions
DEEPEST = 12  # levels of nesting; a study file needs five

Place = tuple[str | int, ...]

# What people usually did when YAML complains in these words.
HINTS = {
    "'\\t'": "; indent with spaces, not with tabs",
    "mapping values are not allowed": "; put a text that contains ': ' in quotes,"
    " or indent this key like the others",
    "block sequence start": "; indent the items of a list alike",
    "block mapping start": "; indent the keys of a section alike",
    "duplicate anchor": "; a study file needs no anchors (&): write values out",
    "expected ',' or": "; close every { and [, and put texts with , or ? in quotes",
}


class _Plain(yaml.SafeLoader):
    """Refuses, before anything is built of it, what could blow up: aliases, tags, deep nesting."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text)
        self._source, self._depth = source, 0

    def get_event(self) -> Any:
        plain: Any = super()  # what its stubs say changes with their version
        event = plain.get_event()
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise StudyError(
                f"{self._source}, line {line}: a study file may not use YAML aliases (*);"
                " write the value out"
            )
        if getattr(event, "tag", None) is not None:
            raise StudyError(
                f"{self._source}, line {line}: a study file may not use YAML tags"
                f" ({event.tag} {shown(getattr(event, 'value', ''))}); write the plain value"
            )
        if isinstance(event, yaml.CollectionStartEvent):
            self._depth += 1
            if self._depth > DEEPEST:
                raise StudyError(f"{self._source}, line {line}: nested too deeply")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._depth -= 1
        return event


class Located:
    """Data of a YAML text that still knows on which line each of its keys stands."""

    def __init__(self, text: str, source: str) -> None:
        self.source, self.text = source, text
        self.lines: dict[Place, int] = {}
        self.written: dict[Place, str] = {}  # single values as they stand in the file
        self.spans: dict[Place, tuple[int, int]] = {}  # from and to which character
        self.data: Any
        if len(text) > LARGEST_FILE:
            raise StudyError(f"{source}: the file is longer than {LARGEST_FILE:,} characters")
        try:
            loader = _Plain(text, source)
            node = loader.get_single_node()
            self.data = None if node is None else self._build(loader, node, ())
        except yaml.MarkedYAMLError as error:
            if (quote := _open_quote(text, error)) is not None:
                raise StudyError(f"{source}, {quote}") from None
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            problem = ", ".join(part for part in (error.context, error.problem) if part)
            hint = next((hint for sign, hint in HINTS.items() if sign in problem), "")
            raise StudyError(f"{source}, line {line}: this is not YAML: {problem}{hint}") from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            character = f"#x{ord(text[error.position]):04x}"
            raise StudyError(
                f"{source}, line {line}: this is not YAML: the character {character} is not allowed"
            ) from None
        if not isinstance(self.data, dict):
            raise StudyError(f"{source}: a study file is a mapping that starts with 'schema: 1'")

    def _build(self, loader: yaml.SafeLoader, node: yaml.Node, place: Place) -> Any:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(loader, item, (*place, i)) for i, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            self.written[place] = node.value
            self.spans[place] = node.start_mark.index, node.end_mark.index
            try:
                return loader.construct_object(node)
            except (ValueError, OverflowError, yaml.constructor.ConstructorError):
                raise StudyError(
                    f"{self.where(place)}: {shown(node.value)} is no number or date;"
                    " put a text in quotes"
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
            built[key] = self._build(loader, value_node, (*place, key))
        return built

    def where(self, place: Place) -> str:
        """Name a place as file, line and key."""
        known = place
        while known and known not in self.lines:
            known = known[:-1]
        line = self.lines.get(known, 1)
        key = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in place).lstrip(".")
        return f"{self.source}, line {line}" + (f", {key}" if key else "")


def _open_quote(text: str, error: yaml.MarkedYAMLError) -> str | None:
    """Say where a quote began that was not closed, if that is what is wrong.

    It ends at the next quote, lines later, and YAML complains of what comes behind that one.
    """
    if error.context == "while scanning a quoted scalar" and error.context_mark:
        first, quote, how = error.context_mark, text[error.context_mark.index], "never closed"
    elif (last := _quoted_before(text, error.problem_mark)) is None:
        return None
    else:
        first, ends, quote = last.start_mark, last.end_mark, last.style
        if first.line < ends.line:
            how = f"closed only on line {ends.line + 1}, by the next one"
        elif "found '<scalar>'" in str(error.problem):
            how = "closed by the next one, and the text goes on"
        else:
            return None
    return (
        f"line {first.line + 1}: this is not YAML: the quote {quote} that begins a text here is"
        f" {how}; close it where its text ends, and put a text that has quotes in quotes of another"
        " kind"
    )


def _quoted_before(text: str, wrong: yaml.Mark | None) -> Any:
    """Return the text in quotes that ends on the line of what is wrong, or None."""
    last = None
    tokens: Any = yaml.scan(text, Loader=yaml.SafeLoader)
    try:
        for token in tokens:
            if wrong is None or token.start_mark.index >= wrong.index:
                break
            last = token if getattr(token, "style", None) in ("'", '"') else last
    except yaml.MarkedYAMLError:
        pass  # what was read before it is enough
    return last if last and wrong and last.end_mark.line == wrong.line else None
