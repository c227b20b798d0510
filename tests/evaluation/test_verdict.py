"""The verdict of a plan: by hand, of its runs, and where nothing or everything matters."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import askless as al
from askless.evaluation.preregistration import preregistration_of
from askless.evaluation.verdict import Figures, Verdict, judge
from small_plans import LEAVING, OWN, study_of

PILOTS = ("pilot of 10%", "pilot of 20%")


def figures(asked, reward, net, worlds=100, spread=0.1):
    """Figures of worlds that differ a little, in the same way in all ways."""
    wave = np.linspace(-spread, spread, worlds)
    return Figures(np.full(worlds, asked), reward + wave, net + wave**2)


def test_the_verdict_by_hand():
    span, ours = 10.0, ["price 1", "price 2"]
    full, single = figures(10, 5, 4), figures(0, 3, 3)
    short, same, worse = figures(6, 4.96, 4.4), figures(8.9, 4.96, 4.0), figures(6, 4.9, 3.9)
    rest = {"asking everything": full, "one arm for all": single}
    # Four of ten questions less for the same reward, within 0.005 of the range.
    assert judge({**rest, "price 1": short, "price 2": worse}, ours, span).kind == "shorten"
    found = judge({**rest, "price 1": worse, "price 2": short}, ours, span)
    assert (found.kind, found.way) == ("shorten", "price 2")
    # Too little reward and a lower net: ask everything; but a higher net is enough.
    found = judge({**rest, "price 1": worse, "price 2": worse}, ours, span)
    assert (found.kind, found.way) == ("everything", "asking everything")
    higher = worse._replace(net=full.net + 0.1)
    assert judge({**rest, "price 1": higher, "price 2": worse}, ours, span).way == "price 1"
    # A tenth fewer questions is shorter, less is not.
    less = same._replace(asked=np.full(100, 9.1))
    assert judge({**rest, "price 1": same, "price 2": worse}, ours, span).kind == "shorten"
    assert judge({**rest, "price 1": less, "price 2": less}, ours, span).kind == "everything"
    # A higher net is no shorter survey if nothing less is asked.
    lucky = higher._replace(asked=full.asked)
    assert judge({**rest, "price 1": lucky, "price 2": lucky}, ours, span).kind == "everything"
    # The study's own setting, unless another nets surely more; without it, the one that nets most.
    better = short._replace(net=short.net + 0.1)
    for first, second, chosen in (
        (short, short._replace(net=short.net + 0.001), "price 1"),
        (short, better, "price 2"),
        (worse, better, "price 2"),
    ):
        assert judge({**rest, "price 1": first, "price 2": second}, ours, span).way == chosen
    third = [*ours, "price 3"]
    all_three = {**rest, "price 1": worse, "price 2": short, "price 3": better}
    assert judge(all_three, third, span).way == "price 3"
    # One arm for all, if that nets surely more than everything else: also than what is not chosen.
    alone = {**rest, "one arm for all": figures(0, 4.5, 4.5)}
    assert judge({**alone, "price 1": worse, "price 2": worse}, ours, span).kind == "one arm"
    dearer = worse._replace(net=alone["one arm for all"].net + 0.1)
    assert judge({**alone, "price 1": worse, "price 2": dearer}, ours, span).way == "price 2"
    # Whatever rewards are counted in.
    for unit in (1e-10, 1e9):
        scaled = {
            label: Figures(own.asked, own.reward * unit, own.net * unit)
            for label, own in {**rest, "price 1": short, "price 2": worse}.items()
        }
        assert judge(scaled, ours, span * unit).kind == "shorten"


def test_one_arm_is_sent_where_it_nets_more_by_two_standard_errors():
    """And the verdict is close on both sides of that line, not far from it."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=100)
    noise = (noise - noise.mean()) / noise.std(ddof=1)  # a standard error of 0.1
    full = figures(10, 5, 4)
    own = Figures(full.asked, full.reward - 1, full.net - 1)
    for errors, kind, close in (
        (-3, "everything", None),
        (1, "everything", "one arm"),
        (3, "one arm", "everything"),
        (6, "one arm", None),
    ):
        single = Figures(0 * full.asked, full.reward, full.net + noise + 0.1 * errors)
        rest = {"asking everything": full, "one arm for all": single, "price 1": own}
        found = judge(rest, ["price 1"], 10.0)
        assert (found.kind, found.close_to) == (kind, close)


