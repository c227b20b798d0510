"""The shape of study files: errors by line, hostile YAML, and the JSON Schema."""

import itertools
import json
import re
import subprocess
import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from askless.errors import StudyError
from askless.survey import Study, located_yaml
from askless.survey.located_yaml import Located
from askless.survey.study import EXAMPLE as CHARITY
from askless.survey.study_file import json_schema
from askless.survey.study_reading import read_study_file
from doc_pages import ROOT
from study_examples import ALLOWED, EXAMPLE, SHAPE, Fault, refused_at
from survey_strategies import refused

LAUGHS = "lol: &a [ha, ha]\n" + "".join(
    f"lol{i}: &{new} [{', '.join(['*' + old] * 9)}]\n"
    for i, (old, new) in enumerate(zip("abcdefgh", "bcdefghi", strict=True))
)

# What is wrong before the shape is looked at.
SYNTAX = {
    "a tab": Fault("coding: centred", "\tcoding: centred", "\tcoding", ("YAML",)),
    "an open bracket": Fault("climate]", "climate", "- kind: multi", ("YAML",)),
    "a stray colon": Fault("name: wwf", "name: a: b", "name: a: b", ("YAML",)),
    "another version of YAML": Fault("# What", "%YAML 3.0\n---\n# What", "%YAML", ("version",)),
    "a key twice at the top": Fault("arms:", "name: b\narms:", "name: b\n", ("'name'", "twice")),
    "a key twice in a question": Fault(
        "    high: 90", "    high: 90\n    low: 20", "low: 20", ("'low'", "twice")
    ),
    "a key twice in the policy": Fault(
        "  radius: valid", "  alpha: 3\n  radius: valid", "alpha: 3", ("'alpha'", "twice")
    ),
    "a billion laughs": Fault("arms:", LAUGHS + "arms:", "lol0", ("alias", "*")),
    "an alias of one name": Fault("name: wwf", "name: *x", "*x", ("alias", "*")),
    "one anchor twice": Fault(
        "name: wwf", "name: &x wwf\n    more: &x no", "&x no", ("'x'", "needs no anchors")
    ),
    "a second document": Fault("arms:", "---\narms:", "---", ("document",)),
    "deep brackets": Fault("name: wwf", "name: " + "[" * 3000, "name: [", ("nested", "deep")),
    "deep mappings": Fault("name: wwf", "name: " + "{a: " * 3000, "name: {", ("nested", "deep")),
    "deep lists": Fault("name: wwf", "name:\n    " + "- " * 3000, "    - - ", ("nested", "deep")),
    "deep keys": Fault("arms:", "? " * 3000 + "\narms:", "\n? ?", ("nested", "deep")),
    "a list as a key": Fault("arms:", "[a, b]: c\narms:", "[a, b]", ("key",)),
    "a mapping as a key": Fault("arms:", "? {a: b}\n: c\narms:", "? {", ("key",)),
    "a Python object": Fault(
        "- name: wwf", "- !!python/object:askless.Arm {name: wwf}", "!!python", ("python/object",)
    ),
    "a Python call": Fault(
        "[children, animals, climate]",
        "!!python/object/apply:os.listdir [a, b]",
        "!!python",
        ("python/object",),
    ),
    "a Python name": Fault(
        "name: wwf", 'name: !!python/name:os.system ""', "!!python", ("python/name",)
    ),
    "a Python object at the top": Fault(
        "# What suits whom, in a file that uses every key.",
        "--- !!python/object:askless.Study",
        "!!python",
        ("python/object",),
    ),
    "a tag that nobody knows": Fault("name: wwf", "name: !who wwf", "!who", ("!who",)),
    "a number that is none": Fault("low: 18", "low: !!int young", "!!int", ("young",)),
    "a yes that is none": Fault("may_skip: true", "may_skip: !!bool maybe", "!!bool", ("maybe",)),
    "a date that is none": Fault("name: wwf", "name: 2024-99-99", "2024-99-99", ("2024-99-99",)),
    "a number without end": Fault("low: 18", "low: " + "1" * 5000, "low: 11", ("number",)),
    "a control character": Fault("name: wwf", "name: w\0wf", "w\0wf", ("character",)),
}


