"""The compiled core of askless: the arithmetic, and nothing else."""

import numpy
from numpy.typing import NDArray

class Survey:
    """How the questions of a survey own the columns of a context."""

    @staticmethod
    def of(
        kind: NDArray[numpy.int64],
        first: NDArray[numpy.int64],
        width: NDArray[numpy.int64],
        skip: NDArray[numpy.int64],
        start: NDArray[numpy.int64],
        low: NDArray[numpy.float64],
        high: NDArray[numpy.float64],
        directions: NDArray[numpy.float64],
    ) -> Survey: ...
    def read_row(self, z: NDArray[numpy.float64], out: NDArray[numpy.float64]) -> int:
        """
        Copy a row to `out`, on the grid; return the first question that does not fit, or a code.
        """

    def read_rows(
        self, rows: NDArray[numpy.float64], out: NDArray[numpy.float64]
    ) -> tuple[int, int]:
        """
        Check rows; return the first that is not complete (their number if all are), and why.
        """

class Epochs:
    """The blocks of rows of all arms (maths 5)."""

    @property
    def held(self) -> NDArray[numpy.int64]: ...
    @property
    def kept(self) -> NDArray[numpy.int64]: ...
    @property
    def added(self) -> NDArray[numpy.int64]: ...
    @property
    def need(self) -> NDArray[numpy.int64]: ...
    @property
    def ended(self) -> NDArray[numpy.int64]: ...
    @property
    def warm(self) -> NDArray[numpy.int64]: ...
    @property
    def tested(self) -> NDArray[numpy.int64]: ...
    @property
    def undecided(self) -> NDArray[numpy.int64]: ...
    @property
    def test(self) -> NDArray[numpy.int64]: ...
    @property
    def passed(self) -> NDArray[numpy.int64]: ...
    @property
    def gram(self) -> NDArray[numpy.float64]: ...
    @property
    def model_root(self) -> NDArray[numpy.float64]: ...
    @property
    def moment(self) -> NDArray[numpy.float64]: ...
    @property
    def model_weights(self) -> NDArray[numpy.float64]: ...
    @property
    def model_estimate(self) -> NDArray[numpy.float64]: ...
    @property
    def squares(self) -> NDArray[numpy.float64]: ...
    @property
    def spread(self) -> NDArray[numpy.float64]: ...
    @property
    def logs(self) -> NDArray[numpy.float64]: ...
    @property
    def pace(self) -> NDArray[numpy.float64]: ...
    @property
    def signed_sums(self) -> NDArray[numpy.float64]: ...

