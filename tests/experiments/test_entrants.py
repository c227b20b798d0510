"""Who enters a contest: all of the standard ones can, and others by name."""

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.experiments.contesting import contest
from askless.experiments.entrants import entrants, named_entrant
from askless.report.contest_report import write_contest
from contests import worlds


def test_every_standard_entrant_plays_a_table_and_a_family(tmp_path):
    given = {"sizes": [40], "runs": 1, "workers": 1}
    played = contest(entrants(0.002), {"wine": al.table("wine"), **worlds()}, tmp_path, **given)
    assert len(played.labels) == 16
    assert np.isfinite(played.net).all()
    assert np.isnan(played.lost[:, 0]).all()  # nobody knows what is useful in wine
    page, *_ = write_contest(played, tmp_path, "askless compare")
    assert page.exists()


def test_an_entrant_by_name_takes_what_fits():
    assert named_entrant("survey-bandit", 0.01).policy(10, 500) == {
        "name": "survey-bandit",
        "beta_min": 1.0,
        "price": 0.1,
        "planned": 500,
    }
    assert named_entrant("lints", 0.01).policy(10, 500) == {"name": "lints"}
    with pytest.raises(SettingError, match="there is no policy 'nobody'"):
        named_entrant("nobody", 0.01)
    with pytest.raises(SettingError, match=r"did you mean 'linucb-noise'\?$"):
        named_entrant("linucb-nois", 0.01)
