"""The steps that kernels reach by address: compiled once, on their own, not in each of them."""

from askless.kernels import net_arms, protocol, ridge
from askless.kernels.bundles import (
    BY_ARM,
    BY_QUESTION,
    CERTIFIED,
    PAPER_HEURISTIC,
    open_header,
)
from askless.kernels.compiling import address_of
from askless.kernels.radius import radius


def refresh_at(address: int, k: int) -> int:
    """Do `ridge.refresh`."""
    _, rule, arms = open_header(address)
    ridge.refresh(rule, arms, k)
    return 0


def radius_at(address: int, k: int) -> int:
    """Put arm k's radius into place."""
    columns, rule, arms = open_header(address)
    arms.radius[k] = radius(columns, rule, arms, k)
    return 0


def drop_at(address: int, k: int) -> int:
    """Do `ridge.drop_questions`."""
    columns, rule, arms = open_header(address)
    return ridge.drop_questions(columns, rule, arms, k)


def refit_at(address: int, k: int) -> int:
    """Do `net_arms.refit`."""
    _, _, arms = open_header(address)
    net_arms.refit(arms, k)
    return 0


def renew_at(address: int, k: int) -> int:
    """Do `net_arms.refit_anew`."""
    columns, rule, arms = open_header(address)
    net_arms.refit_anew(columns, rule, arms, k)
    return 0


def solve_at(address: int, k: int) -> int:
    """Do `net_arms.solve_net`."""
    columns, rule, arms = open_header(address)
    net_arms.solve_net(columns, rule, arms, k)
    return 0


ASKS = {
    (CERTIFIED, BY_ARM): protocol.ask_an_arm,
    (CERTIFIED, BY_QUESTION): protocol.ask_a_question,
    (PAPER_HEURISTIC, BY_ARM): protocol.ask_as_the_paper,
}


def addresses(*, drops: bool, net: bool, interactive: int, grain: int) -> tuple[int, ...]:
    """Return where the steps are that a policy needs, in the order of `Arms.links`; else 0."""
    return (
        address_of(refresh_at),
        address_of(radius_at),
        address_of(drop_at) if drops else 0,
        address_of(refit_at) if net else 0,
        address_of(renew_at) if net else 0,
        address_of(solve_at) if net else 0,
        address_of(ASKS[interactive, grain]) if interactive else 0,
        address_of(protocol.score_known) if interactive == CERTIFIED else 0,
        address_of(protocol.cannot_win) if interactive == CERTIFIED else 0,
    )