class Arms:
    """The arms of a policy, their sums and what is derived from them."""

    def __init__(
        self,
        survey: Survey,
        rule: object,
        count: int,
        always: NDArray[numpy.int64],
        cost: NDArray[numpy.float64],
    ) -> None: ...
    @property
    def support(self) -> NDArray[numpy.int64]: ...
    @property
    def size(self) -> NDArray[numpy.int64]: ...
    @property
    def columns(self) -> NDArray[numpy.int64]: ...
    @property
    def share(self) -> NDArray[numpy.float64]: ...
    @property
    def n(self) -> NDArray[numpy.int64]: ...
    @property
    def gram(self) -> NDArray[numpy.float64]: ...
    @property
    def waiting(self) -> NDArray[numpy.int64]: ...
    @property
    def recent(self) -> NDArray[numpy.float64]: ...
    @property
    def moment(self) -> NDArray[numpy.float64]: ...
    @property
    def squares(self) -> NDArray[numpy.float64]: ...
    @property
    def root(self) -> NDArray[numpy.float64]: ...
    @property
    def weights(self) -> NDArray[numpy.float64]: ...
    @property
    def estimate(self) -> NDArray[numpy.float64]: ...
    @property
    def variance(self) -> NDArray[numpy.float64]: ...
    @property
    def log_det(self) -> NDArray[numpy.float64]: ...
    @property
    def radius(self) -> NDArray[numpy.float64]: ...
    @property
    def stale(self) -> NDArray[numpy.int64]: ...
    @property
    def dropped_at(self) -> NDArray[numpy.int64]: ...
    @property
    def evidence(self) -> NDArray[numpy.float64]: ...
    @property
    def late(self) -> NDArray[numpy.int64]: ...
    @property
    def slopes(self) -> NDArray[numpy.float64]: ...
    @property
    def lifts(self) -> NDArray[numpy.float64]: ...
    @property
    def moves(self) -> NDArray[numpy.float64]: ...
    @property
    def net_coef(self) -> NDArray[numpy.float64]: ...
    @property
    def net_sign(self) -> NDArray[numpy.float64]: ...
    @property
    def net_active(self) -> NDArray[numpy.int64]: ...
    @property
    def net_place(self) -> NDArray[numpy.int64]: ...
    @property
    def net_counts(self) -> NDArray[numpy.int64]: ...
    @property
    def net_inverse(self) -> NDArray[numpy.float64]: ...
    @property
    def net_residual(self) -> NDArray[numpy.float64]: ...
    @property
    def projected(self) -> NDArray[numpy.float64]: ...
    @property
    def ready(self) -> NDArray[numpy.int64]: ...
    @property
    def inverted(self) -> NDArray[numpy.int64]: ...
    @property
    def noise(self) -> NDArray[numpy.float64]: ...
    @property
    def ridge(self) -> NDArray[numpy.float64]: ...
    @property
    def misfit(self) -> NDArray[numpy.float64]: ...
    @property
    def freedom(self) -> NDArray[numpy.float64]: ...
    @property
    def renewed(self) -> NDArray[numpy.int64]: ...
    @property
    def active(self) -> NDArray[numpy.int64]: ...
    @property
    def active_size(self) -> NDArray[numpy.int64]: ...
    @property
    def active_columns(self) -> NDArray[numpy.int64]: ...
    @property
    def active_root(self) -> NDArray[numpy.float64]: ...
    @property
    def active_weights(self) -> NDArray[numpy.float64]: ...
    @property
    def active_estimate(self) -> NDArray[numpy.float64]: ...
    @property
    def width(self) -> NDArray[numpy.float64]: ...
    def take(self, others: Arms) -> None:
        """Take over all that others are, as the first ones."""

    def check(self) -> None:
        """
        Raise ValueError where a number that is used as a place in an array is none.
        """

    @property
    def epochs(self) -> Epochs: ...
    def play_row(self, live: NDArray[numpy.bool_], z: object | None) -> int: ...
    def choose_row(
        self,
        live: NDArray[numpy.bool_],
        z: object | None,
        number: int,
        draws: NDArray[numpy.float64],
    ) -> int: ...
    def score_row(
        self, live: NDArray[numpy.bool_], z: NDArray[numpy.float64], out: NDArray[numpy.float64]
    ) -> int: ...
    def learn_row(self, k: object | None, z: object | None, reward: object | None) -> int: ...
    def may_ask(self, live: NDArray[numpy.bool_], out: NDArray[numpy.bool_]) -> None:
        """Put into `out` what a visit may be asked that may get the live arms."""

    def open(
        self, live: NDArray[numpy.bool_], z: NDArray[numpy.float64], out: NDArray[numpy.bool_]
    ) -> bool:
        """
        Put into `out` what of that, and of what everyone is asked, a context does not answer; return whether there is something.
        """

    def lacks(self, k: int, z: NDArray[numpy.float64]) -> int:
        """
        The first question that an arm uses and a context does not answer; -1 if there is none.
        """

    def outlook(
        self,
        z: NDArray[numpy.float64],
        means: NDArray[numpy.float64],
        scores: NDArray[numpy.float64],
    ) -> None:
        """
        Mean and score of every arm whose questions are answered; NaN and -inf of the others.
        """

    def starter(self, live: NDArray[numpy.bool_], number: int) -> int:
        """The arm whose turn it is, if it is in its first block; else -1."""

    def draw(
        self,
        live: NDArray[numpy.bool_],
        winner: int,
        started: bool,
        insured: float,
        draws: NDArray[numpy.float64],
        chances: NDArray[numpy.float64],
    ) -> int:
        """
        The arm to play: the winner, or one that is drawn; the probability of each in `chances`.
        """

    def learn_visit(self, k: int, z: NDArray[numpy.float64], y: float) -> None:
        """Learn one row that has been checked; y is in units of the range."""

    def learn_rows(
        self, played: NDArray[numpy.int64], rows: NDArray[numpy.float64], ys: NDArray[numpy.float64]
    ) -> None: ...
    def ask(
        self,
        live: NDArray[numpy.bool_],
        z: NDArray[numpy.float64],
        asks: NDArray[numpy.bool_],
        possible: NDArray[numpy.bool_],
    ) -> int: ...
    def reach(
        self,
        live: NDArray[numpy.bool_],
        z: NDArray[numpy.float64],
        low: NDArray[numpy.float64],
        high: NDArray[numpy.float64],
    ) -> None: ...
    def derive(self, chosen: NDArray[numpy.int64]) -> None:
        """Derive the chosen arms anew from their statistics alone."""

    def effect(self, k: int, g: int) -> tuple[float, float, float]:
        """Estimate, low and high of a question's effect."""

    def settle(self, k: int) -> None: ...
    def pack(self, k: int) -> None: ...
    def take_out_row(self, k: int, z: NDArray[numpy.float64], y: float) -> None: ...
    def refresh_variance(self) -> None: ...
    def end_blocks(self) -> None: ...
    def renew_noise(self) -> None: ...
    def rows(self, k: int) -> NDArray[numpy.float64]:
        """
        The rows kept of an arm's epoch: packed columns, and after whole lanes the reward.
        """

    def put_rows(self, k: int, rows: NDArray[numpy.float64]) -> None:
        """Put others in the place of these."""

