"""Compile kernels with a cache on disk that knows the sources of all kernels, not of one file.

numba recompiles a cached function when its own file has changed, not when a function that it calls
has; after an edit or an upgrade the old arithmetic would live on. Here the stamp is of every file.
Compiling takes up to a minute, which is said once.
"""

import gc
import hashlib
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.ccallback import CFunc
from numba.core.event import Listener, register, trigger_event

from askless.kernels.linking import LinkedCompiler

__all__ = ["INLINE", "internal", "kernel", "notice"]

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


class Compiling(Listener):
    """What happens while one of these kernels is compiled; compiling a callee is part of it."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """Begin with a kernel or a callee; those of others are none of our business."""
        if self._ours(event):
            self.depth += 1
            if self.depth == 1:
                self.begin()

    def on_end(self, event: Any) -> None:
        """End it."""
        if self._ours(event):
            self.depth -= 1
            if self.depth == 0:
                self.end()

    @staticmethod
    def _ours(event: Any) -> bool:
        function = getattr((event.data or {}).get("dispatcher"), "py_func", None)
        return str(getattr(function, "__module__", None)).startswith(__package__ or "")

    def begin(self) -> None:
        """Begin with a kernel."""

    def end(self) -> None:
        """End with it."""


class Undisturbed(Compiling):
    """Puts off the collection of garbage meanwhile: it takes a tenth of the time."""

    def begin(self) -> None:
        """Begin with a kernel."""
        self.was_on = gc.isenabled()
        gc.disable()

    def end(self) -> None:
        """End with it."""
        if self.was_on:
            gc.enable()


class Notice(Compiling):
    """Says so on stderr, once in a process, if all compiling together takes longer than one waits.

    Attributes
    ----------
    seconds : float
        How long kernels have been compiled in this process.
    folder : str or None
        Where compiled kernels are kept; nowhere, if no such folder can be written.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self.folder: str | None = None
        self.said = False

    def begin(self) -> None:
        """Begin with a kernel."""
        self.began = time.perf_counter()
        # A thread: a single kernel may take longer than one waits.
        self.timer = Timer(max(PATIENCE - self.seconds, 0.0), self.say)
        self.timer.daemon = True
        if not self.said:
            with suppress(RuntimeError):  # no thread to be had: then it is not said
                self.timer.start()

    def end(self) -> None:
        """End with it."""
        self.seconds += time.perf_counter() - self.began
        self.timer.cancel()
        if self.timer.ident is not None:
            self.timer.join()  # it may just be saying it

    def say(self) -> None:
        """Say it, unless it has been said."""
        if not self.said and sys.stderr is not None:
            sys.stderr.write(f"{ONCE if self.folder else EVERY_TIME}\n")
            sys.stderr.flush()
        self.said = True

    def hush(self) -> None:
        """Say nothing: who waits knows."""
        self.said = True


PATIENCE = 2.0  # seconds
ONCE = (
    "askless: compiling its kernels for this machine, once; this may take up to a minute"
    " (`askless warm-up` does it ahead)"
)
EVERY_TIME = (
    "askless: compiling its kernels; this may take up to a minute, in every process: there is no"
    " folder to keep them in (set NUMBA_CACHE_DIR to one that can be written)"
)

notice = Notice()
register("numba:compile", Undisturbed())
register("numba:compile", notice)

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
            notice.folder = str(dispatcher._cache.cache_path)
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


class Step(CFunc):
    """A function that is called by its address; numba does not say when it compiles one."""

    @property
    def py_func(self) -> Callable[..., Any]:
        """The function as it is written."""
        return self.__wrapped__

    def _compile_uncached(self) -> Any:
        with trigger_event("numba:compile", data={"dispatcher": self}):
            return super()._compile_uncached()  # type: ignore[misc]


@cache
def address_of(function: Callable[[int, int], int]) -> int:
    """Compile a function of (address, k) on its own, and return where it is.

    Kernels that call it there (`machine.call_at`) are not compiled together with it: numba would
    optimise it again in every one of its callers, and their callers.
    """
    signature = (types.int64, types.int64), types.int64
    compiled: Any = Step(function, signature, {}, PLAIN)
    try:
        compiled.enable_caching()
    except RuntimeError:
        pass
    else:
        compiled._cache._cache_file._source_stamp = FINGERPRINT
    compiled.compile()
    KEPT.append(compiled)
    return int(compiled.address)
