"""Sentences about a finished study: what is best, what is sure, what is missing and why."""

from dataclasses import replace

import askless as al
from analyses import effect
from askless.policies.effects import IMPOSSIBLE
from askless.report.analysis_summary import doubts_of, said_of, why_so_few


def test_the_sentences_name_the_best_arm_and_the_sure_effects(rich, small):
    """Fails if the verdict names another arm, or effects that may be zero."""
    people, _, arms, effects = said_of(rich)
    assert people.startswith("200 people got one of 3 arms, and 200 rewards have come.")
    assert "wwf would bring most, 55.0 (53.0 to 57.0) by the model; each other arm less" in arms
    assert effects == (
        "2 of 3 effects of answers that have an interval at the end are other than zero by it (at"
        " most 1 by chance, if none were), the surest first: wwf, cause: children - animals: -31.2;"
        " wwf, donor: yes - no: +12.0."
    )
    many = replace(rich, effects=tuple(effect(question=f"q{i}") for i in range(21)))
    assert "21 of 21" in said_of(many)[3]
    assert "at most 2 by chance" in said_of(many)[3]
    assert said_of(many)[3].endswith("; and 18 more.")
    bare = replace(rich, effects=(effect(end_low=None, end_high=None, low=1.0),))
    assert said_of(bare)[3] == "The only effect of answers has no interval at the end."
    unsure = replace(rich, contrasts=(replace(rich.contrasts[0], high=1.0), *rich.contrasts[1:]))
    assert "another may bring as much" in said_of(unsure)[2]
    assert "no mean of the arms red_cross, wwf, msf" in said_of(small)[2]
    assert "no effect" in said_of(small)[3]


def test_the_best_arm_may_be_told_by_means_of_both_kinds(rich):
    """Fails if a mean by draws is overlooked where an arm has none by the model."""
    first, *others = rich.arm_means[:3]
    bare = replace(first, estimate=None, low=None, high=None)
    drawn = replace(first, by="draws", estimate=60.0, low=50.0, high=70.0)
    found = replace(rich, arm_means=(bare, *others, drawn, *rich.arm_means[4:]))
    assert "red_cross would bring most, 60.0 (50.0 to 70.0)" in said_of(found)[2]
    assert "found in another way" in said_of(found)[2]
    less = replace(rich, arm_means=(bare, *others, *rich.arm_means[3:]))
    assert said_of(less)[2].endswith("there is no mean of the arm red_cross.")


def test_an_empty_interval_puts_the_assumptions_in_doubt(rich):
    """Fails if nothing warns where epochs contradict each other."""
    assert doubts_of(rich) == []
    empty = effect(low=None, high=None, why=IMPOSSIBLE)
    (doubt,) = doubts_of(replace(rich, effects=(empty,)))
    assert "of 1 effect are empty (wwf and donor)" in doubt


def test_what_is_missing_is_explained_only_where_something_is(rich, small):
    """Fails if a reason stands where nothing is missing, or short visits are blamed for none."""
    assert why_so_few(replace(rich, effects=(effect(),))) == ""
    assert "`price: 0` and `explore_floor: 0.1`" in why_so_few(small)
    assert "short" not in why_so_few(replace(small, kinds={"full": 200}))
    follows = small.study.settings | {"price": 0, "explore_floor": 0.1}
    policy = al.policy_for(replace(small.study, settings=follows))
    said = why_so_few(replace(small, kinds={"full": 200}, policy=policy))
    assert "price" not in said  # it follows the recipe
    assert "More people" in said