@pytest.mark.parametrize("fault", SYNTAX.values(), ids=SYNTAX)
def test_text_that_is_no_safe_yaml_is_refused_with_its_line(fault):
    with refused_at("charity.yaml", fault.line, *fault.says):
        Study.parse(fault.text, source="charity.yaml")


def test_a_file_that_is_too_long_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(located_yaml, "_Plain", None)
    with refused(StudyError, "charity.yaml", "10,000,000"):
        Study.parse(EXAMPLE + "#" * 10_000_000, source="charity.yaml")


def test_a_file_of_just_the_largest_size_is_read(monkeypatch):
    monkeypatch.setattr(located_yaml, "LARGEST_FILE", len(EXAMPLE))
    assert Study.parse(EXAMPLE).name == "charity"
    with refused(StudyError, "longer"):
        Study.parse(EXAMPLE + "\n")


def test_twelve_levels_may_be_nested_and_thirteen_may_not():
    # The mapping at the top is the first level.
    with refused(StudyError, "'deep'", "unknown key"):
        Study.parse(EXAMPLE + "deep: " + "[" * 11 + "]" * 11)
    with refused(StudyError, "nested"):
        Study.parse(EXAMPLE + "deep: " + "[" * 12 + "]" * 12)
    with refused(StudyError, "'wide'", "unknown key"):  # side by side is not deep
        Study.parse(EXAMPLE + "wide: [" + ", ".join(["[]"] * 50) + "]")


def test_several_faults_are_reported_together_each_on_its_line():
    text = EXAMPLE.replace("low: 18", "low: x").replace("delta: 0.05", "delta: 2")
    lines = text.splitlines()
    first, second = (next(i for i, t in enumerate(lines, 1) if s in t) for s in ("low: x", "delta"))
    with pytest.raises(StudyError) as caught:
        Study.parse(text, source="f")
    message = str(caught.value).splitlines()
    assert len(message) == 2
    assert message[0].startswith(f"f, line {first}, questions[1].low: ")
    assert message[1].startswith(f"f, line {second}, policy.delta: ")


@pytest.mark.parametrize(("count", "tail"), [(8, None), (9, "1 more"), (30, "22 more")])
def test_at_most_eight_faults_are_spelled_out(count, tail):
    text = EXAMPLE + "".join(f"key{i}: 1\n" for i in range(count))
    with pytest.raises(StudyError) as caught:
        Study.parse(text)
    lines = str(caught.value).splitlines()
    assert sum("unknown key" in line for line in lines) == 8
    assert len(lines) == 8 + (tail is not None)
    assert tail is None or tail in lines[-1]


@pytest.mark.parametrize(
    ("fault", "jargon"),
    [
        (SHAPE["unknown kind"], "input tag"),
        (SHAPE["a text for a question"], "object to extract fields from"),
        (SHAPE["a text for an arm"], "ArmSection"),
        (SHAPE["a pair for the reward"], "RewardSection"),
        (SHAPE["a list as a name"], "quotes"),  # which would not help
        (SHAPE["a text for a number"], "YAML reads"),  # it is what was written
        (SYNTAX["a second document"], "this is not YAML: but"),
        (SYNTAX["a list as a key"], "ScalarNode"),
        (SYNTAX["a list as a key"], "twice"),
        (SYNTAX["a control character"], "<unicode string>"),
    ],
)
def test_messages_speak_of_the_file_and_not_of_the_program(fault, jargon):
    with pytest.raises(StudyError) as caught:
        Study.parse(fault.text)
    assert jargon not in str(caught.value)


HINTS = {
    "a tab": (SYNTAX["a tab"].text, "indent with spaces"),
    "a stray colon": (SYNTAX["a stray colon"].text, "': ' in quotes"),
    "an open bracket": (SYNTAX["an open bracket"].text, "close every"),
    "an item too far left": (
        EXAMPLE.replace("  - kind: yes_no", " - kind: yes_no"),
        "indent the items of a list alike",
    ),
    "a key too far left": (
        EXAMPLE.replace("  beta_min", " beta_min"),
        "indent the keys of a section alike",
    ),
}


