"""The glossary has every word of the design that is a name of the API, each with where it is told.

What would make these fail: a word that was taken out of the page or that the API calls otherwise,
an entry without a link, two entries of one word.
"""

import re
from pathlib import Path

import pytest

import askless as al
from askless.evaluation.verdict import Verdict
from askless.policies.building import settings_of

PAGE = Path(__file__).parent.parent / "docs" / "glossary.md"
ENTRIES = [line for line in PAGE.read_text().splitlines() if line.startswith("- ")]
WORDS = [word for line in ENTRIES for word in re.findall(r"\*\*([^*]+)\*\*", line)]

# The design's words, and where the API has them.
PUBLIC = {
    "study": al.Study,
    "survey": al.Survey,
    "question": al.Question,
    "arm": al.Arm,
    "eligible": al.Visit.eligible,
    "reward": al.RewardRange,
    "visit": al.Policy.visit,
    "asks": al.Visit.asks,
    "promised": al.Visit.promised,
    "kind": al.Visit.kind,
    "propensity": al.Visit.propensity,
    "version": al.Visit.version,
    "context": al.Visit.context,
    "policy": al.Policy,
    "row": al.SurveyBandit.rows,
    "support": al.Policy.support,
    "active": al.SurveyBandit.active,
    "effect": al.Effect,
    "evidence": al.Evidence,
    "width": al.SurveyBandit.width,
    "noise": al.SurveyBandit.noise,
    "epoch": al.SurveyBandit.epochs,
    "short form": al.SurveyBandit.short_form,
    "unlearn": al.SurveyBandit.unlearn,
    "environment": al.Environment,
    "table": al.table,
    "family": al.family,
    "prior": al.Prior,
    "run": al.Run,
    "regret": al.Run.regret,
    "plan": al.Plan,
    "verdict": Verdict,
    "off-policy": al.off_policy,
    "LinUCB": al.LinUCB,
}
SETTINGS = (
    *("beta_min", "delta", "price", "full_floor", "planned", "explore", "optimism", "payback"),
    *("interactive", "growth", "grain", "radius", "explore_floor"),
)
# Words of the field that pages use without saying what they mean.
OF_THE_FIELD = ("LinUCB", "lasso", "sub-Gaussian")


@pytest.mark.parametrize("word", PUBLIC)
def test_a_word_of_the_api_is_explained(word):
    assert word in WORDS


def test_every_setting_of_the_recommended_policy_that_is_a_word_of_the_design_is_there():
    page = PAGE.read_text()
    assert set(SETTINGS) <= set(settings_of(al.SurveyBandit))
    assert [name for name in SETTINGS if name not in WORDS and f"`{name}`" not in page] == []


@pytest.mark.parametrize("word", OF_THE_FIELD)
def test_a_word_of_the_field_is_explained_with_a_page_that_uses_it(word):
    (entry,) = [line for line in ENTRIES if line.startswith(f"- **{word}**")]
    page = re.findall(r"\]\((\S+\.md)", entry)[-1]
    assert word.lower() in (PAGE.parent / page).read_text().lower()


def test_words_are_explained_once_and_each_entry_says_where_more_is():
    assert len(WORDS) == len(set(WORDS))
    assert [line for line in ENTRIES if "](" not in line] == []
