"""Short forms against a dense oracle (maths 9), and what they promise beyond their numbers."""

import math

import numpy as np
import pytest

import askless as al
from askless.core.words import CAUTION, LOG_WEALTH, SIZE
from askless.evaluation.outcomes import expected_of
from epoch_world import EVERY, RAW, SCALES, World, as_given, correlated, twins
from naive_short import NaiveShort
from sizes import whole
from yes_no_surveys import played, yes_no_policy


def pair(world, *, budget=None, everyone=(), **settings):
    """The policy and the oracle with the same settings, every default written down."""
    names = [f"arm{k}" for k in range(world.arms)]
    survey = world.survey
    policy = al.SurveyBandit(survey, arms=names, reward=world.reward, questions=budget, **settings)
    raw = survey.coding == "raw"
    own = {"delta": 0.1 if raw else 0.05, "alpha": 1.0 if raw else 5.0}
    own |= {"sigma": (world.reward[1] - world.reward[0]) / 2}
    own |= {"b2": math.hypot(max(map(abs, world.reward)), np.ptp(world.reward))} if raw else {}
    naive = NaiveShort(
        survey,
        world.questions,
        world.arms,
        world.reward,
        budget=budget,
        costs=[question.cost for question in survey],
        everyone=survey.asked_of_everyone,
        **(own | settings),
    )
    return policy, naive


def close(one, other, *, rtol=1e-6, atol=1e-9):
    np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


def assert_same_form(policy, naive):
    """Everything that the page says about the form, its models and the check."""
    state = policy._short
    form = None if state.form is None else frozenset(np.flatnonzero(state.form).tolist())
    assert form == naive.form
    shorts = state.shorts
    close(shorts.numbers[LOG_WEALTH], naive.log_wealth)
    assert state.withdrawn == naive.withdrawals
    close(shorts.numbers[CAUTION], naive.r)
    if naive.price_in_force is not None:  # with a budget, not before the first choice
        close(state.price, naive.price_in_force)
    if naive.path:
        forced = len(naive.path[0][0])
        walked = state.choice.path
        assert [g for g, _ in walked] == list(naive.path[-1][0][forced:])
        close([state.choice.start, *(v for _, v in walked)], [v for _, v in naive.path])
    if naive.form is None:
        return
    for k, (kept, inverse, estimate) in enumerate(naive.whole_models):
        size, root = len(kept), shorts.whole_root[k]
        close(shorts.whole_estimate[k, :size], estimate)
        close((root.T @ root)[:size, :size], inverse)
    size = int(shorts.counts[SIZE])
    for k, model in naive.short_models.items():
        # The oracle inverts V, whose smallest eigenvalue may be 1e-9.
        close(shorts.estimate[k, :size], model.b, atol=1e-6)
        close(shorts.spread[k, :size, :size], model.Sigma, atol=1e-6 * np.abs(model.Sigma).max())
        close(shorts.width[k] ** 2, model.noise / 4)


