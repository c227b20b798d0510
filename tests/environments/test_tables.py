"""Tables out of real data: what they say they are, beside the packages' own data."""

import itertools
import socket
import sys

import causaldata
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from sklearn import datasets
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import askless as al
from askless.environments.tables.base import terciles
from askless.environments.tables.columns import Number
from askless.environments.tables.outcomes import (
    ALIKE,
    BOOSTING,
    Shifted,
    WithResiduals,
    potential_outcomes,
)
from askless.errors import AsklessError, MissingExtraError, SettingError

CLASSES = [name for name, table in al.TABLES.items() if table.kind == "class"]
TREATMENTS = [name for name, table in al.TABLES.items() if table.kind == "treatment"]


def people(name):
    return al.table(name)._people


def test_there_are_sixteen():
    assert list(al.TABLES) == [*CLASSES[:6], *TREATMENTS, *CLASSES[6:]]
    assert (len(CLASSES), len(TREATMENTS)) == (10, 6)
    assert all(name == table.name for name, table in al.TABLES.items())


@pytest.mark.parametrize("name", al.TABLES)
def test_a_table_is_what_it_says_and_keeps_the_contract(name):
    entry, world = al.TABLES[name], al.table(name)
    assert len(world) == entry.people
    assert len(world.survey) == entry.questions
    assert tuple(arm.name for arm in world.arms) == entry.arms
    assert (world.reward.low, world.reward.high) == entry.reward
    assert all(question.text != question.name for question in world.survey)
    for block in itertools.islice(world.respondents(5, 1), 10):
        assert block.rewards.min() >= entry.reward[0]
        assert block.rewards.max() <= entry.reward[1]
        assert (block.expected is None) == (entry.kind == "class")
    al.check_environment(world)
    assert al.table(name) is world


@pytest.mark.parametrize("name", al.TABLES)
def test_a_table_is_built_the_same_again_without_a_network(name, monkeypatch):
    def refuse(*given, **settings):
        raise AssertionError("a table opens a connection")

    monkeypatch.setattr(socket, "socket", refuse)
    one, other = al.table(name), al.TABLES[name].build()
    assert one is not other
    blocks = [itertools.islice(world.respondents(3, 0), 4) for world in (one, other)]
    for here, there in zip(*blocks, strict=True):
        for part in ("contexts", "rewards", "expected"):
            np.testing.assert_array_equal(getattr(here, part), getattr(there, part))


@pytest.mark.parametrize("name", al.TABLES)
def test_answers_are_the_values_of_the_data(name):
    """Numbers to half a step of the grid; yes/nos and choices as often as their codes."""
    entry, world = al.TABLES[name], al.table(name)
    frame, contexts = entry.load(), people(name).contexts
    for column, question in zip(entry.columns, world.survey, strict=True):
        values = frame[column.name].to_numpy(dtype=float)
        own = contexts[:, world.survey.columns_of(question.name)]
        if isinstance(column, Number):
            told = ~np.isnan(values)
            span = question.high - question.low
            found = question.low + (own[told, 0] + 0.5) * span
            inside = np.clip(values[told], question.low, question.high)
            assert column.cut or (inside == values[told]).all()
            np.testing.assert_allclose(found, inside, rtol=0, atol=0.51 * span / 1024)
            assert (own[~told, -1] == 1).all()
            continue
        meant = [question.decode(row) for row in own]
        for code, answer in column.codes.items():
            assert meant.count(answer) == (values == code).sum()
        assert meant.count(None) == (~np.isin(values, list(column.codes))).sum()


# -- classes ---------------------------------------------------------------------------------------


def classes_by_hand():
    """Each class's people, counted in the packages' data without askless."""
    data = {n: getattr(sm.datasets, n).load_pandas().data for n in ("fair", "anes96", "randhie")}
    nhefs, party = causaldata.nhefs_complete.load_pandas().data, data["anes96"].PID
    progress, visits = datasets.load_diabetes().target, data["randhie"].mdvis
    thirds = pd.qcut(nhefs.wt82_71, 3, labels=False)
    return {
        "fair": [(data["fair"].affairs == 0).sum(), (data["fair"].affairs > 0).sum()],
        "anes96-vote": np.bincount(data["anes96"].vote.astype(int)),
        "anes96-party": [party.isin(three).sum() for three in ((0, 1), (2, 3, 4), (5, 6))],
        "randhie-visits": [(visits == 0).sum(), visits.isin((1, 2)).sum(), (visits > 2).sum()],
        "nhefs-weight": np.bincount(thirds),
        "nhefs-death": np.bincount(nhefs.death.astype(int)),
        "breast-cancer": np.bincount(datasets.load_breast_cancer().target),
        "wine": np.bincount(datasets.load_wine().target),
        "diabetes": np.bincount(np.digitize(progress, [100, 184])),
        "digits": np.bincount(datasets.load_digits().target),
    }


