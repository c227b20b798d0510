"""Plans: calibrated, the same as counted by hand, and with a verdict that fits the runs."""

import math
import re
import tempfile

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.errors import AsklessError, SettingError, StudyError
from askless.evaluation import planning
from askless.evaluation.course import course_of
from askless.evaluation.intervals import predictive
from askless.evaluation.outcomes import Outcome, best_rewards
from askless.evaluation.preregistration import preregistration_of
from askless.evaluation.sense import doubts_of
from askless.evaluation.verdict import Figures, judge
from askless.evaluation.ways import ways_of
from askless.simulation import sweep
from sizes import whole

SMALL = """
schema: 1
name: small
questions:
  - {kind: yes_no, name: donor}
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: member}
  - {kind: choice, name: region, options: [north, south]}
  - {kind: yes_no, name: reader}
arms: [{name: letter}, {name: call}]
reward: {low: 0, high: 10}
policy: {beta_min: 3, price: 0.02}
plan: {useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}
"""
LEAVING = SMALL.replace("[0.5, 1.5]}", "[0.5, 1.5], dropout: 0.05}")
EVERYTHING = """
schema: 1
name: everything
questions:
  - {kind: scale, name: age, low: 18, high: 90, cost: 0.5}
  - {kind: yes_no, name: donor, may_skip: true, cost: 3}
  - {kind: choice, name: cause, options: [children, animals, climate], always_ask: true}
  - {kind: multi, name: media, options: [friends, web], may_skip: true}
arms: [{name: a}, {name: b}, {name: c}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.2, explore: 0.1, questions: 3}
plan: {effect: [0.2, 0.4], noise: ends, eligible: {b: 0.5}, skips: {donor: 0.3}, dropout: 0.02}
"""


OWN = "price 0.02"


@pytest.fixture(scope="module")
def small():
    study = al.Study.parse(SMALL)
    return al.plan(study, respondents=[400, 1500], worlds=whole(400, 100), seed=0, workers=2)


HELD_OUT = whole(600, 100)


@pytest.fixture(scope="module")
def held_out():
    study = al.Study.parse(SMALL)
    few = {"prices": (), "worlds": HELD_OUT, "seed": 1, "workers": 2}
    return al.plan(study, respondents=[400, 1500], **few)


@pytest.fixture(scope="module")
def leaving():
    """Plans of people who give up, the second of worlds that the first has not seen."""
    study = al.Study.parse(LEAVING)
    worlds = whole(400, 100)
    return [
        al.plan(study, respondents=[400], prices=(), worlds=worlds, seed=seed, workers=2)
        for seed in (0, 1)
    ]


def test_intervals_hold_the_truth_of_held_out_worlds(small, held_out):
    # Worlds that the plan has not seen. Its worlds (400; 100) and these (600; 100) let the share
    # inside vary by 0.02 (0.042; a deviation) around 0.9; an interval that forgot that people
    # differ from world to world, or took the mean's error for the spread, would be far outside.
    for people in small.respondents:
        for way in (OWN, "asking everything", "pilot of 20%"):
            truth, forecast = held_out.figures(way, people), small.forecast(way, people)
            figures = {
                "reward": (truth.reward, forecast.reward),
                "net": (truth.net, forecast.net),
            }
            if way == OWN:
                figures["questions"] = truth.asked, forecast.questions
            for name, (values, interval) in figures.items():
                inside = np.mean([float(value) in interval for value in values])
                assert abs(inside - 0.9) <= whole(0.06, 0.128), (way, name)  # three of them


def test_intervals_hold_where_people_give_up(leaving):
    """As above, for those who complete, and for the reward a person who starts."""
    here, there = leaving
    truth, forecast = there.figures(OWN, 400), here.forecast(OWN, 400)
    completed = there.outcomes[OWN, 400].at(400).completed / 400
    for values, interval in ((completed, forecast.completed), (truth.net, forecast.net)):
        inside = np.mean([float(value) in interval for value in values])
        assert abs(inside - 0.9) <= whole(0.06, 0.128)  # three deviations


