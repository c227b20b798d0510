"""Pages of questions: some at a time, saved as they are sent, changed until the arm is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.datastructures import FormData
from starlette.responses import Response

from askless.errors import AnswerError, StorageError, VisitError
from askless.service.pages.fields import Field, Typed, field_of, read_answer, typed_as
from askless.service.pages.person import Happened, Person
from askless.storage import Answer, ConflictError, Revise, Seen
from askless.survey.question import Answer as Given
from askless.survey.survey import Survey

__all__ = ["answer", "back_page", "question_page"]

RETRY_AFTER = 5  # seconds


def question_page(person: Person, seen: Seen) -> Response:
    """Return the page of the questions that come next."""
    place = len(seen.answers)
    names = seen.asks[: person.pages.block]
    return _page(person, names, seen=seen, place=place, change=None)


def back_page(person: Person, seen: Seen | None, place: int) -> Response:
    """Return a page of answers that were given, from one of them on."""
    if seen is None:
        raise Happened("no_visit", 409)
    if seen.arm is not None:
        raise Happened("decided", 409, button="see_result")
    names = list(seen.answers)[place : place + person.pages.block] if place >= 0 else []
    if not names:
        raise Happened("no_page", 404)
    survey = _survey(person)
    typed = {name: typed_as(survey[name], seen.answers[name]) for name in names}
    return _page(person, names, seen=seen, place=place, change=place, typed=typed)


def _survey(person: Person) -> Survey:
    return person.study.live.study.survey


def _page(
    person: Person,
    names: Sequence[str],
    *,
    place: int,
    change: int | None,
    seen: Seen | None = None,
    typed: Mapping[str, Typed] | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
    unsaved: bool = False,
) -> Response:
    survey, said, wrong = _survey(person), typed or {}, problems or {}
    fields: list[Field] = []
    for name in names:
        index = survey.index(name)
        words, now = person.words.questions[name], said.get(name, Typed())
        fields.append(field_of(index, survey[name], words, person.say, now, wrong.get(name, "")))
    before = max(0, place - person.pages.block) if place > 0 else None
    return person.page(
        "questions.html",
        status,
        at="" if change is None else f"back/{change}",
        fields=fields,
        on=[survey.index(name) for name in names],
        change=change,
        place=place,
        last=place + len(names),
        most=None if seen is None else seen.in_all,
        before=before,
        unsaved=unsaved,
        personal=person.personal(),
    )


async def answer(person: Person, form: FormData) -> Response:
    """Take the answers of one page: all of them, or none if one is missing."""
    survey = _survey(person)
    names = _on_page(form, survey)
    change, place = _whole(form.get("change")), _whole(form.get("place")) or 0
    typed: dict[str, Typed] = {}
    given: dict[str, Given] = {}
    problems: dict[str, str] = {}
    for name in names:
        index = survey.index(name)
        typed[name], given[name], wrong = read_answer(index, survey[name], form, person.say)
        if wrong:
            problems[name] = wrong
    try:
        seen = await person.visit()
        if seen is None:
            raise Happened("no_visit", 409)
        if problems:
            if seen.arm is not None:
                raise Happened("decided", 409, button="see_result")
            return _page(
                person,
                names,
                seen=seen,
                place=place,
                change=change,
                typed=typed,
                problems=problems,
                status=422,
            )
        await _save(person, seen, given, change)
    except StorageError:
        page = _page(
            person, names, place=place, change=change, typed=typed, status=503, unsaved=True
        )
        page.headers["Retry-After"] = str(RETRY_AFTER)
        return page
    if change is not None and change + len(names) < len(seen.answers):
        return person.on(f"back/{change + len(names)}")
    return person.on()


async def _save(person: Person, seen: Seen, given: Mapping[str, Given], change: int | None) -> None:
    token = seen.visit
    operation = Answer(token, given) if change is None else Revise(token, given)
    try:
        await person.study.desk.ask(operation)
    except ConflictError:
        if seen.arm is not None:
            raise Happened("decided", 409, button="see_result") from None
        held = [i for i, name in enumerate(seen.answers) if name in given]
        if not held:  # another tab was sooner by a moment
            raise Happened("conflict", 409) from None
        raise Happened("conflict", 409, button="see_answers", at=f"back/{held[0]}") from None
    except AnswerError:
        if seen.arm is not None:
            raise Happened("decided", 409, button="see_result") from None
        raise Happened("not_asked", 409) from None
    except VisitError:
        raise Happened("no_arm", 409) from None


def _on_page(form: FormData, survey: Survey) -> list[str]:
    """Return the questions that a form says it has; refuse a form that is none of ours."""
    found = [_whole(value) for value in form.getlist("on")]
    fits = [i for i in found if i is not None and i < len(survey.names)]
    if not found or len(fits) != len(found) or len(set(fits)) != len(fits):
        raise Happened("unreadable", 422)
    return [survey.names[i] for i in fits]


def _whole(value: object) -> int | None:
    """Return a whole number of a form."""
    fits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 7
    return int(str(value)) if fits else None
