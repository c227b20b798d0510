"""What is asked and decided: questions, arms, reward, their encoding, and study files."""

from askless.survey import setting
from askless.survey.arms import Arm
from askless.survey.constants import Constants
from askless.survey.kinds import Choice, Multi, Scale, YesNo
from askless.survey.pages import Pages
from askless.survey.question import Question
from askless.survey.reward import RewardRange
from askless.survey.study import Study
from askless.survey.survey import Survey
from askless.survey.window import Window

__all__ = [
    "Arm",
    "Choice",
    "Constants",
    "Multi",
    "Pages",
    "Question",
    "RewardRange",
    "Scale",
    "Study",
    "Survey",
    "Window",
    "YesNo",
    "setting",
]
