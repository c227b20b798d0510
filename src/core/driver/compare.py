"""Compare the core's results on every processor that can be had here, an emulated ARM one included.

Builds `driver.cpp` with the machine's compiler for three levels of x86-64, and with that of the
package `ziglang` (clang) for the same and for aarch64; runs all of them, the last one under
`qemu-aarch64`; and fails where one prints another hash for a policy.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

CORE = Path(__file__).parent.parent
ROOT = CORE.parent.parent
BUILD = ROOT / "build" / "driver"
FLAGS = "-std=c++20 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Werror"
ZIG = [sys.executable, "-m", "ziglang", "c++"]
# What a processor must have to run a level, in the words of /proc/cpuinfo.
NEEDS = {"v3": {"avx2", "fma", "bmi2"}, "v4": {"avx2", "fma", "bmi2", "avx512f", "avx512vl"}}


class Build(NamedTuple):
    """A driver: by which compiler, for which processor, and by what it is run."""

    name: str
    compiler: list[str]
    processor: list[str]  # its flags, for the core alone: a linker gets the compiler's own library
    runner: list[str]


def builds() -> list[Build]:
    """Return what can be compared on this machine; the first is what others are held against."""
    found = []
    own = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if platform.machine() in ("x86_64", "AMD64"):
        flags = set(Path("/proc/cpuinfo").read_text().split())
        for level in ("any", "v3", "v4"):
            if not NEEDS.get(level, set()) <= flags:
                print(f"x86-64-{level} is left out: this processor cannot run it")
                continue
            march = [] if level == "any" else [f"-march=x86-64-{level}"]
            cpu = "baseline" if level == "any" else f"x86_64_{level}"
            if own:
                found.append(Build(f"{Path(own).name} {level}", [own], march, []))
            zig = [*ZIG, "-target", "x86_64-linux-musl"]
            found.append(Build(f"zig {level}", zig, [f"-mcpu={cpu}"], []))
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if platform.machine() in ("aarch64", "arm64"):
        emulator_call = []
    elif emulator:
        emulator_call = [emulator]
    else:
        raise SystemExit(
            "qemu-aarch64 is missing, which runs the driver as an ARM processor would; install it"
            " (Debian: apt-get install qemu-user)"
        )
    zig = [*ZIG, "-target", "aarch64-linux-musl"]
    found.append(Build("zig aarch64", zig, ["-static"], emulator_call))
    return found


def sources() -> list[Path]:
    """Return the files of the core that know nothing of Python, and the driver."""
    python = ("bind_", "module", "processor")
    return [
        *(file for file in sorted(CORE.glob("*.cpp")) if not file.name.startswith(python)),
        CORE / "driver" / "driver.cpp",
    ]


def make(build: Build) -> Path:
    """Compile what has changed; return the driver."""
    folder = BUILD / build.name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    headers = max(file.stat().st_mtime for file in [*CORE.glob("*.hpp"), Path(__file__)])
    jobs = []
    for source in sources():
        made = folder / f"{source.stem}.o"
        newest = max(headers, source.stat().st_mtime)
        if not made.exists() or made.stat().st_mtime < newest:
            flags = [*build.processor, *FLAGS.split()]
            jobs.append([*build.compiler, *flags, "-c", str(source), "-o", str(made)])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(call, jobs))
    driver = folder / "driver"
    if jobs or not driver.exists():
        objects = [str(folder / f"{source.stem}.o") for source in sources()]
        call([*build.compiler, *objects, "-o", str(driver)])
    return driver


def call(command: list[str]) -> str:
    """Run a command; return what it prints, or stop with what it complains about."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def run(build: Build) -> dict[str, str]:
    """Build and run a driver; return its lines by policy."""
    begun = time.monotonic()
    driver = make(build)
    built = time.monotonic()
    lines = call([*build.runner, str(driver)]).splitlines()
    print(
        f"{build.name}: {len(lines)} hashes; built in {built - begun:.0f} s,"
        f" run in {time.monotonic() - built:.1f} s",
        flush=True,
    )
    return dict(line.split(": ", 1) for line in lines)


def main() -> int:
    """Compare all builds with the first."""
    first, *others = builds()
    expected = run(first)
    if "-v" in sys.argv:
        print(*(f"  {name}: {line}" for name, line in expected.items()), sep="\n")
    wrong = 0
    for other in others:
        found = run(other)
        for name in expected.keys() | found.keys():
            if expected.get(name) != found.get(name):
                wrong += 1
                print(f"  {name}: {found.get(name)}, but with {first.name} {expected.get(name)}")
    print("all bytes are the same" if wrong == 0 else f"{wrong} results differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
