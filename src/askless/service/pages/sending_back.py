"""The way back to a survey tool: answers and arm in the address, signed with the study's secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit

from askless.storage import Seen
from askless.storage.links import digest_of
from askless.survey.pages import Pages
from askless.survey.question import Answer

__all__ = ["Return", "signed"]

MOST_ADDRESS = 1_000
MOST_KEPT = 3_500  # browsers drop a cookie of more than 4096 bytes without a word
OWN = re.compile(r"[^\x00-\x1f\x7f]{1,200}")


class Return:
    """Where a browser goes at the end, and how the survey tool names the person.

    It is of one visit: several people may use a browser, and a tool has sent one of them.

    Attributes
    ----------
    address, own : str
        Where to, and the tool's own id of the person.
    of : str
        The digest of the visit's secret; empty until the person has agreed.
    """

    def __init__(self, address: str, own: str = "", of: str = "") -> None:
        self.address, self.own, self.of = address, own, of

    def bound(self, secret: str) -> Return:
        """Return it for the visit of a secret, and no other."""
        return Return(self.address, self.own, digest_of(secret))

    def is_of(self, secret: str | None) -> bool:
        """Whether it is of the visit to which a secret leads."""
        return secret is not None and self.of == digest_of(secret)

    @classmethod
    def checked(cls, pages: Pages, address: object, own: object) -> Return | None:
        """Return it if the study allows it."""
        if not isinstance(address, str) or len(address) > MOST_ADDRESS:
            return None
        if not isinstance(own, str) or (own and not OWN.fullmatch(own)):
            return None
        if not pages.may_return(address) or _speaks_for_us(address):
            return None
        back = cls(address, own)
        return back if len(back.packed()) <= MOST_KEPT else None

    def packed(self) -> str:
        """Return it as a cookie keeps it."""
        said = json.dumps([self.address, self.own, self.of], ensure_ascii=False)
        return base64.urlsafe_b64encode(said.encode()).decode()

    @classmethod
    def unpacked(cls, pages: Pages, kept: str | None) -> Return | None:
        """Return what a cookie keeps, if the study still allows it."""
        try:
            address, own, of = json.loads(base64.urlsafe_b64decode(kept or ""))
            back = cls.checked(pages, address, own)
        except (ValueError, TypeError, RecursionError):  # anybody can change their cookies
            return None
        return None if back is None or not isinstance(of, str) else cls(address, own, of)

    def after(self, study: str, seen: Seen, secret: str) -> str:
        """Return the address to which a browser is sent once a visit has its arm."""
        said = {"askless_study": study, "askless_visit": str(seen.number)}
        said |= {"askless_arm": seen.arm or "", "askless_at": str(int(time.time()))}
        if self.own:
            said["askless_id"] = self.own
        skipped = [name for name, answer in seen.answers.items() if answer is None]
        if skipped:
            said["askless_skipped"] = ";".join(skipped)
        if seen.reward is not None:
            said["askless_reward"] = _as_text(seen.reward)
        said |= {
            f"askless_answer_{name}": _as_text(answer)
            for name, answer in seen.answers.items()
            if answer is not None
        }
        between = "&" if "?" in self.address else "?"
        return f"{self.address}{between}{signed(said, secret)}"


def _speaks_for_us(address: str) -> bool:
    """Whether an address already says what we alone sign: a tool might believe the first."""
    said = parse_qsl(urlsplit(address).query, keep_blank_values=True)
    return any(name.startswith("askless_") for name, _ in said)


def signed(said: Mapping[str, str], secret: str) -> str:
    """Return a query with its signature: HMAC-SHA256 of the sorted, encoded parameters.

    >>> signed({"b": "1", "a": "x y"}, "secret").rpartition("=")[0]
    'a=x%20y&b=1&askless_signature'
    """
    query = "&".join(
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in sorted(said.items())
    )
    made = hmac.new(secret.encode(), query.encode(), hashlib.sha256).hexdigest()
    return f"{query}&askless_signature={made}"


def _as_text(answer: Answer) -> str:
    """Return an answer as a visits file has it."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, list):
        return ";".join(answer)
    return repr(answer) if isinstance(answer, float) else str(answer)
