"""Our policies, a line each: with it, everything that names policies knows one.

Study files and their schema, the command line, `askless.POLICIES` and the names of the package, the
contract's tests and the tables of the docs go through this list, in its order.
"""
# ruff: noqa: I001, PLC0414 (the order is that of lists for people; `as` says that it is exported)

from askless.policies.survey_bandit import SurveyBandit as SurveyBandit
from askless.policies.epoch_survey_ucb import EpochSurveyUCB as EpochSurveyUCB
from askless.policies.ridge_survey_ucb import RidgeSurveyUCB as RidgeSurveyUCB
from askless.policies.elastic_net_survey_ucb import ElasticNetSurveyUCB as ElasticNetSurveyUCB
from askless.policies.rivals.lin_ucb import LinUCB as LinUCB
from askless.policies.rivals.oful import OFUL as OFUL
from askless.policies.rivals.lin_ts import LinTS as LinTS
from askless.policies.rivals.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
from askless.policies.rivals.tsrc import TSRC as TSRC
from askless.policies.rivals.wtsrc import WTSRC as WTSRC
from askless.policies.rivals.lasso_bandit import LassoBandit as LassoBandit
from askless.policies.rivals.thresholded_lasso import ThresholdedLasso as ThresholdedLasso
from askless.policies.rivals.sparse_ucb import SparseUCB as SparseUCB
from askless.policies.rivals.pilot_then_screen import PilotThenScreen as PilotThenScreen
from askless.policies.rivals.target import Target as Target
from askless.policies.rivals.uniform import Uniform as Uniform
