"""`askless serve --demo [STUDY]`: a live study with simulated people, for newcomers to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.text import Text

from askless.cli.live import file_of
from askless.cli.terminal import output
from askless.survey import Study
from askless.survey.study import EXAMPLE

if TYPE_CHECKING:
    from askless.demo.running import View
    from askless.demo.sending import Passage

__all__ = ["demonstrate"]

STEP = 50  # visits of a bar of the picture, and between two lines where there is no terminal
BARS = "▁▂▃▄▅▆▇█"
WIDEST = 60  # bars


def demonstrate(
    study: Path | None,
    address: str | None,
    host: str,
    port: int | None,
    pace: float | None,
    visits: int | None,
    seed: int | None,
    *,
    keep: bool,
) -> None:
    """Play a demo and show it: a live picture in a terminal, a line now and then elsewhere."""
    read = _example() if study is None else Study.read(study)
    from askless.demo.running import PACE, SEED, Demo, play  # noqa: PLC0415 (so that help comes at once)

    if keep and address is None:
        address = file_of(read.name)
    demo = Demo(
        study=read,
        address=address,
        host=host,
        port=port,
        pace=PACE if pace is None else pace,
        visits=visits,
        watched=output.is_terminal,
        seed=SEED if seed is None else seed,
    )
    if output.is_terminal:
        with Live(console=output, auto_refresh=False) as live:
            story = play(demo, lambda view: live.update(_picture(view), refresh=True))
    else:
        story = play(demo, _line_by_line())
    output.print()
    output.print("\n".join(story.lines()), markup=False, highlight=False, soft_wrap=True)
    kept = f"The study is in {address}." if address else "Nothing is left of it."
    output.print(f"{kept}", markup=False, highlight=False, soft_wrap=True)


def _example() -> Study:
    """Return the example with a window for rewards.

    A newcomer who tries the pages and never says how glad they are would hold up all the others.
    """
    text = EXAMPLE.read_text(encoding="utf-8")
    return Study.parse(text.replace("# window: 14 days", "window: 100 visits"), source="example")


def _line_by_line() -> Callable[[View], None]:
    """Return what prints where to look, then a line for every some visits."""
    said = -1

    def show(view: View) -> None:
        nonlocal said
        if said < 0:
            _print("\n".join(view.lines))
            said = 0
        decided = view.sender.decided
        while len(decided) >= (said + 1) * STEP:
            said += 1
            _print(
                f"{said * STEP:>6,} visits: {_asked(decided[(said - 1) * STEP : said * STEP]):.1f}"
                f" questions a visit; {_form(view)}"
            )

    return show


def _picture(view: View) -> Group:
    decided = view.sender.decided
    most = max((passage.asked for passage in decided), default=1)
    ends = range(STEP, len(decided) + 1, STEP)
    means = [_asked(decided[end - STEP : end]) for end in ends][-WIDEST:]
    last = f"{_asked(decided[-STEP:]):.1f}" if decided else "–"
    rows = [
        *view.lines,
        "",
        f"{view.sender.started:,} simulated people have come, {view.sender.left:,} left halfway",
        f"questions a visit: {last}   {''.join(_bar(mean / max(most, 1)) for mean in means)}",
        _form(view),
        "",
        "Ctrl-C stops it.",
    ]
    return Group(*(Text(row, overflow="fold") for row in rows))


def _asked(passages: list[Passage]) -> float:
    return sum(passage.asked for passage in passages) / len(passages)


def _bar(share: float) -> str:
    return BARS[min(len(BARS) - 1, int(share * len(BARS)))]


def _form(view: View) -> str:
    form = None if view.seen is None else view.seen.form
    if form is None:
        return "every visit is full"
    return f"short form: {', '.join(form) or 'no question'}"


def _print(text: str) -> None:
    output.print(text, markup=False, highlight=False, soft_wrap=True)
