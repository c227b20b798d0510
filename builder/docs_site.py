"""What the site needs beyond Markdown (`make docs`): links out of docs/, formulas, whole figures.

Pages of docs/ are read in the repository too, so they link to files outside of docs/. On the site
such a link leads to a page where the file is one (the changelog), else to a copy of the file.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

import ziamath
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
# Files outside of docs/ that are pages of the site.
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
# Pages whose sentences have formulas; in the repository they are read as they are written.
FORMAL = {"maths.md", "guarantee.md"}
AS_WRITTEN = re.compile(r"(```.*?```|`[^`\n]*`|\]\([^)]*\))", re.DOTALL)
BELOW = re.compile(r"(?<=\S)_(?:\{([^}\n]+)\}|(min|max|then|AA|SS|oj|[A-Za-z0-9λ∞]))")
ABOVE = re.compile(r"\^(?:\(([^)\n]+)\)|([A-Za-z0-9½]+))")
FORMULA_SIZE = 17
ziamath.config.precision = 2  # of a pixel
ziamath.config.svg2 = False  # no symbols with names, which pages of many formulas would repeat
CELL = re.compile(r"<td([^>]*)>(.*?)</td>", re.DOTALL)
# A figure, perhaps with its error: 0.57 ± 0.02, 1,200 (8), -0.1 to 1.1.
FIGURE = re.compile(r"\W?\d[\d.,]*%?(?: (?:±|to|…|\() ?\W?\d[\d.,]*%?\)?)*")
PROSE = 40  # letters of a cell that is read, not looked up
CODE = re.compile(r"<code>([^<\n]*)</code>")
OPTION = re.compile(r"(?<![^\s\[])--?\w[\w-]*")
SHORT = 28  # letters of code that fit into a line of a telephone
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")  # the target of [text](target#anchor)


def mathematics(source: str, *_: Any, **__: Any) -> str:
    """Return formulas, parted by empty lines, as pictures that need no font."""
    formulas = [drawn(formula) for formula in source.strip().split("\n\n")]
    return f'<div class="math" tabindex="0">{"".join(formulas)}</div>'


def drawn(formula: str) -> str:
    """Return one formula of LaTeX as SVG, with its source for who does not see it."""
    picture = ziamath.Latex(formula, size=FORMULA_SIZE, color="currentColor").svg()
    return picture.replace("<svg ", f'<svg role="img" aria-label="{escape(formula)}" ', 1)


def lifted(markdown: str) -> str:
    """Return sentences with their indices below and their powers above the line."""
    parts = AS_WRITTEN.split(markdown)
    for place in range(0, len(parts), 2):  # the others are code, and targets of links
        below = BELOW.sub(lambda found: f"<sub>{found[1] or found[2]}</sub>", parts[place])
        parts[place] = ABOVE.sub(lambda found: f"<sup>{found[1] or found[2]}</sup>", below)
    return "".join(parts)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside of docs/, and copies of the files that pages link to."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    for page in list(files.documentation_pages()):
        for _, target, _ in LINK.findall(page.content_string):
            copied = place_of(page.src_uri, target)
            source = ROOT / copied.removeprefix("files/")
            if copied.startswith("files/") and source.is_file() and copied not in files.src_uris:
                files.append(File.generated(config, copied, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links lead to where the site has what they mean."""
    here = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        target = place_of(here, link[2])
        if not target:
            return link[0]
        return f"{link[1]}{relpath(target, dirname(here) or '.')}{link[3]}"

    linked = LINK.sub(moved, markdown)
    return lifted(linked) if here in FORMAL else linked


def on_page_content(html: str, **_: Any) -> str:
    """Keep figures in tables, options and short code in one line, and lines of prose readable."""
    html = CELL.sub(lambda cell: f"<td{_kind(cell[2])}{cell[1]}>{cell[2]}</td>", html)
    return CODE.sub(lambda code: f"<code{unbroken(code[1])}</code>", html)


def _kind(cell: str) -> str:
    """Say of a cell that it is a figure, or prose."""
    text = unescape(re.sub(r"<[^>]*>", "", cell))
    figure = FIGURE.fullmatch(text.strip())
    return ' class="whole"' if figure else ' class="prose"' if len(text) > PROSE else ""


def unbroken(code: str) -> str:
    """Return the rest of a tag and its code: in one line if short, else never cut in an option."""
    if len(unescape(code)) <= SHORT:
        return f' class="whole">{code}'
    return ">" + OPTION.sub(r'<span class="whole">\g<0></span>', code)


def place_of(page: str, target: str) -> str:
    """Return where the site has the target of a page's link; nothing if it is not a file's."""
    if ":" in target:
        return ""
    outside = {uri: name for name, uri in PAGES.items()}
    in_repository = normpath(join(dirname(outside.get(page, f"docs/{page}")), target))
    if in_repository in PAGES:
        return PAGES[in_repository]
    if in_repository.startswith("docs/"):
        return in_repository.removeprefix("docs/")
    return f"files/{in_repository}"
