"""The baselines that askless is compared with."""

from askless.policies.rivals.lin_ucb import LinUCB
from askless.policies.rivals.oful import OFUL
from askless.policies.rivals.pilot_then_screen import PilotThenScreen
from askless.policies.rivals.target import Target
from askless.policies.rivals.uniform import Uniform

__all__ = ["OFUL", "LinUCB", "PilotThenScreen", "Target", "Uniform"]
