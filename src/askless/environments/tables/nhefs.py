"""Tables out of NHEFS: smokers asked in 1971, followed to 1982 and 1992."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from askless.environments.tables.base import ClassTable, data_of, terciles
from askless.environments.tables.columns import Coded, Number, choice, yes_no

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NHEFS"]

# Two forms were in use: the half that got the other one skips what is not on it.
HALF = frozenset({"hbp", "diabetes", "hbpmed", "boweltrouble"})
DIAGNOSES = {
    "asthma": "asthma",
    "bronch": "chronic bronchitis or emphysema",
    "tb": "tuberculosis",
    "hf": "heart failure",
    "hbp": "high blood pressure",
    "pepticulcer": "a peptic ulcer",
    "colitis": "colitis",
    "hepatitis": "hepatitis",
    "chroniccough": "a chronic cough",
    "hayfever": "hay fever",
    "diabetes": "diabetes",
    "polio": "polio",
    "tumor": "a malignant tumour",
    "nervousbreak": "a nervous breakdown",
}
MEDICATIONS = {
    "headache": "headache",
    "otherpain": "other pains",
    "weakheart": "a weak heart",
    "allergies": "allergies",
    "nerves": "nerves",
    "lackpep": "lack of pep",
    "hbpmed": "high blood pressure",
    "boweltrouble": "bowel trouble",
    "wtloss": "weight loss",
    "infection": "an infection",
}
PERSON = (
    Number("age", "How old are you?"),
    choice("sex", "What is your sex?", ("male", "female"), first=0),
    choice("race", "What is your race?", ("white", "black or other"), first=0),
    Coded(
        "marital",
        "What is your marital status?",
        codes={2: "married", 3: "widowed", 4: "never married", 5: "divorced", 6: "separated"},
        may_skip=True,
    ),
    Number("school", "What is your highest grade of regular school?", low=0, high=17),
    Number(
        "income",
        "What is your family's income?",
        low=11,
        high=22,
        help="one of 12 brackets, from below $1,000 to $25,000 and over",
        may_skip=True,
    ),
    Number("ht", "How tall are you, in centimetres?"),
    Number("wt71", "What do you weigh, in kilograms?"),
    Number("cholesterol", "What is your serum cholesterol, in mg/100 ml?", may_skip=True),
    Number("pregnancies", "How many pregnancies have you had?", may_skip=True),
    yes_no("birthcontrol", "Birth control pills in the past 6 months?", may_skip=True),
)
HABITS = (
    Number("smokeintensity", "How many cigarettes a day do you smoke?", low=1, high=80),
    Number("smokeyrs", "How many years have you smoked?"),
    yes_no("alcoholpy", "Have you had a drink in the past year?", may_skip=True),
    choice(
        "alcoholfreq",
        "How often do you drink?",
        (
            "almost every day",
            "2 or 3 times a week",
            "1 to 4 times a month",
            "less than 12 times a year",
            "not last year",
        ),
        first=0,
        may_skip=True,
    ),
    choice(
        "alcoholtype",
        "What do you drink most often?",
        ("beer", "wine", "liquor", "other or unknown"),
    ),
    Number("alcoholhowmuch", "When you drink, how much do you drink?", may_skip=True),
    choice(
        "active",
        "In your usual day, how active are you?",
        ("very active", "moderately active", "inactive"),
        first=0,
    ),
    choice(
        "exercise",
        "In recreation, how much exercise do you get?",
        ("much", "moderate", "little or none"),
        first=0,
    ),
    yes_no("pica", "Do you eat dirt or clay, starch or other non-standard food?", may_skip=True),
)
COLUMNS = (
    *PERSON,
    *HABITS,
    *(
        yes_no(name, f"Have you ever had {words}?", may_skip=name in HALF)
        for name, words in DIAGNOSES.items()
    ),
    *(
        yes_no(name, f"Have you ever taken medication for {words}?", may_skip=name in HALF)
        for name, words in MEDICATIONS.items()
    ),
)
ASKED = (
    " Only what was asked in 1971 is a question, not that the person stopped smoking later;"
    " what is missing is a skip."
)
SOURCE = (
    "causaldata `nhefs_complete`: CDC, NHANES I Epidemiologic Follow-up Study, a US"
    " government survey; in causaldata's package (MIT)."
)


def people() -> pd.DataFrame:
    """Return what the smokers were asked, and what became of them."""
    frame = data_of("causaldata.nhefs_complete")
    return frame[[*(column.name for column in COLUMNS), "wt82_71", "death"]].astype(np.float64)


def by_weight() -> pd.DataFrame:
    """Return the smokers, and the change of their weight in three."""
    frame = people()
    return frame.assign(**{"class": terciles(frame["wt82_71"].to_numpy())})


def by_death() -> pd.DataFrame:
    """Return the smokers, and whether they had died by 1992."""
    frame = people()
    return frame.assign(**{"class": frame["death"]})


NHEFS = (
    ClassTable(
        "nhefs-weight",
        "how a smoker's weight changes from 1971 to 1982",
        people=1_566,
        arms=("loses or holds", "gains a little", "gains much"),
        columns=COLUMNS,
        load=by_weight,
        note="Kilograms, cut at their terciles, 0.11 and 5.21." + ASKED,
        source=SOURCE,
    ),
    ClassTable(
        "nhefs-death",
        "whether a smoker of 1971 dies by 1992",
        people=1_566,
        arms=("lives", "dies"),
        columns=COLUMNS,
        load=by_death,
        note="Four in five live." + ASKED,
        source=SOURCE,
    ),
)
