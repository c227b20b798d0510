"""Compile kernels with a cache on disk that knows the sources of all kernels, not of one file.

numba recompiles a cached function when its own file has changed, not when a function that it calls
has; after an edit or an upgrade the old arithmetic would live on. Here the stamp is of every file.
"""

import gc
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.ccallback import CFunc
from numba.core.event import Listener, register

from askless.kernels.linking import LinkedCompiler

__all__ = ["INLINE", "internal", "kernel"]

# For the small steps of the hot path: handing a bundle over in a call costs as much as they do.
INLINE = {"forceinline": True}

# No references are counted, and a division by zero gives infinity instead of an exception.
PLAIN: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}

Function = TypeVar("Function", bound=Callable[..., Any])


def fingerprint(folder: Path) -> str:
    """Return a hash of every Python source in a folder."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


class Undisturbed(Listener):
    """Puts off the collection of garbage while numba compiles: it takes a tenth of the time."""

    def __init__(self) -> None:
        self.depth, self.was_on = 0, False

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        """Begin to compile; compiling a callee is part of it."""
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """End it."""
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


register("numba:compile", Undisturbed())

KEPT: list[Any] = []  # what was compiled to be called by its address
FINGERPRINT = fingerprint(Path(__file__).parent)


def kernel(**options: Any) -> Callable[[Function], Function]:
    """Compile a function of plain arrays; options are those of numba.njit.

    A kernel allocates nothing and its callers own its arrays, so it does not count references:
    counting costs a bundle of twenty arrays a tenth of a microsecond at every turn. One that
    returns arrays must be able to (`_nrt=True`).
    """
    options = PLAIN | options

    def compiled(function: Function) -> Function:
        try:
            dispatcher: Any = njit(cache=True, **options)(function)
        except RuntimeError:  # nowhere to write a cache: compile in every process
            dispatcher = njit(**options)(function)
        else:
            dispatcher._cache._cache_file._source_stamp = FINGERPRINT
        return cast(Function, dispatcher)

    return compiled


def internal(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that only kernels call: without a door from Python and a cache of its own.

    It is only linked in (`linking`), which takes a fraction of the time. Python must not call it:
    there is nothing to call.
    """
    without = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options = PLAIN | without | {"pipeline_class": LinkedCompiler} | options

    def compiled(function: Function) -> Function:
        return cast(Function, njit(**options)(function))

    return compiled


@cache
def address_of(function: Callable[[int, int], int]) -> int:
    """Compile a function of (address, k) on its own, and return where it is.

    Kernels that call it there (`machine.call_at`) are not compiled together with it: numba would
    optimise it again in every one of its callers, and their callers.
    """
    signature = (types.int64, types.int64), types.int64
    compiled: Any = CFunc(function, signature, {}, PLAIN)
    try:
        compiled.enable_caching()
    except RuntimeError:
        pass
    else:
        compiled._cache._cache_file._source_stamp = FINGERPRINT
    compiled.compile()
    KEPT.append(compiled)
    return int(compiled.address)


def is_cached(dispatcher: Any) -> bool:
    """Whether some version of a kernel has been compiled already, in this process or before."""
    cache = getattr(dispatcher, "_cache", None)
    file = getattr(cache, "_cache_file", None)
    return bool(dispatcher.signatures) or (file is not None and bool(file._load_index()))
