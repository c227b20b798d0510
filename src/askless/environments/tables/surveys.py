"""Tables out of surveys, with the classes of an outcome as arms: statsmodels' three."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from askless.environments.tables.base import ClassTable, data_of, terciles
from askless.environments.tables.columns import Number, choice, yes_no

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HEALTH", "SURVEYS", "randhie"]

# -- affairs ---------------------------------------------------------------------------------------

WORK = (
    "student",
    "farming, semi-skilled or unskilled work",
    "white-collar",
    "teaching, social work, nursing, art, skilled work",
    "managerial, administrative, business",
    "professional with an advanced degree",
)


def fair() -> pd.DataFrame:
    """Return Fair's women, and whether they had an affair."""
    frame = data_of("statsmodels.datasets.fair")
    return frame.assign(**{"class": frame["affairs"] > 0})


FAIR = ClassTable(
    "fair",
    "whether a married woman had an affair",
    people=6_366,
    arms=("none", "some"),
    columns=(
        Number("rate_marriage", "How do you rate your marriage?", low=1, high=5),
        Number("age", "How old are you?", low=17.5, high=42),
        Number("yrs_married", "How many years have you been married?", low=0.5, high=23),
        Number("children", "How many children have you?", low=0, high=5.5),
        Number("religious", "How religious are you?", low=1, high=4),
        Number("educ", "How many years of education have you had?", low=9, high=20),
        choice("occupation", "What is your occupation?", WORK),
        choice("occupation_husb", "What is your husband's occupation?", WORK),
    ),
    load=fair,
    note="Some: any time spent in affairs. Ages, years and children are midpoints of intervals.",
    source="statsmodels `fair`: Fair 1978, a survey of Redbook magazine; included with the"
    " author's permission.",
)

# -- the election of 1996 --------------------------------------------------------------------------

LEANING = "1: extremely liberal, 7: extremely conservative"
VOTER = (
    Number(
        "logpopul",
        "How many people live in your place?",
        help="the logarithm of thousands, plus 0.1",
    ),
    Number("TVnews", "On how many days a week do you watch the news on TV?", low=0, high=7),
    Number("selfLR", "Where do you stand, from left to right?", low=1, high=7, help=LEANING),
    Number("ClinLR", "Where does Bill Clinton stand?", low=1, high=7, help=LEANING),
    Number("DoleLR", "Where does Bob Dole stand?", low=1, high=7, help=LEANING),
    Number("age", "How old are you?", low=19, high=91),
    Number(
        "educ", "What is your education?", low=1, high=7, help="1: up to 8 grades, 7: doctorate"
    ),
    Number(
        "income",
        "What is your household's income?",
        low=1,
        high=24,
        help="one of 24 brackets, from below $2,999 to $105,000 and over",
    ),
)
PARTY = Number(
    "PID",
    "Which party do you identify with?",
    low=0,
    high=6,
    help="0: strong Democrat, 3: independent, 6: strong Republican",
)
ANES = "statsmodels `anes96`: American National Election Studies of 1996, a subset; public domain."


def anes96_vote() -> pd.DataFrame:
    """Return voters, and whom they expect to vote for."""
    frame = data_of("statsmodels.datasets.anes96")
    return frame.assign(**{"class": frame["vote"]})


def anes96_party() -> pd.DataFrame:
    """Return voters, and their party in three."""
    frame = data_of("statsmodels.datasets.anes96")
    return frame.assign(**{"class": np.digitize(frame["PID"], [2, 5])})


VOTE = ClassTable(
    "anes96-vote",
    "whom an American expects to vote for in 1996",
    people=944,
    arms=("Clinton", "Dole"),
    columns=(*VOTER, PARTY),
    load=anes96_vote,
    note="All questions but the vote; the place's population by its logarithm.",
    source=ANES,
)
PARTIES = ClassTable(
    "anes96-party",
    "which party an American identifies with in 1996",
    people=944,
    arms=("Democrat", "independent", "Republican"),
    columns=VOTER,
    load=anes96_party,
    note="Strong and weak Democrats and Republicans; those who lean are independents. The vote is"
    " no question.",
    source=ANES,
)

# -- visits to a doctor ----------------------------------------------------------------------------

HEALTH = (
    choice("health", "How is your health?", ("excellent", "good", "fair", "poor"), first=0),
    Number(
        "physlm",
        "Have you a physical limitation?",
        low=0,
        high=1,
        help="0: no, 1: yes; fractions were imputed by those who made the data",
    ),
    Number("disea", "How many chronic diseases have you?", low=0, high=58.6, help="an index"),
)


def randhie() -> pd.DataFrame:
    """Return the years of the RAND experiment, health in one column, coinsurance in percent."""
    frame = data_of("statsmodels.datasets.randhie")
    return frame.assign(
        health=frame["hlthg"] + 2 * frame["hlthf"] + 3 * frame["hlthp"],
        coinsurance=np.round(np.expm1(frame["lncoins"])),
    )


def randhie_visits() -> pd.DataFrame:
    """Return the years, and the visits to a doctor in three."""
    frame = randhie()
    return frame.assign(**{"class": terciles(frame["mdvis"].to_numpy(dtype=np.float64))})


VISITS = ClassTable(
    "randhie-visits",
    "how often someone sees a doctor in a year",
    people=20_190,
    arms=("never", "once or twice", "more often"),
    columns=(
        *HEALTH,
        Number("coinsurance", "What share of the bill do you pay?", low=0, high=100, help="%"),
        yes_no("idp", "Has your plan a deductible for each person?"),
        Number("lpi", "What are you paid a year for taking part?", low=0, help="its logarithm"),
        Number(
            "fmde",
            "How much can you have to pay in a year?",
            low=0,
            help="the logarithm of the plan's largest expenditure over its coinsurance",
        ),
    ),
    load=randhie_visits,
    note="A row is a person's year; outpatient visits to an MD, cut at their terciles, 1 and 3.",
    source="statsmodels `randhie`: RAND Health Insurance Experiment, from Cameron and Trivedi"
    " 2005; public domain.",
)

SURVEYS = FAIR, VOTE, PARTIES, VISITS
