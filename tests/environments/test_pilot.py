"""A pilot's people: read as they answered, drawn evenly and independently, refused with a reason.

What is read is compared with `survey.encode` of the same answers, which knows no files.
"""

import copy
import csv
import io
import itertools
import re

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from visiting import Visiting
from worlds import random_answers

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["children", "animals", "sea, air"], may_skip=True),
        al.Multi("media", ["tv", "web", "radio"]),
        al.Scale("income", low=-1, high=1, may_skip=True),
    ]
)
HEADER = "age,donor,cause,media,income"
PERSON = {"age": 30, "donor": True, "cause": "animals", "media": ["tv"], "income": 0.5}
ROW = "30,yes,animals,tv,0.5"
COUNT = 20_000


def people(count, seed=0):
    """Persons whose encoded answers all differ."""
    rng = np.random.default_rng(seed)
    made = [random_answers(SURVEY, rng) for _ in range(count)]
    assert len(np.unique(table(made), axis=0)) == count
    return made


def table(answers, survey=SURVEY):
    return np.array([survey.encode(person) for person in answers])


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


def as_cell(answer):
    if isinstance(answer, list):
        return ";".join(answer) or "none"
    return {None: "", True: "yes", False: "no"}.get(answer, answer)


def written(answers, names, **dialect):
    """Write answers as a spreadsheet does: by the csv module, in the order of the names."""
    file = io.StringIO()
    writer = csv.writer(file, **dialect)
    writer.writerow(names)
    for person in answers:
        writer.writerow([as_cell(person[name]) for name in names])
    return file.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(content, survey=SURVEY):
        path = tmp_path / "pilot.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return al.PilotAnswers.read(path, survey)

    return read


@pytest.fixture
def refused(read):
    """The message with which a file is refused, a problem a line, without the folder's name."""

    def refused(content, survey=SURVEY):
        with pytest.raises(SettingError) as caught:
            read(content, survey)
        return [re.sub(r"^.*pilot\.csv", "pilot.csv", p) for p in str(caught.value).split("\n")]

    return refused


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


def row_with(name, cell):
    cells = dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {name: cell}
    return ",".join(cells.values())


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


