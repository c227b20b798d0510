"""Policies beside each other: the paper's experiment, its claims and bound; comparisons."""

from askless.experiments.comparison import Comparison, compare
from askless.experiments.paper import Experiment, paper_experiment

__all__ = ["Comparison", "Experiment", "compare", "paper_experiment"]
