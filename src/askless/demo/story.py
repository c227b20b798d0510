"""What a demo has shown, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askless.demo.sending import Passage, Sender
from askless.policies import SurveyBandit, policy_for
from askless.policies.short_forms import ShortForm
from askless.storage import Database, LiveStudy
from askless.storage.replica import Replica
from askless.storage.summaries import read_spans
from askless.survey import Study

__all__ = ["Story", "questions_a_visit"]

SOME = 100  # visits over which a mean is taken, at the beginning and at the end
MOST_SPANS = 1_000


@dataclass(frozen=True)
class Story:
    """What came of a demo.

    Attributes
    ----------
    study : Study
        What was served.
    visits, decided, left, rewarded : int
        How many simulated people came, got an arm, went before, and brought a reward.
    short : int
        Decided visits that were short.
    at_first, now : float or None
        Questions that were put in the first and in the last hundred decided visits, a visit.
    dropped : tuple of str
        Questions that full visits asked in the beginning and ask no more.
    form : ShortForm or None
        The short form and its check; None where the policy has none.
    reward : float or None
        The mean reward.
    best : (str, float) or None
        The arm that would have brought the same people most, given to all of them, and how much;
        None if no arm is open to all of them.
    refused : tuple of str
        What the service has refused.
    """

    study: Study
    visits: int
    decided: int
    left: int
    rewarded: int
    short: int
    at_first: float | None
    now: float | None
    dropped: tuple[str, ...]
    form: ShortForm | None
    reward: float | None
    best: tuple[str, float] | None
    refused: tuple[str, ...]

    @classmethod
    def of(cls, sender: Sender, database: Database, study: Study) -> Story:
        """Put together what the sender saw and what the study has learned."""
        live = LiveStudy(database, study.name)
        still_asked, form = live.look(_learned)
        asked = policy_for(study).asked_now()
        spans = read_spans(database, live.id, "hundred", MOST_SPANS)
        came, decided = sender.rewarded, sorted(sender.decided, key=lambda passage: passage.number)
        return cls(
            study=study,
            visits=sender.started,
            decided=len(decided),
            left=sender.left,
            rewarded=len(came),
            short=sum(span["short"] for span in spans if span["arm"] is None),
            at_first=questions_a_visit(decided[:SOME]),
            now=questions_a_visit(decided[-SOME:]),
            dropped=tuple(name for name in asked if name not in still_asked),
            form=form,
            reward=_mean([passage.person.rewards[passage.arm] for passage in came]),
            best=_best_single(study, came),
            refused=tuple(sender.refused),
        )

    def lines(self) -> list[str]:
        """Say it in sentences, the verdict first."""
        return [*self._asking(), *self._short_form(), *self._earning(), *self._trouble()]

    def _asking(self) -> list[str]:
        people = (
            f"{self.study.name}: {self.visits:,} simulated people came, {self.decided:,} got an"
            f" arm, {self.left:,} left halfway."
        )
        if self.at_first is None or self.now is None:
            return [people]
        asked = (
            f"Questions a visit: {self.at_first:.1f} at first, {self.now:.1f} now, of"
            f" {len(self.study.survey)}."
        )
        gone = f" Dropped for good: {', '.join(self.dropped)}." if self.dropped else ""
        return [asked + gone, people]

    def _short_form(self) -> list[str]:
        if self.form is None:
            return []
        if self.form.questions is None:
            return ["No short form stands yet: every visit is full."]
        asks = ", ".join(self.form.questions) or "nothing"
        lines = [f"The short form asks {asks}; {self.short:,} visits were short."]
        if self.form.loss is not None:
            lines.append(f"What short visits cost, by the randomised check: {self._cost()}.")
        return lines

    def _cost(self) -> str:
        assert self.form is not None and self.form.loss is not None
        middle, low, high = self.form.loss
        if high - low >= 2 * self.study.reward.span:  # as far apart as two rewards can be
            return "too few checks yet to say anything"
        return f"{middle:.3g} of reward a visit (95% at all times: {low:.3g} to {high:.3g})"

    def _earning(self) -> list[str]:
        if self.reward is None:
            return []
        said = f"Mean reward: {self.reward:.4g} in {self.rewarded:,} visits"
        if self.best is None:
            return [f"{said}."]
        arm, mean = self.best
        return [f"{said}; {arm} for all, the best single arm, would have brought {mean:.4g}."]

    def _trouble(self) -> list[str]:
        if not self.refused:
            return []
        return [f"Calls that were refused: {len(self.refused):,}; the last: {self.refused[-1]}"]


def questions_a_visit(passages: Sequence[Passage]) -> float | None:
    """Return how many questions were put, on average; None if nobody was decided."""
    return _mean([float(passage.asked) for passage in passages])


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _best_single(study: Study, passages: Sequence[Passage]) -> tuple[str, float] | None:
    """Return which arm would have brought these people most; a simulation knows."""
    people = [passage.person for passage in passages]
    for_all = [arm.name for arm in study.arms if all(arm.name in p.open_to for p in people)]
    if not people or not for_all:
        return None
    means = {arm: sum(person.rewards[arm] for person in people) / len(people) for arm in for_all}
    best = max(means, key=lambda arm: means[arm])
    return best, means[best]


def _learned(replica: Replica) -> tuple[tuple[str, ...], ShortForm | None]:
    policy = replica.policy
    if isinstance(policy, SurveyBandit) and policy.price > 0:
        return policy.asked_now(), policy.short_form()
    return policy.asked_now(), None
