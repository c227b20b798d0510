"""States as they stand in a file, read and written without the code that they are about."""

import base64
import copy
import json
import math
import struct
import zlib

from askless.policies import files


def numbers_of(text):
    """The numbers of a block: base64 of zlib of little-endian float64."""
    raw = zlib.decompress(base64.b64decode(text, validate=True))
    return list(struct.unpack(f"<{len(raw) // 8}d", raw))


def text_of(numbers):
    """A block of numbers, which may be none, such as NaN."""
    raw = struct.pack(f"<{len(numbers)}d", *numbers)
    return base64.b64encode(zlib.compress(raw)).decode()


def in_rows(numbers, length):
    return [numbers[i : i + length] for i in range(0, len(numbers), max(length, 1))]


def triangle(numbers):
    """Rows that grow by one."""
    rows = []
    while numbers:
        rows, numbers = [*rows, numbers[: len(rows) + 1]], numbers[len(rows) + 1 :]
    return rows


def opened(content):
    """The data of a policy with lists in the place of blocks, as version 5 has them."""
    data = copy.deepcopy(content)
    state = data["state"]
    for arm in state.get("arms", []):
        for sums in (arm, arm.get("all"), arm.get("forced"), arm.get("forecasts"), arm.get("rows")):
            if isinstance(sums, dict) and "gram" in sums:
                sums["moment"] = numbers_of(sums["moment"])
                sums["gram"] = triangle(numbers_of(sums["gram"]))
        if "log_weights" in arm:
            arm["log_weights"] = numbers_of(arm["log_weights"])
        if "epoch" in arm:
            open_epoch(arm["epoch"], len(arm["moment"]))
    if state.get("short_form") is not None:
        open_form(state["short_form"])
    for name in ("asked", "earned", "ys"):
        if name in state:
            state[name] = numbers_of(state[name])
    p = 1 + sum(widths(data["survey"]))
    for name in ("rows", "coefficients"):
        if name in state:
            state[name] = in_rows(numbers_of(state[name]), p)
    return data


def widths(survey):
    """How many columns each question has."""
    return [len(q.get("options", "1")) + q["may_skip"] for q in survey["questions"]]


def open_epoch(epoch, size):
    for name in ("logs", "pace", "passed"):
        epoch[name] = in_rows(numbers_of(epoch[name]), 2)
    epoch["passed"] = [[int(flag) for flag in pair] for pair in epoch["passed"]]
    epoch["signed"] = in_rows(numbers_of(epoch["signed"]), 24)
    epoch["rewards"] = numbers_of(epoch["rewards"])
    epoch["rows"] = in_rows(numbers_of(epoch["rows"]), size)


def open_form(form):
    for arm in form["arms"]:
        for name in ("moment", "pull", "estimate", "told", "tells", "whole_root", "whole_estimate"):
            arm[name] = numbers_of(arm[name])
        for name in ("gram", "prior", "spread"):
            arm[name] = in_rows(numbers_of(arm[name]), len(arm["moment"]))
    p = len(form["arms"][0]["tells"])
    ring = [None if math.isnan(x) else x for x in numbers_of(form["ring"])]
    form["ring"] = in_rows(ring, p)
    form["projection"] = in_rows(numbers_of(form["projection"]), p)
    form["may"] = [
        [int(flag) for flag in row] for row in in_rows(numbers_of(form["may"]), len(form["arms"]))
    ]


def write(path, content, version=6):
    """Write data as a file with a checksum that fits, whatever they are."""
    head = {"format": files.FORMAT, "version": version, "checksum": files.checksum(content)}
    path.write_text(json.dumps(head | {"content": content}))


def read(path):
    """The data of a file."""
    return json.loads(path.read_text())["content"]
