"""Analyses to write down: a short study's, and the same with rows that are known beforehand."""

from dataclasses import replace

import askless as al
from askless.evaluation.arm_means import ArmMean, Contrast
from askless.evaluation.history import Drop
from askless.policies import Effect


def effect(arm="wwf", question="donor", answers="yes - no", estimate=12.0, **other):
    """Return an effect with both intervals; the one at the end is without zero."""
    given = {"low": -3.0, "high": 30.0, "end_low": 4.0, "end_high": 20.0, "epochs": 3}
    given |= {"kept": True, "dropped_at": None} | other
    return Effect(arm=arm, question=question, answers=answers, estimate=estimate, **given)


def small_analysis():
    """Return that of a study in which no epoch has ended: nothing is known of effects."""
    study = al.Study.example()
    world = al.Prior.of(study).world(3, seed=1)
    done = al.record_visits(al.policy_for(study), world, horizon=200)
    return al.analyse(study, done.visits)


def rich_analysis(small):
    """Return the same with rows of every kind, so that what is shown is known beforehand."""
    arms = [arm.name for arm in small.study.arms]
    return replace(
        small,
        effects=(
            effect(),
            effect("wwf", "cause", "children - animals", -31.25, end_low=-40.0, end_high=-22.5),
            Effect("msf", "age", "90 - 18", None, -100.0, 100.0, None, None, 0, True, None),
            effect("msf", "donor", estimate=1.0, end_low=-5.0, kept=False, dropped_at=337),
        ),
        arm_means=(
            ArmMean(arms[0], "model", 48.5, 46.0, 51.0, epochs=2),
            ArmMean(arms[1], "model", 55.0, 53.0, 57.0, epochs=3),
            ArmMean(arms[2], "model", 40.0, 38.5, 41.5, epochs=3),
            *(ArmMean(arm, "draws", None, None, None, why="too few draws") for arm in arms),
        ),
        contrasts=(
            Contrast(arms[0], arms[1], "model", -6.5, -10.0, -3.0),
            Contrast(arms[0], arms[2], "model", 8.5, 5.0, 12.0),
            Contrast(arms[1], arms[2], "model", 15.0, 11.0, 19.0),
        ),
        drops=(Drop("msf", "donor", 150), Drop("wwf", "donor", 160), Drop("red_cross", "donor", 7)),
    )