class Shorts:
    """
    The short form of a policy, its models and what is known about its cost.
    """

    def __init__(
        self,
        survey: Survey,
        arm_count: int,
        everyone: NDArray[numpy.int64],
        cost: NDArray[numpy.float64],
    ) -> None: ...
    @property
    def counts(self) -> NDArray[numpy.int64]: ...
    @property
    def numbers(self) -> NDArray[numpy.float64]: ...
    @property
    def form(self) -> NDArray[numpy.int64]: ...
    @property
    def everyone(self) -> NDArray[numpy.int64]: ...
    @property
    def wanted(self) -> NDArray[numpy.int64]: ...
    @property
    def live(self) -> NDArray[numpy.int64]: ...
    @property
    def cost(self) -> NDArray[numpy.float64]: ...
    @property
    def columns(self) -> NDArray[numpy.int64]: ...
    @property
    def ring(self) -> NDArray[numpy.float64]: ...
    @property
    def may(self) -> NDArray[numpy.int64]: ...
    @property
    def projection(self) -> NDArray[numpy.float64]: ...
    @property
    def prior(self) -> NDArray[numpy.float64]: ...
    @property
    def pull(self) -> NDArray[numpy.float64]: ...
    @property
    def gram(self) -> NDArray[numpy.float64]: ...
    @property
    def moment(self) -> NDArray[numpy.float64]: ...
    @property
    def rows(self) -> NDArray[numpy.int64]: ...
    @property
    def renewed(self) -> NDArray[numpy.int64]: ...
    @property
    def spread(self) -> NDArray[numpy.float64]: ...
    @property
    def estimate(self) -> NDArray[numpy.float64]: ...
    @property
    def width(self) -> NDArray[numpy.float64]: ...
    @property
    def told(self) -> NDArray[numpy.float64]: ...
    @property
    def tells(self) -> NDArray[numpy.float64]: ...
    @property
    def whole_root(self) -> NDArray[numpy.float64]: ...
    @property
    def whole_estimate(self) -> NDArray[numpy.float64]: ...
    @property
    def scores(self) -> NDArray[numpy.float64]: ...
    def take(self, other: Shorts) -> None: ...
    def recount(self, arms: Arms) -> None: ...
    def full_share(self, arms: Arms, mask: NDArray[numpy.bool_], number: int) -> float:
        """With which probability a visit is full."""

    def may_ask(self, arms: Arms, out: NDArray[numpy.bool_]) -> None:
        """Put into `out` what a full visit is asked."""

    def open(self, arms: Arms, z: NDArray[numpy.float64], out: NDArray[numpy.bool_]) -> bool:
        """
        Put into `out` what of that a context does not answer; return whether there is something.
        """

    def share(self, arms: Arms, number: int) -> float:
        """The share of full visits with a form, at a visit's number."""

    def choose_full(
        self,
        arms: Arms,
        mask: NDArray[numpy.bool_],
        z: NDArray[numpy.float64],
        number: int,
        scores: NDArray[numpy.float64],
        terms: NDArray[numpy.float64],
    ) -> tuple[int, int]:
        """
        The winner of a full visit, and the form's arm that it is compared with, -1 if it is not; scores and the terms of the check: expected reward, bet, saving.
        """

    def draw_full(
        self,
        arms: Arms,
        mask: NDArray[numpy.bool_],
        winner: int,
        rival: int,
        insured: float,
        coins: NDArray[numpy.float64],
        chances: NDArray[numpy.float64],
    ) -> int:
        """
        The arm that a full visit plays, by its coins; the probability of each arm in `chances`.
        """

    def outlook(
        self,
        arms: Arms,
        z: NDArray[numpy.float64],
        means: NDArray[numpy.float64],
        scores: NDArray[numpy.float64],
    ) -> None:
        """
        By whole models: mean and score of every arm whose questions are answered; NaN and -inf of the others.
        """

    def short_arm(self, arms: Arms, mask: NDArray[numpy.bool_], z: NDArray[numpy.float64]) -> int:
        """What a short visit plays; -1 if no arm is past its start."""

    def score_whole(
        self,
        arms: Arms,
        mask: NDArray[numpy.bool_],
        z: NDArray[numpy.float64],
        scores: NDArray[numpy.float64],
    ) -> int: ...
    def keep_if_whole(
        self, arms: Arms, z: NDArray[numpy.float64], mask: NDArray[numpy.bool_]
    ) -> None:
        """
        Put a person into the ring who has answered all that full visits are asked.
        """

    def learn_full(
        self, arms: Arms, k: int, z: NDArray[numpy.float64], y: float, mask: NDArray[numpy.bool_]
    ) -> bool:
        """
        Learn a full visit and keep its person; return whether a form is to be chosen now.
        """

    def learn_check(
        self, arms: Arms, k: int, z: NDArray[numpy.float64], y: float, sign: float
    ) -> None: ...
    def learn_short(
        self, arms: Arms, k: int, z: NDArray[numpy.float64], y: float, sign: float
    ) -> None: ...
    def fold_all(self, arms: Arms) -> None: ...
    def know_whole(self, arms: Arms) -> None: ...
    def derive_all(self, arms: Arms, gram: NDArray[numpy.float64], people: int) -> None:
        """
        Derive the models of all arms on the form, out of the sum of zz' over so many people.
        """

    def enter(self, x: float, bet: float, saving: float) -> bool:
        """Let a visit count in the check; true if the form goes."""

    def loss(self, arms: Arms, y: float, mean: float, of_full: bool) -> float:
        """X of a check visit, whose reward is y in units of the range."""

    def bet(self, saving: float) -> float: ...