def test_the_chance_of_losing_a_question_is_that_of_held_out_worlds(small, held_out):
    for way in (OWN, "pilot of 10%"):
        lost = int((held_out.outcomes[way, 1500].lost <= 1500).sum())
        rate = small.forecast(way, 1500).losing
        low, high = binom.ppf([1e-6, 1 - 1e-6], HELD_OUT, [rate.low, rate.high])
        assert low <= lost <= high
    # Fewer are lost by then, and no more are counted.
    early = int((small.outcomes["pilot of 10%", 400].lost <= 400).sum())
    assert small.forecast("pilot of 10%", 400).losing.middle == early / small.worlds
    # With beta_min below every effect the guarantee holds.
    assert small.forecast(OWN, 1500).losing.middle <= 0.05


def by_hand(world, policy, seed, count):
    """Play a world visit by visit; returns what a plan counts, from what the visits say."""
    names = [arm.name for arm in world.arms]
    asked = paid = got = started = 0.0
    lost, t = math.inf, 0
    for block in world.respondents(seed, 0):
        for i in range(len(block.luck)):
            t += 1
            z = block.contexts[i]
            answers = world.survey.decode(z)
            may = (
                names
                if block.allowed is None
                else [n for n, ok in zip(names, block.allowed[i], strict=True) if ok]
            )
            visit = policy.visit(arms=may)
            while visit.asks:
                visit.answer({question: answers[question] for question in visit.asks})
            means = world.coefficients @ z
            asked += len(visit.asked)
            started += 0.98 ** -len(visit.asked)
            paid += sum(q.cost for q in world.survey if q.name in visit.asked)
            expected = means[visit.arm_index] + world.reward.middle
            got += expected
            before = policy.support
            low, span = world.reward.low, world.reward.span
            if world.spread:
                reward = expected + world.spread * (2 * block.luck[i] - 1)
            else:
                reward = low + span if block.luck[i] < (expected - low) / span else low
            policy.learn(visit, round((reward - low) / span * 16384) / 16384 * span + low)
            if (before & ~policy.support & world.useful).any():
                lost = min(lost, t)
            if t == count:
                return asked, paid, got, lost, started
    raise AssertionError


@pytest.mark.parametrize("text", [SMALL, EVERYTHING])
def test_figures_are_those_counted_by_hand_visit_by_visit(text):
    study = al.Study.parse(text)
    count = 300
    found = al.plan(study, respondents=[count], worlds=20, seed=4, workers=1)
    for way in (w for w in found.ways if w.ours):
        outcome = found.outcomes[way.label, count]
        for number in (0, 7, 13):
            world = found.prior.world(number, seed=4)
            settings = {key: value for key, value in way.policy.items() if key != "name"}
            policy = al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, **settings)
            policy._stream = (4 * 0x9E3779B97F4A7C15 + 1) % 2**64  # the simulator's draws
            asked, paid, got, lost, started = by_hand(world, policy, 4, count)
            assert outcome.asked[number, -1] == asked
            assert outcome.cost[number, -1] == pytest.approx(paid)
            assert outcome.reward[number, -1] == pytest.approx(got)
            assert outcome.lost[number] == lost
            # Every visit by itself: the mean length of many would say too few.
            expected = started if found.dropout else count
            assert outcome.started[number, -1] == pytest.approx(expected)


@pytest.mark.parametrize("text", [SMALL, EVERYTHING])
def test_one_arm_for_all_is_tested_and_sent_by_hand(text):
    """A fifth get the arms that they may get in turn; the rest the one whose mean was highest."""
    found = al.plan(al.Study.parse(text), respondents=[100], worlds=20, seed=4, workers=1)
    outcome = found.outcomes["one arm for all", 100]
    assert not outcome.asked.any()
    for number in (0, 9, 19):
        world = found.prior.world(number, seed=4)
        block = next(world.respondents(4, 0))
        means = block.contexts @ world.coefficients.T + world.reward.middle
        got, seen = 0.0, {k: [] for k in range(len(world.arms))}
        for t in range(100):
            every = range(len(world.arms))
            may = [k for k in every if block.allowed is None or block.allowed[t, k]]
            arm = may[t % len(may)]
            if t < 20:
                seen[arm].append(block.rewards[t, arm])
            else:
                arm = max(may, key=lambda k: np.mean(seen[k]) if seen[k] else -math.inf)
            got += means[t, arm]
        assert outcome.reward[number, -1] == pytest.approx(got)


