"""Run policies on simulated respondents."""

from askless.simulation.delays import Delay
from askless.simulation.recording import Recording, record_visits
from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.simulate import simulate
from askless.simulation.sweep import Sweep
from askless.simulation.sweep_file import read_sweep
from askless.simulation.sweep_results import sweep_frame
from askless.simulation.visits_file import LoggedVisit, read_visits, write_visits

__all__ = [
    "Delay",
    "Drop",
    "LoggedVisit",
    "Recording",
    "Run",
    "Runs",
    "Sweep",
    "read_sweep",
    "read_visits",
    "record_visits",
    "simulate",
    "sweep_frame",
    "write_visits",
]
