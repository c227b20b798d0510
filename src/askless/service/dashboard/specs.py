"""How charts are drawn, in the words of Vega-Lite; colours (--c1, …) are the stylesheet's.

Series differ by colour, by lightness and by dash or mark, so that grey and colour-blind eyes tell
them apart. Labels of rows stand above their marks: there is room for them on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ROWS", "amounts", "course", "days", "intervals", "shares"]

Spec = dict[str, Any]
ROWS = "rows"  # what the data is called
SERIES = ["all visits", "full visits", "short visits"]
ROW = {"expr": "width"}  # a label may take its whole row
# Of people there are no halves; `tickMinStep` lets some through where there are few.
COUNTS: Spec = {"labelExpr": "datum.value % 1 ? '' : format(datum.value, ',d')", "tickMinStep": 1}
STEP = 40  # pixels of a row with its label above


def _base(height: int) -> Spec:
    fit = {"type": "fit-x", "contains": "padding"}
    return {"data": {"name": ROWS}, "width": "container", "height": height, "autosize": fit}


def _quiet(title: str | None, **more: Any) -> Spec:
    return {"title": title, "grid": False, **more}


def course(questions: int) -> Spec:
    """Draw questions a visit over the visits: all, full and short."""
    scale = {"domain": SERIES}
    colours = {**scale, "range": ["--c1", "--c2", "--c3"]}
    return {
        **_base(260),
        "mark": {"type": "line", "point": {"size": 28}, "strokeWidth": 2.5},
        "encoding": {
            "x": {
                "field": "visit",
                "type": "quantitative",
                "axis": _quiet("visits so far", format=",d", tickCount=5),
                "scale": {"nice": False},
            },
            "y": {
                "field": "questions",
                "type": "quantitative",
                "scale": {"domain": [0, questions]},
                "axis": {"title": "questions a visit", "tickMinStep": 1},
            },
            "color": {"field": "series", "type": "nominal", "scale": colours, "title": None},
            "strokeDash": {"field": "series", "type": "nominal", "scale": scale, "title": None},
            "shape": {"field": "series", "type": "nominal", "scale": scale, "title": None},
            "tooltip": [
                {"field": "series", "type": "nominal", "title": "of"},
                {"field": "visit", "type": "quantitative", "title": "up to visit", "format": ",d"},
                {
                    "field": "questions",
                    "type": "quantitative",
                    "title": "questions a visit",
                    "format": ".2f",
                },
            ],
        },
    }


def days() -> Spec:
    """Draw arrivals a day, and within them those who finished."""
    day = {
        "field": "day",
        "type": "ordinal",
        "axis": _quiet(None, labelOverlap="greedy", labelAngle=0, labelSeparation=8),
    }
    what = {
        "type": "nominal",
        "scale": {"domain": ["arrived", "finished"], "range": ["--c3", "--c1"]},
        "title": None,
        "legend": {},
    }
    layers = []
    for name, label, width in (("started", "arrived", 0.9), ("decided", "finished", 0.5)):
        layers.append(
            {
                "mark": {"type": "bar", "width": {"band": width}},
                "encoding": {
                    "y": {
                        "field": name,
                        "type": "quantitative",
                        "axis": {"title": "visits", **COUNTS},
                    },
                    "color": {"datum": label, **what},
                    "tooltip": [
                        {"field": "day", "type": "nominal"},
                        {"field": "started", "type": "quantitative", "title": "arrived"},
                        {"field": "decided", "type": "quantitative", "title": "finished"},
                    ],
                },
            }
        )
    return {**_base(200), "encoding": {"x": day}, "layer": layers}


def _row(field: str) -> Spec:
    scale = {"paddingInner": 0, "paddingOuter": 0}
    return {"field": field, "type": "nominal", "sort": None, "axis": None, "scale": scale}


def _labels(field: str) -> Spec:
    """Write each row's name above its marks."""
    return {
        "mark": {"type": "text", "align": "left", "baseline": "bottom", "dy": -4, "limit": ROW},
        "encoding": {"text": {"field": field, "type": "nominal"}, "x": {"value": 0}},
    }


