"""A table of the command line: whatever the width, no number and no word is cut or broken."""

import random

import pytest
from rich.console import Console

from askless.cli.grid import Grid


def lines_of(grid, width):
    console = Console(width=width, legacy_windows=False)
    with console.capture() as captured:
        console.print(grid.laid_out(width))
    return captured.get().splitlines()


def random_grid(rng):
    """Return a table, its words and its numbers, none of which has more than 18 characters."""
    many = rng.randint(2, 7)
    headings = [
        " ".join("h" * rng.randint(1, 12) + str(i) for _ in range(rng.randint(1, 3)))
        for i in range(many)
    ]
    grid, words, numbers = Grid(headings, words=headings[:1]), set(), set()
    for _ in range(rng.randint(1, 6)):
        name = [chr(97 + rng.randrange(26)) * rng.randint(1, 18) for _ in range(rng.randint(1, 5))]
        own = [f"{rng.uniform(-1e6, 1e6):,.{rng.randint(0, 3)}f}" for _ in headings[1:]]
        grid.add(" ".join(name), *own)
        words |= {*name, *(part for heading in headings for part in heading.split())}
        numbers |= set(own)
    return grid, words, numbers


@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_no_number_and_no_word_is_cut_at_any_width(width):
    """Fails if a cell is cut, folded, or left out, or if a line is wider than the terminal."""
    rng = random.Random(width)
    tables = 0
    for _ in range(150):
        grid, words, numbers = random_grid(rng)
        lines = lines_of(grid, width)
        assert max(map(len, lines)) <= width
        shown = {part.rstrip(":") for line in lines for part in line.split()}
        if grid.fits(width):
            tables += 1
            assert words | numbers <= shown
        else:  # a list a row, whose headings stand before their numbers
            assert numbers <= shown
    assert tables == 150 if width == 200 else tables < 150


def test_a_table_is_turned_where_it_fits_no_more_and_never_before():
    grid = Grid(("policy", "regret"), words=("policy",))
    grid.add("linucb", "1,234,567")
    room = len(" linucb 1,234,567 ")  # a space on either side and one between the columns
    assert any("─" in line for line in lines_of(grid, room))
    turned = lines_of(grid, room - 1)
    assert " ".join(" ".join(turned).split()) == "linucb regret: 1,234,567"


def test_words_go_on_in_the_next_line_before_the_table_is_turned():
    grid = Grid(("claim", "runs"), words=("claim",), title="claims")
    grid.add("every question that says nothing goes", "5/5")
    lines = lines_of(grid, 30)
    assert "claims" in lines[0]
    assert sum("5/5" in line for line in lines) == 1
    joined = " ".join(" ".join(lines).replace("5/5", "").split())
    assert "every question that says nothing goes" in joined


def test_what_looks_like_markup_is_printed_as_it_is():
    grid = Grid(("[red]a", "b"), words=("[red]a",))
    grid.head("[bold]x[/bold]")
    grid.add("[/nothing]", "1")
    text = "\n".join(lines_of(grid, 80))
    for part in ("[red]a", "[bold]x[/bold]", "[/nothing]"):
        assert part in text