class Forming:
    """
    The people by whom a form is chosen, and the room to do it (maths 9.2).
    """

    def __init__(
        self,
        people: NDArray[numpy.float64],
        gram: NDArray[numpy.float64],
        models: NDArray[numpy.float64],
        allowed: NDArray[numpy.bool_],
        candidate: NDArray[numpy.int64],
        forced: NDArray[numpy.int64],
        cost: NDArray[numpy.float64],
        widest: int,
    ) -> None: ...
    def find_path(self, survey: Survey, price: float) -> int:
        """
        Take every candidate, that which is worth most first; return how many are not forced.
        """

    def trim(self, survey: Survey, price: float) -> float:
        """Take questions out while that raises the value; return it."""

    @property
    def taken(self) -> NDArray[numpy.int64]: ...
    @property
    def path(self) -> NDArray[numpy.int64]: ...
    @property
    def values(self) -> NDArray[numpy.float64]: ...
    @property
    def forced(self) -> NDArray[numpy.int64]: ...
    @property
    def cost(self) -> NDArray[numpy.float64]: ...

class Block:
    """
    A block of simulated people, and the arrays for what comes of their visits.
    """

    def __init__(
        self,
        arms: Arms,
        contexts: NDArray[numpy.float64],
        luck: NDArray[numpy.float64],
        matter: NDArray[numpy.int64],
        slopes: NDArray[numpy.float64],
        law: tuple[int, float, float],
        expected: NDArray[numpy.float64],
        drawn: NDArray[numpy.float64],
        number: int,
        draws: NDArray[numpy.float64],
        allowed: NDArray[numpy.bool_],
        begun: int,
        drops: NDArray[numpy.int64],
        played: NDArray[numpy.int64],
        radii: NDArray[numpy.float64],
        regret: NDArray[numpy.float64],
        earned: NDArray[numpy.float64],
        asked: NDArray[numpy.int64],
        paid: NDArray[numpy.float64],
        others: NDArray[numpy.int64],
    ) -> None: ...

