"""A person agrees on a page and a visit begins: both in one step, so that no row is before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import update

from askless.errors import StateError
from askless.storage.journal import Page
from askless.storage.links import LinkError, add_link, link_in
from askless.storage.operations import Operation, Seen, Start, as_it_stands
from askless.storage.replica import Replica
from askless.storage.tables import links

__all__ = ["Consent", "check_consent"]

DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Consent(Operation):
    """Start the visit of a person who has agreed; again by the same browser: the same visit.

    Parameters
    ----------
    link : str
        Digest of the secret by which the browser finds the visit.
    language : str
        In which the person agreed.
    text : str
        Digest of the text that was agreed to.
    until : float, optional
        When the link ends.
    invited : bool
        Whether the link must be there already, from an invitation.
    """

    link: str
    language: str
    text: str
    until: float | None = None
    invited: bool = False

    def run(self, page: Page, replica: Replica) -> Seen:
        """Return the visit."""
        known = link_in(page.connection, page.study, self.link)
        if known is None and self.invited:
            raise LinkError("unknown")
        if known is not None and known.expires is not None and known.expires <= page.at:
            raise LinkError("expired")
        if known is not None and known.visit is not None:
            return as_it_stands(page, page.by_numbers([known.visit])[0])
        own = None if known is None else known.own
        seen = Start(own).run(page, replica)
        if seen.new:
            page.append("consented", seen.number, {"language": self.language, "text": self.text})
        if known is None:
            add_link(
                page.connection, page.study, self.link, "resume", seen.number, until=self.until
            )
        else:
            mine = (links.c.study == page.study) & (links.c.digest == self.link)
            page.connection.execute(update(links).where(mine).values(visit=seen.number))
        return seen


def check_consent(body: Mapping[str, Any]) -> None:
    """Refuse what a consent cannot say."""
    if body.keys() != {"language", "text"} or not isinstance(body["language"], str):
        raise StateError("a consent says its language and the digest of its text")
    if not DIGEST.fullmatch(str(body["text"])):
        raise StateError("the text of a consent is no digest")