# What is written, the line on which its quote begins, and what is said of it.
QUOTES = {
    "never closed": ('a: 1\nb: "x\nc: 3\n', 2, 'the quote " .* never closed'),
    "closed by the next text's": ('a: "x\nb: 2\nc: "y"\n', 1, "closed only on line 3"),
    "closed by a key's": ("a: 'x\nb: \"y\"\nc: it's: 3\n", 1, "closed only on line 3"),
    "within braces": ('a:\n  - {b: "x}\n  - {b: "y"}\n', 2, "closed only on line 3"),
    "closed within its text": ("a: 1\nb: 'it's here'\n", 2, "by the next one, and the text goes"),
}


@pytest.mark.parametrize(("text", "line", "said"), QUOTES.values(), ids=QUOTES)
def test_a_quote_that_is_not_closed_is_named_where_it_begins(text, line, said):
    """Fails if the line is the one on which YAML stumbles, or the remedy is another."""
    with pytest.raises(StudyError, match=rf"f\.yaml, line {line}: .*{said}.*; close it where"):
        Located(text, "f.yaml")


def test_a_text_in_quotes_over_two_lines_is_not_blamed():
    """Fails if what is wrong lines below is put down to a quote that is closed."""
    with pytest.raises(StudyError, match=r"line 4: .*close every") as caught:
        Located('a: "x\n  y"\nb: [1, 2\nc: 3\n', "f.yaml")
    assert "quote " not in str(caught.value)


@pytest.mark.parametrize(("text", "hint"), HINTS.values(), ids=HINTS)
def test_the_usual_slips_come_with_the_remedy(text, hint):
    with refused(StudyError, "not YAML", hint) as caught:
        Study.parse(text)
    others = {other for _, other in HINTS.values()} - {hint}
    assert not [other for other in others if other in str(caught.value)]


def test_a_key_too_far_right_is_told_to_be_indented_alike():
    # YAML sees a second colon in the value of the line above; the person sees an indentation.
    fault = Fault("  beta_min", "   beta_min", "beta_min", ("indent",))
    with refused_at("study", fault.line, *fault.says):
        Study.parse(fault.text)


def test_a_value_that_yaml_reads_as_another_is_shown_as_it_was_written():
    with refused(StudyError, "arms[2].name", "12:30", "750"):  # YAML 1.1 counts in sixties
        Study.parse(EXAMPLE.replace("name: wwf", "name: 12:30"))


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("coding:", "codding:", "did you mean 'coding'?"),
        ("  delta:", "  deltta:", "did you mean 'delta'?"),
        ("    low: 18", "    lwo: 18", "did you mean 'low'?"),
        ("    help: In", "    hepl: In", "did you mean 'help'?"),
        ("    text: Suggest", "    txt: Suggest", "did you mean 'text'?"),
        ("  high: 100", "  hihg: 100", "did you mean 'high'?"),
        ("arms:", "zzz: 1\narms:", "schema, name, text, coding, questions, arms, reward, policy"),
        ("reward:", "reward:\n  zzz: 1", "the keys here are low, high, window, silence"),
        ("- name: wwf", "- name: wwf\n    zzz: 1", "the keys here are name, text"),
    ],
)
def test_an_unknown_key_comes_with_the_keys_that_there_are(old, new, advice):
    assert EXAMPLE.count(old) == 1
    with refused(StudyError, "unknown key", advice):
        Study.parse(EXAMPLE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    low: 18", "    lwo: 18"),
        ("options: [children", "option: [children"),
        ("- kind: choice", "- knid: choice"),
        ("- name: wwf", "- nam: wwf"),
        ("\nreward:", "\nrewrd:"),
        ("  beta_min: 5", "  beta_mn: 5"),
    ],
)
def test_a_misspelled_key_is_said_once_and_not_that_it_is_missing_too(old, new):
    """Fails if what is wrong with one word is two lines, the first of which hides the cause."""
    assert EXAMPLE.count(old) == 1
    with pytest.raises(StudyError) as caught:
        Study.parse(EXAMPLE.replace(old, new), source="charity.yaml")
    key, wrong = (text.strip("\n- ").split(":")[0] for text in (old, new))
    (line,) = str(caught.value).splitlines()
    assert line.endswith(f"unknown key {wrong!r}; did you mean {key!r}?")


