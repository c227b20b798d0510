"""Tables out of measurements, with classes as arms: scikit-learn's four."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.environments.tables.base import ClassTable, terciles
from askless.environments.tables.columns import Number, choice
from askless.errors import extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASUREMENTS"]

NUCLEUS = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
)
WINE = (
    "alcohol",
    "malic_acid",
    "ash",
    "alcalinity_of_ash",
    "magnesium",
    "total_phenols",
    "flavanoids",
    "nonflavanoid_phenols",
    "proanthocyanins",
    "color_intensity",
    "hue",
    "od280/od315_of_diluted_wines",
    "proline",
)
BLANK = frozenset({(0, 0), (4, 0), (4, 7)})  # pixels without ink in every image


def bundled(name: str, in_three: bool = False, **settings: Any) -> Callable[[], pd.DataFrame]:
    """Return what loads a data set of scikit-learn's own files."""

    def load() -> pd.DataFrame:
        with extra("data"):
            from sklearn import datasets  # noqa: PLC0415 (an extra)
        found = getattr(datasets, f"load_{name}")(as_frame=True, **settings)
        target = found.target.to_numpy()
        frame: pd.DataFrame = found.data
        return frame.assign(
            **{"class": terciles(target.astype(np.float64)) if in_three else target}
        )

    return load


MEASUREMENTS = (
    ClassTable(
        "breast-cancer",
        "whether a breast mass is malignant",
        people=569,
        arms=("malignant", "benign"),
        columns=tuple(
            Number(
                f"{which} {what}" if which != "error" else f"{what} error",
                f"What is the {words} of the nuclei's {what}?",
            )
            for which, words in (
                ("mean", "mean"),
                ("error", "standard error"),
                ("worst", "mean of the three largest values"),
            )
            for what in NUCLEUS
        ),
        load=bundled("breast_cancer"),
        note="Measurements of cell nuclei in an image; scales end where the data end.",
        source="scikit-learn `load_breast_cancer`: Wolberg, Street, Mangasarian 1995, UCI; in"
        " scikit-learn's package (BSD).",
    ),
    ClassTable(
        "wine",
        "which of three growers made a wine",
        people=178,
        arms=("first", "second", "third"),
        columns=tuple(
            Number(name, f"What is the wine's {name.replace('_', ' ')}?") for name in WINE
        ),
        load=bundled("wine"),
        note="Chemical analyses; scales end where the data end.",
        source="scikit-learn `load_wine`: Forina et al., UCI; in scikit-learn's package (BSD).",
    ),
    ClassTable(
        "diabetes",
        "how far diabetes goes in a year",
        people=442,
        arms=("little", "middling", "far"),
        columns=(
            Number("age", "How old are you?"),
            choice("sex", "What is your sex?", ("coded 1", "coded 2")),
            Number("bmi", "What is your body mass index?"),
            Number("bp", "What is your average blood pressure?"),
            Number("s1", "What is your total serum cholesterol?"),
            Number("s2", "What are your low-density lipoproteins?"),
            Number("s3", "What are your high-density lipoproteins?"),
            Number("s4", "What is your total cholesterol over HDL?"),
            Number("s5", "What is your serum triglycerides level?", help="possibly its logarithm"),
            Number("s6", "What is your blood sugar level?"),
        ),
        load=bundled("diabetes", in_three=True, scaled=False),
        note="A measure of progression, cut at its terciles, 100 and 184; which sex is which the"
        " data do not say.",
        source="scikit-learn `load_diabetes`: Efron, Hastie, Johnstone, Tibshirani 2004; in"
        " scikit-learn's package (BSD).",
    ),
    ClassTable(
        "digits",
        "which digit somebody wrote",
        people=1_797,
        arms=tuple("0123456789"),
        columns=tuple(
            Number(
                f"pixel_{row}_{at}", f"How much ink is in row {row}, column {at}?", low=0, high=16
            )
            for row in range(8)
            for at in range(8)
            if (row, at) not in BLANK
        ),
        load=bundled("digits"),
        note="Images of 8 × 8 pixels; the three that are always blank are left out.",
        source="scikit-learn `load_digits`: Alpaydin and Kaynak 1998, UCI; in scikit-learn's"
        " package (BSD).",
    ),
)