class FusedLoop:
    """Visits that are asked all that some arm uses."""

    def __init__(self, arms: Arms) -> None: ...
    def play(self, block: Block) -> None: ...

def play_interactive(arms: Arms, block: Block) -> None:
    """Play visits one after the other, each asked no more than it must be."""

def play_short(arms: Arms, shorts: Shorts, first: int, block: Block) -> int:
    """
    Play visits with short forms from the `first` on; return which comes next.
    """

class ElasticNet:
    """An elastic net from sums alone (maths 3.1)."""

    def __init__(
        self,
        gram: NDArray[numpy.float64],
        moment: NDArray[numpy.float64],
        penalty: NDArray[numpy.float64],
        ridge: float,
    ) -> None: ...
    def start(self, coef: NDArray[numpy.float64]) -> None:
        """Start at other coefficients."""

    def add_row(self, z: NDArray[numpy.float64], y: float) -> None:
        """Add a row to the sums."""

    def set_penalty(self, penalty: NDArray[numpy.float64]) -> None: ...
    def solve(self) -> float:
        """Go to the solution; return its KKT residual, relative."""

    def follow(self, rows: NDArray[numpy.float64], ys: NDArray[numpy.float64]) -> float:
        """
        Add rows one after the other, going to the solution after each; return the worst residual.
        """

    def descend(self) -> float:
        """The same by coordinate descent."""

    @property
    def coef(self) -> NDArray[numpy.float64]: ...

def lasso_path(
    gram: NDArray[numpy.float64],
    gradient: NDArray[numpy.float64],
    ridge: float,
    penalties: NDArray[numpy.float64],
    enough: float,
    found: NDArray[numpy.float64],
) -> None:
    """Minimise ½b'Gb − c'b + ½ridge‖b‖² + λ‖b‖₁ for one λ after the other."""

def draw_scales(words: NDArray[numpy.uint64], shift: float, out: NDArray[numpy.float64]) -> None:
    """
    Put contexts of a survey of scales into `out`, five answers out of each word of bits.
    """

def outcomes(
    shape: int,
    spread: float,
    low: float,
    span: float,
    expected: NDArray[numpy.float64],
    luck: NDArray[numpy.float64],
    out: NDArray[numpy.float64],
) -> None:
    """
    Put the reward of every arm (a column) in every visit (a row) into `out`, in units on the grid.
    """

def noise(shape: int, spread: float, luck: float) -> float: ...
def add_at_the_end(
    estimate: float, variance: float, measured: float, top: float, sums: NDArray[numpy.float64]
) -> None:
    """
    Let an epoch count at the end if enough rows carry it and it narrows the interval (maths 10.2).
    """
