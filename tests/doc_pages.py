"""The pages of the docs, and the code that stands in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def python_blocks(page):
    """Return the blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
