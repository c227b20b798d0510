"""askless asks people as few questions as it can and still gives each the best decision."""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from askless import errors
from askless.checks import check_environment, check_policy
from askless.environments import (
    FAMILIES,
    TABLES,
    Block,
    Environment,
    Family,
    LinearEnvironment,
    LoggedData,
    PilotAnswers,
    Prior,
    Table,
    TableEnvironment,
    family,
    paper_environment,
    read_table,
    table,
)
from askless.evaluation import (
    Analysis,
    ArmMean,
    Contrast,
    Estimate,
    OffPolicy,
    Plan,
    Replayed,
    Value,
    analyse,
    off_policy,
    plan,
    rebuild,
    replay_log,
)
from askless.experiments import Comparison, compare
from askless.policies import (
    POLICIES,
    Asked,
    Decision,
    Direction,
    Effect,
    Evidence,
    Explanation,
    InOrder,
    Policy,
    Visit,
    VisitKind,
    VisitRecord,
    load,
    policy_for,
    register,
)
from askless.policies.catalogue import OURS as _OURS
from askless.policies.ours import *  # noqa: F403
from askless.simulation import (
    Delay,
    LoggedVisit,
    Recording,
    Run,
    Runs,
    Sweep,
    read_sweep,
    read_visits,
    record_visits,
    simulate,
    sweep_frame,
    write_visits,
)
from askless.sparse import ElasticNet, elastic_net
from askless.survey import (
    Arm,
    Choice,
    Constants,
    Multi,
    Question,
    RewardRange,
    Scale,
    Study,
    Survey,
    YesNo,
    setting,
)

if _TYPE_CHECKING:
    from askless.client import AsyncClient as AsyncClient
    from askless.client import Client as Client

__version__ = _version("askless")

# They need the extra `service`: they are imported when they are first named, and `import *` does
# without them.
_LATER = ("AsyncClient", "Client")

__all__ = [  # noqa: PLE0604 (ours are texts too)
    *_OURS,
    "FAMILIES",
    "POLICIES",
    "TABLES",
    "Analysis",
    "Arm",
    "ArmMean",
    "Asked",
    "Block",
    "Choice",
    "Comparison",
    "Constants",
    "Contrast",
    "Decision",
    "Delay",
    "Direction",
    "Effect",
    "ElasticNet",
    "Environment",
    "Estimate",
    "Evidence",
    "Explanation",
    "Family",
    "InOrder",
    "LinearEnvironment",
    "LoggedData",
    "LoggedVisit",
    "Multi",
    "OffPolicy",
    "PilotAnswers",
    "Plan",
    "Policy",
    "Prior",
    "Question",
    "Recording",
    "Replayed",
    "RewardRange",
    "Run",
    "Runs",
    "Scale",
    "Study",
    "Survey",
    "Sweep",
    "Table",
    "TableEnvironment",
    "Value",
    "Visit",
    "VisitKind",
    "VisitRecord",
    "YesNo",
    "analyse",
    "check_environment",
    "check_policy",
    "compare",
    "elastic_net",
    "errors",
    "family",
    "load",
    "off_policy",
    "paper_environment",
    "plan",
    "policy_for",
    "read_sweep",
    "read_table",
    "read_visits",
    "rebuild",
    "record_visits",
    "register",
    "replay_log",
    "setting",
    "simulate",
    "sweep_frame",
    "table",
    "write_visits",
]


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from askless import client  # noqa: PLC0415

    globals()[name] = getattr(client, name)
    return globals()[name]
