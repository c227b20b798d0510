"""The shape of a study file's section about pages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictStr

from askless.survey.pages import MOST_BLOCK
from askless.survey.section import Name, Section

__all__ = ["LanguageSection", "PagesSection", "QuestionWordsSection", "RewardQuestionSection"]

LONGEST = 20_000  # characters of a text
Text = Annotated[StrictStr, Field(max_length=LONGEST)]


class QuestionWordsSection(Section):
    """A question in another language."""

    text: Text = Field("", description="What the person reads.")
    help: Text = Field("", description="A second, smaller line.")
    options: dict[Name, Text] = Field(
        default_factory=dict, description="What people read in place of each option's name."
    )


class LanguageSection(Section):
    """All words of the study in one language."""

    title: Text = Field("", description="The study's name.")
    consent: Text = Field("", description="What people agree to.")
    thanks: Text = Field("", description="The last words.")
    reward: Text = Field("", description="The reward question.")
    questions: dict[Name, QuestionWordsSection] = Field(
        default_factory=dict, description="By the questions' names."
    )
    arms: dict[Name, Text] = Field(
        default_factory=dict, description="Texts of the arms, by their names."
    )


class RewardQuestionSection(Section):
    """What people are asked once the arm is played."""

    text: Annotated[StrictStr, Field(min_length=1, max_length=LONGEST)] = Field(
        description="The question."
    )
    ask: Literal["amount", "rating"] = Field(
        "amount", description="A number of the reward's range, or one of at most eleven steps."
    )
    when: Literal["now", "later"] = Field(
        "now", description="With the arm, or by a link that people keep."
    )


class PagesSection(Section):
    """What people see of a study; where it is left out, the study has no pages."""

    title: Text = Field("", description="The study's name for people; its name if left out.")
    consent: Text = Field("", description="What people agree to; a general text if left out.")
    thanks: Text = Field("", description="The last words.")
    block: Annotated[int, Field(strict=True, ge=1, le=MOST_BLOCK)] = Field(
        1, description="Questions a page, at most."
    )
    language: StrictStr = Field("en", description="Language of the file's own words.")
    languages: dict[Name, LanguageSection] = Field(
        default_factory=dict, description="The same words in other languages, all of them."
    )
    accent: StrictStr = Field("#1f5f8b", description="Colour of buttons, such as '#0b6e4f'.")
    on_accent: StrictStr = Field("#ffffff", description="Colour of text on them.")
    logo: StrictStr = Field(
        "", description="An .svg or .png file beside the study file, at most 20,000 bytes."
    )
    reward: RewardQuestionSection | None = Field(
        None, description="What people are asked once the arm is played."
    )
    returns: list[StrictStr] = Field(
        default_factory=list, description="Where survey tools may have people sent back to."
    )
    invited: StrictBool = Field(
        False, description="Whether only people with an invitation may take part."
    )
