"""Checks the built site (`make docs`): links lead somewhere, nothing comes from a network.

MkDocs checks the links that pages write; this one checks what came out of it, the reference that
is made of docstrings and the theme's own files included. A page with hardly a word is one that
somebody meant to write.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parents[1] / "build" / "site"
FEWEST_WORDS = 30
# What a browser fetches by itself; an <a> may lead anywhere.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "srcset"}


class Read(HTMLParser):
    """A page's anchors, links and words, what it fetches, and images without a text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "__skip"}
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.silent: list[str] = []
        self.words = 0  # of the page itself, without what is around it
        self._is_within = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names and where it leads."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self._is_within |= tag == "article"
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHED and FETCHED[tag] in given and given.get("rel") not in {"prev", "next"}:
            self.fetched.append(given[FETCHED[tag]])
        if tag == "img" and not given.get("alt"):
            self.silent.append(given.get("src", ""))

    def handle_endtag(self, tag: str) -> None:
        """Note where the page itself ends."""
        self._is_within &= tag != "article"

    def handle_data(self, data: str) -> None:
        """Count words."""
        self.words += self._is_within * len(data.split())


def problems(site: Path) -> list[str]:
    """Return what is wrong with a site, a line each."""
    pages = {page: Read(page) for page in sorted(site.rglob("*.html"))}
    found = []
    for page, read in pages.items():
        name = page.relative_to(site)
        found += [f"{name}: the image {image} has no text" for image in read.silent]
        if page.name != "404.html" and read.words < FEWEST_WORDS:
            found.append(f"{name}: has {read.words} words; write it, or take it out")
        for target in {*read.links, *read.fetched}:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in read.fetched and parts.scheme != "data":
                    found.append(f"{name}: fetches {target}")
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if page.name == "404.html":  # its links are those of the root
                continue
            if not there.is_file():
                found.append(f"{name}: {target} is not there")
            elif there in pages and unquote(parts.fragment) not in pages[there].anchors:
                found.append(f"{name}: {target} has no such anchor")
    for sheet in site.rglob("*.css"):
        if "url(http" in sheet.read_text(encoding="utf-8").replace('"', ""):
            found.append(f"{sheet.relative_to(site)}: fetches from a network")
    return found


def main() -> None:
    """Say what is wrong, or how much was looked at."""
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else SITE
    found = problems(site)
    if found:
        raise SystemExit("\n".join(found))
    pages = len(list(site.rglob("*.html")))
    print(f"{pages} pages: every link leads somewhere, and nothing is fetched")  # noqa: T201


if __name__ == "__main__":
    main()
