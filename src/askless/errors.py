"""Why askless refuses something: one family of errors, each says what, where and the fix."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

__all__ = [
    "AnswerError",
    "AsklessError",
    "ConflictError",
    "ContractError",
    "KeyRefusedError",
    "MissingExtraError",
    "NotFoundError",
    "PausedError",
    "RewardError",
    "ServiceError",
    "SettingError",
    "StateError",
    "StoppedError",
    "StorageError",
    "StudyError",
    "VisitError",
]

MOST_PROBLEMS = 8  # in one message
MOST_NAMES = 20
NEAR = 0.65  # `wfw` is near `wwf` (2/3), `iris` is not near `digits` (0.6)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say how to install what an import in the block misses."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"this needs {error.name}; run: pip install 'askless[{name}]'"
            f" (in a clone: pip install '.[{name}]')"
        ) from None


def shown(value: object, most: int = 500) -> str:
    """Return a value as a message shows it: never a failure of its own, never endless."""
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, a list within itself, a broken repr
        text = f"<a very long {type(value).__name__}>"
    return text if len(text) <= most else text[: most - 1] + "…"


def near(name: object, known: Iterable[str]) -> str:
    """Say which of the known names may have been meant; nothing if none is near."""
    plain = {_plain(other): other for other in reversed(list(known))}
    close = difflib.get_close_matches(_plain(str(name)), plain, n=1, cutoff=NEAR)
    return f"; did you mean {plain[close[0]]!r}?" if close else ""


def _plain(name: str) -> str:
    """Return a name as it is compared: LassoBandit is near lasso-bandit."""
    return "".join(filter(str.isalnum, name.lower())) or name


def meant(name: object, known: Iterable[str], these: str) -> str:
    """Say which of the known names may have been meant, or which there are."""
    names = list(known)
    return near(name, names) or f"; {these} {listed(names)}"


def listed(names: Sequence[str]) -> str:
    """Return the first few names."""
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


def together(problems: Sequence[str]) -> str:
    """Return the first few problems as one message, one a line, and how many more there are."""
    more = len(problems) - MOST_PROBLEMS
    return "\n".join([*problems[:MOST_PROBLEMS], *([f"(and {more} more)"] if more > 0 else [])])


class AsklessError(ValueError):
    """Anything askless refuses; the state is as it was before the call."""


class SettingError(AsklessError):
    """A survey, an arm or a policy was described with a value that cannot be.

    `setting` is the name of the policy's setting that is meant, if it is one: a study file has it
    on a line of its own.
    """

    def __init__(self, message: str, setting: str | None = None) -> None:
        super().__init__(message)
        self.setting = setting


class AnswerError(AsklessError):
    """An answer does not fit its question, or was not asked for.

    `discreet` says the same without showing what was answered.
    """

    def __init__(self, message: str, discreet: str | None = None) -> None:
        super().__init__(message)
        self.discreet = message if discreet is None else discreet


class RewardError(AsklessError):
    """A reward is outside its range, not a number, or in conflict with an earlier one."""


class VisitError(AsklessError):
    """A visit was used out of order: too early, too late, or with the wrong policy."""


class StudyError(AsklessError):
    """A study file cannot be read; the message points to the line and the key."""


class StateError(AsklessError):
    """A saved policy or visit is damaged, of a newer version, or of another study."""


class StorageError(AsklessError):
    """A database does not answer, is full or of another version.

    `discreet` says the same without the database's own words, which may name where it is.
    """

    def __init__(self, message: str, discreet: str | None = None) -> None:
        super().__init__(message)
        self.discreet = message if discreet is None else discreet


class NotFoundError(AsklessError):
    """There is no such study or visit, or it is not for this key."""


class ConflictError(AsklessError):
    """Something else was said of it before; what was said first stays."""


class PausedError(AsklessError):
    """The study takes no new visits for now."""


class StoppedError(PausedError):
    """The study is over and takes no new visits."""


class KeyRefusedError(AsklessError):
    """A live study does not know the key, or the key is not for this."""


class ServiceError(AsklessError):
    """A live study's service does not answer, or not as expected; it may have done what was asked.

    The same call again is safe.
    """


class ContractError(AsklessError):
    """A policy or an environment breaks what `check_policy` or `check_environment` describes."""


class MissingExtraError(AsklessError):
    """Something needs a package that is not installed; the message says which and how."""
