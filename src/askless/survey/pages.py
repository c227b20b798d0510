"""What people see of a study: consent, words in their language, colours, what is asked at last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from askless.errors import SettingError, meant, near, shown
from askless.survey.arms import Arm
from askless.survey.colour import check_colour, check_contrast
from askless.survey.image import check_image
from askless.survey.names import check_text
from askless.survey.survey import Survey

__all__ = ["LANGUAGES", "Pages", "QuestionWords", "RewardQuestion", "Words"]

LANGUAGES = {"ar": "rtl", "en": "ltr"}  # those whose pages have words, and where lines begin
MOST_BLOCK = 20
AMONG_US = ("localhost", "127.0.0.1", "::1")  # where plain http harms nobody


class PlaceError(SettingError):
    """A setting of pages that cannot be, and where it stands below `pages`."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class QuestionWords:
    """The words of a question in one language; `options` are labels by the options' names."""

    text: str = ""
    help: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """The words of a study in one language; what is empty is not said in it."""

    title: str = ""
    consent: str = ""
    thanks: str = ""
    reward: str = ""
    questions: Mapping[str, QuestionWords] = field(default_factory=dict)
    arms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RewardQuestion:
    """What people are asked once the arm is played.

    Parameters
    ----------
    text : str
        The question.
    ask : {"amount", "rating"}
        A number of the reward's range, or one of a few steps of it.
    when : {"now", "later"}
        With the arm, or by a link that people keep.
    """

    text: str
    ask: str = "amount"
    when: str = "now"


@dataclass(frozen=True)
class Pages:
    """How a study looks to the people who answer it.

    Parameters
    ----------
    title, consent, thanks : str
        The study's name, what people agree to before anything is kept, and the last words.
    block : int
        Questions a page, at most.
    language : str
        Of the study file's own words.
    languages : mapping of str to Words
        The same words in other languages, all of them; in its own language, labels of options.
    accent, on_accent : str
        The colour of buttons, and of text on them.
    logo : str
        Image data (`data:image/png;base64,…`); a study file names a file beside it.
    reward : RewardQuestion, optional
        What is asked once the arm is played.
    returns : tuple of str
        Addresses to which a survey tool may have people sent back.
    invited : bool
        Whether only people with an invitation may take part.

    Examples
    --------
    >>> pages = Pages(title="Which charity suits you?", accent="#0b6e4f")
    >>> pages.may_return("https://example.org/survey?id=7")
    False
    >>> Pages(accent="#ffdd00")
    Traceback (most recent call last):
        ...
    askless.survey.pages.PlaceError: text of the colour #ffffff on #ffdd00 has a contrast of 1.35;
    give a darker accent or another on_accent: people need at least 4.5
    """

    title: str = ""
    consent: str = ""
    thanks: str = ""
    block: int = 1
    language: str = "en"
    languages: Mapping[str, Words] = field(default_factory=dict)
    accent: str = "#1f5f8b"
    on_accent: str = "#ffffff"
    logo: str = ""
    reward: RewardQuestion | None = None
    returns: tuple[str, ...] = ()
    invited: bool = False

    def __post_init__(self) -> None:
        for name in ("title", "consent", "thanks"):
            check_text(getattr(self, name), name)
        if type(self.block) is not int or not 1 <= self.block <= MOST_BLOCK:
            raise PlaceError(
                f"block is {shown(self.block)}; give 1 to {MOST_BLOCK} questions a page", "block"
            )
        _check_language(self.language, "language")
        for language in self.languages:
            _check_language(language, "languages", language)
        self._check_colours()
        if self.logo:
            _placed(check_image, self.logo, "logo")
        for i, address in enumerate(self.returns):
            _check_return(address, i)

    def _check_colours(self) -> None:
        for name in ("accent", "on_accent"):
            colour = _placed(lambda value, what=name: check_colour(value, what), self, name)
            object.__setattr__(self, name, colour)
        try:
            check_contrast(self.accent, self.on_accent)
        except SettingError as error:
            raise PlaceError(str(error), "accent") from None

    # -- words -----------------------------------------------------------------------------------

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages that people may choose, the study's own first."""
        return (self.language, *(other for other in self.languages if other != self.language))

    def words(self, language: str, survey: Survey, arms: Sequence[Arm]) -> Words:
        """Return all words of a study in one of its languages."""
        said = self.languages.get(language, Words())
        own = language == self.language
        questions = {}
        for question in survey:
            there = said.questions.get(question.name, QuestionWords())
            options = {option: option for option in getattr(question, "options", ())}
            questions[question.name] = QuestionWords(
                text=there.text or question.text,
                help=there.help or (question.help if own else ""),
                options=options | dict(there.options),
            )
        return Words(
            title=said.title or self.title,
            consent=said.consent or (self.consent if own else ""),
            thanks=said.thanks or (self.thanks if own else ""),
            reward=said.reward or (self.reward.text if self.reward else ""),
            questions=questions,
            arms={arm.name: said.arms.get(arm.name, arm.text) for arm in arms},
        )

    def check_words(self, survey: Survey, arms: Sequence[Arm]) -> None:
        """Refuse words of what the study does not have, and languages that leave some out."""
        for language, words in self.languages.items():
            at = ("languages", language)
            _check_questions(words, survey, at)
            names = [arm.name for arm in arms]
            for arm in words.arms:
                if arm not in names:
                    raise PlaceError(
                        f"there is no arm {arm!r}{meant(arm, names, 'the arms are')}",
                        *at,
                        "arms",
                        arm,
                    )
            if language != self.language:
                self._check_whole(words, survey, names, at)

    def _check_whole(
        self, words: Words, survey: Survey, arms: Sequence[str], at: tuple[str, str]
    ) -> None:
        """Refuse a translation that would leave people with a language they do not read."""
        reward = "" if self.reward is None else self.reward.text
        own = {"title": self.title, "consent": self.consent, "thanks": self.thanks}
        for name, text in {**own, "reward": reward}.items():
            if text and not getattr(words, name):
                raise PlaceError(f"{name} is missing in this language; translate it", *at)
        for question in survey:
            said = words.questions.get(question.name)
            lacks = said is None or not said.text or (bool(question.help) and not said.help)
            options = getattr(question, "options", ())
            lacks = lacks or any(option not in said.options for option in options)  # type: ignore[union-attr]
            if lacks:
                parts = ["text", *["help"] * bool(question.help), *["options"] * bool(options)]
                raise PlaceError(
                    f"question {question.name!r} is not whole in this language; give its"
                    f" {' and '.join(parts)}",
                    *at,
                    *(["questions", question.name] if said is not None else []),
                )
        for arm in arms:
            if not words.arms.get(arm):
                raise PlaceError(f"arm {arm!r} has no text in this language; give it one", *at)

    # -- sending back ----------------------------------------------------------------------------

    def may_return(self, address: str) -> bool:
        """Whether people may be sent to an address: one of `returns`, or below it."""
        given = _split(address)
        if given is None:
            return False
        for allowed in self.returns:
            may = _split(allowed)
            assert may is not None
            below = given.path == may.path or given.path.startswith(may.path.rstrip("/") + "/")
            if (given.scheme, given.netloc) == (may.scheme, may.netloc) and below:
                # Browsers take %2e for a dot, and go up.
                return ".." not in [unquote(part) for part in given.path.split("/")]
        return False

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Pages:
        """Build it from what a study file says, its shape being checked."""
        said = dict(data)
        if said.get("reward") is not None:
            said["reward"] = RewardQuestion(**said["reward"])
        said["languages"] = {name: _words(w) for name, w in said.get("languages", {}).items()}
        said["returns"] = tuple(said.get("returns", ()))
        return cls(**said)


