"""The course of a way ends where its forecast is."""

import numpy as np
import pytest

from askless.evaluation.course import course_of


@pytest.mark.slow
def test_the_course_of_a_way_ends_at_its_forecast(small, leaving):
    """And before it has the same worlds, read off earlier: sums between two checkpoints."""
    for plan in (small, leaving[0]):
        people, label = plan.respondents[-1], plan.own.label
        course, forecast = course_of(plan, label), plan.forecast(label, people)
        assert course.people[-1] == people
        assert course.questions[-1] == forecast.questions
        outcome, single = plan.outcomes[label, people], plan.outcomes["one arm for all", people]
        for i, n in enumerate(course.people):
            visits = np.append(0.0, outcome.visits)
            done = [np.interp(n, np.append(0.0, row), visits) for row in outcome.started]
            sums = [
                [
                    np.interp(d, visits, np.append(0.0, row))
                    for d, row in zip(done, table, strict=True)
                ]
                for table in (outcome.asked, outcome.reward)
            ]
            one = [np.interp(n, [0.0, *single.visits], [0.0, *row]) for row in single.reward]
            assert course.questions[i].middle == pytest.approx(np.median(sums[0] / np.array(done)))
            gains = (np.array(sums[1]) - one) / n
            assert course.over_single[i].middle == pytest.approx(np.median(gains))
