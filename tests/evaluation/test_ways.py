"""The ways that a plan compares are those of its study."""

import re

import askless as al
from askless.evaluation.ways import ways_of
from small_plans import OWN, SMALL


def test_the_ways_are_those_of_the_study(small):
    assert [way.label for way in small.ways] == [
        *("asking everything", OWN, "price 0.01", "price 0.04"),
        *("one arm for all", "pilot of 10%", "pilot of 20%"),
    ]
    assert small.price == 0.02
    for text, labels in {
        "{beta_min: 3}": ["price 0.02", "price 0.01", "price 0.04"],  # 0.002 of the range
        "{beta_min: 3, questions: 2}": ["questions 2", "questions 1", "questions 4"],
        "{beta_min: 3, questions: 3}": ["questions 3", "questions 1.5"],
        "{beta_min: 3, price: 0}": ["price 0"],
        "{name: ridge, beta_min: 3, alpha: 2}": ["price 0.02", "price 0.01", "price 0.04"],
    }.items():
        study = al.Study.parse(re.sub(r"policy: .*", f"policy: {text}", SMALL))
        ours = [way for way in ways_of(study) if way.ours]
        assert [way.label for way in ours] == labels
        assert all("alpha" not in way.policy for way in ours)
    tried = [way.setting for way in ways_of(study, [0.5, 0.1]) if way.ours]
    assert tried == ["price: 0.02", "price: 0.5", "price: 0.1"]
    # The study's own way stays the first, and near ones are told apart.
    budget = al.Study.parse(re.sub(r"policy: .*", "policy: {beta_min: 3, questions: 2}", SMALL))
    tried = [way.setting for way in ways_of(budget, [0.5, 0.50001]) if way.ours]
    assert tried == ["questions: 2", "price: 0.5", "price: 0.50001"]
    free = "policy: {beta_min: 3, price: 0, grain: question}"
    own, other = (
        way
        for way in ways_of(al.Study.parse(re.sub(r"policy: .*", free, SMALL)), [0.1])
        if way.ours
    )
    assert (own.setting, own.policy["grain"]) == ("price: 0", "question")
    assert "grain" not in other.policy  # it goes with a price of 0 alone
