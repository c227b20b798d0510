"""Worlds drawn from a study's prior are what the prior says, and possible."""

import re
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, kstest

import askless as al
from askless.errors import SettingError, StudyError
from doc_pages import ROOT

MEDIA = "friends", "web", "tv"
STUDY = """
schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: choice, name: cause, options: [children, animals, climate]}
  - {kind: multi, name: media, options: [friends, web, tv], may_skip: true}
  - {kind: choice, name: region, options: [north, south], may_skip: true}
  - {kind: scale, name: income, low: 0, high: 10}
arms: [{name: a}, {name: b}, {name: c}]
reward: {low: -20, high: 80}
policy: {name: epoch, beta_min: 4}
plan:
"""


def study(**section):
    lines = [f"  {key}: {value}" for key, value in section.items()] or ["  {}"]
    return al.Study.parse(STUDY + "\n".join(lines))


def effects(world):
    """Every arm's effect of every question."""
    columns = world.survey.columns_of
    return np.array(
        [[q.effect(row[columns(q.name)]) for q in world.survey] for row in world.coefficients]
    )


def test_worlds_have_the_stated_numbers_sizes_and_noise():
    prior = al.Prior.of(study(useful="[2, 4]", effect="[3, 6]", gap="[2, 5]", noise="[1, 4]"))
    worlds = [prior.world(i, seed=5) for i in range(300)]
    for world in worlds:
        found = effects(world)
        used = found.max(axis=0) > 0
        assert 2 <= used.sum() <= 4
        sizes = found[found > 0]
        assert sizes.min() >= 3 - 1e-9
        assert sizes.max() <= 6 + 1e-9
        assert 1 <= world.spread / np.sqrt(3) <= 4
        low, high = world.reward.low, world.reward.high
        # Brute force: every arm's best and worst answers, one question after the other.
        for row in world.coefficients:
            reach = [(q.points() @ row[world.survey.columns_of(q.name)]) for q in world.survey]
            assert row[0] + sum(map(min, reach)) + world.reward.middle - world.spread >= low - 1e-6
            assert row[0] + sum(map(max, reach)) + world.reward.middle + world.spread <= high + 1e-6
    # How many matter: 2, 3 or 4 alike. Bounds: binomial, one in a million each.
    counts = np.bincount([int((effects(w).max(axis=0) > 0).sum()) for w in worlds], minlength=5)
    low, high = binom.ppf([1e-6, 1 - 1e-6], 300, 1 / 3)
    assert (low <= counts[2:]).all()
    assert (counts[2:] <= high).all()
    # Sizes are even on a logarithmic scale (nothing was drawn again here: there is room).
    sizes = np.concatenate([effects(w)[effects(w) > 0] for w in worlds])
    assert kstest(np.log(sizes / 3) / np.log(2), "uniform").pvalue > 1e-6


def test_an_effect_is_the_largest_that_an_answer_brings_less_the_smallest_as_the_file_says():
    """By all answers of one question, encoded, and by how many questions matter in all.

    Fails if the description of a key says another thing than worlds are drawn by.
    """
    answers = {
        "age": [18, 90],
        "donor": [True, False, None],
        "cause": ["children", "animals", "climate"],
        "media": [None, *(list(s) for r in range(4) for s in combinations(MEDIA, r))],
        "region": ["north", "south", None],
        "income": [0, 10],
    }
    others = {name: given[0] for name, given in answers.items()}
    prior = al.Prior.of(study(useful=3, effect=5, gap=0, noise=1))
    pairs = 0
    for i in range(20):
        world, matter = prior.world(i), set()
        for row in world.coefficients:
            for name, given in answers.items():
                brings = [float(row @ world.survey.encode(others | {name: a})) for a in given]
                apart = max(brings) - min(brings)
                assert apart == pytest.approx(5) or apart == pytest.approx(0)
                pairs += apart > 1
                matter |= {name} if apart > 1 else set()
        assert len(matter) == 3
    assert pairs > 20 * 3  # so it is questions that are counted, not questions and arms
    page = (ROOT / "docs" / "reference" / "study-file.md").read_text()
    assert "`useful` | How many questions matter in all: each to one arm at least." in page
    assert "the largest that an answer brings, less the smallest." in page


