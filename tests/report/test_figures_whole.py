"""Every figure of every report has something to show, and all of its words are within it."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from small_reports import figures_of_reports, other_figures

pytestmark = pytest.mark.slow  # every figure of four reports


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    return [*figures_of_reports(tmp_path_factory.mktemp("reports")), *other_figures()]


def test_no_figure_is_empty(figures):
    """Fails if a panel without lines, points or bars is drawn; every figure comes in two shapes."""
    assert len(figures) == 2 * (6 + 2 + 2 + 3) + 2
    for figure in figures:
        for axes in figure.axes:
            if axes.get_visible():
                assert axes.lines or axes.collections or axes.patches, figure.get_suptitle()


def test_all_words_of_a_figure_are_within_it(figures):
    """Fails if a label is cut at the edge: a longer title, a legend with too many columns."""
    for figure in figures:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        taken = figure.get_tightbbox(canvas.get_renderer())  # in inches, of all that is drawn
        width, height = figure.get_size_inches()
        assert min(taken.x0, taken.y0) > -0.01, figure.get_suptitle()
        assert taken.x1 < width + 0.01, figure.get_suptitle()
        assert taken.y1 < height + 0.01, figure.get_suptitle()