def _words(data: Mapping[str, Any]) -> Words:
    questions = {name: QuestionWords(**said) for name, said in data.get("questions", {}).items()}
    return replace(Words(**{**data, "questions": {}}), questions=questions)


def _placed(check: Any, value: Any, name: str) -> Any:
    try:
        return check(getattr(value, name) if isinstance(value, Pages) else value)
    except SettingError as error:
        raise PlaceError(str(error), name) from None


def _check_language(language: Any, *place: str) -> None:
    if language not in LANGUAGES:
        raise PlaceError(
            f"pages have no words in the language {shown(language)}{near(language, LANGUAGES)};"
            f" there are {', '.join(LANGUAGES)}",
            *place,
        )


def _check_questions(words: Words, survey: Survey, at: tuple[str, str]) -> None:
    questions = {question.name: question for question in survey}
    for name, said in words.questions.items():
        if name not in questions:
            raise PlaceError(
                f"there is no question {name!r}{meant(name, questions, 'the questions are')}",
                *at,
                "questions",
                name,
            )
        options = getattr(questions[name], "options", ())
        for option in said.options:
            if option not in options:
                known = meant(option, options, "the options are") if options else ""
                raise PlaceError(
                    f"question {name!r} has no option {option!r}{known}",
                    *at,
                    "questions",
                    name,
                    "options",
                    option,
                )


def _split(address: Any) -> Any:
    """Return the parts of an address to which a browser may be sent; None if it is none."""
    if not isinstance(address, str) or not address.isprintable() or set(address) & set(' \\"<>'):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return None
    safe = parts.scheme == "https" or (parts.scheme == "http" and host in AMONG_US)
    return parts if safe and host and not parts.username and not parts.fragment else None


def _check_return(address: Any, i: int) -> None:
    parts = _split(address)
    if parts is None or parts.query:
        raise PlaceError(
            f"{shown(address)} is no address to send people back to; give one that begins with"
            " https:// and has no ? or #",
            "returns",
            i,
        )
