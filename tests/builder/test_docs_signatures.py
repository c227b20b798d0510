"""What the site shows of constructors: defaults are values, and each setting is told by itself."""

import griffe
import pytest
from builder.docs_signatures import PlainSettings

import askless as al
from doc_pages import ROOT


@pytest.fixture(scope="module")
def shown():
    extensions = griffe.Extensions(PlainSettings())
    return griffe.load("askless", search_paths=[ROOT / "src"], extensions=extensions)


def test_defaults_are_values(shown):
    """Fails if a reader sees `full_floor = FULL_FLOOR`, the name of a constant."""
    for kind in al.POLICIES.values():
        place = kind.__module__.removeprefix("askless.")
        made = shown[f"{place}.{kind.__name__}"].members.get("__init__")
        for parameter in made.parameters if made else ():
            default = parameter.default
            assert default is None or not default.isupper(), (kind.__name__, parameter.name)
    bandit = shown["policies.survey_bandit.SurveyBandit.__init__"].parameters
    assert (bandit["full_floor"].default, bandit["price"].default) == ("0.02", "None")
    assert bandit["beta_min"].default is None  # it must be given


@pytest.mark.parametrize("kind", [al.RidgeSurveyUCB, al.ElasticNetSurveyUCB, al.EpochSurveyUCB])
def test_bounds_on_norms_are_not_described_as_the_noise(shown, kind):
    """Fails if one sentence stands for several settings of which it says different things."""
    place = kind.__module__.removeprefix("askless.")
    text = shown[f"{place}.{kind.__name__}"].docstring.value
    of = {name: text.split(f"\n{name} :")[1].split(" :")[0] for name in ("sigma", "b1", "b2")}
    assert "noise" in of["sigma"]
    assert all("norm" in of[name] and "noise" not in of[name] for name in ("b1", "b2"))
