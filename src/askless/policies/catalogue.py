"""The policies by name, for study files, saved states and the command line."""

from __future__ import annotations

from pathlib import Path

from askless.errors import AsklessError, SettingError, StateError, shown
from askless.policies.base import Policy
from askless.policies.elastic_net_survey_ucb import ElasticNetSurveyUCB
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.files import read_state
from askless.policies.ridge_survey_ucb import RidgeSurveyUCB
from askless.policies.rivals import OFUL, LinUCB, Target, Uniform
from askless.survey import Study

__all__ = ["POLICIES", "load", "policy_for"]

POLICIES: dict[str, type[Policy]] = {
    kind.name: kind
    for kind in (
        EpochSurveyUCB,
        RidgeSurveyUCB,
        ElasticNetSurveyUCB,
        LinUCB,
        OFUL,
        Target,
        Uniform,
    )
}


def policy_for(study: Study) -> Policy:
    """Return the policy that a study describes, ready for its first visit.

    >>> import askless as al
    >>> study = al.Study(al.Survey.unit(3), (al.Arm("a"), al.Arm("b")), al.RewardRange(0, 1),
    ...                  policy="ridge", settings={"beta_min": 0.2})
    >>> al.policy_for(study).asked_now()
    ('x1', 'x2', 'x3')
    """
    if not isinstance(study, Study):
        raise SettingError(f"{shown(study)} is not a study; read one with askless.Study.read(path)")
    kind = POLICIES.get(study.policy)
    if kind is None:
        raise SettingError(f"there is no policy {study.policy!r}; choose {', '.join(POLICIES)}")
    try:
        return kind(study.survey, arms=study.arms, reward=study.reward, **study.settings)
    except TypeError as error:
        what = str(error).removeprefix(f"{kind.__name__}.__init__() ")
        raise study.refusal(SettingError(f"policy {study.policy!r}: {what}")) from None
    except AsklessError as error:
        raise study.refusal(error) from None


def load(path: str | Path, *, kind: type[Policy] | None = None) -> Policy:
    """Read a policy that `Policy.save` wrote.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : type of Policy, optional
        The class, where the policy is one of your own.

    Examples
    --------
    >>> import tempfile, pathlib, askless as al
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "state.json"
    >>> policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    >>> policy.learn_row(0, [1, 0.25, -0.5], 0.75)
    >>> policy.save(path)
    >>> al.load(path).rows
    array([1, 0])
    """
    content = read_state(path)
    name = content.get("policy")
    given, kind = kind, kind or POLICIES.get(str(name))
    if given is not None and given.name != name:
        raise StateError(
            f"{path}: the file holds a policy {name!r}, and kind= is {given.name!r}; leave it out"
            " or give the class that was saved"
        )
    if kind is None:
        raise StateError(f"{path}: the file holds a policy {name!r}; give its class as kind=")
    try:
        return kind.from_dict(content)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise StateError(f"{path}: the file is damaged: {error}") from None