def test_classes_are_as_frequent_as_in_the_data():
    by_hand = classes_by_hand()
    assert list(by_hand) == CLASSES
    for name, counts in by_hand.items():
        rewards = people(name).rewards
        assert set(np.unique(rewards)) == {0, 1}
        assert (rewards.sum(axis=1) == 1).all()
        np.testing.assert_array_equal(rewards.sum(axis=0), counts, err_msg=name)


def test_terciles_are_three_and_ties_stay_together():
    assert terciles(np.arange(9.0)).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert terciles(np.array([0.0, 0, 1, 1, 1, 3, 3, 3])).tolist() == [0, 0, 1, 1, 1, 2, 2, 2]


def determined(column, truth):
    """The share of people whose class or arm one column gives away, by a few cuts of it."""
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * len(np.unique(truth)), random_state=0)
    return tree.fit(column, truth).score(column, truth)


@pytest.mark.parametrize("name", CLASSES)
def test_no_question_gives_the_class_away(name):
    survey, contexts = al.table(name).survey, people(name).contexts
    truth = people(name).rewards.argmax(axis=1)
    for question in survey:
        # The best single measurement of breast cancer is right 92 times in 100.
        assert determined(contexts[:, survey.columns_of(question.name)], truth) < 0.95


def test_a_column_that_gives_the_class_away_is_noticed():
    frame = causaldata.nhefs_complete.load_pandas().data[["wt82_71"]]
    assert determined(frame, people("nhefs-weight").rewards.argmax(axis=1)) == 1


# -- treatments ------------------------------------------------------------------------------------


def experiments_by_hand():
    """Arm and outcome of each person, out of the packages' data without askless."""
    farmers = causaldata.social_insure.load_pandas().data.dropna()
    legislators = causaldata.black_politicians.load_pandas().data
    tested = causaldata.thornton_hiv.load_pandas().data[["got", "tinc", "age"]].dropna()
    men = causaldata.nsw_mixtape.load_pandas().data
    years = sm.datasets.randhie.load_pandas().data
    plans = years.groupby(["idp", "lncoins"], sort=True).ngroup()  # free, 25, 50, 95; then idp
    return {
        "insurance": (2 * farmers.default + farmers.intensive, farmers.takeup_survey),
        "black-politicians": (legislators.treat_out, legislators.responded),
        "thornton-hiv": (pd.cut(tested.tinc, [-1, 0, 1, 2, 9], labels=False), tested.got),
        "nsw": (men.treat, men.re78),
        "randhie-plans": (plans, years.mdvis),
    }


def test_expected_rewards_are_on_average_those_of_the_real_arms():
    """Arms were drawn at random, so that an arm's own people differ from all by chance.

    An arm's own mean and the mean of its model over everyone have the same expectation; they
    differ by less than the standard error of the former, since the model explains a part of it.
    Four of them: a chance of 6e-5 an arm. What trimming adds must fit in too.
    """
    for name, (arm, outcome) in experiments_by_hand().items():
        trimmed = outcome.astype(float).clip(*al.TABLES[name].reward)
        real = trimmed.groupby(np.asarray(arm)).agg(["mean", "sem"])
        assert len(real) == len(al.TABLES[name].arms)
        gap = people(name).expected.mean(axis=0) - real["mean"]
        assert (gap.abs() < 4 * real["sem"]).all(), name


def test_outcomes_are_trimmed_at_the_quantile_that_is_stated():
    by_hand = experiments_by_hand()
    for name in ("nsw", "randhie-plans"):
        outcome = by_hand[name][1]
        assert al.TABLES[name].reward[1] == np.ceil(np.quantile(outcome, 0.99))
        assert f"{al.TABLES[name].reward[1]:,}, their 99% quantile" in al.TABLES[name].note


