"""A short form to look at: what can be had for how many questions, and what leaving some out costs.

`policy.short_form()` has the numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from askless.errors import SettingError, extra
from askless.policies.short_forms import OF_EVERYONE

with extra("cli"):
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from askless.simulation.figures import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from askless.policies.short_forms import ShortForm

__all__ = ["draw_short_form"]

REWARD, NET, ASKED = "#0072b2", "#d55e00", "#009e73"
FEW = 30  # questions that can be named along the axis


def draw_short_form(form: ShortForm) -> Figure:
    """Draw what each further question is worth, and what short visits were measured to cost.

    Parameters
    ----------
    form : ShortForm
        What `policy.short_form()` returned, once a form has been chosen.

    Examples
    --------
    >>> import askless as al
    >>> from askless.report.short_form import draw_short_form
    >>> survey = al.Survey.unit(3)
    >>> policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1)
    >>> for i in range(60):
    ...     policy.learn_row(i % 2, [1, 0.5 - i % 3 / 2, 0.25, -0.25], 0.5)
    >>> draw_short_form(policy.short_form()).get_suptitle()
    'Short visits ask none of 3 questions'
    """
    if not form.path:
        raise SettingError("there is nothing to draw: no form was chosen yet, or no question left")
    wide = min(16.0, max(8.5, 4.5 + 0.32 * len(form.path)))
    figure = Figure(figsize=(wide, 4.8), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08))
    path, measured = figure.subplots(1, 2, width_ratios=[wide - 3.2, 3.2])
    _draw_path(path, form)
    _draw_loss(measured, form)
    figure.suptitle(_title(form))
    return figure


def _title(form: ShortForm) -> str:
    if form.questions is None:
        return f"No short form stands: every visit asks {form.of} questions"
    return f"Short visits ask {len(form.questions) or 'none'} of {form.of} questions"


def _draw_path(axes: Axes, form: ShortForm) -> None:
    steps = [form.start, *form.path]
    counts = [step.questions for step in steps]
    axes.plot(counts, [step.reward for step in steps], "o-", color=REWARD, label="expected reward")
    axes.plot(
        counts,
        [step.net for step in steps],
        "s--",
        color=NET,
        markersize=4,
        label="net of the price of asking",
    )
    asked = [step for step in steps if step.asked and step.questions]
    axes.plot(
        [step.questions for step in asked],
        [step.reward for step in asked],
        "o",
        color=ASKED,
        markersize=9,
        label="asked in short visits",
    )
    names = [OF_EVERYONE if form.start.questions else "(nothing)"]
    names += [step.question for step in form.path]
    if len(names) <= FEW:
        axes.set_xticks(counts, names, rotation=50, ha="right", rotation_mode="anchor")
        for label in axes.get_xticklabels():
            label.set_parse_math(False)  # a name may have dollars
        axes.set_xlabel("questions, that worth most first")
    else:
        axes.set_xlabel("questions asked, those worth most first")
    axes.set_ylabel("reward of a visit, by the models:\ntoo hopeful with few people")
    plain(axes)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)


def _draw_loss(axes: Axes, form: ShortForm) -> None:
    axes.axhline(form.saving, color=ASKED, linewidth=1.5, label="what a short visit saves")
    axes.axhline(0.0, color="#999999", linewidth=0.8)
    if form.loss is None:
        axes.text(0.5, 0.5, "not measured yet", ha="center", transform=axes.transAxes)
    else:
        middle, low, high = form.loss
        axes.errorbar(
            [0.0],
            [middle],
            yerr=[[middle - low], [high - middle]],
            fmt="o",
            color=REWARD,
            capsize=6,
            label="what it costs (95%)",
        )
    axes.set_xlim(-1.0, 1.0)
    axes.set_xticks([])
    axes.set_ylabel("reward of a visit, measured")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), frameon=False)