def walk(world, policy, naive, visits, *, masks=None):
    """Play visits through both; returns how many there were of each kind."""
    kinds = {"full": 0, "short": 0, "check": 0}
    for t in range(visits):
        mask = policy.roster.live.copy() if masks is None else masks(t) & policy.roster.live
        names = [name for name, may in zip(policy.arms, mask, strict=True) if may]
        answers, number = world.answers(), policy._next_number
        coins = policy.coins(number, 1)[0]
        close(
            policy._short.full_share(policy._model, mask, number),
            naive.full_share(mask, number),
        )
        visit = policy.visit(arms=names)
        kind = naive.kind(mask, number, coins)
        assert (visit.kind == "short") == (kind == "short")
        asked = naive.asked_short() if kind == "short" else naive.asked_full()
        assert visit.asks == world.survey.names_of(asked)
        if visit.asks:
            visit.answer({q: answers[q] for q in visit.asks})
        z = visit.context()
        if kind == "short":
            form = naive.form
            arm, scores = naive.play_short(z, mask, form)
            for name, (_, score) in visit.record().outlook.items():
                k = policy.arm_index(name)
                shift = 0.0 if naive.raw else policy.reward.middle
                close(score, naive.span * (scores[k] + naive.middle) + shift, atol=1e-6)
        else:
            decision = naive.play_full(z, mask, number, coins)
            arm, kind = decision.arm, decision.kind
            chances = [visit.propensities.get(name, 0.0) for name in policy.arms]
            close(chances, decision.propensities)
            if visit.check is not None:
                assert (visit.check.full, visit.check.short) == (decision.a_F, decision.a_S)
                close(visit.check[3:], [decision.ybar, decision.lam, decision.u])
            else:
                assert decision.a_S is None or decision.insured
        assert (policy.arm_index(visit.arm), visit.kind) == (arm, kind)
        kinds[kind] += 1
        reward = world.reward_of(arm % len(world.truth), answers)
        policy.learn(visit, reward)
        before = naive.form, naive.chosen_at
        if kind == "short":
            naive.learn_short(arm, z, form, reward)
        else:
            naive.learn_full(decision, z, mask, reward)
        if (naive.form, naive.chosen_at) != before or t % 50 == 0:
            assert_same_form(policy, naive)
    assert_same_form(policy, naive)
    loss, expected = policy._short.loss(), naive.loss_interval()
    if loss is not None:
        low, middle, high = expected
        close(loss, [middle, max(low, -1), min(high, 1)])
    return kinds


@pytest.mark.parametrize(
    ("questions", "change", "noise", "settings"),
    [
        (SCALES, as_given, 0.3, {"beta_min": 0.1}),
        (SCALES, as_given, 0.5, {"beta_min": 0.1, "price": 0.02}),
        (SCALES, correlated, 0.1, {"beta_min": 0.5, "full_floor": 0.3}),
        (SCALES, twins, 0.2, {"beta_min": 0.2, "planned": 400}),
        (EVERY, as_given, 0.2, {"beta_min": 0.3, "budget": 3.0}),
        (EVERY, as_given, 0.05, {"beta_min": 0.6}),
        (RAW, as_given, 0.3, {"beta_min": 0.1, "price": 0.01}),
        (SCALES, as_given, 0.3, {"beta_min": 0.1, "optimism": "valid"}),
    ],
)
def test_agrees_with_the_dense_oracle_visit_by_visit(questions, change, noise, settings):
    """Fails on any slip in kinds, forms, short models, checks, bets or when a form is chosen."""
    world = World(questions, 3, change=change, noise=noise)
    policy, naive = pair(world, **settings)
    kinds = walk(world, policy, naive, whole(2_500, 300 if "budget" in settings else 700))
    assert min(kinds["full"], kinds["short"]) > 50


def test_an_arm_without_rows_does_not_decide_what_is_asked():
    """Fails if an arm that is taken for the middle of the range makes every question worthless."""
    policy, rng = yes_no_policy(), np.random.default_rng(5)
    for t in range(600):  # a log of the first two arms, whose rewards are low
        yes = rng.random(6) < 0.5
        z = np.append(1.0, yes - 0.5)
        policy.learn_row(t % 2, z, float(rng.random() < 0.3 + (0.25 if yes[0] == t % 2 else -0.25)))
    form = policy.short_form()
    assert "q0" in form.questions
    assert form.path[0].question == "q0"
    assert form.path[0].reward == pytest.approx(0.55, abs=0.1)  # whoever knows q0 gets that


