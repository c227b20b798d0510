"""Figures: every curve is drawn from zero to the horizon with its spread."""

from dataclasses import replace

import numpy as np
import pytest

import askless as al
from askless.simulation.figures import draw


def some_runs():
    world = al.paper_environment(arms=3, features=4)
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    return al.simulate(policy, world, 400, runs=3, checkpoints=4)


def test_a_plot_shows_mean_and_spread_of_regret_and_questions():
    runs = some_runs()
    figure = runs.plot()
    regret, asked = figure.axes
    for axes, name in ((regret, "regret_at"), (asked, "asked_at")):
        (line,) = axes.get_lines()
        values = np.array([getattr(run, name) for run in runs.runs])
        assert line.get_xdata().tolist() == [0, 100, 200, 300, 400]
        np.testing.assert_allclose(line.get_ydata(), [0, *values.mean(axis=0)])
        (band,) = axes.collections
        heights = band.get_paths()[0].vertices[:, 1]
        assert heights.max() == values.max()
        assert axes.get_xlabel() == "visits"
        assert axes.get_ylabel()


def test_several_curves_share_a_legend_and_look_different():
    figure = draw({"one": some_runs(), "two": some_runs()}, "A title")
    axes = figure.axes[0]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]
    one, two = axes.get_lines()
    assert one.get_color() != two.get_color()
    assert one.get_linestyle() != two.get_linestyle()
    assert figure.get_suptitle() == "A title"


def test_curves_on_each_other_are_named():
    """One line hides the other, so the panel says so; and says nothing of curves that differ."""
    runs = some_runs()
    figure = draw({"one": runs, "two": runs, "three": other_runs()})
    regret, asked = figure.axes
    assert regret.get_title(loc="left") == "On each other: one; two"
    assert asked.get_title(loc="left") == "On each other: one; two; three"  # all ask everything


def other_runs():
    world = al.paper_environment(arms=3, features=4)
    policy = al.OFUL(world.survey, arms=world.arms, reward=world.reward)
    return al.simulate(policy, world, 400, runs=3, checkpoints=4)


def test_a_label_looks_as_it_is_told_and_regret_alone_may_be_logarithmic():
    figure = draw({"one": some_runs()}, log_regret=True, looks={"one": ("#123456", ":")})
    regret, asked = figure.axes
    (line,) = regret.get_lines()
    assert (line.get_color(), line.get_linestyle()) == ("#123456", ":")
    assert (regret.get_yscale(), asked.get_yscale()) == ("log", "linear")
    assert line.get_xdata().tolist() == [100, 200, 300, 400]  # zero has no logarithm
    assert "log scale" in regret.get_ylabel()


@pytest.mark.parametrize("logarithmic", [False, True])
def test_curves_that_an_eye_can_tell_apart_are_not_on_each_other(logarithmic):
    def with_regret(runs, factor):
        changed = [replace(run, regret_at=run.regret_at * factor) for run in runs.runs]
        return replace(runs, runs=tuple(changed))

    runs = some_runs()
    curves = {"one": runs, "near": with_regret(runs, 1.005), "far": with_regret(runs, 1.05)}
    regret, _ = draw(curves, log_regret=logarithmic).axes
    assert regret.get_title(loc="left") == "On each other: one; near"
