"""Pilots as files: people who answered a small survey, written as a spreadsheet writes them."""

import csv
import io

import numpy as np

import askless as al
from worlds import random_answers

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["children", "animals", "sea, air"], may_skip=True),
        al.Multi("media", ["tv", "web", "radio"]),
        al.Scale("income", low=-1, high=1, may_skip=True),
    ]
)
HEADER = "age,donor,cause,media,income"
PERSON = {"age": 30, "donor": True, "cause": "animals", "media": ["tv"], "income": 0.5}
ROW = "30,yes,animals,tv,0.5"


def people(count, seed=0):
    """Persons whose encoded answers all differ."""
    rng = np.random.default_rng(seed)
    made = [random_answers(SURVEY, rng) for _ in range(count)]
    assert len(np.unique(table(made), axis=0)) == count
    return made


def table(answers, survey=SURVEY):
    return np.array([survey.encode(person) for person in answers])


def as_cell(answer):
    if isinstance(answer, list):
        return ";".join(answer) or "none"
    return {None: "", True: "yes", False: "no"}.get(answer, answer)


def written(answers, names, **dialect):
    """Write answers as a spreadsheet does: by the csv module, in the order of the names."""
    file = io.StringIO()
    writer = csv.writer(file, **dialect)
    writer.writerow(names)
    for person in answers:
        writer.writerow([as_cell(person[name]) for name in names])
    return file.getvalue()


def row_with(name, cell):
    cells = dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {name: cell}
    return ",".join(cells.values())