def test_the_ways_are_those_of_the_study(small):
    assert [way.label for way in small.ways] == [
        *("asking everything", OWN, "price 0.01", "price 0.04"),
        *("one arm for all", "pilot of 10%", "pilot of 20%"),
    ]
    assert small.price == 0.02
    for text, labels in {
        "{beta_min: 3}": ["price 0.02", "price 0.01", "price 0.04"],  # 0.002 of the range
        "{beta_min: 3, questions: 2}": ["questions 2", "questions 1", "questions 4"],
        "{beta_min: 3, questions: 3}": ["questions 3", "questions 1.5"],
        "{beta_min: 3, price: 0}": ["price 0"],
        "{name: ridge, beta_min: 3, alpha: 2}": ["price 0.02", "price 0.01", "price 0.04"],
    }.items():
        study = al.Study.parse(re.sub(r"policy: .*", f"policy: {text}", SMALL))
        ours = [way for way in ways_of(study) if way.ours]
        assert [way.label for way in ours] == labels
        assert all("alpha" not in way.policy for way in ours)
    tried = [way.setting for way in ways_of(study, [0.5, 0.1]) if way.ours]
    assert tried == ["price: 0.02", "price: 0.5", "price: 0.1"]
    # The study's own way stays the first, and near ones are told apart.
    budget = al.Study.parse(re.sub(r"policy: .*", "policy: {beta_min: 3, questions: 2}", SMALL))
    tried = [way.setting for way in ways_of(budget, [0.5, 0.50001]) if way.ours]
    assert tried == ["questions: 2", "price: 0.5", "price: 0.50001"]
    free = "policy: {beta_min: 3, price: 0, grain: question}"
    own, other = (
        way
        for way in ways_of(al.Study.parse(re.sub(r"policy: .*", free, SMALL)), [0.1])
        if way.ours
    )
    assert (own.setting, own.policy["grain"]) == ("price: 0", "question")
    assert "grain" not in other.policy  # it goes with a price of 0 alone


def test_who_gives_up_brings_nothing_and_teaches_nothing():
    """Four questions are asked of everyone, then two, by hand."""
    visits = np.array([100.0, 200.0, 400.0])
    asked = np.array([[400.0, 600.0, 1000.0]])
    reward = np.array([[100.0, 250.0, 650.0]])
    started = np.cumsum([[100 * 0.9**-4, 100 * 0.9**-2, 200 * 0.9**-2]], axis=1)
    outcome = Outcome(visits, asked, 2 * asked, reward, started, np.array([math.inf]))
    read = outcome.at(100 * 0.9**-4)
    assert (read.completed[0], read.reward[0]) == pytest.approx((100, 100))
    read = outcome.at(100 * 0.9**-4 + 150 * 0.9**-2)
    assert (read.completed[0], read.asked[0], read.cost[0]) == pytest.approx((250, 700, 1400))
    assert read.reward[0] == pytest.approx(250 + 50 * 2)


def test_a_pilot_is_a_share_of_those_who_start(leaving):
    """Of 400 who start 0.95⁵ answer five questions; and where nobody leaves, of all."""
    for plan, planned in ((leaving[0], round(400 * 0.95**5)), (None, 400)):
        study = al.Study.parse(SMALL) if plan is None else plan.study
        own = plan or al.plan(study, respondents=[400], prices=(), worlds=20, workers=1)
        outcome = own.outcomes["pilot of 10%", 400]
        pilot = math.ceil(0.1 * planned)
        asked = np.array([np.interp(pilot, outcome.visits, row) for row in outcome.asked])
        assert asked.max() <= 5 * pilot + 1e-9
        assert asked.mean() > 0.97 * 5 * pilot  # everything, up to there
        later = outcome.asked[:, -1] - asked
        assert later.mean() < 0.8 * 5 * (outcome.visits[-1] - pilot)


