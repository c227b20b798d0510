"""Finished studies of other kinds: no price, no epochs, one arm, one person, no rule yet."""

from dataclasses import replace

import pytest

import askless as al
from askless.report.analysis_figures import draw_effects
from askless.report.analysis_report import write_analysis
from askless.report.analysis_summary import doubts_of, said_of, why_so_few
from page_tables import Page, read


def analysed(policy, visits=120, arms="[{name: letter}, {name: message}]"):
    study = al.Study.parse(
        f"""
schema: 1
name: reminders
questions: [{{kind: yes_no, name: phone}}, {{kind: scale, name: worry, low: 1, high: 5}}]
arms: {arms}
reward: {{low: 0, high: 1}}
policy: {{{policy}}}
plan: {{useful: [1, 1], effect: [0.3, 0.4], noise: [0.1, 0.1]}}
"""
    )
    world = al.Prior.of(study).world(0, seed=1)
    return al.analyse(study, al.record_visits(al.policy_for(study), world, visits).visits)


def test_a_study_at_no_price_says_what_its_visits_were_asked(small, tmp_path):
    """Fails if visits are said to be asked everything where they are asked what may matter."""
    policy = al.policy_for(replace(small.study, settings=small.study.settings | {"price": 0}))
    shared = replace(small.shared, by="all answers", differ=None)
    found = replace(small, policy=policy, kinds={"full": 200}, shared=shared)
    page = Page(read(write_analysis(found, tmp_path, "askless analyse"), "report.html")).text
    assert "only what could matter to it" in page
    assert "A full visit was asked everything" not in page
    assert f"gives the {found.shared.people} of 200 people" in page
    assert "The others were asked less: what could matter to them." in page


@pytest.mark.parametrize("policy", ["name: linucb, width: noise", "name: ridge, beta_min: 0.3"])
def test_a_policy_without_epochs_is_told_of_by_what_it_has(policy, tmp_path):
    """Fails if intervals are promised that nothing holds, or epochs are spoken of."""
    found = analysed(policy)
    page = Page(read(write_analysis(found, tmp_path, "askless analyse"), "report.html"))
    said = " ".join([page.text, *said_of(found), why_so_few(found)])
    for word in ("epoch ", "epochs,", "epoch's", "explore_floor", "by the model none"):
        assert word not in said, word
    assert all(row.estimate is not None for row in found.effects)
    cells = {row[3] for row in page.rows if len(row) == 6 and row[5] == "yes"}
    if "linucb" in policy:
        assert cells == {"–"}
        assert "misses in at most 5%" not in said
        assert "`width: noise` makes no confidence sets" in said_of(found)[3]
        assert {found.why_of(row) for row in found.effects} == {found.effects[0].why}
        assert doubts_of(found) == []
        assert draw_effects(found) is None
        assert "There is no figure, since there is no interval" in page.text
    else:
        assert all(" to " in cell for cell in cells)
        assert "misses in at most 5%" in said
        assert {found.why_of(row) for row in found.effects} == {""}


@pytest.mark.parametrize("policy", ["beta_min: 0.3, price: 0", "name: uniform"])
def test_a_study_with_one_arm_is_analysed(policy, tmp_path):
    """Fails if arms are compared where there is nothing to compare."""
    found = analysed(policy, arms="[{name: letter}]")
    people, _, arms, _ = said_of(found)
    assert people.startswith("120 people got the only arm, and 120 rewards have come.")
    assert arms.startswith(("The only arm, letter, would bring everybody", "What the only arm"))
    page = Page(read(write_analysis(found, tmp_path, "askless analyse"), "report.html")).text
    assert "No two arms" not in page


def test_one_is_said_as_one():
    """Fails if one person is people."""
    people, *_ = said_of(analysed("beta_min: 0.3, price: 0", visits=1))
    assert people.startswith("1 person got one of 2 arms, and 1 reward has come. That one was")


def test_the_page_says_by_which_rule_people_get_arms(small, tmp_path):
    """Fails if the form's rule is shown as that of all answers, or what is no rule yet as one."""

    def page(**shared):
        found = replace(small, shared=replace(small.shared, **shared))
        return Page(read(write_analysis(found, tmp_path, "askless analyse"), "report.html")).text

    arms = tuple(arm.name for arm in small.study.arms)
    own = page(by="the short form", differ=0.25, starting=("msf",), warm=("wwf", "msf"))
    assert "By the rule of short visits" in own
    assert "To 25% of the people all answers would give another arm than the form" in own
    assert "first block of visits, and left out: msf" in own
    assert "In warm-up: wwf, msf. What is known of them comes from few visits" in own
    other = page(by="all answers", differ=None, starting=(), warm=())
    assert "What the rule, as it is at the end, gives" in other
    for words in ("short visits, which", "another arm than the form", "In warm-up:", "left out"):
        assert words not in other
    none = page(people=0, shares=(), rule=None, starting=arms)
    assert "There is no rule yet: in their first block of visits" in none
