"""A pilot's people: read as they answered, drawn evenly and independently, refused with a reason.

What is read is compared with `survey.encode` of the same answers, which knows no files.
"""

import copy
import csv
import itertools
import re

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from pilot_files import HEADER, PERSON, SURVEY, people, row_with, table, written
from visiting import Visiting

COUNT = 20_000


def draw(pilot, count=COUNT, seed=3):
    return pilot.contexts(np.random.default_rng(seed), count)


def who(contexts, persons):
    """Return which of the persons each context is; each must be one of them."""
    same = (contexts[:, None, :] == persons).all(axis=2)
    assert same.any(axis=1).all()
    return same.argmax(axis=1)


def within(count, trials, probability, tests):
    """Whether a count is one that so many tests of a true probability leave once in a million."""
    low, high = binom.ppf([5e-7 / tests, 1 - 5e-7 / tests], trials, probability)
    return low <= count <= high


def world(answers=None, survey=SURVEY, **settings):
    given = {
        "arms": ["a", "b", "c"],
        "coefficients": {"a": {"age": 0.6}, "b": {"donor": -0.5}, "c": {"cause = animals": 0.2}},
        "reward": (0, 1),
        "noise": "two_point",
        "spread": 0.05,
    } | settings
    return al.LinearEnvironment(survey, answers=answers, **given)


# -- drawing -------------------------------------------------------------------------------------


def test_each_person_is_drawn_as_often_as_chance_has_it():
    # Fails if a person is left out or drawn more often: counts are Binomial(COUNT, 1/7), and one
    # of the seven leaves these bounds once in a million seeds.
    persons = people(7)
    drawn = who(draw(al.PilotAnswers(SURVEY, persons)), table(persons))
    counts = np.bincount(drawn, minlength=7)
    assert all(within(count, COUNT, 1 / 7, tests=7) for count in counts)


