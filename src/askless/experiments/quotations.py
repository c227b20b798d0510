"""What the paper claims of its experiment, in its own words, and where it says so.

The words are verbatim; SurveyUCB and numbered references stand for the paper's symbols. Sections
and figures are counted as LaTeX counts them: every plot has a caption, so that the five pairs of
plots are Figures 1 to 10, regret first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["QUOTATIONS", "Quotation"]


@dataclass(frozen=True)
class Quotation:
    """Some words of the paper.

    Attributes
    ----------
    words : str
        The words.
    section : str
        The number of the section in which they are.
    figures : tuple of int
        The paper's figures of the runs that it is about; empty where it has none of them.
    """

    words: str
    section: str
    figures: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """Its section, and the figures of what it is about."""
        if not self.figures:
            return f"Section {self.section}"
        numbers = ", ".join(map(str, self.figures))
        return f"Section {self.section}; Figure{'s' * (len(self.figures) > 1)} {numbers}"

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return {"words": self.words, "where": self.where}


# By the numbers of the claims (maths 7).
QUOTATIONS: Mapping[int, tuple[Quotation, ...]] = {
    1: (
        Quotation(
            "when Assumption 1 holds, we demonstrate that both algorithms perform well in terms of"
            " regret",
            section="1",
            figures=(1, 3, 5, 7),
        ),
        Quotation(
            "when Assumption 1 holds, Ridge SurveyUCB has better regret performance compared to"
            " Elastic Net SurveyUCB (for similar beta-min parameters)",
            section="10",
            figures=(1, 3, 5, 7),
        ),
    ),
    2: (
        Quotation(
            "Ridge SurveyUCB can perform poorly on regret when Assumption 1 is violated",
            section="1",
        ),
    ),
    3: (
        Quotation(
            "Elastic Net SurveyUCB performs well even when Assumption 1 is violated",
            section="1",
            figures=(9,),
        ),
        Quotation(
            "reasonably robust to Assumption 1 and doesn't remove predictive features (in"
            " simulations) even under violations of Assumption 1",
            section="10",
            figures=(9, 10),
        ),
    ),
    4: (
        Quotation(
            "in the absence of sub-optimal arms, both algorithms always remove the features that"
            " are not relevant for reward prediction in the survey",
            section="1",
            figures=(2,),
        ),
    ),
    5: (
        Quotation(
            "sub-optimal arms hurt the performance of SurveyUCB algorithms",
            section="10",
            figures=(1, 2, 3, 4),
        ),
        Quotation(
            "these arms are played less frequently, hence updated less frequently, and increase"
            " survey length",
            section="9",
            figures=(2, 4),
        ),
    ),
    6: (
        Quotation(
            "interactive surveys help mitigate the negative effects of sub-optimal arms on survey"
            " lengths",
            section="10",
            figures=(4, 6, 8, 10),
        ),
        Quotation(
            "interactive versions of SurveyUCB have the same regret performance as SurveyUCB",
            section="9",
            figures=(3, 5, 7, 9),
        ),
    ),
    7: (
        Quotation(
            "performance on regret improves with less conservative choices for the beta-min"
            " parameter",
            section="10",
            figures=(3, 5, 7, 9),
        ),
    ),
}
