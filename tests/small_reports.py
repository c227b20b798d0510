"""Every report that is a page, and every figure, from as little simulation as they take."""

from pathlib import Path
from unittest import mock

import askless as al
from analyses import rich_analysis, small_analysis
from askless.experiments import paper_experiment
from askless.experiments.contesting import contest
from askless.experiments.entrants import Entrant
from askless.report import page, write_paper
from askless.report.analysis_report import write_analysis
from askless.report.contest_report import write_contest
from askless.report.plan_report import write_plan
from askless.report.short_form import draw_short_form
from contests import BOTH, worlds

NAMES = ("paper", "plan", "contest", "analysis")
ENTRANTS = [*BOTH, Entrant("a rival with a name of its own", {"name": "uniform"})]


def write_reports(folder):
    """Write every report into a folder of its name."""
    for name in NAMES:
        (folder / name).mkdir()
        _write(name, folder / name)


def figures_of_reports(folder):
    """Return the figures of all reports, those for narrow screens too."""
    figures = []

    def kept(figure, ending):
        if figure not in figures:
            figures.append(figure)
        return ending.encode()  # drawing takes long

    with mock.patch.object(page, "drawn", kept):
        write_reports(folder)
    return figures


def other_figures():
    """Return the figures that are on no page."""
    study = al.Study.example()
    world = al.Prior.of(study).world(3, seed=1)
    done = al.record_visits(al.policy_for(study), world, horizon=400)
    people = al.paper_environment(arms=3, features=4)
    given = {"arms": people.arms, "reward": people.reward}
    policies = {
        "asks everything": al.LinUCB(people.survey, **given),
        "a policy whose name is not short": al.Uniform(people.survey, **given),
    }
    compared = al.compare(policies, people, horizon=300, runs=2)
    return [draw_short_form(done.policy.short_form()), compared.plot("Beside each other")]


def _write(name: str, folder: Path):
    if name == "paper":
        write_paper(paper_experiment(250, 2, seed=4, workers=1), folder)
    elif name == "plan":
        given = {"respondents": [100, 300], "worlds": 20, "seed": 4, "workers": 1}
        write_plan(al.plan(al.Study.example(), **given), folder, "askless plan study.yaml")
    elif name == "contest":
        given = {"sizes": [100, 300], "runs": 2, "seed": 5, "price": 0.01, "workers": 1}
        found = contest(ENTRANTS, worlds(), folder / "runs", **given)
        write_contest(found, folder, "askless compare --tables drift")
    else:
        write_analysis(rich_analysis(small_analysis()), folder, "askless analyse study.yaml v.csv")
