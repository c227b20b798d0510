"""Verdicts follow from the runs: made-up ones make each claim hold, fail, or hold in part."""

import re

import numpy as np
import pytest

import askless as al
from askless.experiments.claims import BEST_ARM_COST, judged, well_below
from askless.experiments.paper import ASKS, NET, NET_NEVER, NEVER, RIDGE, STATED, Key, keys
from askless.simulation import Drop, Run, Runs

HORIZON = 100_000  # the paper's: shorter runs are not judged
LIMIT = (19 / 24 - 1 / 2) * HORIZON / 2
BOTH = ("x1", "x2")


def made(regret=10.0, questions=5.0, left=BOTH, lost=0, runs=5, horizon=HORIZON):
    """Return runs that end with these figures; a sequence has one for each run."""
    regrets, many = np.broadcast_to(regret, runs), np.broadcast_to(questions, runs)
    drops = tuple(Drop("arm1", "x1", 1, 1, useful=True) for _ in range(lost))
    done = [
        Run(
            index=i,
            visits=np.array([horizon // 2, horizon]),
            regret_at=np.array([regrets[i] / 2, regrets[i]]),
            reward_at=np.zeros(2),
            asked_at=np.array([0, round(many[i] * horizon)]),
            cost_at=np.array([0.0, many[i] * horizon]),
            other_arms=0,
            plays_at=np.zeros((2, 3), dtype=np.int64),
            widest_at=np.zeros((2, 3)),
            lengths_at=np.zeros((2, 1), dtype=np.int64),
            support=np.ones((3, 2), dtype=bool),
            drops=drops,
            questions_left=tuple(left),
        )
        for i in range(runs)
    ]
    return Runs("made", {}, horizon, 0, 0.0, tuple(done))


def as_the_paper_says():
    """Return runs of every curve with which all seven claims hold."""
    found = {key: made() for key in keys()}
    for label in (RIDGE, NET, NET + STATED):
        for beta_min in (0.3, 0.5, 0.7, 1.5):
            for arms, questions in ((3, 5.0), (5, 9.0)):
                # Ridge is better, and so are a larger beta_min and three arms.
                regret = (20 if label == RIDGE else 60) - 10 * beta_min - (arms == 3)
                key = Key(label, arms, beta_min)
                found[key] = made(regret, questions)
                found[Key(label + ASKS, arms, beta_min)] = made(regret, questions - 1)
    found[Key(NEVER, 5, 0.0)] = made(30.0, 50.0)
    found[Key(NET_NEVER, 5, 0.0)] = made(70.0, 50.0)
    found[Key(RIDGE, 5, 1.5)] = made(2 * LIMIT, left=(), lost=3)
    return found


def verdicts(runs):
    return [claim.verdict for claim in judged(runs)]


def test_all_claims_hold_where_the_runs_are_as_the_paper_says():
    assert verdicts(as_the_paper_says()) == ["holds"] * 7


RIDGES = [Key(RIDGE, arms, at) for arms, at in ((3, 0.3), (5, 0.3), (5, 0.5), (5, 0.7))]
NETS = [Key(NET, 5, 0.7), Key(NET + STATED, 5, 0.7)]
SHOWN_TWICE = [Key(RIDGE, 5, 0.3), Key(NET, 5, 0.7), Key(NET, 5, 1.5)]  # with three arms, too
DROPPING = [Key(RIDGE, 5, 0.3), Key(RIDGE, 5, 0.5), Key(NET, 5, 0.7), Key(NET, 5, 1.5)]


@pytest.mark.parametrize(
    ("claim", "changed", "verdict"),
    [
        (1, {Key(RIDGE, 5, 0.5): made(LIMIT + 1)}, "holds in part"),
        (1, {Key(NET, 5, 0.7): made(1.0)}, "holds in part"),  # better than ridge
        (1, {key: made(LIMIT + 1) for key in (*RIDGES, *NETS)}, "does not hold"),
        (1, {Key(NET + STATED, 5, 0.7): made(LIMIT + 1)}, "holds in part"),
        (2, {Key(RIDGE, 5, 1.5): made(LIMIT - 1)}, "holds in part"),  # worse than LinUCB, but well
        (2, {Key(RIDGE, 5, 1.5): made(1.0)}, "does not hold"),
        (3, {Key(NET, 5, 1.5): made(lost=1)}, "holds in part"),  # other arms still ask it
        (3, {Key(NET, 3, 1.5): made(left=("x1", "x9"), lost=1)}, "holds in part"),
        (
            3,
            {
                Key(net, k, 1.5): made(LIMIT + 1, left=("x2",), lost=2)
                for net, k in ((NET, 3), (NET, 5), (NET + STATED, 5))
            },
            "does not hold",
        ),
        (4, {Key(NET, 3, 0.7): made(left=("x1", "x2", "x7"))}, "holds in part"),
        (4, {Key(NET, 3, 0.7): made(left=())}, "holds"),  # what matters is not its business
        (
            4,
            {
                key: made(left=("x5",))
                for key in (
                    *(Key(RIDGE, 3, 0.3), Key(NET, 3, 0.7), Key(NET, 3, 1.5)),
                    Key(NET + STATED, 3, 1.5),
                )
            },
            "does not hold",
        ),
        (5, {Key(NET, 5, 0.7): made(99.0, questions=5.0)}, "holds in part"),  # no longer
        (5, {Key(NET, 5, 0.7): made(52.0, questions=9.0)}, "holds in part"),  # no more regret
        (5, {key: made(1.0, questions=9.0) for key in SHOWN_TWICE}, "holds in part"),
        (5, {key: made(99.0, questions=4.0) for key in SHOWN_TWICE}, "holds in part"),
        (5, {key: made(1.0, questions=4.0) for key in SHOWN_TWICE}, "does not hold"),
        (6, {Key(NET + ASKS, 5, 0.7): made(53.0, 9.0)}, "holds in part"),  # nothing saved
        (6, {Key(RIDGE + ASKS, 5, 0.3): made(17.0 + 1e-9, 8.0)}, "holds in part"),
        (
            6,
            {key._replace(label=key.label + ASKS): made(99.0, 9.0) for key in DROPPING},
            "does not hold",
        ),
        (7, {Key(NEVER, 5, 0.0): made(1.0)}, "holds in part"),
        (7, {Key(NET, 5, 0.7): made(70.0)}, "holds in part"),  # drops nothing: the same regret
        (
            7,
            {
                **{Key(NEVER, 5, 0.0): made(1.0), Key(NET_NEVER, 5, 0.0): made(1.0)},
                **{Key(RIDGE, 5, 0.3): made(2.0), Key(RIDGE, 5, 0.5): made(3.0)},
                **{Key(RIDGE, 5, 0.7): made(4.0), Key(NET, 5, 0.7): made(5.0)},
                **{Key(NET, 5, 1.5): made(6.0), Key(NET + STATED, 5, 1.5): made(99.0)},
            },
            "does not hold",
        ),
    ],
)
def test_a_claim_fails_where_the_runs_say_otherwise(claim, changed, verdict):
    assert verdicts(as_the_paper_says() | changed)[claim - 1] == verdict


def test_a_part_needs_the_mean_and_most_runs():
    few = {Key(RIDGE, 5, 0.3): made([LIMIT + 1, LIMIT + 1, LIMIT + 1, 0, 0])}  # 2 of 5, good mean
    far = {Key(RIDGE, 5, 0.3): made([LIMIT - 1] * 4 + [LIMIT + 9])}  # 4 of 5, bad mean
    for changed, agree in ((few, 2), (far, 4)):
        _, part, *_ = judged(as_the_paper_says() | changed)[0].parts
        assert (part.agree, part.runs, part.holds) == (agree, 5, False)


def test_well_is_half_of_what_the_best_single_arm_costs():
    """Integrate numerically: the best arm's mean less the best single arm's."""
    world = al.paper_environment(arms=5, features=2, coding="raw")
    middles = (np.arange(1_000) + 0.5) / 1_000
    x1, x2 = np.meshgrid(middles, middles)
    means = np.tensordot(world.coefficients, np.stack([np.ones_like(x1), x1, x2]), axes=1)
    cost = means.max(axis=0).mean() - means.mean(axis=(1, 2)).max()
    assert pytest.approx(cost, abs=1e-6) == BEST_ARM_COST
    assert well_below(1_000) == pytest.approx(500 * cost, abs=1e-3)


def test_claims_are_plain_data_with_their_figures():
    first = judged(as_the_paper_says())[0].to_dict()
    assert (first["number"], first["verdict"]) == (1, "holds")
    assert first["parts"][0]["agree"] == 5
    assert "regret 16," in first["parts"][0]["measured"]  # 20 - 10 · 0.3 - 1


def short(runs, horizon):
    """Return the same runs with fewer visits in one curve."""
    return runs | {Key(NET, 3, 1.5): made(horizon=horizon)}


def test_no_claim_is_judged_by_runs_shorter_than_the_paper_s():
    """Fails if a short run gives a verdict, either way, or hides what was measured."""
    good = as_the_paper_says()
    bad = dict.fromkeys(good, made(2 * LIMIT, questions=50.0, left=("x1", "x7"), lost=1))
    assert verdicts(bad)[2:5] == ["does not hold"] * 3
    for runs in (good, bad):
        for claim, long in zip(judged(short(runs, HORIZON - 1)), judged(runs), strict=True):
            assert claim.verdict == "not judged at this length"
            assert claim.parts == ()
            assert [part.runs for part in claim.so_far] == [part.runs for part in long.parts]
            assert claim.to_dict()["visits_needed"] == 100_000
            assert len(claim.to_dict()["so_far"]) == len(long.parts)
    assert verdicts(short(good, HORIZON)) == verdicts(good)
    assert not any(claim.so_far for claim in judged(good))


def test_every_claim_has_the_paper_s_words_and_the_section_they_are_in():
    """The paper has ten sections and ten figures; a claim without words or place fails."""
    for claim in judged(as_the_paper_says()):
        assert claim.quotations, claim.number
        for quotation in claim.quotations:
            assert len(quotation.words.split()) > 5
            assert quotation.words == " ".join(quotation.words.split())
            assert not set(quotation.words) & set("\\${}%~")  # no markup of the paper's source
            assert re.fullmatch(r"[1-9]|10", quotation.section)
            assert set(quotation.figures) <= set(range(1, 11))
            assert re.fullmatch(
                r"Section \d+(; Figure \d+|; Figures \d+(, \d+)+)?", quotation.where
            )
        said = [{"words": one.words, "where": one.where} for one in claim.quotations]
        assert claim.to_dict()["paper"] == said