def test_a_key_that_is_missing_beside_an_unknown_one_is_said_too():
    """Fails if a missing key is passed over for a key that is not near it, or not there."""
    with pytest.raises(StudyError) as caught:
        Study.parse(EXAMPLE.replace("    low: 18", "    zzz: 18").replace("name: wwf", "nam: wwf"))
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        "'low' is missing",
        next(line.partition(": ")[2] for line in lines if "'zzz'" in line),
        "unknown key 'nam'; did you mean 'name'?",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("payback: 'False'", "policy.payback: 'False' is not true or false; write false without q"),
        ("payback: 1", "policy.payback: 1 is not true or false; write true"),
        ("interactive: 'no'", "'paper_heuristic'; write false without quotes"),
    ],
)
def test_a_flag_that_is_none_comes_with_how_it_is_written(written, said):
    """Fails if a text in quotes is refused without a word about its quotes."""
    text = EXAMPLE.replace("  delta: 0.05", f"  {written}")
    assert text != EXAMPLE
    with pytest.raises(StudyError) as caught:
        Study.parse(text.replace("name: ridge\n", "name: survey-bandit\n"))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("{name: foot, text: on foot}, bus", "an option is one text, which people read: such as"),
        ("'', bus", "options[1]: '' is empty; write a text"),
        ("on foot, ' bus'", "an option is called ' bus'; leave out line breaks and spaces at the"),
    ],
)
def test_an_option_that_is_no_text_comes_with_what_one_is(options, said):
    """Fails if somebody who gives an option a name and a text is not told that it is one text."""
    text = re.sub(r"options: \[.*\]", f"options: [{options}]", EXAMPLE, count=1)
    assert text != EXAMPLE
    with pytest.raises(StudyError) as caught:
        Study.parse(text)
    assert said in str(caught.value)


def test_options_may_have_spaces_in_them():
    """Fails if a text for people has to be made a word."""
    text = re.sub(r"options: \[.*\]", "options: [on foot, by bus]", EXAMPLE, count=1)
    assert any(getattr(q, "options", ()) == ("on foot", "by bus") for q in Study.parse(text).survey)


def test_a_file_without_a_version_is_told_what_to_write():
    """Fails if only `'schema' is missing` is said, which is the first thing of a file by hand."""
    with pytest.raises(StudyError, match="'schema' is missing; write as the first line: schema: 1"):
        Study.parse(EXAMPLE.replace("schema: 1\n", ""))


def test_the_error_on_the_page_is_the_one_that_there_is():
    """Fails if the page of study files shows another message than that of its misspelled key."""
    page = (ROOT / "docs" / "study-file.md").read_text()
    (shown,) = re.findall(r"```text\n(charity\.yaml, line \d+.*?)\n```", page)
    with pytest.raises(StudyError) as caught:
        Study.parse(CHARITY.read_text().replace("options:", "option:", 1), source="charity.yaml")
    assert str(caught.value) == shown


FRAGMENTS = [
    *(
        "",
        " ",
        "\n",
        "\t",
        "- ",
        ": ",
        "?",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "!",
        "|",
        "#",
        "'",
        '"',
    ),
    *(
        "!!int ",
        "!!set ",
        "<<: ",
        "%",
        "---\n",
        "...\n",
        "\0",
        "\x85",
        "\u2028",
        "\ufeff",
        "é",
        "😀",
    ),
]


def check_outcome(text):
    try:
        study = Study.parse(text, source="charity.yaml")
    except StudyError as error:
        assert str(error).startswith("charity.yaml")
    else:
        assert len(study.survey) >= 1