def test_a_verdict_says_what_it_is_close_to():
    span, rng = 10.0, np.random.default_rng(2)
    full, single = figures(10, 5, 4), figures(0, 3, 3)
    noise = rng.normal(0, 0.1, 100)
    noise -= noise.mean()
    for apart, close in (  # 0.05 is the line, ± 0.01
        (0.0, None),
        (0.045, "everything"),
        (0.055, "shorten"),
        (0.2, None),
    ):
        own = Figures(full.asked / 2, full.reward - apart + noise, full.net)
        rest = {"asking everything": full, "one arm for all": single}
        assert judge({**rest, "price 1": own}, ["price 1"], span).close_to == close


def test_a_verdict_is_that_of_its_runs(small):
    """Shortens: questions fall by far, rewards hardly; the words say the figures."""
    verdict, people = small.verdict, 1500
    own, full = small.figures(OWN, people), small.figures("asking everything", people)
    assert (verdict.kind, verdict.way.label, verdict.people) == ("shorten", OWN, None)
    assert own.asked.mean() < 0.9 * full.asked.mean()
    assert (own.reward - full.reward).mean() > -0.005 * 10
    first, second = small.advice()[:2]
    stated = float(re.search(r"are asked ([\d.]+) of 5", first)[1])
    assert stated == pytest.approx(np.median(own.asked), abs=0.06)
    assert "`price: 0.02`" in first
    more = float(re.search(r"it is ([\d.]+) more a person", second)[1])
    assert more == pytest.approx((own.net - full.net).mean(), abs=0.006)


def test_the_price_that_fits_those_who_give_up_is_tried_and_taken():
    """A twentieth of the people at each question: far more than a price of 0.02 a question."""
    study = al.Study.parse(LEAVING)
    found = al.plan(study, respondents=[300, 900], worlds=40, workers=2)
    fitting = found.ways[4]
    reward = found.figures("asking everything", 900).reward.mean()
    assert fitting.policy["price"] == pytest.approx(0.05 * reward, rel=0.05)
    assert found.verdict.kind == "shorten"
    assert found.verdict.way == fitting
    nets = {way.label: found.figures(way.label, 900).net for way in found.ways if way.ours}
    more = nets[fitting.label] - nets[OWN]
    assert more.mean() > 2 * more.std(ddof=1) / np.sqrt(len(more))
    assert f"with another setting: with `{fitting.setting}`" in found.advice()[0]
    assert found.advice()[-1].startswith("With 300 people ")
    assert not [said for said in found.warnings() if "think of" in said]
    assert "give up at each question" in preregistration_of(found)
    assert fitting.setting in preregistration_of(found)


def shortened_with(found, label):
    """What a plan says if it comes to shortening in that way."""
    vars(found)["verdict"] = Verdict("shorten", found.way(label), found.respondents[-1], None, None)
    return " ".join(found.advice())


def test_another_setting_leaves_the_price_of_net_and_may_be_the_edge_of_what_was_tried():
    """Fails if a reader takes the setting for what net counts, or the edge for the best."""
    study = study_of("{useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}")
    found = al.plan(study, respondents=[100], prices=[0.01, 0.04, 8], worlds=20, workers=1)
    counted = "net counts a question at 0.02 in every way"
    for label, edge, further in (
        ("price 0.01", "smallest", "`--price 0.005,0.0025` tries further"),
        ("price 0.02", None, None),
        ("price 0.04", None, None),
        ("price 8", "largest", None),  # the range is 10
    ):
        said = shortened_with(found, label)
        assert (counted in said) == (label != OWN)
        assert (f"It is the {edge} price that was tried" in said) == (edge is not None)
        assert ("tries further" in said) == (further is not None)
        assert further is None or further in said
    alone = al.plan(study, respondents=[100], prices=(), worlds=20, workers=1)
    assert "was tried" not in shortened_with(alone, OWN)
    larger = al.plan(study, respondents=[100], prices=[0.3], worlds=20, workers=1)
    assert "largest price that was tried: `--price 0.6,1.2` tries" in shortened_with(
        larger, "price 0.3"
    )