def test_net_is_less_the_price_of_what_questions_cost():
    text = SMALL.replace("name: donor", "name: donor, cost: 4")
    assert text != SMALL
    found = al.plan(al.Study.parse(text), respondents=[60], prices=(), worlds=20, workers=1)
    outcome, figures = found.outcomes[OWN, 60], found.figures(OWN, 60)
    paid = 0.02 * outcome.cost[:, -1] / 60
    assert (outcome.cost[:, -1] > 1.2 * outcome.asked[:, -1]).all()
    np.testing.assert_allclose(figures.net, figures.reward - paid)
    assert found.forecast(OWN, 60).cost.middle == pytest.approx(np.median(outcome.cost[:, -1]) / 60)


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
        (-3, "everything", False),
        (1, "everything", True),
        (3, "one arm", True),
        (6, "one arm", False),
    ):
        single = Figures(0 * full.asked, full.reward, full.net + noise + 0.1 * errors)
        rest = {"asking everything": full, "one arm for all": single, "price 1": own}
        found = judge(rest, ["price 1"], 10.0)
        assert (found.kind, found.is_close) == (kind, close)


def test_a_verdict_says_when_it_is_close():
    span, rng = 10.0, np.random.default_rng(2)
    full, single = figures(10, 5, 4), figures(0, 3, 3)
    noise = rng.normal(0, 0.1, 100)
    noise -= noise.mean()
    for apart, close in ((0.045, True), (0.0, False), (0.2, False)):  # 0.05 is the line, ± 0.01
        own = Figures(full.asked / 2, full.reward - apart + noise, full.net)
        rest = {"asking everything": full, "one arm for all": single}
        assert judge({**rest, "price 1": own}, ["price 1"], span).is_close is close


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


def study_of(plan, policy="{beta_min: 3, price: 0.02}"):
    return al.Study.parse(
        re.sub(r"plan: .*", f"plan: {plan}", re.sub(r"policy: .*", f"policy: {policy}", SMALL))
    )


def test_where_no_answer_matters_one_arm_is_sent_to_all():
    study = study_of("{useful: 0, gap: [2, 3], noise: 0.5}", "{beta_min: 3, price: 0.2}")
    found = al.plan(study, respondents=[100], worlds=30, workers=1)
    assert found.verdict.kind == "one arm"
    assert found.advice()[0].startswith("Send one arm to all")


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


def test_the_same_figures_on_any_number_of_processes():
    study = al.Study.parse(SMALL)
    one, two = (
        al.plan(study, respondents=[120], worlds=20, workers=workers).to_dict()
        for workers in (1, 2)
    )
    assert one == two


def test_a_plan_makes_each_policy_once_and_writes_no_file(monkeypatch, tmp_path):
    """Its figures are those of `simulate`, a call a world and way."""
    made, make = [], sweep.policy_of

    def count(settings, *given, **named):
        made.append(settings)
        return make(settings, *given, **named)

    monkeypatch.setattr(sweep, "policy_of", count)
    monkeypatch.setattr(planning, "policy_for", None)  # the study's is among those that play
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    study, people = al.Study.parse(LEAVING.replace("0.05", "0")), (60, 150)
    found = al.plan(study, respondents=people, worlds=20, seed=3, workers=1)
    played = [way for way in found.ways if way.policy is not None]
    once = [way.policy for way in played if not way.is_planned]
    once += [way.for_people(n).policy for n in people for way in played if way.is_planned]
    searched = {label for label, _ in found.searched} - {"one arm for all"}
    once += [found.way(label).policy for label in searched]
    assert sorted(map(repr, made)) == sorted(map(repr, once))
    for way in played:
        outcome = found.outcomes[way.label, 150]
        for i in (0, 19):
            world = found.prior.world(i, seed=3)
            policy = way.for_people(150).policy if way.is_planned else way.policy
            visits = outcome.visits.astype(int).tolist()
            (run,) = al.simulate(policy, world, 150, seed=3, checkpoints=visits).runs
            assert outcome.asked[i].tolist() == run.asked_at.tolist()
            assert outcome.cost[i].tolist() == run.cost_at.tolist()
            assert outcome.started[i].tolist() == visits
            best = best_rewards([world], 3, visits)[0]
            assert outcome.reward[i].tolist() == (best - run.regret_at).tolist()


