"""Say with which flags clang-tidy reads the core: the build's that count, and where headers are."""

import platform
import sys
import sysconfig

import nanobind

FLAGS = ("-std=c++20", "-ffp-contract=off", "-DASKLESS_MODULE=_core_any")
LEVEL = {"x86_64": "-march=x86-64-v3"}  # what most processors run

if __name__ == "__main__":
    headers = (nanobind.include_dir(), sysconfig.get_path("include"))
    level = [LEVEL[machine] for machine in (platform.machine(),) if machine in LEVEL]
    sys.stdout.write(" ".join([*FLAGS, *level, *(f"-isystem {folder}" for folder in headers)]))
