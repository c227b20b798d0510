"""Experiments written to files: tables, figures, pages."""

from askless.report.paper import Experiment, paper_experiment
from askless.report.paper_report import write_paper

__all__ = ["Experiment", "paper_experiment", "write_paper"]