@pytest.mark.parametrize(
    "policy", ["{beta_min: 3, price: 50}", "{name: ridge, beta_min: 3, grain: arm}"]
)
def test_a_policy_that_does_not_fit_is_refused_where_the_study_says_it(policy):
    study = al.Study.parse(re.sub(r"policy: .*", f"policy: {policy}", SMALL), source="small.yaml")
    with pytest.raises(StudyError, match=r"small\.yaml, line 12.*policy '"):
        al.plan(study, respondents=[50], worlds=20, workers=1)


def test_a_price_that_the_study_does_not_say_is_not_looked_for_in_it():
    study = al.Study.parse(SMALL, source="small.yaml")
    with pytest.raises(SettingError, match=r"^policy 'survey-bandit': price is 50"):
        al.plan(study, respondents=[50], worlds=20, workers=1, prices=[50])


def test_progress_says_how_far_each_stage_is():
    seen = {}

    def tell(what, further, total):
        done, _ = seen.get(what, (0, 0))
        seen[what] = done + further, total

    al.plan(al.Study.parse(SMALL), respondents=[50, 80], worlds=20, workers=1, progress=tell)
    stages = {"the study in plausible worlds", "pilots of 50 people", "pilots of 80 people"}
    assert stages <= set(seen)
    assert all(done == total for done, total in seen.values())
    assert seen["the study in plausible worlds"][1] == 4 * 20 * 80


def test_people_of_a_pilot_answer_as_in_the_pilot(tmp_path):
    # Everybody in the pilot is a donor from the north: nothing can be learned about either.
    path = tmp_path / "pilot.csv"
    rows = [f"yes,{20 + i},{'yes' if i % 2 else 'no'},north,no" for i in range(40)]
    path.write_text("donor,age,member,region,reader\n" + "\n".join(rows) + "\n")
    study = al.Study.parse(SMALL)
    found = al.plan(study, respondents=[100], worlds=20, pilot=path, workers=1)
    world = found.prior.world(3)
    z = next(world.respondents(0, 0)).contexts
    names = world.survey.column_names
    assert (z[:, names.index("donor")] == 0.5).all()
    assert len(np.unique(z[:, names.index("age")])) <= 40
    assert found.to_dict()["prior"]["pilot"] == 40


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"respondents": []}, "respondents is empty"),
        ({"respondents": [0]}, "respondents is 0"),
        ({"respondents": [1.5]}, "respondents is 1.5"),
        ({"respondents": [10**9]}, "10 to 1,000,000 people"),
        ({"prices": [0]}, "above 0"),
        ({"prices": ["dear"]}, "price"),
        ({"worlds": 5}, "worlds is 5"),
        ({"seed": -1}, "seed"),
        ({"engine": "moon"}, "engine"),
        ({"pilot": "/nowhere/pilot.csv"}, "pilot.csv"),
    ],
)
def test_bad_input_is_refused_before_any_work(given, complaint):
    study = al.Study.parse(SMALL)
    with pytest.raises(AsklessError, match=complaint):
        al.plan(study, **({"respondents": [50], "worlds": 20} | given))


def test_a_study_without_a_beta_min_and_other_policies():
    text = re.sub(r"policy: .*", "policy: {name: linucb}", SMALL)
    with pytest.raises((StudyError, SettingError), match="beta_min"):
        al.plan(al.Study.parse(text), respondents=[50], worlds=20)
    text = re.sub(r"policy: .*", "policy: {name: ridge, beta_min: 3, sigma: 0.1}", SMALL)
    other = al.plan(al.Study.parse(text), respondents=[10, 17, 39], worlds=20, workers=1)
    assert other.respondents == (10, 17, 39)
    assert any("not of the policy that the study names (ridge)" in w for w in other.warnings())


def test_a_beta_min_above_what_is_plausible_is_warned_of():
    study = study_of("{useful: 2, effect: [1, 1.5], noise: 0.3}", "{beta_min: 4, price: 0.001}")
    found = al.plan(study, respondents=[1500], worlds=20, workers=1)
    assert found.forecast("price 0.001", 1500).losing.middle > 0.5
    assert any("take a smaller one" in warning for warning in found.warnings())


