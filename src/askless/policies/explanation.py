"""Why a visit asks what it asks, or plays what it plays: as data, and as a small table."""

from __future__ import annotations

from dataclasses import dataclass, field

from askless.survey.question import Answer

__all__ = ["Explanation"]


@dataclass(frozen=True)
class Explanation:
    """Why a visit asks what it asks, or why it plays its arm. Printing it gives a small table.

    Attributes
    ----------
    arm : str or None
        The arm played, `None` while questions are open.
    answers : dict
        The answers held.
    known : tuple of str
        Those that were held before the visit.
    possible : tuple of str
        The arms that can still win; once it is decided, those that were compared.
    ruled_out : tuple of str
        The arms that certainly do not win, whatever is answered: they are not asked for any more.
    outlook : dict
        At the decision, per arm compared: expected reward and score, which is what arms are
        compared by; empty if the policy has none.
    score : str
        What the scores are: "upper bound", where they are upper confidence bounds, or "score".
    version : int or None
        The version of the state that decided.
    propensity : float or None
        With which probability this arm was to be played; below 1 where arms are drawn at random.
    asks : dict
        Per question asked now the arms whose models use it and that can still win (none: it is
        asked of everyone); of questions that come first, the arms whose rules need it.
    bounds : dict
        Interactive surveys, while questions are open: per arm, between which values its score
        must lie whatever is answered from here on.
    moves : dict
        Likewise, per question asked now and arm: how far apart its answers can put that score,
        the other open questions being answered in the middle.
    barred : tuple of str
        The arms that rules keep from this person.
    about : str
        Of which kind the visit is and why, where a policy has several.
    """

    arm: str | None
    answers: dict[str, Answer]
    known: tuple[str, ...]
    possible: tuple[str, ...]
    ruled_out: tuple[str, ...]
    outlook: dict[str, tuple[float, float]] = field(default_factory=dict)
    version: int | None = None
    propensity: float | None = None
    asks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    moves: dict[str, dict[str, float]] = field(default_factory=dict)
    score: str = "upper bound"
    about: str = ""
    barred: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = self._open() if self.arm is None else self._decided()
        if self.barred:
            said += f"\n  not open to this person, by their rules: {', '.join(self.barred)}"
        return f"{self.about}\n{said}" if self.about else said

    def _open(self) -> str:
        lines = ["Still to ask, and for which arms:"]
        for question, arms in self.asks.items():
            moves = self.moves.get(question, {})
            users = [f"{arm} (moves it by {moves[arm]:.4g})" if moves else arm for arm in arms]
            lines.append(f"  {question}: {', '.join(users) or 'asked of everyone'}")
        if self.bounds:
            width = max(len(self.score), *(len(name) for name in self.bounds))
            lines.append(f"  {self.score:<{width}}  {'at least':>12}  {'at most':>12}")
            for name, (low, high) in sorted(self.bounds.items(), key=lambda item: -item[1][1]):
                out = "  cannot win" if name in self.ruled_out else ""
                lines.append(f"  {name:<{width}}  {low:>12.6g}  {high:>12.6g}{out}")
        return "\n".join(lines)

    def _decided(self) -> str:
        asked = len(self.answers) - len(self.known)
        head = f"Played {self.arm} after {asked} questions (state version {self.version})"
        if self.propensity is not None and self.propensity < 1:
            head += (
                f"\n  some arms are drawn at random; this one's chance was {self.propensity:.4g}"
            )
        if not self.outlook:
            return head
        width = max(len(name) for name in self.outlook)
        ranked = sorted(self.outlook.items(), key=lambda item: -item[1][1])
        lines = [head, f"  {'':<{width}}  {'expected':>12}  {self.score:>12}"]
        lines += [
            f"  {name:<{width}}  {mean:>12.6g}  {upper:>12.6g}"
            f"{'  <- played' if name == self.arm else ''}"
            for name, (mean, upper) in ranked
        ]
        if ranked[0][0] != self.arm:
            lines.append(
                "  not by its score: first rows are given in turn, some arms are drawn, coins of"
                " checks decide"
            )
        if self.ruled_out:
            lines.append(f"  cannot win, whatever is answered: {', '.join(self.ruled_out)}")
        return "\n".join(lines)