def test_arms_averages_are_as_far_apart_as_stated():
    prior = al.Prior.of(study(useful=2, effect="[3, 6]", gap=5, noise=2))
    for number in range(20):
        world = prior.world(number, seed=3)
        people = np.vstack([next(b).contexts for b in [world.respondents(9, r) for r in range(20)]])
        averages = (people @ world.coefficients.T).mean(axis=0)
        # 20,480 people, and 4,096 by whom it was set; an arm's reward has a deviation below 6.
        slack = 5 * 6 * np.sqrt(1 / 20_480 + 1 / 4_096) * np.sqrt(2)
        assert abs(np.ptp(averages) - 5) < slack


def test_a_world_depends_on_seed_and_number_alone_and_so_do_its_people():
    one, other = (al.Prior.of(study()) for _ in range(2))
    np.testing.assert_array_equal(
        one.world(7, seed=2).coefficients, other.world(7, seed=2).coefficients
    )
    assert (one.world(7, seed=2).coefficients != one.world(8, seed=2).coefficients).any()
    assert (one.world(7, seed=2).coefficients != one.world(7, seed=3).coefficients).any()
    first, second = (next(one.world(n, seed=2).respondents(0, 0)) for n in (7, 8))
    assert (first.luck != second.luck).any()
    assert (first.contexts != second.contexts).any()


def test_defaults_follow_beta_min_and_the_range():
    prior = al.Prior.of(study())
    assert prior.useful == (1, 2)
    assert prior.effect == (4, 10)
    assert prior.gap == (0, 10)
    assert prior.noise == (5, 20)


def test_rewards_at_the_ends_and_who_answers_how():
    prior = al.Prior.of(
        study(
            noise="ends",
            answers="{age: [2, 8], donor: 0.9, cause: [0.7, 0.2, 0.1]}",
            skips="{donor: 0.5, media: 0, region: 0}",
            eligible="{b: 0.25}",
        )
    )
    world = prior.world(0)
    blocks = [next(world.respondents(1, run)) for run in range(10)]
    z = np.vstack([block.contexts for block in blocks])
    names = world.survey.column_names
    count = len(z)

    def share(column, value):
        return (z[:, names.index(column)] == value).mean()

    slack = 5 * np.sqrt(0.25 / count)  # five deviations of a share
    assert abs(share("donor (skipped)", 1) - 0.5) < slack
    assert abs(share("donor", 0.5) - 0.5 * 0.9) < slack
    assert abs(share("cause = children", 1) - 0.7) < slack
    assert abs((z[:, names.index("age")] + 0.5).mean() - 0.2) < slack  # Beta(2, 8)
    allowed = np.vstack([block.allowed for block in blocks])
    assert abs(allowed[:, 1].mean() - 0.25) < slack
    assert allowed[:, [0, 2]].all()
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    assert al.simulate(policy, world, 200).runs[0].plays.sum() == 200


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ({"useful": "[3, 2]"}, "smaller number first"),
        ({"useful": 7}, "from 0 to 6"),
        ({"effect": 0}, "above 0"),
        ({"effect": "[90, 95]"}, "do not fit into the reward range"),
        ({"noise": 60}, "do not fit into the reward range"),
        ({"answers": "{agee: [1, 2]}"}, "plan.answers: there is no .*'agee'; did you mean 'age'"),
        ({"answers": "{age: [1, -2]}"}, "Beta"),
        ({"skips": "{age: 2}"}, "plan.skips.age: 2 is too large; give at most 1$"),
        ({"skips": "5%"}, "plan.skips: '5%' is not a number, and not a mapping; write 0.05$"),
        ({"skips": "[0.1]"}, r"plan.skips: \[0.1\] is not a number, and not a mapping$"),
        *(
            (
                {"noise": word},
                f"plan.noise: '{word}' is not 'ends', .* yes or no, write noise: ends",
            )
            for word in ("end", "binary", "bernoulli")
        ),
        ({"noise": "5%"}, "plan.noise: '5%' is not 'ends', .*, and not a list; write 0.05$"),
        ({"noise": "-1"}, "plan.noise: -1 is too small; give at least 0$"),
        ({"useful": "[1, x]"}, r"plan.useful\[2\]: 'x' is not a whole number$"),
        ({"dropout": 2}, "plan.dropout: 2 is too large; give at most 0.5$"),
        ({"eligible": "{d: 0.5}"}, "plan.eligible: there is no arm 'd'; the arms are a, b, c"),
        ({"eligible": "{a: 0.5, b: 0.5, c: 0.5}"}, "everyone"),
        ({"usefull": 2}, "did you mean 'useful'"),
        ({"correlation": 1.5}, "correlation"),
    ],
)
def test_what_no_world_can_be_drawn_from_is_refused_with_its_place(section, complaint):
    with pytest.raises(StudyError, match=complaint) as caught:
        al.Prior.of(study(**section))
    assert "plan" in str(caught.value)
    assert "line" in str(caught.value)


