"""`askless init`: an example that is in order, and no file lost."""

import json

import askless as al
from command_line import askless, askless_anew


def test_init_then_check(tmp_path):
    assert askless_anew("init", cwd=tmp_path).returncode == 0
    done = askless_anew("check", "study.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert "in order" in done.stdout
    found = json.loads(askless("check", "study.yaml", "--json", cwd=tmp_path).stdout)
    assert found["questions"] == list(al.Study.example().survey.names)
    assert found["settings"]["beta_min"] == 20
    again = askless("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "there already" in again.stderr
    assert "cannot write" in askless("init", "no/such/folder.yaml", cwd=tmp_path).stderr
