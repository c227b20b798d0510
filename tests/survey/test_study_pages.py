"""The section of pages: what it may say, what it refuses and where; words are only words."""

import base64
import struct
import zlib

import pytest

import askless as al
from askless.errors import SettingError, StudyError
from askless.storage.live_study import difference
from askless.survey.colour import contrast
from askless.survey.image import MOST_BYTES, check_image
from askless.survey.pages import Pages, RewardQuestion
from askless.survey.study import EXAMPLE

TEXT = EXAMPLE.read_text()
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>'


def png(width=1, height=1):
    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0\0" * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def replaced(old, new):
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


def test_the_example_speaks_two_languages_in_full():
    """Fails if a word of the study is in another language than the page."""
    study = al.Study.example()
    assert study.pages.spoken == ("en", "ar")
    words = study.pages.words("ar", study.survey, study.arms)
    said = [words.title, words.consent, words.thanks, words.reward, *words.arms.values()]
    for question in words.questions.values():
        said += [question.text, *question.options.values()]
    assert all(any("\u0600" <= letter <= "\u06ff" for letter in text) for text in said)
    english = study.pages.words("en", study.survey, study.arms)
    assert english.questions["cause"].options["climate"] == "The climate"
    assert english.questions["age"].text == "How old are you?"


def test_words_never_make_it_another_study():
    """Fails if a study that has begun could not change what people read."""
    other = al.Study.parse(TEXT[: TEXT.index("\npages:")])
    assert other.pages is None
    assert difference(al.Study.example(), other) == ""
    assert difference(al.Study.parse(TEXT.replace("low: 18", "low: 17")), other) == "questions"


# Contrasts as WCAG's own formula gives them, from tables that others have published.
@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#0000ff", "#ffffff", 8.59),
        ("#ff0000", "#ffffff", 4.00),
    ],
)
def test_contrast_is_that_of_wcag(one, other, ratio):
    assert contrast(one, other) == contrast(other, one) == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize(
    ("accent", "on", "fits"),
    [("#767676", "#ffffff", True), ("#777777", "#ffffff", False), ("#777777", "#000000", True)],
)
def test_buttons_can_be_read(accent, on, fits):
    """Fails if a colour passes on which its text has less than 4.5 to 1."""
    if fits:
        assert Pages(accent=accent, on_accent=on).accent == accent
    else:
        with pytest.raises(SettingError, match=r"contrast of 4\.48"):
            Pages(accent=accent, on_accent=on)


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("  block: 2", "  blok: 2", "line 53, pages.blok", "did you mean 'block'?"),
        ("  block: 2", "  block: 0", "line 53, pages.block", "give at least 1"),
        ("  block: 2", "  block: 21", "line 53, pages.block", "give at most 20"),
        ('"#0b6e4f"', "green", "line 54, pages.accent", "give a colour such as '#0b6e4f'"),
        ('"#0b6e4f"', '"#ffdd00"', "line 54, pages.accent", "contrast of 1.35"),
        ("ask: rating", "ask: stars", "pages.reward.ask", "not 'amount' or 'rating'"),
        ("when: now", "wen: now", "pages.reward.wen", "did you mean 'when'?"),
        ("    ar:\n", "    arr:\n", "pages.languages.arr", "did you mean 'ar'?"),
        ("        age: {text", "        aeg: {text", "pages.languages.ar.questions.aeg", "'age'?"),
        ("        age: {text", "        age: {txt", "questions.age.txt", "did you mean 'text'?"),
        ("{north: الشمال", "{nort: الشمال", "region.options.nort", "did you mean 'north'?"),
        ("        msf: نقترح", "        mfs: نقترح", "languages.ar.arms.mfs", "'msf'?"),
        ("      thanks: شكرًا لمشاركتك.\n", "", "pages.languages.ar", "thanks is missing"),
        (", options: {north: الشمال, south: الجنوب}", "", "questions.region", "is not whole"),
        ("# logo: logo.svg", "logo: logo.svg", "line 55, pages.logo", "name an .svg or .png"),
        ('# returns: ["https', '# \n  returns: ["http', "pages.returns[1]", "https://"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(old, new, place, said):
    """Fails if an error does not say where, or what to write instead."""
    with pytest.raises(StudyError) as refused:
        al.Study.parse(replaced(old, new), source="charity.yaml")
    message = str(refused.value)
    assert message.startswith("charity.yaml, line ")
    assert place in message
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize(("name", "data"), [("logo.svg", SVG.encode()), ("logo.png", png())])
def test_a_logo_is_put_into_the_study_s_text(tmp_path, name, data):
    """Fails if a study in a database would need a file that lies elsewhere."""
    (tmp_path / name).write_bytes(data)
    path = tmp_path / "study.yaml"
    path.write_text(replaced("# logo: logo.svg #", f"logo: {name} #"))
    study = al.Study.read(path)
    assert base64.b64decode(study.pages.logo.split(",")[1]) == data
    assert al.Study.parse(study.located.text).pages == study.pages
    assert study.located.text.count("\n") == path.read_text().count("\n")
    assert al.Study.parse(study.located.text).survey == study.survey


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("logo.svg", None, "cannot read the image"),
        ("../logo.svg", None, "beside the study file"),
        ("logo.jpg", b"x", "no .svg or .png file"),
        ("logo.png", b"x", "not a whole PNG"),
        ("logo.png", png()[:-4], "not a whole PNG"),
        ("logo.png", png(3_000), "3000 x 1"),
        ("logo.png", png() + b"\0" * MOST_BYTES, "larger than 20,000 bytes"),
        ("logo.svg", b"<svg", "XML cannot be read"),
        ("logo.svg", b"<html/>", "does not begin with <svg>"),
        ("logo.svg", b"<!DOCTYPE svg><svg/>", "DOCTYPE"),
        ("logo.svg", SVG.replace("<circle", "<script").encode(), "<script>"),
        ("logo.svg", SVG.replace("r=", "onload=").encode(), "more than draw itself"),
        ("logo.svg", SVG.replace('r="4"', 'fill="url(//x.org)"').encode(), "more than draw itself"),
    ],
)
def test_an_image_that_could_do_harm_is_refused(tmp_path, name, data, said):
    """Fails if a logo could run something, ask a stranger for something, or make pages heavy."""
    if data is not None:
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "study.yaml"
    path.write_text(replaced("# logo: logo.svg #", f"logo: {name} #"))
    with pytest.raises(StudyError, match=r"study.yaml, line 55, pages.logo: .*") as refused:
        al.Study.read(path)
    assert said in str(refused.value)


def test_image_data_in_a_file_is_checked_as_well():
    evil = base64.b64encode(SVG.replace("<circle", "<script").encode()).decode()
    with pytest.raises(SettingError, match="<script>"):
        check_image(f"data:image/svg+xml;base64,{evil}")
    with pytest.raises(SettingError, match="not the data of an image"):
        check_image("data:text/html;base64,AAAA")
    with pytest.raises(SettingError, match="damaged"):
        check_image("data:image/png;base64,AAAAA")


def test_pages_in_code_are_checked_like_a_file():
    study = al.Study.example()
    pages = Pages(languages={"ar": study.pages.languages["ar"]}, reward=RewardQuestion("Glad?"))
    with pytest.raises(SettingError, match="no question"):
        al.Study(al.Survey.unit(1), (al.Arm("a"),), al.RewardRange(0, 1), pages=pages)
    assert not Pages().may_return("https://example.org/")
    allowed = Pages(returns=("https://example.org/a",))
    assert allowed.may_return("https://example.org/a/b?c=d")
    assert not allowed.may_return("https://example.org/ab")
