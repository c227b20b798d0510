"""Run policies on simulated respondents."""

from askless.simulation.compare import Comparison, compare
from askless.simulation.delays import Delay
from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.simulate import simulate
from askless.simulation.sweep import Sweep, sweep_frame
from askless.simulation.sweep_file import read_sweep
from askless.simulation.warm_up import warm_up

__all__ = [
    "Comparison",
    "Delay",
    "Drop",
    "Run",
    "Runs",
    "Sweep",
    "compare",
    "read_sweep",
    "simulate",
    "sweep_frame",
    "warm_up",
]