def test_the_default_price_is_of_an_average_question_and_an_eighth_for_all():
    for cost in (1, 30):
        for count, price in ((6, 0.002), (100, 0.00125)):
            survey = al.Survey([al.YesNo(f"q{i}", cost=cost) for i in range(count)])
            policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 100), beta_min=5)
            assert policy.price == pytest.approx(100 * price / cost)
    with pytest.warns(UserWarning, match="a full visit costs 30, more than a quarter"):
        al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 100), beta_min=5, price=0.01)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"price": -1}, "price is -1; give what asking one question may cost"),
        ({"price": 2}, "price is 2; give what asking"),
        ({"price": [0.1, 0.2]}, "price"),
        ({"price": "dear"}, "price"),
        ({"price": 5e-324}, "less than a billionth of the reward range; give 0"),
        ({"price": 0.1, "questions": 3}, "price and questions both say how short to be"),
        ({"questions": 0}, "questions is 0; give how many"),
        ({"planned": 0.5}, "planned is 0.5; give how many people"),
        ({"full_floor": 2}, "full_floor is 2; give a share"),
        ({"interactive": True}, "nothing to do beside short forms"),
        ({"grain": "arm"}, "nothing to do beside short forms"),
        ({"payback": True}, "nothing to do beside short forms"),
    ],
)
def test_settings_that_cannot_be_are_refused(given, message):
    with pytest.raises(al.errors.SettingError, match=message):
        yes_no_policy(**given)


def test_a_check_tells_its_arm_and_takes_it_back():
    """What it adds to T and t, by hand, and nothing to the epoch; unlearning takes it out."""
    # Nothing matters: the form asks little, and full visits play what noise and widths say.
    policy = yes_no_policy(arms=["a", "b"], price=0.04, full_floor=0.5)
    rng = np.random.default_rng(3)
    for _ in range(1_000):
        visit = policy.visit()
        if visit.asks:
            visit.answer({q: bool(rng.random() < 0.5) for q in visit.asks})
        shorts = policy._short.shorts
        told, tells, rows = shorts.told.copy(), shorts.tells.copy(), policy.rows
        number = policy._short.number
        reward = float(rng.random() < 0.5)
        policy.learn(visit, reward)
        if visit.kind == "check" and policy._short.number == number:
            break
    assert visit.kind == "check"
    z, k = visit.context(), visit.arm_index
    z = np.where(np.isnan(z), 0, z) * np.append(1, policy.support[k])
    assert (policy.rows == rows).all()  # no epoch has learned it
    told[k] += np.outer(z, z)
    tells[k] += (reward - 0.5) * z
    close(shorts.told, told)
    close(shorts.tells, tells)
    policy.unlearn(visit)
    close(shorts.told[k], told[k] - np.outer(z, z))
    close(shorts.tells[k], tells[k] - (reward - 0.5) * z)


def test_a_budget_goes_by_costs_and_says_where_it_is_not_kept():
    cheap = played(yes_no_policy(questions=2.5), 900).short_form()
    survey = al.Survey([al.YesNo(f"q{i}", cost=60) for i in range(6)])
    dear = al.SurveyBandit(survey, arms=["a", "b", "c"], reward=(0, 1), beta_min=0.1, questions=150)
    dear = played(dear, 900).short_form()
    assert cheap.questions == dear.questions
    assert dear.cost == pytest.approx(60 * cheap.cost)
    assert dear.cost <= dear.budget == 150
    assert "may cost" not in str(dear)
    tight = played(yes_no_policy(questions=0.5), 300).short_form()
    assert tight.cost > tight.budget
    assert "may cost 0.5: the budget is not kept" in str(tight)


def test_what_everyone_is_asked_is_the_first_row_of_the_path():
    """Fails if the first row counts questions that no row names, or a survey without any has it."""
    rules = [al.Arm("a"), al.Arm("b", eligible_if="q1 and not q4"), al.Arm("c")]
    form = played(yes_no_policy(arms=rules, price=0.002), 600).short_form()
    assert form.everyone == ("q1", "q4")
    lines = str(form).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  question")) + 1
    rows = [line.split() for line in lines[first : first + 5]]
    assert rows[0][:2] == ["(everyone's)", "2"]
    assert rows[0][-1] == "asked"
    assert [row[:2] for row in rows[1:]] == [
        [step.question, str(number)] for number, step in enumerate(form.path, start=3)
    ]
    assert "(everyone's): q1, q4." in lines
    free = played(yes_no_policy(price=0.002), 600).short_form()
    assert free.everyone == ()
    assert "everyone" not in str(free)


