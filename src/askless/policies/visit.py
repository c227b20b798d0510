"""One respondent's passage: asks, answers, arm, later a reward. A pure state machine, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.arrays import Flags, Floats, some
from askless.core.words import TIED
from askless.errors import AnswerError, AsklessError, VisitError, shown
from askless.policies.decided import Decided
from askless.policies.decision import Check
from askless.policies.explanation import Explanation
from askless.policies.hooks import Hooks
from askless.policies.passage import Start, Step, answering, begin, opened, opening, step
from askless.policies.visit_record import VisitRecord, damaged
from askless.survey import Survey
from askless.survey.question import Answer

if TYPE_CHECKING:
    from askless.policies.base import Policy

__all__ = ["Visit"]


class Visit:
    """What has been asked of one person, what was answered, and what was decided.

    Made by `Policy.visit`. It moves on when it is created, answered, revised or resumed, and then
    sees the policy's newest state; looking at it changes nothing. What is asked next and which arm
    is played depend only on that state, the answers so far and the visit's own draws, so a visit
    can be put away with `to_dict` and resumed by any process that holds the policy. It never asks
    more than it promised at its start.

    Attributes
    ----------
    reward : float or None
        The reward it was learned with.
    learned_in : int or None
        The arm's epoch in which it was learned, from 0, if the policy has epochs; of a short visit
        which short form it taught.
    start : Start
        What was fixed when it started, in numbers; where arms have rules, once these are answered.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        number: int,
        known: Mapping[str, Any] | None,
        arms: Iterable[str] | None,
    ) -> None:
        survey, roster = policy.survey, policy.roster
        self._policy = policy
        self._eligible: tuple[str, ...]
        self._eligible, mask = roster.eligible(arms)
        self._first: Start | None = None  # what it could do at most before rules were applied
        if roster.rules is not None:
            self._first = opening(policy, number, mask)
        self.start: Start = begin(policy, number, mask) if self._first is None else self._first
        self._z: Floats = survey.nothing_known()
        self._answers: dict[str, Answer] = {}
        if known is not None:
            self._answers = self._needed(self.start, survey.put(known, self._z), self._z)
        self._known: tuple[str, ...] = tuple(self._answers)
        self._shown: dict[str, None] = {}
        self._asks: tuple[str, ...] = ()
        self._possible: Flags | None = None
        self._decided: Decided | None = None
        self.reward: float | int | None = None
        self.learned_in: int | None = None
        self._go_on(self._answers, self._z)

    # -- the passage -----------------------------------------------------------------------------

    @property
    def asks(self) -> tuple[str, ...]:
        """The questions to put now, in survey order; empty once the arm is decided."""
        return self._asks

    def answer(self, answers: Mapping[str, Any]) -> None:
        """Take any non-empty part of what is asked; all of it, or nothing if one does not fit."""
        with self._policy.lock:
            if type(answers) is not dict or not answers:
                _check_given(answers)
            for name in answers:
                if name in self._answers or name not in self._shown:
                    raise self._not_asked(name)
            self._move(answers)

    def _not_asked(self, name: Any) -> AnswerError:
        """Return why a question is not to be answered now."""
        self.survey.index(name)  # refuses what is no question
        if name in self._answers:
            return AnswerError(
                f"question {name!r} has been answered in this visit already; to change it, use"
                " revise"
            )
        asks = self._asks
        now = f"it asks {', '.join(asks)} now" if asks else "it asks nothing any more"
        return AnswerError(f"question {name!r} has not been asked in this visit; {now}")

    def revise(self, answers: Mapping[str, Any]) -> None:
        """Change answers, until the arm is decided; all of them, or none if one does not fit.

        Examples
        --------
        >>> import askless as al
        >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
        >>> visit = al.Uniform(survey, arms=["a", "b"], reward=(0, 1)).visit()
        >>> visit.answer({"age": 19})
        >>> visit.revise({"age": 90})
        >>> visit.answers, visit.asks
        ({'age': 90}, ('donor',))
        """
        with self._policy.lock:
            _check_given(answers)
            names = [self.survey.names[self.survey.index(name)] for name in answers]
            if self._decided is not None:
                raise VisitError("the arm is decided; answers can be changed only until then")
            for name in names:
                if name not in self._answers:
                    raise AnswerError(
                        f"question {name!r} has not been answered in this visit; to answer it, use"
                        " answer"
                    )
            self._move(answers)

    def _move(self, answers: Mapping[str, Any]) -> None:
        """Take answers and move on; whatever is refused on the way leaves no trace."""
        z = self._z.copy()
        checked = self._policy.survey.put(answers, z)
        if self._decided is None:
            self._go_on(self._answers | checked, z)
        else:
            self._z = z
            self._answers.update(checked)

    def _go_on(self, answers: dict[str, Answer], z: Floats) -> None:
        """Ask or decide by these answers; whatever is refused on the way leaves no trace."""
        policy, start = self._policy, self.start
        if self._first is not None:
            put = np.array([name in self._shown for name in policy.survey.names])
            start = opened(policy, self._first, start, answers, put)
            answers = self._needed(start, answers, z)
        self._take(step(policy, start, z), z)
        if start is not self.start:
            self.start, self._eligible = start, policy.roster.names_of(start.eligible)
            self._known = tuple(name for name in self._known if name in answers)
        self._z, self._answers = z, answers

    def _needed(self, start: Start, answers: dict[str, Answer], z: Floats) -> dict[str, Answer]:
        """Let held answers go that no arm needs: what is never asked is never stored."""
        survey = self._policy.survey
        z[1:][~start.promised[survey.owner]] = np.nan
        promised = set(survey.names_of(start.promised))
        return {q: a for q, a in answers.items() if q in promised}

    def _hooks(self) -> Hooks:
        return answering(self._policy, self.start.kind, self.start.promised)

    def _take(self, now: Step, z: Floats) -> None:
        """Record what the visit asks now, or what it has decided; all of it, or nothing."""
        policy, decision = self._policy, now.decision
        kept = now.by.trusted  # else arrays are copied: a policy may go on with them
        if decision is None:
            self._asks = asks = policy.survey.names_of(now.asks)
            self._shown.update(dict.fromkeys(asks))
            self._possible = now.possible if kept else now.possible.copy()
            return
        chances = decision.propensities if kept else None
        means, scores = policy._told_outlook(z, now.by)
        ruled_out = ~now.possible
        ruled_out[decision.arm] = False  # it may have been drawn
        if some(ruled_out):
            means[ruled_out] = np.nan
            ruled_out &= now.may
        self._decided = Decided(
            arm=int(decision.arm),
            version=policy._version,
            may=now.may,
            chances=decision.chances().copy() if chances is None else chances,
            means=means,
            scores=scores,
            ruled_out=ruled_out,
            check=decision.check,
        )
        self._asks = ()

    # -- looking at it ---------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The visit's number in its study, from 0."""
        return self.start.number

    @property
    def kind(self) -> str | None:
        """Which kind of visit it is: "full" unless the policy has others.

        It is fixed when the visit starts; but some full visits turn out to be a "check" when their
        arm is decided (maths 9). Where arms have rules it is None until the questions of these are
        answered, which come first; it is drawn anew if an answer is revised that changes which arms
        the person may get.
        """
        check = None if self._decided is None else self._decided.check
        return "check" if check is not None and check.tossed else self.start.kind

    @property
    def check(self) -> Check | None:
        """What its decision was compared with; `None` where it was not (maths 9.4)."""
        return None if self._decided is None else self._decided.check

    @property
    def decided(self) -> bool:
        """Whether the arm has been decided."""
        return self._decided is not None

    @property
    def arm(self) -> str:
        """The arm to play; an error while questions are open."""
        if self._decided is None:
            raise self._undecided()
        return self._policy.roster.names[self._decided.arm]

    @property
    def arm_index(self) -> int:
        """The arm's index in the policy's arrays."""
        if self._decided is None:
            raise self._undecided()
        return self._decided.arm

    def _undecided(self) -> VisitError:
        return VisitError(f"the arm is not decided yet; first answer {', '.join(self._asks)}")

    @property
    def survey(self) -> Survey:
        """The survey of its policy."""
        return self._policy.survey

    @property
    def eligible(self) -> tuple[str, ...]:
        """The arms that it could play at its start; of those with rules, whose rules hold."""
        return self._eligible

    @property
    def promised(self) -> tuple[str, ...]:
        """The questions that it may ask at most, fixed when it started.

        They become fewer, never more, once rules are applied and its kind is known.
        """
        return self._policy.survey.names_of(self.start.promised)

    @property
    def version(self) -> int | None:
        """The version of the policy's state that decided, `None` before."""
        return None if self._decided is None else self._decided.version

    @property
    def propensities(self) -> dict[str, float] | None:
        """With which probability each arm that it could get was to be played, `None` before."""
        if self._decided is None:
            return None
        return self._by_arm(self._decided.may, self._decided.chances)

    @property
    def propensity(self) -> float | None:
        """With which probability this arm was to be played, `None` before it is decided.

        1 unless the policy draws arms at random.
        """
        return None if self._decided is None else float(self._decided.chances[self._decided.arm])

    def _by_arm(self, marked: Flags, numbers: Floats) -> dict[str, float]:
        """Return the numbers of the arms that are marked, by name."""
        names = self._policy.roster.names_of(marked)
        return dict(zip(names, numbers[: len(marked)][marked].tolist(), strict=True))

    def _outlook(self) -> dict[str, tuple[float, float]]:
        """Return expected reward and score of each arm that was compared, by name."""
        if self._decided is None:
            return {}
        told = ~np.isnan(self._decided.means)
        means = self._by_arm(told, self._decided.means)
        scores = self._by_arm(told, self._decided.scores)
        return {arm: (mean, scores[arm]) for arm, mean in means.items()}

    def _ruled_out(self) -> tuple[str, ...]:
        if self._decided is None:
            return ()
        return self._policy.roster.names_of(self._decided.ruled_out)

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions put to the person so far; known answers are not among them."""
        return tuple(self._shown)

    @property
    def answers(self) -> dict[str, Answer]:
        """Every answer held, as given; `None` is a skip."""
        return {q: list(a) if isinstance(a, list) else a for q, a in self._answers.items()}

    def context(self) -> Floats:
        """Return the answers as a context; NaN where nothing was asked."""
        return self._z.copy()

    def explain(self) -> Explanation:
        """Say what is asked and why, or how the arm was decided."""
        with self._policy.lock:
            return self._explain_asks() if self._decided is None else self._explain_arm()

    def _explain_arm(self) -> Explanation:
        outlook = self._outlook()
        return Explanation(
            arm=self.arm,
            answers=self.answers,
            known=self._known,
            outlook=outlook,
            version=self.version,
            propensity=self.propensity,
            possible=tuple(outlook) or (self.arm,),
            ruled_out=self._ruled_out(),
            score=self._policy.score_name,
            barred=self._barred(),
            about=self._policy.about(self),
        )

    def _barred(self) -> tuple[str, ...]:
        """Return the arms that rules keep from this person."""
        rules, roster = self._policy.roster.rules, self._policy.roster
        if rules is None or self.start.kind is None:
            return ()
        return roster.names_of(~rules.open_to(self._answers))

    def _explain_rules(self) -> Explanation:
        """Say why the questions of rules come first."""
        rules = self._policy.roster.rules
        assert rules is not None  # else it has a kind
        return Explanation(
            arm=None,
            answers=self.answers,
            known=self._known,
            asks={name: rules.needing(name) for name in self._asks},
            possible=self._eligible,
            ruled_out=(),
            about="Everyone is asked first what says which arms they may get",
        )

    def _explain_asks(self) -> Explanation:
        if self.start.kind is None:
            return self._explain_rules()
        policy, roster = self._policy, self._policy.roster
        mask = roster.playable(self.start.eligible)
        asked_for = possible = mask if self._possible is None else roster.padded(self._possible)
        reach = policy._told_reach(self._z, mask, self._hooks())
        bounds: dict[str, tuple[float, float]] = {}
        if reach is not None:
            # Asking stops at the first arm that can still win; here every arm is looked at.
            ends = np.abs([reach.low[mask], reach.high[mask]])
            tied = 2 * TIED * (policy.reward.span + ends.max())  # more than a tie ever is (maths 2)
            possible = mask & (reach.high >= reach.low[mask].max() - tied)
            for k in np.flatnonzero(mask):
                bounds[policy.arms[k]] = float(reach.low[k]), float(reach.high[k])
        wanted: dict[str, tuple[str, ...]] = {}
        moves: dict[str, dict[str, float]] = {}
        for name in self._asks:
            g = policy.survey.index(name)
            users = policy.support[:, g]
            if reach is not None and reach.moves[:, g].any():  # else it is asked to be learned
                users = users & (reach.moves[:, g] > 0)
            wanted[name] = roster.names_of(possible & users) or roster.names_of(asked_for & users)
            if reach is not None:
                moves[name] = {
                    arm: float(reach.moves[policy.arm_index(arm), g]) for arm in wanted[name]
                }
        return Explanation(
            arm=None,
            answers=self.answers,
            known=self._known,
            asks=wanted,
            possible=roster.names_of(possible),
            ruled_out=roster.names_of(mask & ~possible),
            bounds=bounds,
            moves=moves,
            score=policy.score_name,
            barred=self._barred(),
            about=policy.about(self),
        )

    # -- putting it away -------------------------------------------------------------------------

    def record(self) -> VisitRecord:
        """Return what it has done, all by name, as `VisitRecord.read` gives it without a policy."""
        with self._policy.lock:
            return VisitRecord(
                number=self.number,
                kind=self.kind,
                eligible=self._eligible,
                promised=self.promised,
                asked=self.asked,
                known=self._known,
                answers=self.answers,
                arm=self.arm if self.decided else None,
                decided_at=self.version,
                propensities=self.propensities,
                outlook=self._outlook(),
                ruled_out=self._ruled_out(),
                reward=self.reward,
                learned_in=self.learned_in,
                check=None if self.check is None else self._named_check(self.check),
                opening=self._named_opening(),
            )

    def _named_opening(self) -> dict[str, tuple[str, ...]] | None:
        """Return what an answer that is revised can still lead back to."""
        if self._first is None or self.start.kind is None or self.decided:
            return None
        roster, survey = self._policy.roster, self._policy.survey
        arms, questions = self._first.eligible, self._first.promised
        return {"arms": roster.names_of(arms), "promised": survey.names_of(questions)}

    def _named_check(self, check: Check) -> dict[str, Any]:
        arms = self._policy.arms
        return check._asdict() | {"full": arms[check.full], "short": arms[check.short]}

    def to_dict(self) -> dict[str, Any]:
        """Return the visit as plain data for JSON; `policy.visit(saved)` goes on from it."""
        return self.record().to_dict()

    @classmethod
    def resume(cls, policy: Policy, saved: Mapping[str, Any]) -> Visit:
        """Go on with what `to_dict` returned; use `policy.visit(saved)`."""
        record, visit = VisitRecord.read(saved), cls.__new__(cls)
        try:
            visit._restore(policy, record)
        except (AsklessError, TypeError, AttributeError) as error:
            raise damaged(error) from None
        if record.arm is None:
            visit._go_on(visit._answers, visit._z)
        return visit

    def _restore(self, policy: Policy, record: VisitRecord) -> None:
        survey, roster = policy.survey, policy.roster
        self._policy = policy
        self._eligible = record.eligible
        kind = "full" if record.kind == "check" else record.kind
        eligible = roster.flags(record.eligible)
        self.start = Start(record.number, kind, eligible, _marked(survey, record.promised))
        self._first = None
        if roster.rules is not None:
            first = record.opening or {"arms": record.eligible, "promised": record.promised}
            arms, questions = roster.flags(first["arms"]), _marked(survey, first["promised"])
            self._first = Start(record.number, None, arms, questions)
            if (
                kind is not None
                and np.greater(eligible, roster.rules.open_to(record.answers)).any()
            ):
                raise AsklessError(
                    "its answers do not satisfy the rule of an arm that it could play"
                )
        elif kind is None:
            raise AsklessError("it waits for answers that rules need, and no arm has a rule")
        self._z = survey.nothing_known()
        self._answers = survey.put(record.answers, self._z)
        self._known = record.known
        self._shown = dict.fromkeys(survey.names[survey.index(name)] for name in record.asked)
        self._asks, self._possible = (), None
        self._decided = Decided.read(policy, record)
        self.reward, self.learned_in = record.reward, record.learned_in
        if self.reward is not None:
            policy.reward.check(self.reward)

    def __repr__(self) -> str:
        state = f"arm={self.arm!r}" if self.decided else "open"
        return f"Visit(number={self.number}, {len(self._answers)} answers, {state})"


def _marked(survey: Survey, names: Iterable[str]) -> Flags:
    """Return which questions are named; refuse what is none."""
    marked = np.zeros(len(survey), dtype=bool)
    marked[[survey.index(name) for name in names]] = True
    return marked


def _check_given(answers: Any) -> None:
    if not isinstance(answers, Mapping) or not answers:
        raise AnswerError(f"answers are {shown(answers)}; give a dict of question and answer")
