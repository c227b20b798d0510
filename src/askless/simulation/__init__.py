"""Run policies on simulated respondents."""

from askless.simulation.delays import Delay
from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.simulate import simulate

__all__ = ["Delay", "Drop", "Run", "Runs", "simulate"]