def test_a_short_form_of_many_questions_of_everyone_fits_into_80_columns():
    """Fails if their names run on in one line, or are cut."""
    names = [f"a_question_{i}" for i in range(20)]
    survey = al.Survey([al.YesNo(name, always_ask=name != "a_question_3") for name in names])
    policy = al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1)
    rng = np.random.default_rng(0)
    for t in range(200):
        policy.learn_row(t % 2, np.append(1.0, (rng.random(20) < 0.5) - 0.5), rng.random())
    said = str(policy.short_form())
    below = said.split("(everyone's): ")[1].split("Rewards", maxsplit=1)[0].replace("\n", " ")
    assert below.strip(" .").split(", ") == [name for name in names if name != "a_question_3"]
    assert max(map(len, said.splitlines()[1:])) <= 80


def test_what_models_expect_of_few_people_is_too_much_and_is_said_so():
    """By what the decisions of the form are worth in truth, of thousands of other people.

    Fails if a short form that is printed lets its reward pass for what decisions bring. Should
    models once expect no more than that (the first bound fails), the sentence must go.
    """
    text = "\n".join(
        [
            "schema: 1",
            "questions:",
            *(f"  - {{kind: yes_no, name: q{i}}}" for i in range(20)),
            "arms: [{name: a}, {name: b}, {name: c}, {name: d}]",
            "reward: {low: 0, high: 1}",
            "policy: {beta_min: 0.1}",
            "plan: {useful: [2, 4], effect: [0.1, 0.25], noise: ends}",
        ]
    )
    study = al.Study.parse(text)
    hope = {}
    for people in (300, 2_000):
        found = []
        for i in range(6):
            world = al.Prior.of(study).world(i)
            policy = al.record_visits(al.policy_for(study), world, horizon=people).policy
            form = policy.short_form()
            expected, _, blocks = expected_of(world, 99, 2_000)
            every = np.ones(4, dtype=bool)
            contexts = np.vstack([block.contexts for block in blocks])
            arms = [policy._short.short_arm(policy._model, every, z)[0] for z in contexts]
            by_models = [step.reward for step in (form.start, *form.path) if step.asked][-1]
            found.append(by_models - expected[np.arange(2_000), arms].mean())
        hope[people] = np.mean(found)
    assert hope[300] > 0.05
    assert hope[2_000] < hope[300] / 2
    assert "too hopeful while there are few people" in str(form)


def test_the_loss_is_within_its_interval_and_within_the_range():
    policy, rng = (
        yes_no_policy(arms=["a", "b"], price=0.04, full_floor=0.5),
        np.random.default_rng(3),
    )
    seen = 0
    for _ in range(300):
        visit = policy.visit()
        if visit.asks:
            visit.answer({q: bool(rng.random() < 0.5) for q in visit.asks})
        policy.learn(visit, float(rng.random() < 0.5))
        loss = policy.short_form().loss
        if loss is not None:
            seen += 1
            assert -1 <= loss[1] <= loss[0] <= loss[2] <= 1
    assert seen > 50


def test_a_form_needs_people_and_goes_with_them():
    """All but few of the ring may get none of the arms that are left: no form stands any more."""
    policy = yes_no_policy()
    rng = np.random.default_rng(1)
    for t in range(400):
        only = ["c"] if t < 380 else ["a", "b"]
        visit = policy.visit(arms=only if t > 60 else None)
        if visit.asks:
            visit.answer({q: bool(rng.random() < 0.5) for q in visit.asks})
        policy.learn(visit, float(rng.random() < 0.5))
    assert policy.short_form().questions is not None
    policy.retire_arm("c")
    usable = (policy._short.shorts.may[:, :2] != 0).any(axis=1).sum()
    assert 0 < usable < 50 + 61
    assert (policy.short_form().questions is None) == (usable < 50)


def test_a_budget_that_cannot_be_kept_is_doubted():
    survey = al.Survey([al.YesNo(f"q{i}", always_ask=i < 2) for i in range(6)])
    with pytest.warns(UserWarning, match="visits cost at least 2.08 on average"):
        al.SurveyBandit(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.1, questions=1)
