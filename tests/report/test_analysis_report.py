"""The page, tables and figures of a finished study say what its Analysis says, and no more."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import askless as al
from askless.evaluation.analysis_tables import tables_of
from askless.evaluation.arm_means import ArmMean, Contrast
from askless.evaluation.history import Drop
from askless.policies import Effect
from askless.policies.effects import IMPOSSIBLE
from askless.report.analysis_figures import MOST_SHOWN, draw_arm_means, draw_effects
from askless.report.analysis_report import write_analysis
from askless.report.analysis_summary import doubts_of, said_of, why_so_few
from askless.report.analysis_words import Words, counted

TABLES = {
    "effects",
    "arm_means",
    "contrasts",
    "policy_value",
    "who_gets_what",
    "rule",
    "asked",
    "drops",
}


class Page(HTMLParser):
    """The cells of all tables, and the text."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.words, self.open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.open = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join("".join(self.open).split()))
            self.open = None

    def handle_data(self, data):
        self.words.append(data)
        if self.open is not None:
            self.open.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def effect(arm="wwf", question="donor", answers="yes - no", estimate=12.0, **other):
    given = {"low": -3.0, "high": 30.0, "end_low": 4.0, "end_high": 20.0, "epochs": 3}
    given |= {"kept": True, "dropped_at": None} | other
    return Effect(arm=arm, question=question, answers=answers, estimate=estimate, **given)


@pytest.fixture(scope="module")
def small():
    """A study in which no epoch has ended: nothing is known of effects."""
    study = al.Study.example()
    world = al.Prior.of(study).world(3, seed=1)
    done = al.record_visits(al.policy_for(study), world, horizon=200)
    return al.analyse(study, done.visits)


@pytest.fixture(scope="module")
def rich(small):
    """The same with rows of every kind, so that what is shown is known beforehand."""
    arms = [arm.name for arm in small.study.arms]
    return replace(
        small,
        effects=(
            effect(),
            effect("wwf", "cause", "children - animals", -31.25, end_low=-40.0, end_high=-22.5),
            Effect("msf", "age", "90 - 18", None, -100.0, 100.0, None, None, 0, True, None),
            effect("msf", "donor", estimate=1.0, end_low=-5.0, kept=False, dropped_at=337),
        ),
        arm_means=(
            ArmMean(arms[0], "model", 48.5, 46.0, 51.0, epochs=2),
            ArmMean(arms[1], "model", 55.0, 53.0, 57.0, epochs=3),
            ArmMean(arms[2], "model", 40.0, 38.5, 41.5, epochs=3),
            *(ArmMean(arm, "draws", None, None, None, why="too few draws") for arm in arms),
        ),
        contrasts=(
            Contrast(arms[0], arms[1], "model", -6.5, -10.0, -3.0),
            Contrast(arms[0], arms[2], "model", 8.5, 5.0, 12.0),
            Contrast(arms[1], arms[2], "model", 15.0, 11.0, 19.0),
        ),
        drops=(Drop("msf", "donor", 150), Drop("wwf", "donor", 160), Drop("red_cross", "donor", 7)),
    )


@pytest.fixture(scope="module")
def written(rich, tmp_path_factory):
    folder = tmp_path_factory.mktemp("analysis")
    return write_analysis(rich, folder, "askless analyse study.yaml visits.csv")


def read(files, name):
    (path,) = [file for file in files if file.name == name]
    return path.read_text()


def test_the_page_is_first_and_everything_is_beside_it(written):
    """Fails if a table, a figure or the data is not written, or something else is."""
    names = [file.name for file in written]
    assert names[0] == "report.html"
    figures = {f"{n}.{e}" for n in ("asked", "effects", "arm_means") for e in ("png", "svg")}
    assert set(names) == {
        *("report.html", "analysis.json"),
        *figures,
        *(f"{table}.csv" for table in TABLES),
    }
    assert {file.name for file in written[0].parent.iterdir()} == set(names)


def test_the_page_needs_nothing_else(written):
    """Fails if it fetches a figure, a style or a script from anywhere."""
    page = read(written, "report.html")
    assert set(re.findall(r'(?:src|srcset|href)="([a-z]+):', page)) == {"data"}
    assert not re.findall(r"https?://(?!www\.w3\.org)", re.sub(r"data:[^\"]*", "", page))
    assert "<script" not in page


def test_the_page_shows_each_effect_with_its_sign_and_both_intervals(rich, written):
    """Fails if a sign, an interval or a row is lost, or the two intervals change places."""
    rows = Page(read(written, "report.html")).rows
    shown = [row for row in rows if len(row) == 6 and row[0].startswith(("donor:", "cause:"))]
    assert shown == [
        ["donor: yes - no", "+12.0", "4.0 to 20.0", "-3.0 to 30.0", "3", "yes"],
        ["cause: children - animals", "-31.2", "-40.0 to -22.5", "-3.0 to 30.0", "3", "yes"],
        ["donor: yes - no", "+1.0", "-5.0 to 20.0", "-3.0 to 30.0", "3", "until row 337"],
    ]
    assert ["age: 90 - 18", "–", "–", "-100.0 to 100.0", "0", "yes"] in rows


