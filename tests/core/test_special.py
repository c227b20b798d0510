"""Who needs none of scipy's functions does not wait for scipy."""

import subprocess
import sys

DECIDE = """
import sys
import askless as al
import askless.cli.app
policy = al.SurveyBandit(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), beta_min=0.1)
visit = policy.visit()
visit.answer({name: 0.5 for name in visit.asks})
policy.learn(visit, 0.5)
print([name for name in sys.modules if name.startswith("scipy")])
"""


def test_a_first_decision_and_the_command_line_do_without_scipy():
    """Fails if a module on the way to a decision imports it at its top: a third of a start."""
    done = subprocess.run(
        [sys.executable, "-c", DECIDE], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
