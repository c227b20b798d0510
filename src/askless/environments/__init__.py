"""Where simulated respondents come from."""

from askless.environments.answers import AnswerModel
from askless.environments.base import Block, Environment
from askless.environments.families import FAMILIES, Family, family
from askless.environments.linear import LinearEnvironment
from askless.environments.logged_data import LoggedData
from askless.environments.own_table import read_table
from askless.environments.paper import paper_environment
from askless.environments.pilot import PilotAnswers
from askless.environments.prior import Prior
from askless.environments.table import TableEnvironment
from askless.environments.tables import TABLES, Table, table

__all__ = [
    "FAMILIES",
    "TABLES",
    "AnswerModel",
    "Block",
    "Environment",
    "Family",
    "LinearEnvironment",
    "LoggedData",
    "PilotAnswers",
    "Prior",
    "Table",
    "TableEnvironment",
    "family",
    "paper_environment",
    "read_table",
    "table",
]
