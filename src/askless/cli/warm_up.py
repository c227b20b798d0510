"""`askless warm-up`: compile everything ahead, as in a container's image or on a cluster's node."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from askless.cli.terminal import messages, output
from askless.kernels.compiling import notice
from askless.simulation.warm_up import warming


def warm_up(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Compile what the policies need, once for this machine, so that nobody waits for it."""
    if messages.is_terminal:
        notice.hush()  # the spinner says so
    policies = []
    with messages.status("Compiling ...") as status:  # says nothing where there is no terminal
        for policy in warming():
            status.update(f"Compiling what is not compiled yet, a minute or two: {policy}")
            policies.append(policy)
    if as_json:
        summary = {"policies": policies, "seconds": notice.seconds, "cache": notice.folder}
        typer.echo(json.dumps(summary))
        return
    done = "Everything had been compiled before"
    if notice.seconds:
        done = f"Compiled everything, in {notice.seconds:.0f} s"
    where = f"it is kept in {notice.folder}"
    if notice.folder is None:
        where = "but it cannot be kept: set NUMBA_CACHE_DIR to a folder that can be written"
    output.print(f"{done}; {where}", highlight=False, markup=False, soft_wrap=True)
