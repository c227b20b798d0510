"""The plans of the docs: the example, a study of 25 questions, and pictures: `make plans`.

Pictures need Chromium; without it they are left as they are.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from matplotlib.image import imread, imsave

import askless as al
from askless.report.page import processor
from askless.report.plan_report import write_plan

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
WIDTHS = (375, 800, 1_440)
PEOPLE = (500, 3_000, 20_000)
GROWING = (6, 12, 25)  # questions
REMINDERS = """
schema: 1
name: reminders
text: Which of four reminders brings people to their vaccination?
questions:
{questions}
arms: [{{name: none}}, {{name: letter}}, {{name: message}}, {{name: call}}]
reward: {{low: 0, high: 1}}
policy: {{beta_min: 0.08}}
plan: {{useful: [2, 6], effect: [0.08, 0.25], noise: ends, gap: [0, 0.1]}}
"""


def reminders() -> al.Study:
    """Return a study of 25 questions, four arms and a yes/no outcome; some questions cost more."""
    lines = [f"  - {{kind: yes_no, name: item{i:02}}}" for i in range(15)]
    lines += [f"  - {{kind: scale, name: scale{i}, low: 1, high: 5, cost: 1.5}}" for i in range(8)]
    lines += ["  - {kind: choice, name: region, options: [north, south, west]}"]
    lines += ["  - {kind: yes_no, name: ill, may_skip: true}"]
    return al.Study.parse(REMINDERS.format(questions="\n".join(lines)))


def choices(count: int) -> al.Study:
    """Return a study of so many questions with four options each: four columns a question."""
    options = "options: [a, b, c, d]"
    lines = [f"  - {{kind: choice, name: item{i:02}, {options}}}" for i in range(count)]
    return al.Study.parse(REMINDERS.format(questions="\n".join(lines)))


def growth() -> None:
    """Print how long a small plan takes with more and more columns, in seconds of one core."""
    print("\n| questions | columns | seconds of one core |\n|---|---|---|")
    for count in GROWING:
        study = choices(count)
        start = time.process_time()
        al.plan(study, respondents=[2_000], worlds=20, workers=1)
        spent = time.process_time() - start
        print(f"| {count} | {study.survey.column_count} | {spent:.0f} |", flush=True)


def pictures(page: Path) -> None:
    """Take pictures of a report at the widths of a telephone, a tablet and a desk."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("There is no Chromium: pictures are left as they are.")
        return
    for width in WIDTHS:
        target = FIGURES / f"plan-{width}.png"
        size = f"--window-size={width},{1_500 if width > 400 else 2_000}"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
        command = [browser, *options, f"--screenshot={target}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        picture = imread(target)
        used = np.flatnonzero((picture[:, :, :3] < 0.99).any(axis=(1, 2)))
        imsave(target, picture[: used[-1] + 20])


def main() -> None:
    """Print verdicts and times, write the pictures."""
    print(f"{processor()}, 2 processes, Python {platform.python_version()}\n")
    print("| study | people | verdict | seconds |\n|---|---|---|---|")
    start = time.perf_counter()
    example = al.plan(al.Study.example(), workers=2)
    spent = time.perf_counter() - start
    print(f"| {example.study.name} | 10,000 | {' '.join(example.advice())} | {spent:.0f} |")
    study = reminders()
    for people in PEOPLE:
        start = time.perf_counter()
        found = al.plan(study, respondents=[people], worlds=100, workers=2)
        spent = time.perf_counter() - start
        said = " ".join(found.advice() + found.warnings())
        print(f"| {study.name} | {people:,} | {said} | {spent:.0f} |", flush=True)
    growth()
    with tempfile.TemporaryDirectory() as folder:
        page, *_ = write_plan(example, Path(folder), "askless plan charity.yaml")
        pictures(page)
        shutil.copy(Path(folder, "pareto.png"), FIGURES / "plan-charity.png")


if __name__ == "__main__":
    main()
