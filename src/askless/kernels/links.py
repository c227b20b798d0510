"""The steps that kernels reach by address: compiled once, on their own, not in each of them.

They are plain functions of (address of the header, arm) where they are written.
"""

from askless.kernels import deciding, epoch_end, net_arms, noise, protocol, ridge
from askless.kernels.bundles import (
    BY_ARM,
    BY_QUESTION,
    CERTIFIED,
    PAPER_HEURISTIC,
    open_header,
)
from askless.kernels.compiling import address_of
from askless.kernels.radius import radius


def put_radius(address: int, k: int) -> int:
    """Put arm k's radius into place."""
    columns, rule, arms = open_header(address)
    arms.radius[k] = radius(columns, rule, arms, k)
    return 0


ASKS = {
    (CERTIFIED, BY_ARM): protocol.ask_an_arm,
    (CERTIFIED, BY_QUESTION): protocol.ask_a_question,
    (PAPER_HEURISTIC, BY_ARM): protocol.ask_as_the_paper,
}


def addresses(
    *, drops: bool, net: bool, interactive: int, grain: int, epochs: bool, noisy: bool
) -> tuple[int, ...]:
    """Return where the steps are that a policy needs, in the order of `Arms.links`; else 0."""
    return (
        address_of(ridge.refresh),
        address_of(put_radius),
        address_of(ridge.drop_questions) if drops and not epochs else 0,
        address_of(net_arms.refit) if net else 0,
        address_of(net_arms.refit_anew) if net else 0,
        address_of(net_arms.solve_net) if net else 0,
        address_of(ASKS[interactive, grain]) if interactive else 0,
        address_of(protocol.score_known) if interactive == CERTIFIED else 0,
        address_of(protocol.cannot_win) if interactive == CERTIFIED else 0,
        address_of(epoch_end.look) if epochs else 0,
        address_of(deciding.fit) if epochs else 0,
        address_of(deciding.activate) if epochs else 0,
        address_of(noise.renew) if noisy else 0,
    )