@given(
    st.lists(st.tuples(st.integers(0, len(EXAMPLE)), st.integers(0, 9), st.sampled_from(FRAGMENTS)))
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_a_damaged_file_is_either_a_study_or_a_study_error(damage):
    text = EXAMPLE
    for start, length, fragment in damage:
        text = text[:start] + fragment + text[start + length :]
    check_outcome(text)


PLACES = ["schema: 1", "name: wwf", "low: 18", "may_skip: true", "delta: 0.05"]
VALUES = ["", "~", "x", "é", "yes", "0x", "08", "1:30", "1_0", "1e999", ".nan", "2024-02-30", "''"]
VALUES += ["[]", "{}", "!!set {a}", "!!omap [a: 1]", "!!pairs [a: 1]", "!!seq {}", "!!map []", "."]


@pytest.mark.parametrize(
    "tag", ["", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!binary"]
)
def test_an_odd_value_makes_either_a_study_or_a_study_error(tag):
    for place, value in itertools.product(PLACES, VALUES):
        assert EXAMPLE.count(place) == 1
        check_outcome(EXAMPLE.replace(place, f"{place.split(':')[0]}: {tag} {value}"))


# -- where things stand --------------------------------------------------------------------------


def test_data_keeps_its_values_and_the_lines_of_its_keys():
    located = Located("a: 1\nb:\n  - x\n  -\n    c: yes\n", "f")
    assert located.data == {"a": 1, "b": ["x", {"c": True}]}
    assert located.where(("a",)) == "f, line 1, a"
    assert located.where(("b",)) == "f, line 2, b"
    assert located.where(("b", 0)) == "f, line 3, b[1]"
    assert located.where(("b", 1, "c")) == "f, line 5, b[2].c"


def test_a_place_that_is_not_there_has_the_line_of_what_would_hold_it():
    located = Located("# first\n\na: 1\nb:\n  - c: 1\n", "f")
    assert located.where(("b", 0, "d")) == "f, line 5, b[1].d"
    assert located.where(("z",)) == "f, line 3, z"
    assert located.where(()) == "f, line 3"


def test_keys_are_texts_whatever_yaml_would_make_of_them():
    assert Located("no: 1\n2: x\n~: y\n", "f").data == {"no": 1, "2": "x", "~": "y"}


def test_the_reader_returns_checked_data_and_its_places():
    file, located = read_study_file(EXAMPLE, "f")
    assert [question.kind for question in file.questions] == ["scale", "yes_no", "choice", "multi"]
    assert located.source == "f"


# -- the JSON Schema -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(json_schema())


def test_the_schema_is_a_valid_one_of_its_draft():
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_the_schema_is_plain_json_and_printed_by_its_module():
    command = [sys.executable, "-m", "askless.survey.study_file"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert json.loads(printed) == json_schema()


def test_the_schema_accepts_a_file_with_every_key(validator):
    assert list(validator.iter_errors(yaml.safe_load(EXAMPLE))) == []


def test_the_schema_accepts_the_example_with_and_without_what_is_commented(validator):
    text = CHARITY.read_text()
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    late = text.replace("# window: 14", "window: 14").replace("# silence: 0", "silence: 0")
    assert list(validator.iter_errors(yaml.safe_load(late))) == []
    study = Study.parse(late)
    assert (study.policy, study.window, study.silence) == ("survey-bandit", "14 days", 0)


@pytest.mark.parametrize(("old", "new"), ALLOWED.values(), ids=ALLOWED)
def test_the_schema_accepts_values_at_the_edge_of_what_is_allowed(validator, old, new):
    assert validator.is_valid(yaml.safe_load(EXAMPLE.replace(old, new)))


@pytest.mark.parametrize("fault", SHAPE.values(), ids=SHAPE)
def test_the_schema_refuses_what_the_reader_refuses_for_its_shape(validator, fault):
    assert not validator.is_valid(yaml.safe_load(fault.text))