def test_draws_are_with_replacement_and_independent():
    # Fails if people are dealt like cards, shuffled and gone through: then a person is hardly ever
    # followed by itself. Of disjoint pairs, Binomial(COUNT/2, 1/7) are of one person.
    persons = people(7)
    first, second = who(draw(al.PilotAnswers(SURVEY, persons)), table(persons)).reshape(-1, 2).T
    assert within((first == second).sum(), COUNT // 2, 1 / 7, tests=1)


def test_people_who_answered_alike_count_each():
    # Fails if the table has each row once: one answer was given by three of four.
    alike, other = people(2)
    pilot = al.PilotAnswers(SURVEY, [alike, other, alike, alike])
    assert len(pilot) == 4
    drawn = who(draw(pilot), table([alike, other]))
    assert within((drawn == 0).sum(), COUNT, 3 / 4, tests=1)


def test_contexts_are_whole_persons_on_the_grid_and_one_s_own():
    # Fails if columns are drawn apart, if a column is off the grid, or if what a caller does to
    # contexts changes those drawn later.
    persons = people(40)
    pilot = al.PilotAnswers(SURVEY, persons)
    drawn = draw(pilot, 3_000)
    assert drawn.shape == (3_000, SURVEY.column_count)
    assert drawn.flags.c_contiguous
    assert drawn.dtype == np.float64
    who(drawn, table(persons))
    for row in drawn[:200]:
        np.testing.assert_array_equal(SURVEY.check_row(row), row)
    again = drawn.copy()
    drawn[:] = np.nan
    np.testing.assert_array_equal(draw(pilot, 3_000), again)
    assert draw(pilot, 0).shape == (0, SURVEY.column_count)


@pytest.mark.parametrize(
    ("answers", "messages"),
    [
        ([], ["answers has no persons"]),
        (PERSON, [r"answers is \{.*list of dicts"]),
        ("pilot.csv", ["answers is 'pilot.csv'.*list of dicts"]),
        (None, ["answers is None"]),
        ([PERSON, "x"], [r"answers\[1\]: answers are 'x'"]),
        ([PERSON | {"age": 91}], [r"answers\[0\]: question 'age'.*91.*from 18 to 90"]),
        ([PERSON | {"age": None}], [r"answers\[0\]: question 'age' may not be skipped"]),
        ([PERSON | {"colour": 1}], [r"answers\[0\]: there is no question 'colour'"]),
        (
            [PERSON, {"age": 20, "cause": None, "media": []}],
            [r"answers\[1\]: there is no answer to 'donor'", r"answers\[1\]:.*to 'income'"],
        ),
    ],
)
def test_a_list_that_is_not_whole_persons_is_refused(answers, messages):
    # Fails if a question that was left out becomes NaN columns, or if a person is left out.
    with pytest.raises(SettingError) as caught:
        al.PilotAnswers(SURVEY, answers)
    lines = str(caught.value).split("\n")
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert re.match(message, line), line


# -- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_a_file_gives_the_people_who_are_in_it(read, end, bom, quoting):
    # Fails if columns are taken by place instead of name, if a mark or a line end becomes part of
    # a cell, or if a row is lost. Every person is drawn but with probability 60·(59/60)^COUNT,
    # less than 1e-140.
    persons = people(60)
    names = ["media", "income", "age", "cause", "donor"]
    pilot = read(bom + written(persons, names, lineterminator=end, quoting=quoting).encode())
    assert len(pilot) == 60
    np.testing.assert_array_equal(np.unique(draw(pilot), axis=0), np.unique(table(persons), axis=0))


def test_raw_coding_is_read_too(read):
    # Fails if the pilot is encoded by the centred coding whatever the survey's.
    survey = al.Survey([al.Scale("x", low=0, high=4), al.Scale("y", low=0, high=1)], coding="raw")
    expected = survey.encode({"x": 1, "y": 1})
    np.testing.assert_array_equal(draw(read("y,x\n1,1\n", survey), 2), [expected, expected])


def test_blank_lines_and_blanks_around_cells_are_no_answers(read):
    # Fails if a blank line counts as a person, or " yes " is another answer than "yes".
    text = f"\n {HEADER.replace(',', ' , ')} \n\n 30, Yes ,animals , tv , +.5e0\n\n\n"
    pilot = read(text)
    assert len(pilot) == 1
    np.testing.assert_array_equal(draw(pilot, 1), table([PERSON]))


CELLS = [
    ("age", "18", 18),
    ("age", "90.0", 90),
    ("age", "3e1", 30),
    ("age", "+54.5", 54.5),
    ("income", "-.25", -0.25),
    ("income", "-1.", -1),
    *(("donor", cell, True) for cell in ("yes", "YES", "Yes", "true", "TRUE", "1")),
    *(("donor", cell, False) for cell in ("no", "NO", "No", "false", "False", "0")),
    ("cause", "animals", "animals"),
    ("cause", '"sea, air"', "sea, air"),
    ("cause", ' "sea, air"', "sea, air"),
    ("media", "tv", ["tv"]),
    ("media", "radio;tv", ["tv", "radio"]),
    ("media", " web ; tv ", ["tv", "web"]),
    *(("media", cell, []) for cell in ("none", "None", "NONE", "[]", "[ ]")),
    *((name, cell, None) for name in ("donor", "cause", "income") for cell in ("", " ", "NA")),
]


@pytest.mark.parametrize(("name", "cell", "answer"), CELLS)
def test_a_cell_is_its_answer(read, name, cell, answer):
    # Fails if a cell is read as another answer than the one that stands in it.
    pilot = read(f"{HEADER}\n{row_with(name, cell)}\n")
    np.testing.assert_array_equal(draw(pilot, 1), table([PERSON | {name: answer}]))


def test_options_called_none_or_na_are_options(read, refused):
    # Fails if such an option is taken for no option, or for a skip.
    survey = al.Survey(
        [
            al.Multi("media", ["none", "tv", "NA"], may_skip=True),
            al.Choice("cause", ["NA", "x"], may_skip=True),
        ]
    )
    expected = {
        "none,NA": (["none"], "NA"),
        "NA,x": (["NA"], "x"),
        ",": (None, None),
        "none;tv,": (["none", "tv"], None),
    }
    for row, (media, cause) in expected.items():
        pilot = read(f"media,cause\n{row}\n", survey)
        oracle = table([{"media": media, "cause": cause}], survey)
        np.testing.assert_array_equal(draw(pilot, 1), oracle)
    (message,) = refused("media,cause\nNone,x\n", survey)
    assert message.startswith("pilot.csv, line 2, column 'media': 'None' is no option")
    assert message.endswith("did you mean 'none'?")


def test_an_option_with_the_sign_between_options_is_refused_before_any_cell(read, refused):
    # Fails if "a;b" is quietly read as the two options a and b.
    survey = al.Survey([al.Multi("media", ["a", "b", "a;b"])])
    (message,) = refused("media\na;b\n", survey)
    assert re.match("question 'media': the option 'a;b' has a ';'.*rename it", message)
    single = al.Survey([al.Choice("cause", ["a", "a;b"])])  # a choice is one cell as it is
    oracle = table([{"cause": "a;b"}], single)
    np.testing.assert_array_equal(draw(read("cause\na;b\n", single), 1), oracle)


# -- environments --------------------------------------------------------------------------------


def blocks(environment, seed, run, count=2):
    return list(itertools.islice(environment.respondents(seed, run), count))


def test_respondents_are_people_of_the_pilot_by_seed_and_run_alone():
    # Fails if blocks repeat, if draws depend on rewards, or if the noise's luck is another one
    # than that of the same seed and run with simulated answers.
    persons = people(50)
    pilot = al.PilotAnswers(SURVEY, persons)
    drawn = blocks(world(pilot), 5, 2)
    again = blocks(world(pilot, coefficients={}, spread=0.2), 5, 2)
    simulated = blocks(world(), 5, 2)
    for one, other, third in zip(drawn, again, simulated, strict=True):
        who(one.contexts, table(persons))
        np.testing.assert_array_equal(one.contexts, other.contexts)
        np.testing.assert_array_equal(one.luck, other.luck)
        np.testing.assert_array_equal(one.luck, third.luck)
        assert one.contexts.shape == third.contexts.shape
    assert (drawn[0].contexts != drawn[1].contexts).any()
    for seed, run in ((5, 3), (6, 2), (2, 5)):
        assert (blocks(world(pilot), seed, run)[0].contexts != drawn[0].contexts).any()


def test_effects_and_the_range_of_rewards_do_not_depend_on_the_pilot():
    # Fails if only the answers that the pilot has are looked at: nobody in it is 18 or 90.
    pilot = al.PilotAnswers(SURVEY, [PERSON | {"age": 54}])
    np.testing.assert_array_equal(world(pilot).useful, world().useful)
    with pytest.raises(SettingError, match=r"arm 'a'.*leave the range"):
        world(pilot, coefficients={"a": {"age": 1.5}})


def test_a_pilot_of_another_survey_is_refused():
    # Fails if columns of one survey are taken for another's; words and costs are no columns.
    pilot = al.PilotAnswers(SURVEY, people(3))
    first, *rest = SURVEY.questions
    worded = al.Survey([al.Scale("age", low=18, high=90, text="How old?", cost=3), *rest])
    assert world(pilot, worded).answer_model is pilot
    for other in (
        al.Survey([al.Scale("age", low=18, high=91), *rest]),
        al.Survey([rest[0], first, *rest[1:]]),
        al.Survey([first, *rest, al.YesNo("more")]),
    ):
        with pytest.raises(SettingError, match="the pilot's survey is not the environment's"):
            world(pilot, other)


@pytest.mark.parametrize(
    "settings",
    [
        {"skips": 0.0},
        {"skips": {"donor": 0.1}},
        {"skips": {}},
        {"skips": None},
        {"correlation": 0.2},
        {"correlation": np.eye(5)},
        {"correlation": [[1, 0], [0]]},
    ],
)
def test_skips_and_correlation_come_from_the_pilot(settings):
    # Fails if a setting that has no effect is taken without a word.
    pilot = al.PilotAnswers(SURVEY, people(3))
    (name,) = settings
    with pytest.raises(SettingError, match=f"{name} comes from the pilot; leave {name} out"):
        world(pilot, **settings)
    assert world(pilot, skips=0.1, correlation=0).answer_model is pilot


@pytest.mark.parametrize("answers", [[PERSON], "pilot.csv", 3])
def test_what_is_neither_a_mapping_nor_a_pilot_is_refused(answers):
    # Fails if a list of persons or a path gives an error that does not say what to do.
    with pytest.raises(SettingError, match=r"answers is .*give a dict .*or a PilotAnswers"):
        world(answers)


def test_simulate_plays_a_pilot_fused_and_visit_by_visit_alike(read):
    # Fails if a context is not what its answers are encoded to: visits decode it, ask, and encode
    # what is answered; the fused loop takes it as it is.
    persons = people(80)
    environment = world(read(written(persons, SURVEY.names)))
    policy = al.RidgeSurveyUCB(
        SURVEY, arms=environment.arms, reward=(0, 1), beta_min=0.4, sigma=0.05, alpha=1
    )
    (run,) = al.simulate(policy, environment, 1_500, seed=7).runs
    visiting = copy.deepcopy(policy)
    player, drops = Visiting(visiting), np.zeros(policy.support.shape, dtype=np.int64)
    played, begun = [], 0
    for block in first_respondents(environment, 7, 0, 1_500):
        played.append(player.play(block, begun, drops))
        begun += len(block)
    arms, regret, asked = (
        np.concatenate([getattr(block, part) for block in played])
        for part in ("arms", "regret", "asked")
    )
    assert run.plays.tolist() == np.bincount(arms, minlength=3).tolist()
    assert run.regret == pytest.approx(regret.sum(), abs=1e-9)
    assert run.asked == asked.sum()
    np.testing.assert_array_equal(run.support, visiting.support)
    assert {(d.arm, d.question, d.visit) for d in run.drops} == {
        (policy.arms[k], SURVEY.names[g], drops[k, g]) for k, g in np.argwhere(drops)
    }
    assert run.drops  # there was something to agree on