def test_the_page_shows_means_beside_each_other_or_says_why_there_are_none(rich, written):
    """Fails if a mean stands in the wrong column, or a reason is left out."""
    rows = Page(read(written, "report.html")).rows
    assert ["red_cross", "48.5 (46.0 to 51.0)", "none: too few draws"] in rows
    assert ["wwf less msf", "+15.0 (11.0 to 19.0)"] in rows


def test_a_question_goes_once_all_arms_have_dropped_it(written):
    """Fails if the last drop is not the largest, or visits stand under other arms."""
    rows = Page(read(written, "report.html")).rows
    assert ["donor", "after 7", "after 160", "after 150", "after 160"] in rows


def test_the_page_has_the_assumptions_and_the_methods(rich, written):
    """Fails if a sentence that a paper needs is left out."""
    text = Page(read(written, "report.html")).text
    for sentence in (*rich.assumptions(), rich.methods(), *said_of(rich)):
        assert " ".join(sentence.split()) in text


def test_the_tables_are_tidy_and_say_what_the_rows_say(rich, written):
    """Fails if a column is not snake case, a cell is ragged, or a number is another one."""
    tables = tables_of(rich)
    assert set(tables) == TABLES
    for name, table in tables.items():
        header, *rows = csv.reader(io.StringIO(read(written, f"{name}.csv")))
        assert tuple(header) == table.columns
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", column) for column in header)
        assert len(rows) == len(table.rows)
        for cells, row in zip(rows, table.rows, strict=True):
            assert len(cells) == len(header)
            for cell, value in zip(cells, row, strict=True):
                if value is None:
                    assert cell == ""
                elif isinstance(value, bool):
                    assert cell == ("TRUE" if value else "FALSE")  # as R reads it
                elif isinstance(value, int | float):
                    assert float(cell) == value
                else:
                    assert cell == value
    by_name = [
        dict(zip(tables["effects"].columns, row, strict=True)) for row in tables["effects"].rows
    ]
    for row, meant in zip(by_name, rich.effects, strict=True):
        assert (row["low_at_all_times"], row["high_at_all_times"]) == (meant.low, meant.high)
        assert (row["low_at_the_end"], row["high_at_the_end"]) == (meant.end_low, meant.end_high)
    first = tables["asked"].rows[0]
    assert first[:2] == (1, rich.stretches[0].last + 1)
    assert len(tables["policy_value"].rows) == len(rich.values)
    assert len(tables["who_gets_what"].rows) == len(rich.shared.shares)


def test_the_data_is_the_analysis_and_how_it_was_made(rich, written):
    """Fails if a figure of the JSON is not the library's."""
    data = json.loads(read(written, "analysis.json"))
    assert data.pop("command") == "askless analyse study.yaml visits.csv"
    assert data.pop("versions")["askless"] == al.__version__
    assert data == json.loads(json.dumps(rich.to_dict()))


def test_a_study_without_an_epoch_says_why_and_has_no_empty_figure(small, tmp_path):
    """Fails if a chart without a point is drawn, or no reason is given."""
    assert draw_effects(small) is None
    assert draw_arm_means(small) is None
    files = write_analysis(small, tmp_path, "askless analyse study.yaml visits.csv")
    assert not {"effects.png", "arm_means.svg"} & {file.name for file in files}
    page = Page(read(files, "report.html"))
    assert "There is no figure, since there is no estimate" in page.text
    assert "red_cross: the arm was in warm-up to the end." in page.text
    assert "sets price: 0 and explore_floor: 0.1" in page.text
    assert "the last is the one with the number 199 in the file" in page.text
    assert "No two arms can be compared" in page.text


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


def test_the_forest_has_the_effects_that_are_sure_and_large(rich):
    """Fails if more is drawn than can be read, a sure effect gives way, or a label is lost."""
    many = [
        effect("msf", f"q{i}", estimate=30.0 + i, end_low=-5.0, end_high=70.0) for i in range(40)
    ]
    figure = draw_effects(
        replace(rich, effects=(effect(estimate=0.5, end_low=0.1, end_high=0.9), *many))
    )
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == MOST_SHOWN
    assert "donor: yes - no" in labels
    assert "q39: yes - no" in labels
    assert "q0: yes - no" not in labels


@pytest.mark.parametrize("narrow", [False, True])
def test_bars_are_where_the_intervals_are(rich, narrow):
    """Fails if thin and thick change places, or a point is not its estimate."""
    (axes,) = draw_effects(replace(rich, effects=(effect(),)), narrow=narrow).axes
    lines = [line.get_xdata() for line in axes.lines]
    widths = [line.get_linewidth() for line in axes.lines]
    thin, thick, point = (list(line) for line in lines[:3])
    assert (thin, thick, point) == ([-3.0, 30.0], [4.0, 20.0], [12.0])
    assert widths[0] < widths[1]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("draw", [draw_effects, draw_arm_means])
