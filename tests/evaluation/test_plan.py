"""Plans: calibrated, the same as counted by hand, and with advice that fits what was simulated."""

import math
import re

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.errors import AsklessError, SettingError, StudyError
from askless.evaluation.intervals import predictive
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
policy: {name: epoch, beta_min: 3}
plan: {useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}
"""
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
policy: {name: epoch, beta_min: 0.2, interactive: true, grain: question, explore: 0.1}
plan: {effect: [0.2, 0.4], noise: ends, eligible: {b: 0.5}, skips: {donor: 0.3}}
"""


@pytest.fixture(scope="module")
def small():
    study = al.Study.parse(SMALL)
    return al.plan(study, respondents=[400, 1500], beta_min=[3], worlds=400, seed=0, workers=2)


HELD_OUT = whole(600, 300)


@pytest.fixture(scope="module")
def held_out():
    study = al.Study.parse(SMALL)
    return al.plan(study, respondents=[400, 1500], beta_min=[3], worlds=HELD_OUT, seed=1, workers=2)


def test_intervals_hold_the_truth_of_held_out_worlds(small, held_out):
    # Worlds that the plan has not seen. Its 400 worlds and these (600; 300) let the share inside
    # vary by 0.02 (0.023; a deviation) around 0.9; an interval that forgot that people differ from
    # world to world, or took the mean's error for the spread, would be far outside.
    for respondents in small.respondents:
        at = int(np.searchsorted(held_out.outcomes[3.0].visits, respondents))
        truth, forecast = held_out.outcomes[3.0], small.forecast(3.0, respondents)
        figures = {
            "questions": (truth.asked[:, at] / respondents, forecast.questions),
            "regret": (truth.regret[:, at] / respondents, forecast.regret),
            "half": (truth.half, small.shortening(3.0).half),
            "all": (truth.all, small.shortening(3.0).all),
        }
        for name, (values, interval) in figures.items():
            inside = np.mean([float(value) in interval for value in values])
            assert abs(inside - 0.9) <= whole(0.05, 0.06), name


def test_the_chance_of_losing_a_question_is_that_of_held_out_worlds(small, held_out):
    for beta_min in (3.0, 6.0):
        lost = int((held_out.outcomes[beta_min].lost <= 1500).sum())
        rate = small.forecast(beta_min, 1500).losing
        low, high = binom.ppf([1e-6, 1 - 1e-6], HELD_OUT, [rate.low, rate.high])
        assert low <= lost <= high
    # With beta_min below every effect the guarantee holds; twice as large, most worlds lose one.
    assert small.forecast(3.0, 1500).losing.middle <= 0.05
    assert small.forecast(6.0, 1500).losing.middle > 0.3


def by_hand(world, policy, seed, count):
    """Play a world visit by visit; returns what a plan counts, from what the visits say."""
    names = [arm.name for arm in world.arms]
    asked = paid = regret = best = 0.0
    gone = {name: dict.fromkeys(names, math.inf) for name in world.survey.names}
    lost, rows, single = math.inf, [], 0.0
    people = next(world.respondents(seed, 0)).contexts
    order = np.argsort(-(people @ world.coefficients.T).mean(axis=0))
    t = 0
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
            paid += sum(q.cost for q in world.survey if q.name in visit.asked)
            regret += max(means[names.index(n)] for n in may) - means[visit.arm_index]
            best += max(means[names.index(n)] for n in may) + world.reward.middle
            given = next(k for k in order if names[k] in may)  # the best arm for all, if they may
            single += means[given] + world.reward.middle
            before = policy.support
            expected = means[visit.arm_index] + world.reward.middle
            low, span = world.reward.low, world.reward.span
            if world.spread:
                reward = expected + world.spread * (2 * block.luck[i] - 1)
            else:
                reward = low + span if block.luck[i] < (expected - low) / span else low
            policy.learn(visit, round((reward - low) / span * 16384) / 16384 * span + low)
            for k, g in np.argwhere(before & ~policy.support):
                name = world.survey.names[g]
                gone[name][names[k]] = t
                if world.useful[k, g]:
                    lost = min(lost, t)
                else:
                    rows.append(
                        next(
                            e.dropped_at
                            for e in policy.effects()
                            if (e.arm, e.question) == (names[k], name)
                        )
                    )
            if t == count:
                return asked, paid, regret, best, single, gone, lost, rows
    raise AssertionError


