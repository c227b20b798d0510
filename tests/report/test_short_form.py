"""The figure of a short form shows the numbers of its report."""

import numpy as np
import pytest

import askless as al
from askless.report.short_form import draw_short_form


def played(count, **settings):
    """A policy after so many rows, in which q0 decides between two arms."""
    survey = al.Survey([al.YesNo(f"q{i}", always_ask=i == 3) for i in range(5)])
    policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1, **settings)
    rng = np.random.default_rng(7)
    for t in range(count):
        yes = rng.random(5) < 0.5
        mean = 0.8 if yes[0] == t % 2 else 0.3
        policy.learn_row(t % 2, np.append(1.0, yes - 0.5), float(rng.random() < mean))
    return policy


def test_the_figure_has_the_path_the_asked_questions_and_the_loss():
    form = played(300).short_form()
    figure = draw_short_form(form)
    path, measured = figure.axes
    reward, net, asked = path.lines
    steps = [form.start, *form.path]
    np.testing.assert_array_equal(reward.get_xdata(), [1, 2, 3, 4, 5])
    np.testing.assert_allclose(reward.get_ydata(), [step.reward for step in steps])
    np.testing.assert_allclose(net.get_ydata(), [step.net for step in steps])
    # The constant alone: both arms have a mean of 0.55; with q0 everyone gets 0.8.
    assert form.start.reward == pytest.approx(0.55, abs=0.1)
    assert form.path[0].reward == pytest.approx(0.8, abs=0.1)
    assert form.start.net == pytest.approx(form.start.reward - form.price)  # q3 is asked of all
    assert len(asked.get_xdata()) == len(form.questions)
    names = [label.get_text() for label in path.get_xticklabels()]
    assert names == ["(everyone's)", *(step.question for step in form.path)]
    # Fails if the models' expectations pass for what decisions bring.
    assert path.get_ylabel() == "reward of a visit, by the models:\ntoo hopeful with few people"
    assert figure.get_suptitle() == f"Short visits ask {len(form.questions)} of 5 questions"
    assert measured.lines[0].get_ydata()[0] == pytest.approx(form.saving)


def test_names_are_no_mathematics():
    survey = al.Survey([al.YesNo("$a_$"), al.YesNo("b")])
    policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1)
    for t in range(60):
        policy.learn_row(t % 2, [1.0, 0.5 - (t % 3 == 0), 0.5], 0.5)
    draw_short_form(policy.short_form()).canvas.draw()


def test_before_a_form_was_chosen_there_is_nothing_to_draw():
    with pytest.raises(al.errors.SettingError, match="nothing to draw: no form was chosen yet"):
        draw_short_form(played(10).short_form())
