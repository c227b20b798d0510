"""Run policies on simulated respondents."""

from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.simulate import simulate

__all__ = ["Drop", "Run", "Runs", "simulate"]
