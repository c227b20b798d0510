"""How much memory there is for this process, and whether what a policy needs fits into it."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from askless.errors import SettingError

__all__ = ["check_fits", "memory_there_is"]

GIB = 2**30


def check_fits(numbers: float, arms: int, columns: int) -> None:
    """Refuse arms and columns that need more memory than there is, before any is taken."""
    size, there_is = 8 * numbers, memory_there_is()
    if there_is is not None and size > there_is:
        raise SettingError(
            f"{arms} arms with {columns:,} columns each would take {size / GIB:,.1f} GiB of memory,"
            f" and there are {there_is / GIB:,.1f} GiB; ask fewer questions, give choices fewer"
            " options, take fewer arms, or a machine with more memory"
        )


@functools.cache
def memory_there_is() -> int | None:
    """Return how many bytes this process may take: the machine's, or less in a container.

    None where nothing says so.
    """
    return min((*_of_machine(), *_of_process(), *limits_of_groups(Path("/"))), default=None)


def _of_machine() -> Iterator[int]:
    """Go through what the operating system says there is."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        class Status(ctypes.Structure):
            _fields_ = [
                ("length", ctypes.c_ulong),
                ("load", ctypes.c_ulong),
                *(
                    (name, ctypes.c_ulonglong)
                    for name in ("total", "free", "b", "c", "d", "e", "f")
                ),
            ]

        status = Status(length=ctypes.sizeof(Status))
        if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
            yield int(status.total)
        return
    try:
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return


def _of_process() -> Iterator[int]:
    """Go through what `ulimit -v` says this process may take."""
    try:
        import resource  # noqa: PLC0415
    except ModuleNotFoundError:  # Windows has none
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        yield most


def limits_of_groups(root: Path) -> Iterator[int]:
    """Go through the limits of the control groups that this process is in, as containers have them.

    `root` is where the file system begins. The second version of control groups has `memory.max`,
    the first `memory.limit_in_bytes`; the limit of a group holds for those within it.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        lines = []
    groups = dict.fromkeys(("", "memory"), "/")  # a container may see its own group as the root
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for name in groups.keys() & set(controllers.split(",")):
            groups[name] = path
    for controller, path in groups.items():
        home = root / "sys/fs/cgroup" / controller
        name = "memory.limit_in_bytes" if controller else "memory.max"
        group = home / path.strip("/")
        for place in (group, *group.parents):
            if place != home and home not in place.parents:
                break
            try:
                yield int((place / name).read_text())
            except (OSError, ValueError):  # not there, or "max"
                continue