def test_a_budget_at_the_edge_is_planned_around():
    """Fails if it is told to try prices, or that net counts a question otherwise than it does."""
    study = study_of(
        "{useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}", "{beta_min: 3, questions: 2}"
    )
    found = al.plan(study, respondents=[100], worlds=20, workers=1)
    said = shortened_with(found, "questions 1")
    assert "smallest budget that was tried: set it in the study file" in said
    assert f"net counts a question at {found.price:g} in every way" in said
    assert "--price" not in said


def test_where_no_answer_matters_one_arm_is_sent_to_all():
    """Fails if it is compared with what the rule does not look at, or a better pilot is hushed."""
    study = study_of("{useful: 0, gap: [2, 3], noise: 0.5}", "{beta_min: 3, price: 0.2}")
    found = al.plan(study, respondents=[100], worlds=30, workers=1)
    assert found.verdict.kind == "one arm"
    assert found.advice()[0].startswith("Send one arm to all")
    nets = {way.label: found.forecast(way.label, 100).net.middle for way in found.ways}
    best = max(nets.keys() - {"one arm for all", *PILOTS}, key=nets.__getitem__)
    assert f"(at best {best}) {nets[best]:,.2f} net." in found.advice()[1]
    pilot = max(PILOTS, key=nets.__getitem__)
    assert nets[pilot] > nets["one arm for all"]  # of 100 people it tests 10, not 20
    assert found.advice()[2].startswith(f"A {pilot} nets {nets[pilot]:,.2f}, which is more")
    for other in PILOTS:
        played = found.outcomes[other, 100]
        found.outcomes[other, 100] = replace(played, reward=played.reward - 500)
    assert len(found.advice()) == 2


@pytest.mark.slow
def test_where_everything_matters_everything_is_asked():
    plan = "{useful: 5, effect: [2, 2.2], noise: 0.2, gap: 0}"
    found = al.plan(
        study_of(plan, "{beta_min: 1, price: 0.001}"), respondents=[100], worlds=30, workers=1
    )
    assert found.verdict.kind == "everything"
    assert found.verdict.people == 8 * 100  # not even then
    assert "more than 800 people would be needed" in found.advice()[0]
    assert any("every question matters" in warning for warning in found.warnings())


def test_a_study_that_is_too_small_is_told_how_many_people_it_takes():
    """At the number it says, the criteria hold in the worlds that were searched; before, not."""
    study = study_of("{useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}")
    found = al.plan(study, respondents=[40], worlds=40, workers=1)
    assert found.verdict.kind == "more people"
    assert found.verdict.people in (80, 160, 320)
    for people in (80, 160, 320):
        own, full = (
            found._figures_of(found.searched[way, people], people)
            for way in (OWN, "asking everything")
        )
        shorter = own.asked.mean() <= 0.9 * full.asked.mean()
        same = (own.reward - full.reward).mean() >= -0.05
        gain = own.net - full.net
        surely = gain.mean() > 2 * gain.std(ddof=1) / math.sqrt(len(gain))
        assert ((shorter and same) or surely) == (people >= found.verdict.people)
    assert found.advice()[0].startswith(f"Come with about {found.verdict.people:,} people")


def test_with_people_who_give_up_that_is_what_counts():
    plan = "{useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5], dropout: 0.05}"
    found = al.plan(study_of(plan), respondents=[600], prices=(), worlds=30, workers=1)
    full = found.forecast("asking everything", 600)
    assert full.completed.middle == pytest.approx(0.95**5)
    assert full.net.middle == pytest.approx(full.reward.middle * 0.95**5, rel=0.02)
    own = found.forecast(OWN, 600)
    assert own.completed.middle > full.completed.middle
    # A question that loses a twentieth of the people costs more than the prices that were set.
    assert any("think of `price: 0.2" in warning for warning in found.warnings())
    budget = study_of(plan, "{beta_min: 3, questions: 2}")
    found = al.plan(budget, respondents=[40], worlds=20, workers=1)
    assert any("in the place of `questions`" in warning for warning in found.warnings())
    assert any("The budget of 2 is not kept" in warning for warning in found.warnings())
