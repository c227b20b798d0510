"""The statistics are exact sums: any order, any split, and a row comes out again bit for bit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.errors import AsklessError
from worlds import random_answers, survey_of

QUESTIONS = [("scale", 1, True), ("choice", 3, False), ("multi", 2, False), ("scale", 1, False)]


def rows_of(survey, count, seed):
    rng = np.random.default_rng(seed)
    contexts = np.array([survey.encode(random_answers(survey, rng)) for _ in range(count)])
    rewards = 2 + 8 * contexts[:, -1] + rng.uniform(-1, 1, size=count)  # the last question matters
    return rng.integers(2, size=count), contexts, rewards


def policy_with(rows, **settings):
    survey = survey_of(QUESTIONS)
    settings = {"beta_min": 0} | settings
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(-3, 7), **settings)
    policy.learn_rows(*rows)
    return policy


def truth(policy):
    model = policy._model
    sums = {name: getattr(model.arms, name).tobytes() for name in ("n", "moment", "squares")}
    return sums | {"gram": [model.gram(k).tolist() for k in range(len(policy.arms))]}


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(1, 300))
def test_order_and_splitting_do_not_matter(seed, count):
    survey = survey_of(QUESTIONS)
    rows = rows_of(survey, count, seed)
    whole = policy_with(rows)
    order = np.random.default_rng(seed + 1).permutation(count)
    assert truth(policy_with([part[order] for part in rows])) == truth(whole)
    half = count // 2
    first, second = policy_with([p[:half] for p in rows]), policy_with([p[half:] for p in rows])
    first.merge(second)
    assert truth(first) == truth(whole)
    assert first.version == whole.version
    whole.to_dict()  # refreshed, as a merged policy is
    z = rows[1][0]
    assert first.ucb(z).tobytes() == whole.ucb(z).tobytes()


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(2, 200))
def test_unlearning_a_row_gives_the_state_without_it(seed, count):
    arms, contexts, rewards = rows_of(survey_of(QUESTIONS), count, seed)
    policy = policy_with((arms, contexts, rewards))
    gone, version = seed % count, policy.version
    policy.unlearn_row(arms[gone], contexts[gone], rewards[gone])
    assert policy.version == version + 1
    without = policy_with([np.delete(part, gone, axis=0) for part in (arms, contexts, rewards)])
    assert truth(policy) == truth(without)
    policy.to_dict(), without.to_dict()  # refreshed: the derived state follows the statistics
    assert policy.ucb(contexts[0]).tobytes() == without.ucb(contexts[0]).tobytes()


def test_sums_are_those_of_exact_integers():
    survey = survey_of(QUESTIONS)
    arms, contexts, rewards = rows_of(survey, 3_000, 5)
    policy = policy_with((arms, contexts, rewards))
    state = policy._model.arms
    z = np.round(contexts * 1024).astype(int).astype(object)
    y = np.array([int(np.floor((r - 2) / 10 * 16384 + 0.5)) for r in rewards], dtype=object)
    for k in range(2):
        mine = arms == k
        gram = (z[mine].T @ z[mine]).astype(float) / 2**20
        assert (policy._model.gram(k) == gram).all()
        assert (state.moment[k, :9] == (z[mine].T @ y[mine]).astype(float) / 2**24).all()
        assert state.squares[k] == int((y[mine] ** 2).sum()) / 2**28
        assert state.n[k] == mine.sum()


def test_a_drop_deletes_rows_and_columns_exactly():
    survey = survey_of(QUESTIONS)
    rows = rows_of(survey, 4_000, 8)
    full = policy_with(rows)
    short = policy_with(rows, beta_min=6, sigma=0.3)
    state, whole = short._model.arms, full._model.arms
    dropped = ~short.support
    assert dropped.any()
    assert not dropped.all()
    for k in range(2):
        kept = state.columns[k, : state.size[k]]
        used = [0] + [
            column
            for g, question in enumerate(survey)
            if short.support[k, g]
            for column in range(*survey.columns_of(question.name).indices(100))
        ]
        assert kept.tolist() == used
        size = len(kept)
        assert (short._model.gram(k) == full._model.gram(k)[np.ix_(kept, kept)]).all()
        assert (state.moment[k, :size] == whole.moment[k][kept]).all()
        assert (state.gram[k, size:] == 0).all()
        assert (state.moment[k, size:] == 0).all()


def test_unlearning_lets_no_dropped_question_come_back():
    rows = rows_of(survey_of(QUESTIONS), 4_000, 8)
    policy = policy_with(rows, beta_min=6, sigma=0.3)
    before = policy.support
    assert not before.all()
    for i in range(1_500):
        policy.unlearn_row(rows[0][i], rows[1][i], rows[2][i])
    assert (policy.support == before).all()


def test_what_was_never_learned_cannot_be_unlearned():
    policy = al.RidgeSurveyUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=0)
    with pytest.raises(AsklessError, match="not learned this row"):
        policy.unlearn_row(0, [1, 0.5], 0.5)
    policy.learn_row(0, [1, 0.25], 0.5)
    before = truth(policy)
    with pytest.raises(AsklessError, match="not learned this row"):
        policy.unlearn_row(0, [1, 0.5], 0.5)
    for row, reward in (([1, 0.25], 1.0), ([1, 0.125], 0.5), ([1, -0.25], 0.5)):
        with pytest.raises(AsklessError, match="not learned this row"):
            policy.unlearn_row(0, row, reward)
    policy.learn_row(0, [1, 0.25], 0.5)
    policy.learn_row(0, [1, -0.5], 0.75)
    with pytest.raises(AsklessError, match="not learned this row"):
        policy.unlearn_row(0, [1, 0.5], 0.5)
    policy.unlearn_row(0, [1, -0.5], 0.75)
    policy.unlearn_row(0, [1, 0.25], 0.5)
    assert truth(policy) == before


def test_a_foreign_visit_cannot_be_unlearned():
    def policy(high):
        survey = al.Survey([al.Scale("age", low=0, high=high)])
        return al.OFUL(survey, arms=["a"], reward=(0, 1))

    mine, other = policy(10), policy(100)
    visit = other.visit(known={"age": 5})
    other.learn(visit, 0.5)
    mine.learn_row(0, visit.context(), 0.5)
    for thing in (visit, None):
        with pytest.raises(AsklessError, match="visit"):
            mine.unlearn(thing)
    assert mine.rows.tolist() == [1]
    assert visit.reward == 0.5


def test_merging_keeps_retired_arms_retired_and_numbers_apart():
    survey = al.Survey.unit(1)
    one, other = (al.OFUL(survey, arms=["a", "b"], reward=(0, 1)) for _ in range(2))
    other.retire_arm("a")
    for number in (4, 2):
        other.learn(other.visit(known={"x1": 0.5}, number=number), 1)
    one.learn(one.visit(known={"x1": 0.5}), 1)
    one.merge(other)
    assert one.live_arms == ("b",)
    assert one.learned == ((0, 0), (2, 2), (4, 4))
    assert one.visit().number == 5
    with pytest.raises(AsklessError, match="both policies have learned a visit 2"):
        one.merge(other)


def test_merging_keeps_the_corrections_of_whoever_has_learned():
    one, other = (al.OFUL(al.Survey.unit(1), arms=["a"], reward=(0, 1)) for _ in range(2))
    theirs = other.visit(known={"x1": 0.5}, number=7)
    other.learn(theirs, 0.25)
    other.unlearn(theirs)
    mine = one.visit(known={"x1": 0.5}, number=7)
    one.learn(mine, 0.75)
    one.merge(other)
    one.learn(mine, 0.75)  # the same again
    one.unlearn(mine)
    assert one.rows.tolist() == [0]


def test_a_wrong_reward_can_be_taken_back():
    policy = al.RidgeSurveyUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=0)
    visit = policy.visit(known={"x1": 0.25})
    with pytest.raises(AsklessError, match="visit 0 has not been learned"):
        policy.unlearn(visit)
    policy.learn(visit, 0.25)
    policy.unlearn(visit)
    assert visit.reward is None
    policy.learn(visit, 0.75)
    twin = al.RidgeSurveyUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=0)
    twin.learn_row(0, visit.context(), 0.75)
    assert truth(policy) == truth(twin)


def test_merging_keeps_what_both_kept_and_when_the_rest_went():
    rows = rows_of(survey_of(QUESTIONS), 4_000, 8)
    early, late = (
        policy_with(rows, beta_min=6, sigma=0.3),
        policy_with([part[:10] for part in rows], beta_min=6, sigma=0.3),
    )
    assert late.support.all()
    support, drops = early.support, [row for row in early.evidence() if not row.kept]
    late.merge(early)
    assert (late.support == support).all()
    assert [row for row in late.evidence() if not row.kept] == drops
    assert late.rows.sum() == 4_010


def test_merging_another_study_is_refused():
    survey = al.Survey.unit(2)
    policy = al.OFUL(survey, arms=["a"], reward=(0, 1))
    for other in (
        al.OFUL(survey, arms=["b"], reward=(0, 1)),
        al.OFUL(survey, arms=["a"], reward=(0, 2)),
        al.OFUL(survey, arms=["a"], reward=(0, 1), delta=0.01),
        al.OFUL(al.Survey.unit(3), arms=["a"], reward=(0, 1)),
        al.LinUCB(survey, arms=["a"], reward=(0, 1)),
    ):
        with pytest.raises(AsklessError, match="same study"):
            policy.merge(other)
    with pytest.raises(AsklessError, match="count twice"):
        policy.merge(policy)
    fewer = al.OFUL(survey, arms=["a"], reward=(0, 1))
    fewer.add_arm("b")
    with pytest.raises(AsklessError, match="same study"):
        fewer.merge(al.OFUL(survey, arms=["a", "b"], reward=(0, 1)))


def test_words_may_differ_between_policies_that_are_merged():
    def policy(text):
        survey = al.Survey([al.Scale("age", low=0, high=1, text=text)])
        made = al.OFUL(survey, arms=["a"], reward=(0, 1))
        made.learn_row(0, [1, 0.25], 0.5)
        return made

    total = policy("Your aeg?")
    total.merge(policy("Your age?"))
    assert total.rows.tolist() == [2]


@pytest.mark.parametrize("kind", [al.LinUCB, al.EpochSurveyUCB])
def test_old_copies_of_a_corrected_visit_neither_count_twice_nor_take_out_what_is_not_there(kind):
    survey = al.Survey.unit(1)
    policy = kind(
        survey, arms=["a"], reward=(0, 4), **({} if kind is al.LinUCB else {"beta_min": 1})
    )
    first = policy.visit(known={"x1": 0.5})
    ignorant = policy.visit(first.to_dict())  # does not know that it is learned
    for _ in range(3):
        policy.learn(policy.visit(known={"x1": 0.25}), 2)
    policy.learn(first, 1)
    old = policy.visit(first.to_dict())  # does not know that it is corrected
    for _ in range(30):  # with epochs: the one in which it was learned ends
        policy.learn(policy.visit(known={"x1": 0.75}), 2)
    policy.unlearn(first)
    policy.learn(ignorant, 3)
    loaded = type(policy).from_dict(json.loads(json.dumps(policy.to_dict())))
    for owner in (policy, loaded):
        before = owner.to_dict()
        for copied, reward in ((old, 1), (first, 1), (policy.visit(old.to_dict()), 2)):
            with pytest.raises(AsklessError, match="reward 3"):
                owner.learn(copied, reward)
        with pytest.raises(AsklessError, match="take the newer one"):
            owner.unlearn(old)
        owner.learn(first, 3)  # the same again
        assert owner.to_dict() == before
    if kind is al.EpochSurveyUCB:
        assert policy._model.epochs.ended[0] > 3
        # Evidence once, in its own block: the start's two rows, one more, then this one.
        assert ignorant.learned_in == old.learned_in == 2
    newest = policy.visit(ignorant.to_dict())
    policy.unlearn(newest)
    fresh = kind(
        survey, arms=["a"], reward=(0, 4), **({} if kind is al.LinUCB else {"beta_min": 1})
    )
    for x, count in ((0.25, 3), (0.75, 30)):
        for _ in range(count):
            fresh.learn(fresh.visit(known={"x1": x}), 2)
    if kind is al.LinUCB:
        assert policy.to_dict()["state"] == fresh.to_dict()["state"]
    assert policy.rows.tolist() == fresh.rows.tolist() == [33]
