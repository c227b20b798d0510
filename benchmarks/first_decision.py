"""How long a new process takes until its first decision, beyond importing numpy."""

from __future__ import annotations

import subprocess
import sys

POLICIES = {
    "SurveyBandit": "al.SurveyBandit(survey, **study)",
    "EpochSurveyUCB, by arm": "al.EpochSurveyUCB(survey, **study, interactive=True, grain='arm')",
    "EpochSurveyUCB, by question": (
        "al.EpochSurveyUCB(survey, **study, interactive=True, grain='question')"
    ),
}
PROCESS = """
import time
import numpy
began = time.process_time()
import askless as al
imported = time.process_time()
cause = al.Choice("cause", ["children", "animals", "climate"])
survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor"), cause])
study = dict(arms=["a", "b", "c"], reward=(0, 100), beta_min=5)
answers = dict(age=44, donor=True, cause="animals")
policy = {policy}
visit = policy.visit()
while visit.asks:
    visit.answer({{name: answers[name] for name in visit.asks}})
policy.learn(visit, 25)
print(imported - began, time.process_time() - imported)
"""


def first_decision(policy: str) -> tuple[float, float]:
    """Return the CPU seconds of importing askless, and from there to the first row learned."""
    code = PROCESS.format(policy=POLICIES[policy])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported, rest = map(float, done.stdout.split())
    return imported, rest
