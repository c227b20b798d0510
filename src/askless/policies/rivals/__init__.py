"""The baselines that askless is compared with."""

from askless.policies.rivals.epsilon_greedy import EpsilonGreedy
from askless.policies.rivals.lasso_bandit import LassoBandit
from askless.policies.rivals.lin_ts import LinTS
from askless.policies.rivals.lin_ucb import LinUCB
from askless.policies.rivals.oful import OFUL
from askless.policies.rivals.pilot_then_screen import PilotThenScreen
from askless.policies.rivals.sparse_ucb import SparseUCB
from askless.policies.rivals.target import Target
from askless.policies.rivals.thresholded_lasso import ThresholdedLasso
from askless.policies.rivals.tsrc import TSRC
from askless.policies.rivals.uniform import Uniform
from askless.policies.rivals.wtsrc import WTSRC

__all__ = [
    "OFUL",
    "TSRC",
    "WTSRC",
    "EpsilonGreedy",
    "LassoBandit",
    "LinTS",
    "LinUCB",
    "PilotThenScreen",
    "SparseUCB",
    "Target",
    "ThresholdedLasso",
    "Uniform",
]
