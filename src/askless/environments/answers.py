"""How simulated respondents answer: a distribution for each question, and their correlation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askless.core import draw_scales
from askless.core.arrays import Floats
from askless.core.special import betaincinv, ndtr
from askless.core.words import ANSWERS_A_WORD, GRID
from askless.errors import SettingError, meant, shown
from askless.survey import Question, Survey
from askless.survey.names import check_number

LAST_WORD = 2**64 - 1  # of random bits


class AnswerModel:
    """Turns uniform numbers into contexts of a survey.

    Each question has a latent number an answer (a multi: one an option), and one more where it may
    be skipped. Latent numbers of different questions are correlated by a Gaussian copula.

    Parameters
    ----------
    survey : Survey
        The questions.
    answers : mapping, optional
        Per question; uniform if left out. Scale: (a, b), a Beta distribution between its ends.
        Yes/no: the probability of yes. Choice: the options' probabilities. Multi: each option's.
    skips : float or mapping, optional
        Probability of a skip, for all questions that may be skipped or for each.
    correlation : float or array (m × m), optional
        Correlation of the latent numbers between questions.
    """

    def __init__(
        self,
        survey: Survey,
        answers: Mapping[str, Any] | None = None,
        skips: float | Mapping[str, float] = 0.1,
        correlation: Any = 0.0,
    ) -> None:
        self.survey = survey
        given = dict(answers or {})
        rates = dict(skips) if isinstance(skips, Mapping) else {}
        for key, named in (("answers", given), ("skips", rates)):
            for name in named:
                if name not in survey.names:
                    hint = meant(name, survey.names, "the survey has")
                    raise SettingError(f"{key}: there is no question {shown(name)}{hint}")
        self._laws = [_law(question, given.get(question.name)) for question in survey]
        self._skips = [
            _probability(rates.get(q.name, 0.1 if isinstance(skips, Mapping) else skips), q.name)
            if q.may_skip
            else 0.0
            for q in survey
        ]
        self._own = np.array([1 if q.kind in ("scale", "choice") else q.own_width for q in survey])
        self._first = np.concatenate([[0], np.cumsum(self._own)])
        self.latent_count = int(self._first[-1]) + sum(q.may_skip for q in survey)
        self._mix = self._mixing(correlation)
        even = all(q.kind == "scale" and not q.may_skip for q in survey)
        # The paper's survey: every column is a uniform number of its own.
        self._even = even and not given and self._mix is None

    def _mixing(self, correlation: Any) -> Floats | None:
        m = len(self.survey)
        matrix = np.asarray(correlation, dtype=float)
        if matrix.shape == ():
            matrix = np.full((m, m), float(matrix))
            np.fill_diagonal(matrix, 1.0)
        fits = matrix.shape == (m, m) and np.isfinite(matrix).all()
        if not fits or not np.allclose(matrix, matrix.T) or not np.allclose(np.diag(matrix), 1):
            raise SettingError(
                f"correlation is {shown(correlation)}; give a number, or a symmetric matrix"
                f" ({m} × {m}) with ones on its diagonal"
            )
        if np.array_equal(matrix, np.eye(m)):
            return None
        owner = np.repeat(np.arange(m), self._own)
        full = matrix[np.ix_(owner, owner)] * (owner[:, None] != owner) + np.eye(len(owner))
        try:
            return np.asarray(np.linalg.cholesky(full))
        except np.linalg.LinAlgError:
            raise SettingError("correlation is not positive definite; give smaller ones") from None

    def contexts(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw so many contexts, on the grid."""
        raw = self.survey.coding == "raw"
        if self._even:
            z = np.empty((count, self.survey.column_count))
            a_row = -(-len(self.survey) // ANSWERS_A_WORD)
            words = rng.integers(LAST_WORD, size=(count, a_row), dtype=np.uint64, endpoint=True)
            draw_scales(words, 0.0 if raw else 0.5, z)
            return z
        answered = int(self._first[-1])
        if self._mix is None:
            latent = rng.random((count, self.latent_count))
        else:
            normal = rng.standard_normal((count, answered)) @ self._mix.T
            latent = np.hstack([ndtr(normal), rng.random((count, self.latent_count - answered))])
        z = np.ones((count, self.survey.column_count))
        skip_at = answered
        for g, question in enumerate(self.survey):
            own = latent[:, self._first[g] : self._first[g + 1]]
            columns = z[:, self.survey.columns_of(question.name)]
            columns[:, : question.own_width] = _encode(question, self._laws[g], own, raw=raw)
            if question.may_skip:
                skipped = latent[:, skip_at] < self._skips[g]
                columns[skipped] = 0.0
                columns[:, -1] = skipped
                skip_at += 1
        return z


def _law(question: Question, given: Any) -> Floats:
    """Check a question's distribution; the default is uniform."""
    defaults = {"scale": [1.0, 1.0], "yes_no": [0.5]}
    if given is None:
        share = 1 / question.own_width if question.kind == "choice" else 0.5
        return np.array(defaults.get(question.kind, [share] * question.own_width))
    where = f"answers of {question.name!r}"
    values = np.atleast_1d(np.asarray(given, dtype=float))
    if question.kind == "scale":
        if values.shape != (2,) or not (values > 0).all() or not np.isfinite(values).all():
            raise SettingError(
                f"{where}: {shown(given)} is not a pair (a, b) of a Beta, both above 0"
            )
    elif values.shape != (question.own_width,) or not ((values >= 0) & (values <= 1)).all():
        many = f"{question.own_width} probabilities" if question.own_width > 1 else "a probability"
        raise SettingError(f"{where}: {shown(given)} is not {many} from 0 to 1")
    elif question.kind == "choice" and not np.isclose(values.sum(), 1):
        raise SettingError(
            f"{where}: the probabilities of the options sum to {values.sum():g}, not 1"
        )
    return values


def _probability(value: Any, name: str) -> float:
    rate = check_number(value, f"skips of {name!r}")
    if not 0 <= rate <= 1:
        raise SettingError(f"skips of {name!r} is {rate:g}; give a probability from 0 to 1")
    return rate


def _encode(question: Question, law: Floats, latent: Floats, *, raw: bool) -> Floats:
    if question.kind == "scale":
        share = latent if (law == 1).all() else betaincinv(float(law[0]), float(law[1]), latent)
        value = np.floor(share * GRID + 0.5) / GRID
        return np.asarray(value - (0.0 if raw else 0.5))
    if question.kind == "choice":
        edges = np.cumsum(law)[:-1]
        return np.eye(len(law))[np.searchsorted(edges, latent[:, 0], side="right")]
    return np.where(latent < law, 0.5, -0.5)
