"""Figures of a finished study: what is drawn is what the Analysis has, and can be read."""

from dataclasses import replace

import pytest

from analyses import effect
from askless.report.analysis_figures import MOST_SHOWN, draw_arm_means, draw_effects


def test_the_forest_has_the_effects_that_are_sure_and_large(rich):
    """Fails if more is drawn than can be read, a sure effect gives way, or a label is lost."""
    many = [
        effect("msf", f"q{i}", estimate=30.0 + i, end_low=-5.0, end_high=70.0) for i in range(40)
    ]
    figure = draw_effects(
        replace(rich, effects=(effect(estimate=0.5, end_low=0.1, end_high=0.9), *many))
    )
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == MOST_SHOWN
    assert "donor: yes - no" in labels
    assert "q39: yes - no" in labels
    assert "q0: yes - no" not in labels


@pytest.mark.parametrize("narrow", [False, True])
def test_bars_are_where_the_intervals_are(rich, narrow):
    """Fails if thin and thick change places, or a point is not its estimate."""
    (axes,) = draw_effects(replace(rich, effects=(effect(),)), narrow=narrow).axes
    lines = [line.get_xdata() for line in axes.lines]
    widths = [line.get_linewidth() for line in axes.lines]
    thin, thick, point = (list(line) for line in lines[:3])
    assert (thin, thick, point) == ([-3.0, 30.0], [4.0, 20.0], [12.0])
    assert widths[0] < widths[1]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("draw", [draw_effects, draw_arm_means])
def test_no_label_is_clipped(rich, draw, narrow):
    """Fails if a name, even a long one, reaches beyond the figure's edge."""
    name = "how often do you give to others in a year, all in all"
    figure = draw(
        replace(rich, effects=(*rich.effects, effect("msf", name, estimate=40.0))), narrow=narrow
    )
    figure.draw_without_rendering()
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
