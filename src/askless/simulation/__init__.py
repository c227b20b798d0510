"""Run policies on simulated respondents."""

from askless.simulation.delays import Delay
from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.simulate import simulate
from askless.simulation.sweep import Sweep, read_sweep, sweep_frame
from askless.simulation.warm_up import warm_up

__all__ = [
    "Delay",
    "Drop",
    "Run",
    "Runs",
    "Sweep",
    "read_sweep",
    "simulate",
    "sweep_frame",
    "warm_up",
]
