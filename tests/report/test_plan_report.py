"""A plan's figure shows every way, also where several lie at one spot."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import askless as al
from askless.report.plan_report import draw_pareto
from small_plans import SMALL


@pytest.fixture(scope="module")
def planned():
    """Two further prices that are all but the study's own: three ways at one spot."""
    close = [0.0200001, 0.0200002]
    return al.plan(al.Study.parse(SMALL), respondents=[40], worlds=20, prices=close, workers=1)


@pytest.mark.parametrize("narrow", [False, True])
def test_every_way_can_be_seen_where_several_lie_at_one_spot(planned, narrow):
    """Fails if one is hidden under another: without its marker the picture would be the same."""
    prices = [way.label for way in planned.ways if way.ours]
    spots = {planned.forecast(label, 40).questions.middle for label in prices}
    assert len(prices) == 3
    assert max(spots) - min(spots) < 0.01
    figure = draw_pareto(planned, narrow=narrow)
    drawn = [one for one in figure.axes[0].collections if len(one.get_offsets())]
    assert len(drawn) == len(planned.ways)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    figure.set_layout_engine("none")  # nothing else moves when a marker goes
    whole = pixels(canvas)
    for marker in drawn:
        marker.set_visible(False)
        changed = (np.abs(pixels(canvas) - whole).max(axis=2) > 100).sum()
        marker.set_visible(True)
        assert changed > 20


def pixels(canvas):
    canvas.draw()
    return np.array(canvas.buffer_rgba(), dtype=int)


def test_the_legend_shows_every_way_once(planned):
    """Fails if an outline around another marker has its own line, or ways go without one."""
    (legend,) = draw_pareto(planned).legends
    assert [text.get_text() for text in legend.get_texts()] == [way.label for way in planned.ways]
