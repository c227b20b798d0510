"""Pilot files that are refused: each with its line, its column and the remedy."""

import re

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from pilot_files import HEADER, ROW, SURVEY, row_with


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