def amounts(row: str, rows: int, parts: Sequence[tuple[str, str]], title: str) -> Spec:
    """Draw, a row each, how the parts of a whole add up: `parts` are fields and their names."""
    names = [name for _, name in parts]
    return {
        **_base(STEP * max(rows, 1)),
        "transform": [
            {"fold": [field for field, _ in parts], "as": ["part", "many"]},
            {"calculate": _lookup(parts), "as": "of"},
        ],
        "encoding": {"y": _row(row)},
        "layer": [
            {
                "mark": {"type": "bar", "height": 10, "yOffset": 8},
                "encoding": {
                    "x": {
                        "field": "many",
                        "type": "quantitative",
                        "stack": "zero",
                        "axis": _quiet(title, tickCount=4, **COUNTS),
                    },
                    "color": {
                        "field": "of",
                        "type": "nominal",
                        "scale": {"domain": names, "range": ["--c3", "--c1", "--c2"]},
                        "title": None,
                    },
                    "order": {"field": "rank", "type": "quantitative"},
                    "tooltip": [
                        {"field": row, "type": "nominal"},
                        {"field": "of", "type": "nominal", "title": "what"},
                        {"field": "many", "type": "quantitative", "title": "visits"},
                    ],
                },
                "transform": [{"calculate": _rank(parts), "as": "rank"}],
            },
            {**_labels(row), "transform": [{"filter": f"datum.part === '{parts[0][0]}'"}]},
        ],
    }


def _lookup(parts: Sequence[tuple[str, str]]) -> str:
    said = "''"
    for field, name in parts:
        said = f"datum.part === '{field}' ? '{name}' : ({said})"
    return said


def _rank(parts: Sequence[tuple[str, str]]) -> str:
    said = "0"
    for rank, (field, _) in enumerate(parts):
        said = f"datum.part === '{field}' ? {rank} : ({said})"
    return said


def shares(row: str, rows: int, share: str, now: str, title: str) -> Spec:
    """Draw, a row each, a share of everything so far as a bar, and the share now as a tick."""
    axis = _quiet(title, format=".0%", tickCount=4)
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}
    tooltip = [
        {"field": row, "type": "nominal"},
        {"field": share, "type": "quantitative", "title": "so far", "format": ".1%"},
        {"field": now, "type": "quantitative", "title": "now", "format": ".1%"},
    ]
    scale = {"domain": ["so far", "now"], "range": ["--c3", "--c1"]}
    color = {"type": "nominal", "scale": scale, "title": None}
    return {
        **_base(STEP * max(rows, 1)),
        "encoding": {"y": _row(row)},
        "layer": [
            {
                "mark": {"type": "bar", "height": 10, "yOffset": 8},
                "encoding": {
                    "x": {"field": share, **x},
                    "color": {"datum": "so far", **color},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "tick", "thickness": 3, "size": 18, "yOffset": 8, "opacity": 1},
                "encoding": {
                    "x": {"field": now, **x},
                    "color": {"datum": "now", **color},
                    "tooltip": tooltip,
                },
            },
            _labels(row),
        ],
    }


def intervals(
    row: str, rows: int, title: str, domain: Sequence[float], *, kept: bool = False
) -> Spec:
    """Draw, a row each, an estimate between the ends of its interval; with `kept`, their states."""
    axis = _quiet(title, tickCount=5)
    x: Spec = {"type": "quantitative", "scale": {"domain": list(domain), "nice": False}}
    tooltip = [
        {"field": row, "type": "nominal"},
        *(
            {"field": name, "type": "quantitative", "format": ".4~g"}
            for name in ("estimate", "low", "high")
        ),
    ]
    point: Spec = {"x": {"field": "estimate", **x, "axis": axis}, "tooltip": tooltip}
    line: Spec = {"x": {"field": "low", **x, "axis": axis}, "x2": {"field": "high"}}
    if kept:
        states = {"type": "nominal", "field": "state", "title": None}
        scale = {"domain": ["kept", "dropped"]}
        point |= {"shape": {**states, "scale": {**scale, "range": ["circle", "cross"]}}}
        colours = {**scale, "range": ["--c1", "--muted"]}
        point |= {"color": {**states, "scale": colours}}
        line |= {"color": {**states, "scale": colours}}
        line |= {"strokeDash": {**states, "scale": {**scale, "range": [[1, 0], [2, 3]]}}}
    zero: Spec = {
        "mark": {"type": "rule", "color": "--line"},
        "encoding": {"x": {"datum": 0, "type": "quantitative"}, "y": None},
    }
    return {
        **_base(STEP * max(rows, 1)),
        "encoding": {"y": _row(row)},
        "layer": [
            *([zero] if domain[0] < 0 < domain[1] else []),
            _rule(line, 1.5 if kept else 3),
            *([_rule(_inner(line), 4)] if kept else []),
            {
                "mark": {"type": "point", "filled": True, "size": 70, "yOffset": 8, "opacity": 1},
                "encoding": point,
            },
            _labels(row),
        ],
    }


def _rule(encoding: Spec, width: float) -> Spec:
    return {
        "mark": {"type": "rule", "strokeWidth": width, "yOffset": 8, "clip": True},
        "encoding": encoding,
    }


def _inner(line: Spec) -> Spec:
    """Draw the interval at the end in place of that at all times."""
    return {**line, "x": {**line["x"], "field": "end_low"}, "x2": {"field": "end_high"}}