# -- refusing files ------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    # Fails if Python's own error comes through, or the message has no remedy.
    missing = tmp_path / "missing.csv"
    for path, what in ((missing, "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(SettingError, match=f"{what}.*; give the path of a CSV file") as caught:
            al.PilotAnswers.read(path, SURVEY)
        assert str(caught.value).startswith(f"{path}: ")
        with pytest.raises(SettingError, match=what):
            al.PilotAnswers.read(str(path), SURVEY)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_that_is_not_utf_8_is_refused_with_its_first_such_line(refused, end):
    # Fails if é in Latin-1 becomes another letter, or if lines are counted otherwise than shown.
    text = end.join([HEADER, ROW, ROW, row_with("cause", "café"), ROW])
    (message,) = refused(text.encode("latin-1"))
    assert message == "pilot.csv, line 4: the file is not UTF-8 text; save it as CSV in UTF-8"
    (message,) = refused(text.encode("utf-16"))
    assert message.startswith("pilot.csv, line 1: the file is not UTF-8")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\r\n\n"])
def test_an_empty_file_is_refused(refused, content):
    # Fails if a file without a header is taken for one without people, or for one at all.
    (message,) = refused(content)
    assert message.startswith("pilot.csv: the file is empty; the header has the names")
    assert message.endswith(": age, donor, cause, media, income")


def test_a_header_without_rows_is_refused(refused):
    # Fails if a pilot of nobody is made, from which nobody could be drawn.
    for text in (HEADER, f"{HEADER}\n", f"{HEADER}\n\n\n"):
        (message,) = refused(text)
        assert message == (
            "pilot.csv: the file has a header and no rows; add a row for each person"
        )


@pytest.mark.parametrize(
    ("header", "messages"),
    [
        (
            "agee,donor,cause,media,income",
            ["column 'agee': there is no such question; did you mean 'age'?", "'age'"],
        ),
        (
            f"{HEADER},xyzzy",
            ["column 'xyzzy': there is no such question; if it holds no"],
        ),
        ("age,donor,cause,media", ["column 'income' is missing; add it, with empty cells"]),
        ("donor,cause,income,media", ["column 'age' is missing; add it$"]),
        (f"{HEADER},donor", ["column 'donor' is there 2 times; keep one"]),
        (
            f"age,{HEADER}, age ,donor",
            ["column 'age' is there 3 times", "column 'donor'.* 2 times"],
        ),
        (f"{HEADER},", ["column 6 has no name; the header has the names"]),
        (HEADER.replace(",", ";"), ["the header is the one cell 'age;donor.*put commas"]),
        (HEADER.replace(",", "\t"), ["the header is the one cell .*put commas"]),
    ],
)
def test_a_header_that_does_not_fit_is_refused(refused, header, messages):
    # Fails if a column is left out, guessed or taken twice, or if rows add noise to the message.
    lines = refused(f"\n{header}\nno,row,fits\n")
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith("pilot.csv, line 2: ")
        assert re.search(message, line), line


def test_a_message_lists_the_first_twenty_of_many_questions(refused):
    # Fails if a survey of hundreds of questions makes a message that nobody can read.
    (empty,) = refused("", al.Survey.unit(300))
    assert "x20, …" in empty
    assert "x21" not in empty


@pytest.mark.parametrize(
    ("name", "cell", "message"),
    [
        ("age", "17.9", "'17.9' is not from 18 to 90; correct"),
        ("age", "1e999", "'1e999' is not from 18 to 90; correct"),
        ("income", "-1.001", "'-1.001' is not from -1 to 1; correct"),
        ("age", '"30,5"', "'30,5' is not a number; write .* with a point and without commas"),
        *(
            ("age", cell, f"{cell!r} is not a number; write one such as")
            for cell in ("thirty", "1_8", "nan", "inf", "0x20", "３０", "30 years", "na", ".")
        ),
        ("donor", "maybe", "'maybe' is not yes or no; write one of yes, true, 1, no"),
        ("donor", "1.0", "'1.0' is not yes or no"),
        (
            "cause",
            "Animals",
            "'Animals' is no option; choose from .*; did you mean 'animals'",
        ),
        ("cause", "xyzzy", "'xyzzy' is no option; choose from 'children', 'animals', 'sea, air'$"),
        ("media", "tv;wev", "'wev' is no option; choose from .*; did you mean 'web'"),
        ("media", "tv;", "'' is no option; choose from 'tv', 'web', 'radio'$"),
        *(
            ("media", cell, f"'{cell}' has none beside an option; write none by itself, or the")
            for cell in ("none;tv", "tv; None")
        ),
        *(
            (
                "media",
                f'"{cell}"',
                ".* is not as several choices .*; join .* as in tv;web$",
            )
            for cell in ("['tv', 'web']", "('tv', 'web')", "tv, web", "tv|web", "tv+web")
        ),
        ("media", "[[]]", "'\\[\\[\\]\\]' is not as several .*; join them with ;, as in tv;web$"),
        ("media", "tv;web; tv", "the option 'tv' is there twice; name each"),
        ("age", "", "the answer is missing and .* not be skipped; fill it in.*set may_skip$"),
        ("age", "NA", "the answer is missing"),
        ("media", "", "the answer is missing .*, or write none for none of them"),
    ],
)
def test_a_cell_that_is_no_answer_is_refused(refused, name, cell, message):
    # Fails if a cell is clipped, guessed or left out, or if the wrong line or column is named.
    (line,) = refused(f"{HEADER}\n{ROW}\n{row_with(name, cell)}\n{ROW}\n")
    assert re.match(f"pilot.csv, line 3, column '{name}': {message}", line), line


def test_a_row_with_too_many_or_too_few_cells_is_refused(refused):
    # Fails if cells are cut off or filled in, which would move answers to other questions.
    many, few, one = refused(f"{HEADER}\n30,5,yes,animals,tv,0.5\n{ROW}\n30,yes,animals,tv\n30\n")
    assert many == (
        "pilot.csv, line 2: the row has 6 cells, the header 5;"
        " put a cell that has a comma in quotes"
    )
    assert few == (
        "pilot.csv, line 4: the row has 4 cells, the header 5; write a comma for every cell"
    )
    assert one.startswith("pilot.csv, line 5: the row has 1 cell, the header 5")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_that_an_editor_shows(refused, end):
    # Fails if rows are counted instead of lines, if a row's last line is named instead of its
    # first, or if a line end of another system is not one.
    long = f'30,"{end}yes{end}",animals,"tv{end};web",0.5'
    wrong = f'"200",yes,"animals{end}{end}",tv,0.5'
    rows = [f'"age{end}",donor,cause,media,income', long, "", ROW, wrong, long, "", wrong]
    text = end.join(rows) + end
    begins = [m.start() for m in re.finditer('"200"', text)]
    lines = [text[:at].count(end) + 1 for at in begins]
    assert refused(text) == [
        f"pilot.csv, line {line}, column 'age': '200' is not from 18 to 90; correct the cell,"
        " or give the question other ends"
        for line in lines
    ]


@pytest.mark.parametrize("cell", ['"animals', '"animals" x', '"' + "x" * 200_000 + '"'])
def test_what_is_not_csv_is_refused_after_what_comes_before(refused, cell):
    # Fails if the rest of the file becomes one cell, or if earlier problems are forgotten.
    text = f"{HEADER}\n{row_with('age', '17')}\n{ROW}\n{row_with('cause', cell)}\n{ROW}\n"
    first, last = refused(text)
    assert first.startswith("pilot.csv, line 2, column 'age'")
    assert re.match("pilot.csv, line 4: from here on this is not CSV: .*close every quote", last)
    (header,) = refused(f'"{HEADER}\n{ROW}\n')
    assert header.startswith("pilot.csv, line 1: from here on this is not CSV")


@pytest.mark.parametrize("count", [7, 8])
def test_a_few_problems_are_said_one_by_one(refused, count):
    # Fails if only the first problem is said, or if they are counted where there are few.
    lines = refused("\n".join([HEADER, *[row_with("age", "17")] * count]))
    assert [int(re.search(r"line (\d+)", line)[1]) for line in lines] == [*range(2, 2 + count)]
    both = refused(f"{HEADER}\n17,maybe,,xyzzy,2\n")
    assert [re.search(r"column '(\w+)'", line)[1] for line in both] == [
        "age",
        "donor",
        "media",
        "income",
    ]


@pytest.mark.parametrize("count", [9, 3_000])
def test_many_bad_cells_are_summed_up_by_column_with_the_first_of_each(refused, count):
    # Fails if the first column hides the others, or if a count, a place or what to do is left out.
    many = [row_with("age", f"{17 - i}") for i in range(count)]
    lines = refused("\n".join([HEADER, ROW, *many, "17,yes,animals,tv;wev,", "3", ROW]))
    age, media, short = lines
    assert age == (
        f"pilot.csv, line 3, column 'age' (the first of {count + 1:,} cells that do not fit): '17'"
        " is not from 18 to 90; correct the cell, or give the question other ends"
    )
    assert media.startswith(f"pilot.csv, line {count + 3}, column 'media': 'wev' is no option")
    assert short.startswith(f"pilot.csv, line {count + 4}: the row has 1 cell")


def test_the_first_eight_problems_are_said_and_the_rest_counted(refused):
    # Fails if thousands of rows, or of columns, each have a line, or if some go uncounted.
    lines = refused("\n".join([HEADER, *["3"] * 30]))
    assert [line[:17] for line in lines[:8]] == [f"pilot.csv, line {2 + i}" for i in range(8)]
    assert lines[8:] == ["(and 22 more)"]
    wide = al.Survey([al.YesNo(f"q{i}") for i in range(12)])
    lines = refused("\n".join([",".join(wide.names), *[",".join("x" * 12)] * 30]), wide)
    assert [line.count("the first of 30 cells") for line in lines[:8]] == [1] * 8
    assert lines[8:] == ["(and 4 more)"]


def test_a_long_cell_does_not_make_an_endless_message(refused):
    # Fails if a text of a page is repeated in full.
    (message,) = refused(f"{HEADER}\n{row_with('cause', 'x' * 5_000)}\n")
    assert len(message) < 300


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


def test_a_column_without_answers_is_named_with_how_to_leave_it_out(refused, tmp_path):
    """Fails if an id is refused without the remedy at once, or the remedy does not work."""
    text = f"respondent id,{HEADER}\n17,{ROW}\n18,{ROW}\n"
    (line,) = refused(text)
    assert line.endswith(
        "there is no such question; if it holds no answers, leave it out: --leave-out"
        " 'respondent id' (in Python leave_out=['respondent id'])"
    )
    assert not any(name in line for name in SURVEY.names)  # which would hide the remedy
    (tmp_path / "with.csv").write_text(text)
    (tmp_path / "without.csv").write_text(f"{HEADER}\n{ROW}\n{ROW}\n")
    found = al.PilotAnswers.read(tmp_path / "with.csv", SURVEY, leave_out=["respondent id"])
    expected = al.PilotAnswers.read(tmp_path / "without.csv", SURVEY)
    np.testing.assert_array_equal(found.table, expected.table)


@pytest.mark.parametrize(
    ("leave_out", "message"),
    [
        (["idd"], "there is no column 'idd' to leave out; did you mean 'id'"),
        (["age"], "column 'age' is a question of the study, which cannot be left out"),
        ("id", "leave_out is 'id'; give a list"),
    ],
)
def test_what_cannot_be_left_out_is_refused(tmp_path, leave_out, message):
    (tmp_path / "pilot.csv").write_text(f"id,{HEADER}\n17,{ROW}\n")
    with pytest.raises(al.errors.SettingError, match=message):
        al.PilotAnswers.read(tmp_path / "pilot.csv", SURVEY, leave_out=leave_out)
