"""Sixteen bandits out of data sets that packages bring; nothing is downloaded."""

from __future__ import annotations

from typing import Any

from askless.environments.table import TableEnvironment
from askless.environments.tables.base import Table
from askless.environments.tables.experiments import EXPERIMENTS
from askless.environments.tables.measurements import MEASUREMENTS
from askless.environments.tables.nhefs import NHEFS
from askless.environments.tables.surveys import SURVEYS
from askless.errors import SettingError, meant, shown

__all__ = ["TABLES", "Table", "table"]

TABLES: dict[str, Table] = {
    entry.name: entry for entry in (*SURVEYS, *NHEFS, *EXPERIMENTS, *MEASUREMENTS)
}


def table(name: str) -> TableEnvironment:
    """Return one of the bandits of `TABLES`: real people, drawn with replacement.

    There are two kinds. Where classes are the arms, the reward is 1 for the person's own class and
    0 for another, and regret is NaN, as nobody knows the class. Where the arms are treatments of a
    real experiment, each arm's outcomes are modelled by gradient boosting among the people who got
    it: an outcome of 0 or 1 is drawn with the model's chance, any other is the model's prediction
    and the real residual of someone alike, trimmed at the ends of the range. Then regret is
    measured by the model's expectation.

    The data come with statsmodels, causaldata and scikit-learn, the extra `data`. A table is built
    once, in a second or two, and is the same every time.

    Parameters
    ----------
    name : str
        Which one; `askless tables` lists them, and `docs/tables.md` does.

    Examples
    --------
    >>> import askless as al
    >>> world = al.table("anes96-vote")
    >>> len(world), world.survey.names[-1], [arm.name for arm in world.arms]
    (944, 'PID', ['Clinton', 'Dole'])
    >>> al.TABLES["anes96-vote"].title
    'whom an American expects to vote for in 1996'
    >>> policy = al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, beta_min=0.2)
    >>> al.simulate(policy, world, horizon=2_000).reward_per_visit > 0.8
    True
    """
    known: Any = TABLES.get(name) if isinstance(name, str) else None
    if known is None:
        raise SettingError(f"there is no table {shown(name, 60)}{meant(name, TABLES, 'choose')}")
    environment: TableEnvironment = known.environment
    return environment
