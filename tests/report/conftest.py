"""Analyses that several tests write down."""

import pytest

from analyses import rich_analysis, small_analysis


@pytest.fixture(scope="session")
def small():
    """A study in which no epoch has ended: nothing is known of effects."""
    return small_analysis()


@pytest.fixture(scope="session")
def rich(small):
    """The same with rows of every kind, so that what is shown is known beforehand."""
    return rich_analysis(small)