def test_equal_arms_have_equal_means_and_the_same_differences_between_people():
    level, plain = people("insurance-equal").expected, people("insurance").expected
    means = level.mean(axis=0)
    np.testing.assert_allclose(means, means[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(level - means, plain - plain.mean(axis=0), rtol=0, atol=1e-12)
    assert (level.argmax(axis=1) != plain.argmax(axis=1)).any()
    assert np.bincount(level.argmax(axis=1), minlength=4).min() > 100
    world = al.table("insurance-equal")
    assert isinstance(world.outcomes, Shifted)
    rewards = next(world.respondents(0, 0)).rewards - world.outcomes.shift
    np.testing.assert_allclose(rewards, np.round(rewards), atol=1e-12)


@pytest.mark.parametrize("name", TREATMENTS)
def test_what_is_drawn_has_the_mean_that_is_expected(name):
    """Over all luck, not a sample of it: residuals exactly, 0 and 1 to a step of the luck."""
    world = al.table(name)
    everyone = np.arange(0, len(world), 7)
    exact = isinstance(world.outcomes, WithResiduals)
    steps = ALIKE if exact else 1_000
    total = sum(
        world.outcomes.drawn(everyone, np.full(len(everyone), (step + 0.5) / steps))
        for step in range(steps)
    )
    expected = people(name).expected[everyone]
    tolerance = 1e-9 * world.reward.span if exact else 1 / steps
    np.testing.assert_allclose(total / steps, expected, rtol=0, atol=tolerance)


def test_someone_who_comes_again_has_other_luck():
    world = al.table("nsw")
    block = next(world.respondents(0, 0))
    _, first, counts = np.unique(block.expected[:, 0], return_index=True, return_counts=True)
    often = block.expected[:, 0] == block.expected[first[counts.argmax()], 0]
    assert len(np.unique(block.rewards[often, 0])) > 1


@pytest.mark.parametrize("name", TREATMENTS)
def test_no_question_gives_arm_or_outcome_away(name):
    frame, survey, contexts = al.TABLES[name].load(), al.table(name).survey, people(name).contexts
    most = frame["arm"].value_counts(normalize=True).max()
    for question in survey:
        own = contexts[:, survey.columns_of(question.name)]
        assert determined(own, frame["arm"]) < most + 0.1
        tree = DecisionTreeRegressor(max_leaf_nodes=10, random_state=0)
        assert tree.fit(own, frame["outcome"]).score(own, frame["outcome"]) < 0.25


def test_boosting_is_that_of_the_formula():
    """One yes/no: each tree takes a share of what is left, so that 20 leave (1 - share)^20."""
    rng = np.random.default_rng(3)
    answer, arm = rng.integers(2, size=4_000), rng.integers(2, size=4_000)
    outcome = np.array([[2.0, 3.0], [4.0, 1.5]])[answer, arm] + rng.uniform(-1, 1, 4_000)
    contexts = np.column_stack([np.ones(4_000), answer - 0.5])
    found = potential_outcomes(contexts, arm, outcome, al.RewardRange(0, 6)).expected
    learned = 1 - (1 - BOOSTING["learning_rate"]) ** BOOSTING["max_iter"]
    for k in (0, 1):
        mean = outcome[arm == k].mean()
        for said in (0, 1):
            own = outcome[(arm == k) & (answer == said)].mean()
            by_hand = mean + learned * (own - mean)
            np.testing.assert_allclose(found[answer == said, k], by_hand, rtol=1e-5)


def test_trimming_moves_what_is_expected():
    """One value of the answer, half the outcomes beyond the range: their mean is the end's."""
    contexts = np.column_stack([np.ones(400), np.zeros(400)])
    outcome = np.tile([1.0, 9.0], 200)
    made = potential_outcomes(contexts, np.zeros(400, dtype=int), outcome, al.RewardRange(0, 5))
    assert set(made.drawn(np.zeros(ALIKE, dtype=int), np.arange(ALIKE) / ALIKE)[:, 0]) <= set(
        np.clip(made.centre[0, 0] + made.residuals, 0, 5)
    )
    np.testing.assert_allclose(made.expected, 3, atol=0.2)


# -- errors ----------------------------------------------------------------------------------------


CHOICES = "choose fair, anes96-vote, .*digits"


@pytest.mark.parametrize(
    ("name", "said"), [("iris", CHOICES), (None, CHOICES), (["wine"], "did you mean 'wine'")]
)
def test_a_table_that_is_not_there_is_refused_with_the_choices(name, said):
    with pytest.raises(SettingError, match=f"no table .*{said}"):
        al.table(name)


@pytest.mark.parametrize(
    ("table", "module", "package"),
    [
        ("fair", "statsmodels.datasets.fair", "statsmodels.datasets"),
        ("nsw", "causaldata.nsw_mixtape", "causaldata"),
        ("wine", "sklearn.datasets", "sklearn"),
    ],
)
def test_without_the_extra_it_is_said_how_to_get_it(table, module, package, monkeypatch):
    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package}.*pip install 'askless\[data\]'"):
        al.TABLES[table].build()


def test_a_value_without_a_meaning_is_not_lost():
    entry = al.TABLES["wine"]
    frame = entry.load()
    frame.loc[0, "hue"] = np.nan
    holed = type(entry)(**{**vars_of(entry), "load": lambda: frame})
    with pytest.raises(AsklessError, match="'hue' may not be skipped"):
        holed.build()


def vars_of(entry):
    return {key: value for key, value in vars(entry).items() if key != "environment"}