@pytest.mark.parametrize("text", [SMALL, EVERYTHING])
def test_figures_are_those_counted_by_hand_visit_by_visit(text):
    study = al.Study.parse(text)
    count = 300
    found = al.plan(study, respondents=[count], worlds=20, seed=4, workers=1)
    beta_min = found.beta_mins[-1]
    outcome = found.outcomes[beta_min]
    settings = {"explore": 0.1, "grain": "question"} if text is EVERYTHING else {}
    for number in (0, 7, 13):
        world = found.prior.world(number, seed=4)
        policy = al.EpochSurveyUCB(
            world.survey,
            arms=world.arms,
            reward=world.reward,
            beta_min=beta_min,
            interactive=True,
            **settings,
        )
        policy._stream = (4 * 0x9E3779B97F4A7C15 + 1) % 2**64  # the simulator's draws for explore
        asked, paid, regret, best, single, gone, lost, rows = by_hand(world, policy, 4, count)
        assert outcome.asked[number, -1] == asked
        assert outcome.cost[number, -1] == pytest.approx(paid)
        assert outcome.regret[number, -1] == pytest.approx(regret)
        assert found.best[number, -1] == pytest.approx(best)
        assert found.single[number, -1] == pytest.approx(single)
        assert outcome.lost[number] == lost
        useful = world.useful.any(axis=0)
        last = {name: max(arms.values()) for name, arms in gone.items()}
        unneeded = sorted(
            last[q.name]
            for q, needed in zip(world.survey, useful, strict=True)
            if not needed and not q.always_ask
        )
        if unneeded:
            assert outcome.all[number] == unneeded[-1]
            assert outcome.half[number] == unneeded[(len(unneeded) - 1) // 2]
        left = sum(
            at > count or q.always_ask for q, at in zip(world.survey, last.values(), strict=True)
        )
        assert outcome.left[number, -1] == left
        if rows:
            assert outcome.rows[number] == np.median(rows)


def test_the_formula_is_that_of_independent_scales():
    # Scales uniform on [-½, ½] have a variance of 1/12, which nothing else explains.
    questions = "\n".join(f"  - {{kind: scale, name: q{i}, low: 0, high: 1}}" for i in range(6))
    study = al.Study.parse(
        f"schema: 1\nquestions:\n{questions}\narms: [{{name: a}}, {{name: b}}]\n"
        "reward: {low: 0, high: 10}\npolicy: {name: epoch, beta_min: 2, delta: 0.1}\n"
        "plan: {noise: 1}\n"
    )
    found = al.plan(study, respondents=[50], worlds=20, workers=1).shortening(2.0)
    once = 2 * math.log(2 * 6 / 0.05) * 12 / 2**2
    # V is measured on 1,024 people: its relative error is about √(2/1024), five of which are 0.22.
    assert found.rows_at_least == pytest.approx(once * 1**2, rel=0.22)
    assert found.rows_by_sigma == pytest.approx(once * 5**2, rel=0.22)


def realistic(beta_min):
    kinds = [
        "{kind: scale, name: age, low: 18, high: 90}",
        "{kind: yes_no, name: donor}",
        "{kind: choice, name: cause, options: [children, animals, climate]}",
        "{kind: scale, name: income, low: 0, high: 10}",
        "{kind: yes_no, name: reader}",
        "{kind: choice, name: region, options: [north, south]}",
        *(f"{{kind: yes_no, name: item{i}}}" for i in range(6)),
    ]
    return al.Study.parse(
        "schema: 1\nquestions:\n"
        + "".join(f"  - {kind}\n" for kind in kinds)
        + "arms: [{name: a}, {name: b}, {name: c}]\nreward: {low: 0, high: 100}\n"
        f"policy: {{name: epoch, beta_min: {beta_min}}}\n"
        "plan: {useful: [1, 3], noise: [10, 20]}\n"
    )


def test_a_study_of_twelve_questions_is_told_when_it_is_too_small():
    # Checked against the simulation itself: in most worlds nothing at all had been dropped.
    study = realistic(15)
    tiny = al.plan(study, respondents=[300], beta_min=[15], worlds=30, workers=2)
    assert tiny.advice()[0].startswith("You cannot shorten this survey with 300 respondents")
    assert "ask everything" in tiny.advice()[0]
    assert any("too few" in warning for warning in tiny.warnings())
    assert np.median(tiny.outcomes[15.0].left[:, -1]) == 12
    large = al.plan(study, respondents=[300, 5000], beta_min=[15], worlds=30, workers=2)
    first, second = large.advice()
    assert first.startswith("With 5,000 respondents and a beta_min of 15, a visit asks ")
    stated = float(re.search(r"asks ([\d.]+) of 12", first)[1])
    median = np.median(large.outcomes[15.0].asked[:, -1] / 5000)
    assert stated == pytest.approx(median, abs=0.3)
    assert stated < 0.95 * 12
    assert "chance of losing" in second
    assert [w for w in large.warnings() if w.startswith("300 respondents are too few")]
    assert not [w for w in large.warnings() if w.startswith("5,000 respondents")]


def test_the_same_figures_on_any_number_of_processes(small):
    study = al.Study.parse(SMALL)
    one, two = (
        al.plan(study, respondents=[120], worlds=20, workers=workers).to_dict()
        for workers in (1, 2)
    )
    assert one == two


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
        ({"respondents": [10**9]}, "at most 10,000,000"),
        ({"beta_min": []}, "beta_min is empty"),
        ({"beta_min": [0]}, "above 0"),
        ({"beta_min": [10]}, "beta_min"),
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
    text = SMALL.replace("policy: {name: epoch, beta_min: 3}", "policy: {name: linucb}")
    with pytest.raises((StudyError, SettingError), match="beta_min"):
        al.plan(al.Study.parse(text), respondents=[50], worlds=20)
    found = al.plan(al.Study.parse(text), respondents=[50], beta_min=[2], worlds=20, workers=1)
    assert found.beta_min == 2
    assert found.beta_mins == (2, 4)


def test_forecasts_are_quantiles_of_the_worlds(small):
    outcome = small.outcomes[3.0]
    at = int(np.searchsorted(outcome.visits, 400))
    forecast = small.forecast(3.0, 400)
    assert forecast.questions == predictive(outcome.asked[:, at] / 400)
    reward = (small.best[:, at] - outcome.regret[:, at]) / 400
    full = (small.best[:, at] - small.outcomes[None].regret[:, at]) / 400
    assert forecast.over_full.middle == pytest.approx(predictive(reward - full).middle)
    assert forecast.over_single.middle == pytest.approx(
        predictive(reward - small.single[:, at] / 400).middle
    )


def planned(section, **given):
    """A plan of the small study with another section plan."""
    text = re.sub(r"plan: .*", f"plan: {section}", SMALL)
    return al.plan(
        al.Study.parse(text), **({"respondents": [60], "worlds": 20, "workers": 1} | given)
    )


def test_where_nothing_can_go_it_is_not_for_want_of_respondents(tmp_path):
    everything_matters = planned("{useful: 5, effect: 0.5, noise: 0.5, gap: 0}", beta_min=[0.4])
    always = al.Study.parse(
        re.sub(r"(name: \w+)(, low|}|, options)", r"\1, always_ask: true\2", SMALL)
        .replace("letter, always_ask: true", "letter")
        .replace("call, always_ask: true", "call")
    )
    assert all(question.always_ask for question in always.survey)
    path = tmp_path / "one.csv"
    path.write_text("donor,age,member,region,reader\nyes,20,no,north,no\n")
    alike = al.plan(al.Study.parse(SMALL), respondents=[60], worlds=20, workers=1, pilot=path)
    for found in (
        everything_matters,
        al.plan(always, respondents=[60], worlds=20, workers=1),
        alike,
    ):
        assert found.advice()[0].startswith("There is nothing to drop")
        assert not [w for w in found.warnings() if "too few to drop" in w]
    assert alike.alike == ("donor", "age", "member", "region", "reader")
    assert alike.shortening(3.0).rows_at_least == math.inf
    assert any("answers that nobody gives" in warning for warning in alike.warnings())


def test_a_warning_of_too_few_respondents_is_true():
    """Fails if most worlds that are told nothing goes have lost a question, or ask clearly less."""
    study = al.Study.example()
    found = al.plan(study, respondents=[400, 900, 1300], worlds=60, beta_min=[20], workers=2)
    for people in found.respondents:
        forecast = found.forecast(20.0, people)
        said = any(w.startswith(f"{people:,} respondents are too few") for w in found.warnings())
        at = int(np.searchsorted(found.outcomes[20.0].visits, people))
        gone = np.mean(found.outcomes[20.0].left[:, at] < 8) >= 0.5
        assert said == (not gone and forecast.questions.middle > 0.95 * 8)
        late = any(
            w.startswith(f"With {people:,} respondents questions go") for w in found.warnings()
        )
        assert late == (not said and forecast.questions.middle > 0.95 * 8)


def test_without_noise_the_formula_takes_none():
    assert planned("{effect: [3, 5], noise: 0}").shortening(3.0).rows_at_least == 0
    ends = planned("{effect: [3, 5], noise: ends}").shortening(3.0)
    assert ends.rows_at_least == pytest.approx(ends.rows_by_sigma)


def test_where_no_answer_matters_no_survey_beats_the_best_single_arm():
    # An arm that 1% may not get was once no candidate, and all others far behind.
    found = planned("{useful: 0, gap: 3, noise: 0.5, eligible: {call: 0.99}}")
    for beta_min in (None, 3.0):
        assert found.forecast(beta_min, 60).over_single.high <= 1e-9


def test_the_advice_is_about_the_beta_min_that_was_asked_for():
    assert planned("{effect: [3, 5]}").beta_min == 3
    assert planned("{effect: [3, 5]}", beta_min=[1.5]).beta_min == 1.5  # of which 3 is the double
    assert planned("{effect: [3, 5]}", beta_min=[4, 2, 3]).beta_min == 3
    assert planned("{effect: [3, 5]}", beta_min=[4, 2]).beta_min == 4


def test_a_beta_min_above_what_is_plausible_is_warned_of():
    found = planned("{useful: 2, effect: [1, 1.5], noise: 0.3}", respondents=[1000], beta_min=[4])
    assert found.forecast(4.0, 1000).losing.middle > 0.5
    assert any("take a smaller one" in warning for warning in found.warnings())


def test_what_was_not_planned_is_not_answered(small):
    with pytest.raises(SettingError, match="not for 777 respondents, but for 400, 1500"):
        small.forecast(3.0, 777)
    with pytest.raises(SettingError, match="did not try a beta_min of 5, but 3, 6"):
        small.shortening(5)


def test_few_respondents_and_other_policies_can_be_planned():
    found = planned("{effect: [3, 5]}", respondents=[1, 7, 39])
    assert found.respondents == (1, 7, 39)
    text = SMALL.replace("{name: epoch, beta_min: 3}", "{name: ridge, beta_min: 3, sigma: 0.1}")
    other = al.plan(al.Study.parse(text), respondents=[50], worlds=20, workers=1)
    assert any("not what the study's section policy says" in w for w in other.warnings())
    # Its sigma is not that of the policy that was played.
    assert other.needed_rows[1] == planned("{useful: [1, 2], effect: [3, 5]}").needed_rows[1]


def test_a_plan_takes_over_the_settings_of_the_recommended_policy_whatever_it_is_called():
    """Fails if the policy without a name is planned with other settings than epoch's were."""

    def plan_of(policy):
        text = SMALL.replace("{name: epoch, beta_min: 3}", policy)
        few = {"respondents": [60], "worlds": 20, "workers": 1}
        return al.plan(al.Study.parse(text), **few)

    settings = "beta_min: 3, delta: 0.2, sigma: 1, explore: 0.5, grain: question"
    named = plan_of(f"{{name: epoch, interactive: true, {settings}}}").to_dict()
    assert plan_of(f"{{price: 0, {settings}}}").to_dict() == named
    assert not any("section policy" in warning for warning in named["warnings"])
    assert plan_of("{beta_min: 3}").to_dict()["forecasts"] != named["forecasts"]
    assert any("comes on top" in warning for warning in plan_of("{beta_min: 3}").warnings())
    for other in (
        "{beta_min: 3, price: 0, interactive: false}",
        "{name: 'askless:OFUL', beta_min: 3}",
    ):
        assert any("section policy says" in warning for warning in plan_of(other).warnings())


def test_worlds_have_as_many_useful_questions_as_stated_however_little_room_there_is():
    """Fails if worlds that do not fit are drawn again: those with many would hardly be left."""
    prior = al.Prior.of(al.Study.example())
    counts = np.bincount([int(prior.world(i).useful.any(axis=0).sum()) for i in range(600)])
    low, high = binom.ppf([1e-6, 1 - 1e-6], 600, 1 / 3)
    assert counts[0] == 0
    assert (low <= counts[1:]).all()
    assert (counts[1:] <= high).all()