def test_forecasts_are_quantiles_of_the_worlds(small):
    own, full = small.figures(OWN, 400), small.figures("asking everything", 400)
    forecast = small.forecast(OWN, 400)
    assert forecast.questions == predictive(own.asked)
    assert forecast.over_full == predictive(own.net - full.net)
    single = small.figures("one arm for all", 400)
    assert forecast.over_single == predictive(own.reward - single.reward)
    np.testing.assert_allclose(own.net, own.reward - 0.02 * own.asked)


def test_the_course_of_a_way_ends_at_its_forecast(small, leaving):
    """And before it has the same worlds, read off earlier: sums between two checkpoints."""
    for plan in (small, leaving[0]):
        people, label = plan.respondents[-1], plan.own.label
        course, forecast = course_of(plan, label), plan.forecast(label, people)
        assert course.people[-1] == people
        assert course.questions[-1] == forecast.questions
        outcome, single = plan.outcomes[label, people], plan.outcomes["one arm for all", people]
        for i, n in enumerate(course.people):
            visits = np.append(0.0, outcome.visits)
            done = [np.interp(n, np.append(0.0, row), visits) for row in outcome.started]
            sums = [
                [
                    np.interp(d, visits, np.append(0.0, row))
                    for d, row in zip(done, table, strict=True)
                ]
                for table in (outcome.asked, outcome.reward)
            ]
            one = [np.interp(n, [0.0, *single.visits], [0.0, *row]) for row in single.reward]
            assert course.questions[i].middle == pytest.approx(np.median(sums[0] / np.array(done)))
            gains = (np.array(sums[1]) - one) / n
            assert course.over_single[i].middle == pytest.approx(np.median(gains))


def test_what_was_not_planned_is_not_answered(small):
    with pytest.raises(SettingError, match="not for 777 respondents, but for 400, 1500"):
        small.forecast(OWN, 777)
    with pytest.raises(SettingError, match="no way 'price 5', but 'asking everything', "):
        small.forecast("price 5", 400)


def test_a_paragraph_for_a_preregistration_is_filled_in(small):
    said = preregistration_of(small)
    for part in ("1,500 participants", "2 arms (letter, call)", "beta_min 3", "price: 0.02", "2%"):
        assert part in said


@pytest.mark.parametrize("coding", ["raw", "centred"])
def test_a_paragraph_names_the_delta_that_the_policy_has(coding):
    """Fails if plans have a default of their own: that of raw coding is another."""
    study = al.Study(
        al.Survey.unit(2, coding=coding),
        (al.Arm("letter"), al.Arm("call")),
        al.RewardRange(0, 1),
        settings={"beta_min": 0.2},
    )
    found = al.plan(study, respondents=[100], worlds=20)
    assert f"delta {al.policy_for(study).delta:g}" in preregistration_of(found)


@pytest.mark.parametrize(
    ("policy", "plan", "doubt"),
    [
        ("{beta_min: 3}", "{skips: {donor: 0.2}}", "donor, which may not be skipped"),
        ("{beta_min: 3}", "{skips: 0.2}", "no question may be skipped"),
        ("{beta_min: 3}", "{effect: [1, 5]}", "begins at 1, below beta_min (3)"),
        ("{beta_min: 3}", "{effect: [1, 2]}", "at most 2, below beta_min (3)"),
        ("{beta_min: 3, questions: 5}", "{}", "at the lowest price that is tried"),
        ("{beta_min: 6}", "{}", "by default the effect is at most 5, below beta_min (6)"),
        ("{beta_min: 3, price: 1}", "{}", "is the price meant for one question?"),
        ("{beta_min: 3, questions: 0.01}", "{}", "the budget cannot be kept"),
    ],
)
def test_what_makes_no_sense_together_is_said(policy, plan, doubt):
    (said,) = doubts_of(study_of(plan, policy))
    assert doubt in said


def test_worlds_have_as_many_useful_questions_as_stated_however_little_room_there_is():
    """Fails if worlds that do not fit are drawn again: those with many would hardly be left."""
    prior = al.Prior.of(al.Study.example())
    counts = np.bincount([int(prior.world(i).useful.any(axis=0).sum()) for i in range(600)])
    low, high = binom.ppf([1e-6, 1 - 1e-6], 600, 1 / 3)
    assert counts[0] == 0
    assert (low <= counts[1:]).all()
    assert (counts[1:] <= high).all()