YES_NO = """
schema: 1
questions: [{{kind: yes_no, name: a}}, {{kind: yes_no, name: b}}, {{kind: yes_no, name: c}}]
arms: [{{name: x}}, {{name: y}}]
reward: {{low: 0, high: 1}}
policy: {{beta_min: 0.1}}
plan: {{noise: {noise}}}
"""


def test_noise_without_room_is_answered_with_what_fits():
    """Fails if what is named does not fit, or `ends` is not named."""
    with pytest.raises(StudyError, match=r"reward range together.*`noise: ends`") as caught:
        al.Prior.of(al.Study.parse(YES_NO.format(noise=0.5)))
    assert "only 0 or 1, such as no and yes" in str(caught.value)
    most = float(re.search(r"plan.noise of at most (\S+) alone", str(caught.value))[1])
    for fits in (most, "ends", f"[{most}, 0.9]"):
        al.Prior.of(al.Study.parse(YES_NO.format(noise=fits)))
    with pytest.raises(StudyError, match="of at most"):
        al.Prior.of(al.Study.parse(YES_NO.format(noise=1.2 * most)))


def test_where_less_noise_is_not_enough_it_is_not_named():
    """Fails if the noise is blamed for effects that fill the range by themselves."""
    text = YES_NO.format(noise="0.1, effect: 0.9, useful: 3")
    with pytest.raises(StudyError, match=r"make some of them smaller$") as caught:
        al.Prior.of(al.Study.parse(text))
    assert "ends" not in str(caught.value)


@pytest.mark.parametrize("call", [al.Prior.of, al.plan, al.policy_for])
def test_a_path_in_the_place_of_a_study_is_answered_with_how_to_read_it(call):
    """Fails if it is an error of Python's own, which names an attribute."""
    with pytest.raises(SettingError, match=r"'s.yaml', a path; read the file with al.Study.read"):
        call("s.yaml")
    with pytest.raises(SettingError, match=r"study is 7; give an askless.Study"):
        call(7)


def test_worlds_have_as_many_useful_questions_as_stated_however_little_room_there_is():
    """Fails if worlds that do not fit are drawn again: those with many would hardly be left."""
    prior = al.Prior.of(al.Study.example())
    counts = np.bincount([int(prior.world(i).useful.any(axis=0).sum()) for i in range(600)])
    low, high = binom.ppf([1e-6, 1 - 1e-6], 600, 1 / 3)
    assert counts[0] == 0
    assert (low <= counts[1:]).all()
    assert (counts[1:] <= high).all()