def test_no_label_is_clipped(rich, draw, narrow):
    """Fails if a name, even a long one, reaches beyond the figure's edge."""
    name = "how often do you give to others in a year, all in all"
    figure = draw(
        replace(rich, effects=(*rich.effects, effect("msf", name, estimate=40.0))), narrow=narrow
    )
    figure.draw_without_rendering()
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1


def test_the_sentences_name_the_best_arm_and_the_sure_effects(rich, small):
    """Fails if the verdict names another arm, or effects that may be zero."""
    people, _, arms, effects = said_of(rich)
    assert people.startswith("200 people got one of 3 arms, and 200 rewards have come.")
    assert "wwf would bring most, 55.0 (53.0 to 57.0) by the model; each other arm less" in arms
    assert effects == (
        "2 of 3 effects of answers that have an interval at the end are other than zero by it (at"
        " most 1 by chance, if none were), the surest first: wwf, cause: children - animals: -31.2;"
        " wwf, donor: yes - no: +12.0."
    )
    many = replace(rich, effects=tuple(effect(question=f"q{i}") for i in range(21)))
    assert "21 of 21" in said_of(many)[3]
    assert "at most 2 by chance" in said_of(many)[3]
    assert said_of(many)[3].endswith("; and 18 more.")
    bare = replace(rich, effects=(effect(end_low=None, end_high=None, low=1.0),))
    assert said_of(bare)[3] == "The only effect of answers has no interval at the end."
    unsure = replace(rich, contrasts=(replace(rich.contrasts[0], high=1.0), *rich.contrasts[1:]))
    assert "another may bring as much" in said_of(unsure)[2]
    assert "no mean of the arms red_cross, wwf, msf" in said_of(small)[2]
    assert "no effect" in said_of(small)[3]


def test_the_best_arm_may_be_told_by_means_of_both_kinds(rich):
    """Fails if a mean by draws is overlooked where an arm has none by the model."""
    first, *others = rich.arm_means[:3]
    bare = replace(first, estimate=None, low=None, high=None)
    drawn = replace(first, by="draws", estimate=60.0, low=50.0, high=70.0)
    found = replace(rich, arm_means=(bare, *others, drawn, *rich.arm_means[4:]))
    assert "red_cross would bring most, 60.0 (50.0 to 70.0)" in said_of(found)[2]
    assert "found in another way" in said_of(found)[2]
    less = replace(rich, arm_means=(bare, *others, *rich.arm_means[3:]))
    assert said_of(less)[2].endswith("there is no mean of the arm red_cross.")


def test_an_empty_interval_puts_the_assumptions_in_doubt(rich):
    """Fails if nothing warns where epochs contradict each other."""
    assert doubts_of(rich) == []
    empty = effect(low=None, high=None, why=IMPOSSIBLE)
    (doubt,) = doubts_of(replace(rich, effects=(empty,)))
    assert "of 1 effect are empty (wwf and donor)" in doubt


def test_what_is_missing_is_explained_only_where_something_is(rich, small):
    """Fails if a reason stands where nothing is missing, or short visits are blamed for none."""
    assert why_so_few(replace(rich, effects=(effect(),))) == ""
    assert "`price: 0` and `explore_floor: 0.1`" in why_so_few(small)
    assert "short" not in why_so_few(replace(small, kinds={"full": 200}))
    follows = small.study.settings | {"price": 0, "explore_floor": 0.1}
    policy = al.policy_for(replace(small.study, settings=follows))
    said = why_so_few(replace(small, kinds={"full": 200}, policy=policy))
    assert "price" not in said  # it follows the recipe
    assert "More people" in said


def test_figures_have_the_digits_that_the_range_needs():
    """Fails if a yes/no outcome is shown in whole numbers, or zero with a minus."""
    assert Words(1).plain(0.6184) == "0.618"
    assert Words(100).signed(-0.04) == "+0.0"
    assert Words(5_000).plain(1234.5) == "1,234"
    assert (Words(1).plain(None), Words(1).ends(None, None)) == ("", "")


# -- studies of other kinds ----------------------------------------------------------------------


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
    assert counted(2_000, "reward", "rewards") == "2,000 rewards"


def test_a_folder_keeps_no_figure_of_another_study(rich, small, tmp_path):
    """Fails if figures of what was analysed before stay, or files go that are not ours."""
    (tmp_path / "notes.png").touch()
    before = write_analysis(rich, tmp_path, "askless analyse")
    assert (tmp_path / "effects.svg") in before
    now = write_analysis(small, tmp_path, "askless analyse")
    assert {file.name for file in tmp_path.iterdir()} == {*(f.name for f in now), "notes.png"}
    assert "asked.png" in {file.name for file in now}


def test_nothing_is_written_if_something_cannot_be_shown(small, tmp_path):
    """Fails if a folder or a file is there although the page could not be made."""
    broken = replace(small, stretches=())
    with pytest.raises(IndexError):
        write_analysis(broken, tmp_path / "never", "askless analyse")
    assert not (tmp_path / "never").exists()


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
