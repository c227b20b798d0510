"""`make unchanged SINCE=REVISION`: whether decisions are those of another revision of this code.

Both revisions play the paper's experiment, the plan of the example study and fifty random worlds,
each in a process of its own; what they played, asked and dropped is compared number by number.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from revisions import ROOT, places, sources_of

import askless as al
from worlds import random_arm, survey_of

try:
    from askless.experiments.paper import paper_experiment
except ModuleNotFoundError:  # an older revision, which this is run with too
    from askless.report.paper import paper_experiment

KINDS = ("scale", "yes_no", "choice", "multi")
POLICIES = {
    "linucb": (al.LinUCB, {}),
    "oful": (al.OFUL, {}),
    "ridge": (al.RidgeSurveyUCB, {"beta_min": 0.3, "sigma": 0.1, "alpha": 1.0}),
    "elastic net": (al.ElasticNetSurveyUCB, {"beta_min": 0.3, "sigma": 0.05, "radius": "ridge"}),
    "epoch": (al.EpochSurveyUCB, {"beta_min": 0.3}),
    "survey bandit": (al.SurveyBandit, {"beta_min": 0.3, "price": 0}),
    "by question": (al.SurveyBandit, {"beta_min": 0.4, "price": 0, "grain": "question"}),
}


def figures(runs):
    """What a policy did in its runs: by decisions alone, in whole numbers."""
    return [
        {
            "plays": run.plays_at.tolist(),
            "asked": np.asarray(getattr(run, "asked_at", run.asked)).tolist(),
            "drops": [[drop.arm, drop.question, drop.visit, drop.row] for drop in run.drops],
            "left": list(run.questions_left),
        }
        for run in runs.runs
    ]


def random_world(number):
    """Respondents with some of every kind of question, skips, and arms that not all may get."""
    rng = np.random.default_rng([7, number])
    chosen = [(str(rng.choice(KINDS)), 3, bool(rng.random() < 0.3)) for _ in range(6)]
    survey, arms = survey_of(chosen), [f"arm{k}" for k in range(int(rng.integers(2, 5)))]
    effects = rng.choice([0.0, 0.0, 0.4], size=(len(arms), len(survey)))
    effects *= 0.9 / np.maximum(effects.sum(axis=1, keepdims=True), 0.9)
    table = np.array([random_arm(survey, rng, row) for row in effects])
    return al.LinearEnvironment(
        survey,
        arms=arms,
        coefficients=0.8 * table,
        reward=(-0.5, 0.5),
        noise=str(rng.choice(["uniform", "two_point", "truncated_normal"])),
        spread=0.1,
        eligible={"arm1": 0.6} if rng.random() < 0.3 else None,
        number=number,
    )


def in_random_worlds():
    """Play every policy in fifty worlds; every fifth time with rewards that come late."""
    found = {}
    for number in range(50):
        world = random_world(number)
        for i, (name, (kind, settings)) in enumerate(POLICIES.items()):
            policy = kind(world.survey, arms=world.arms, reward=world.reward, **settings)
            horizon = 300 if name == "by question" else 2_000
            late = al.Delay(20, "random", lost=0.1, deadline=60)
            delay = late if (number + i) % 5 == 0 and name != "by question" else None
            runs = al.simulate(policy, world, min(horizon, 600) if delay else horizon, delay=delay)
            found[f"world {number}, {name}{', late' if delay else ''}"] = figures(runs)
    return found


def everything():
    """Return what this revision does, as plain data."""
    experiment = paper_experiment(100_000, 5, 0)
    plan = al.plan(al.Study.example(), worlds=100).to_dict()
    numbers = ("prior", "ways", "forecasts", "verdict")
    return {
        "the paper's experiment": {
            f"{curve}": figures(runs) for curve, runs in sorted(curves_of(experiment).items())
        },
        "a plan": {key: json.loads(json.dumps(plan[key])) for key in numbers},
        "fifty random worlds": in_random_worlds(),
    }


def curves_of(experiment):
    """Return the runs of the paper's experiment by the names of their curves."""
    return {str(key): curve.runs for key, curve in experiment.curves.items()}


def done_by(source):
    """Return what the revision with these sources does, or ours."""
    environment = dict(os.environ) if source is None else places(source, ROOT / "tests")
    environment["OMP_NUM_THREADS"] = "1"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([sys.executable, __file__, "--out", file.name], env=environment, check=True)
        return json.loads(Path(file.name).read_text(encoding="utf-8"))


def main(since):
    """Compare this revision with another one; exit with 1 where they differ."""
    with sources_of(since) as source:
        before = done_by(source)
    now, differ = done_by(None), 0
    for part, cases in before.items():
        other = [case for case, figure in cases.items() if now[part].get(case) != figure]
        differ += len(other)
        said = f"{len(cases)} of {len(cases)} the same" if not other else f"differ: {other[:5]}"
        print(f"{part}: {said}")
    sys.exit(differ > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--out"]:
        Path(sys.argv[2]).write_text(json.dumps(everything()), encoding="utf-8")
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        sys.exit("say since when: make unchanged SINCE=REVISION")
