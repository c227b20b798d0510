"""Tables out of real experiments, whose treatments are the arms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from askless.environments.tables.base import TreatmentTable, data_of
from askless.environments.tables.columns import Number, yes_no
from askless.environments.tables.surveys import HEALTH, randhie

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXPERIMENTS"]

# -- insurance for rice ----------------------------------------------------------------------------

OFFERS = "simple", "intensive", "simple-default", "intensive-default"
FARMER = (
    Number("age", "How old are you?", low=18, high=86),
    Number("agpop", "How many people live in your household?", low=1, high=19),
    Number(
        "ricearea_2010",
        "On what area do you grow rice?",
        low=0,
        high=100,
        cut=True,
        help="larger areas count as 100",
    ),
    Number("disaster_prob", "How likely is a disaster next year?", low=0, high=100, help="%"),
    yes_no("male", "Is the head of your household a man?"),
    Number("risk_averse", "How much do you avoid risks?", low=0, high=1),
    yes_no("literacy", "Can you read and write?"),
)
FARMERS = (
    "Four offers: a simple or an intensive session, and whether buying is the default. Rows with"
    " gaps (32 of 1,410) are left out, and so is the village's earlier take-up, which the default"
    " moves."
)
CAI = "causaldata `social_insure`: Cai, De Janvry, Sadoulet 2015; in causaldata's package (MIT)."


def insurance() -> pd.DataFrame:
    """Return the farmers without gaps, their offer, and whether they bought."""
    frame = data_of("causaldata.social_insure")
    frame = frame.dropna(subset=[column.name for column in FARMER])
    return frame.assign(
        arm=frame["intensive"] + 2 * frame["default"], outcome=frame["takeup_survey"]
    )


# -- e-mails to legislators ------------------------------------------------------------------------


def black_politicians() -> pd.DataFrame:
    """Return the legislators, whether the e-mail was from outside, and whether they replied."""
    frame = data_of("causaldata.black_politicians")
    return frame.assign(arm=frame["treat_out"], outcome=frame["responded"])


LEGISLATOR = (
    yes_no("leg_black", "Are you Black?"),
    yes_no("nonblacknonwhite", "Are you neither Black nor White?"),
    yes_no("leg_senator", "Are you a senator?"),
    yes_no("leg_democrat", "Are you a Democrat?"),
    yes_no("south", "Is your district in the South?"),
    Number(
        "totalpop",
        "How many people live in your district?",
        low=0,
        high=50,
        cut=True,
        help="tens of thousands; more counts as 50",
    ),
    Number("medianhhincom", "What is its median household income?", help="tens of thousands"),
    Number(
        "black_medianhh",
        "What is it among Black people?",
        low=0,
        high=5,
        cut=True,
        help="in the data's unit; more counts as 5, less as 0",
    ),
    Number("white_medianhh", "What is it among White people?", help="in the data's unit"),
    Number("blackpercent", "What share of the district is Black?", low=0, high=1),
    Number("urbanpercent", "What share of it is urban?", low=0, high=1),
    Number(
        "statessquireindex",
        "How professional is your state's legislature?",
        help="the Squire index",
    ),
)

# -- learning an HIV result ------------------------------------------------------------------------

DOLLARS = 0, 0.95, 1.9  # nothing, up to 100 kwacha, up to 200, more


def thornton_hiv() -> pd.DataFrame:
    """Return those tested who have all values, their incentive, and whether they came."""
    frame = data_of("causaldata.thornton_hiv").dropna(subset=["got", "tinc", "age", "distvct"])
    return frame.assign(arm=np.digitize(frame["tinc"], DOLLARS, right=True), outcome=frame["got"])


# -- a job, and what was earned later --------------------------------------------------------------


def nsw() -> pd.DataFrame:
    """Return the men of the demonstration, whether they got a job, and earnings of 1978."""
    frame = data_of("causaldata.nsw_mixtape")
    return frame.assign(arm=frame["treat"], outcome=frame["re78"])


# -- plans of health insurance ---------------------------------------------------------------------

PLANS = {  # coinsurance in percent, a deductible for each person or not
    (0, 0): "free",
    (25, 0): "pay-25",
    (50, 0): "pay-50",
    (95, 0): "pay-95",
    (0, 1): "deductible",
    (100, 1): "deductible-100",
}


def randhie_plans() -> pd.DataFrame:
    """Return the years of the RAND experiment, the plan, and the visits to a doctor."""
    frame, plans = randhie(), list(PLANS)
    which = zip(frame["coinsurance"].astype(int), frame["idp"].astype(int), strict=True)
    return frame.assign(arm=[plans.index(plan) for plan in which], outcome=frame["mdvis"])


EXPERIMENTS = (
    TreatmentTable(
        "insurance",
        "which offer makes a rice farmer take up insurance",
        people=1_378,
        arms=OFFERS,
        columns=FARMER,
        load=insurance,
        note=FARMERS,
        source=CAI,
    ),
    TreatmentTable(
        "insurance-equal",
        "the same, no offer better on average",
        people=1_378,
        arms=OFFERS,
        reward=(-0.1, 1.1),
        columns=FARMER,
        load=insurance,
        level=True,
        note="Each arm's 0 and 1 moved by a constant, so that all four have the same mean. "
        + FARMERS,
        source=CAI,
    ),
    TreatmentTable(
        "black-politicians",
        "which e-mail a legislator replies to",
        people=5_593,
        arms=("in-district", "out-of-district"),
        columns=LEGISLATOR,
        load=black_politicians,
        note="It purports to be from a Black person in the district, or from one outside. 1: a"
        " reply.",
        source="causaldata `black_politicians`: Broockman 2013; in causaldata's package (MIT).",
    ),
    TreatmentTable(
        "thornton-hiv",
        "which incentive makes someone learn an HIV result",
        people=2_829,
        arms=("none", "up to $1", "up to $2", "more"),
        columns=(
            Number("distvct", "How many kilometres is it to the clinic?", low=0, high=5.2),
            Number("age", "How old are you?", low=11, high=84),
        ),
        load=thornton_hiv,
        note="Incentives in four groups. Rows with gaps are left out, most of them not in the"
        " experiment; the HIV result is no question, as nobody knows it yet. 1: came.",
        source="causaldata `thornton_hiv`: Thornton 2008; in causaldata's package (MIT).",
    ),
    TreatmentTable(
        "nsw",
        "whether a guaranteed job raises later earnings",
        people=445,
        arms=("nothing", "job"),
        reward=(0, 26_622),
        columns=(
            Number("age", "How old are you?", low=17, high=55),
            Number("educ", "How many years of education have you had?", low=3, high=16),
            yes_no("black", "Are you Black?"),
            yes_no("hisp", "Are you Hispanic?"),
            yes_no("marr", "Are you married?"),
            yes_no("nodegree", "Have you no degree?"),
            Number("re74", "What did you earn in 1974?", low=0, help="dollars"),
            Number("re75", "What did you earn in 1975?", low=0, help="dollars"),
        ),
        load=nsw,
        note="Dollars earned in 1978, trimmed at 26,622, their 99% quantile.",
        source="causaldata `nsw_mixtape`: LaLonde 1986, Dehejia and Wahba 1999; in causaldata's"
        " package (MIT).",
    ),
    TreatmentTable(
        "randhie-plans",
        "which health insurance plan makes someone see a doctor",
        people=20_190,
        arms=tuple(PLANS.values()),
        reward=(0, 21),
        columns=HEALTH,
        load=randhie_plans,
        note="A row is a person's year; outpatient visits to an MD, trimmed at 21, their 99%"
        " quantile. Plans by coinsurance in percent and by a deductible for each person. What"
        " comes with a plan (its limit, the pay for taking part) is no question.",
        source="statsmodels `randhie`: RAND Health Insurance Experiment, from Cameron and Trivedi"
        " 2005; public domain.",
    ),
)
