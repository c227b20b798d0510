"""The colours of the dashboard's charts can be told apart: in grey, by the colour-blind, on a card.

What would make these fail: two series of nearly the same lightness, or of colours that some eyes
take for one, or one too faint for the ground that it is drawn on (WCAG 2.2, 1.4.11).
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import askless.service

CSS = Path(askless.service.__file__).parent / "static" / "dashboard" / "dashboard.css"
THEMES = ("light", "dark")
# Machado, Oliveira & Fernandes (2009), full severity, on linear RGB.
EYES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def colours(theme):
    """Return the linear RGB of a theme's series and of the card that they are drawn on."""
    blocks = re.findall(r"\{([^{}]*--c1:[^{}]*)\}", CSS.read_text())
    assert len(blocks) == len(THEMES)
    block = blocks[THEMES.index(theme)]
    return [
        linear(re.search(rf"--{name}: (#\w{{6}})", block)[1]) for name in ("c1", "c2", "c3", "card")
    ]


def linear(colour):
    given = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Return WCAG's ratio of contrast."""
    low, high = sorted(float(TO_XYZ[1] @ colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour):
    """Return CIELAB coordinates, under daylight."""
    ratio = (TO_XYZ @ np.clip(colour, 0, 1)) / (TO_XYZ @ np.ones(3))
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", THEMES)
def test_series_stand_out_from_the_card(theme):
    *series, card = colours(theme)
    assert min(contrast(one, card) for one in series) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_series_are_told_apart_in_grey(theme):
    """What is left in grey is lightness: ten steps of a hundred are seen side by side."""
    lightness = [lab(one)[0] for one in colours(theme)[:3]]
    assert min(abs(a - b) for a, b in itertools.combinations(lightness, 2)) >= 10


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_series_are_told_apart_by_the_colour_blind(theme, eyes):
    """A distance of 20 in CIELAB is ten times what is just noticed."""
    seen = [lab(np.array(EYES[eyes]) @ one) for one in colours(theme)[:3]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 20
