"""The core's words: how a survey's columns and a policy's rule are handed to it, and its numbers.

Each constant is that of the same name in src/core; `tests/core/test_words.py` compares them.
"""

from typing import NamedTuple

from askless.core.arrays import Floats, Ints

# The kinds of columns a question can own (maths 1.1).
NUMBER, SIGNS, ONE_HOT = 0, 1, 2

# What reading a row says when no question is wrong (survey.hpp).
COMPLETE, INCOMPLETE, NO_CONSTANT = -1, -2, -3
DECLINED = -3  # what a door says to a row or reward that is not in order
GRID = 1024.0  # columns are multiples of 1/1024 (maths 1.3)
REWARD_GRID = 16384.0  # rewards are multiples of 1/16384 of their range
TIED = 1e-9  # scores nearer than this, relatively, are tied (maths 2)

# The forms of the radius (maths 2.1, 6, 8.8 and 3.2).
VALID, PUBLISHED, PUBLISHED_SQRT, FIXED, NOISE = 0, 1, 2, 3, 4
NET_VALID, NET_PUBLISHED, NET_PUBLISHED_SQRT, NET_SCALED, NET_SCALED_SQRT = 5, 6, 7, 8, 9

# What an elastic net is for (maths 3): nothing, the estimate, or only to say what is zero.
NO_NET, NET_ESTIMATES, NET_SELECTS = 0, 1, 2
GOOD = 1e-10  # a solution's KKT residual, relative to the largest |c|

# Its penalties (maths 3.2): of each column its own, the same for all, that divided by the columns.
OWN, UNIFORM, SCALED = 0, 1, 2

# What is asked of a visit (maths 4): everything that some arm uses, or only what can matter still.
EVERYTHING, CERTIFIED, PAPER_HEURISTIC = 0, 1, 2
# How much of it at once: all questions of an arm, or one question.
BY_ARM, BY_QUESTION = 0, 1

NEVER = -1  # how many updates ago an arm was derived that has not been
WIDTH = 8  # numbers in a lane

# The noise before anything is known, in units of the range (maths 8.1, 8.2).
PRIOR_NOISE, PRIOR_SPREAD, LEAST_RIDGE = 1.0 / 16.0, 0.25, 0.01

# Blocks of rows (maths 5.1): rows between two looks, the most that are kept, what learning returns.
BLOCK, MOST_ROWS, GOES_ON = 32, 20_000, -1
# By which test a question was dropped.
NOT_DROPPED, BY_EPOCHS, BY_ELLIPSOID = 0, 1, 2

# What is added up of a direction (maths 10): for the interval at all times five bets, those times
# the estimates, and five prices a side; for that at the end sums of s/sqrt(v), of 1/sqrt(v) and of
# squared errors, and of how many epochs.
STAKED, WEIGHTED, PRICES = 0, 5, 10
ESTIMATES, ROOTS, SQUARES, COUNTED, SUMS = 20, 21, 22, 23, 24
HALF_WIDTHS = (2.0, 1.0, 0.5, 0.25, 0.125)  # in units of beta_min
SCALE = 0.05  # of the range: stands in for beta_min where that is 0
MOST_COUNTED = 15  # epochs at the end, of any direction: what Pocock's constant is for

NOBODY = -1  # no arm
BACK = 0.3  # the largest share of visits that pay back what they ask for other arms (maths 8.5)
COIN, TOSS = 0.5, 0.25  # below them a visit is a check, and plays the short visit's arm (maths 9.1)

# The shapes of simulated noise (people.hpp).
UNIFORM_NOISE, TWO_POINT, TRUNCATED_NORMAL, AT_THE_ENDS = 0, 1, 2, 3
ANSWERS_A_WORD = 5  # that are cut from one word of random bits

# Where in `Shorts.counts` is (shorts.hpp):
STANDS, SIZE, FULL_VISITS, VISITS, NEXT, WITHDRAWN = 0, 1, 2, 3, 4, 5
PEOPLE, OLDEST, ASKED, ASKED_SHORT, FORM, DUE = 6, 7, 8, 9, 10, 11
# Where in `Shorts.numbers` is, prices and rewards in units of the range:
PRICE, CAUTION, FLOOR, COST, COST_SHORT, LOG_WEALTH = 0, 1, 2, 3, 4, 5
BETS, LOSS, WHOLE_WIDTH = 6, 9, 15
RING = 500  # contexts of full visits that are kept


class Columns(NamedTuple):
    """How the questions of a survey own the columns of a context; the same for every arm."""

    kind: Ints  # (m,) NUMBER, SIGNS or ONE_HOT
    first: Ints  # (m,) a question's first column
    width: Ints  # (m,) how many columns it owns, the skip column included
    skip: Ints  # (m,) 1 if its last column says that it was skipped, else 0
    start: Ints  # (m + 1,) a question's first row in `directions`
    low: Floats  # (p,) smallest value of a column
    high: Floats  # (p,) largest value of a column
    directions: Floats  # (all directions, widest question), on the question's own columns


class Rule(NamedTuple):
    """How wide a confidence set is and when a question leaves; in reward units."""

    form: int  # VALID, PUBLISHED, PUBLISHED_SQRT, FIXED, NOISE, or one of the net's
    sharp_bias: int  # 1: bound the bias by what the reward range allows, not by b2 alone
    plain: int  # 1: no question is a choice or may be skipped
    raw: int  # 1: rewards are measured from 0, not from the middle of their range
    net: int  # NO_NET, NET_ESTIMATES or NET_SELECTS
    penalty: int  # OWN, UNIFORM or SCALED
    interactive: int  # EVERYTHING, CERTIFIED or PAPER_HEURISTIC
    grain: int  # BY_ARM or BY_QUESTION
    epochs: int  # 1: an arm's model changes only at the ends of its epochs (maths 5)
    by_sets: int  # 1: of those, arms are chosen by the UCBs of their sets (maths 8.4)
    payback: int  # 1: visits pay back what they ask for other arms (maths 8.5)
    judge_skips: int  # 0: a question is judged by its answers alone (maths 5.4)
    start: int  # rows that an arm is given before arms are compared (maths 8.7)
    alpha: float
    sigma: float
    beta_min: float  # 0: never drop
    span: float  # length R of the reward range
    norm: float  # L2, the largest 2-norm of a context
    ridge_bias: float  # sqrt(alpha) b2
    b1: float
    b2: float
    multiple: float  # of the elastic net's own penalties
    fixed: float  # the radius where the form is FIXED
    growth: float  # by which factor an epoch makes an arm's rows grow
    low: float  # the smallest and the largest reward
    high: float
    optimism: float  # tau, how many noises wide a score is (maths 8.4)
    set_part: float  # of an arm's share of delta: what its confidence set gets (maths 5.1)
    log_supports: Floats  # (m + 1,) ln((m + 1) C(m, h)): the price of a support of size h
