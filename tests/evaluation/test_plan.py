"""Plans: calibrated, the same as counted by hand, and with a verdict that fits the runs."""

import re
import tempfile

import numpy as np
import pytest

import askless as al
from askless.errors import AsklessError, SettingError, StudyError
from askless.evaluation import planning
from askless.evaluation.outcomes import best_rewards
from askless.simulation import sweep
from small_plans import LEAVING, OWN, SMALL, study_of


def test_the_same_figures_on_any_number_of_processes():
    study = al.Study.parse(SMALL)
    one, two = (
        al.plan(study, respondents=[120], worlds=20, workers=workers).to_dict()
        for workers in (1, 2)
    )
    assert one == two


def test_a_plan_makes_each_policy_once_and_writes_no_file(monkeypatch, tmp_path):
    """Its figures are those of `simulate`, a call a world and way."""
    made, make = [], sweep.policy_of

    def count(settings, *given, **named):
        made.append(settings)
        return make(settings, *given, **named)

    monkeypatch.setattr(sweep, "policy_of", count)
    monkeypatch.setattr(planning, "policy_for", None)  # the study's is among those that play
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    study, people = al.Study.parse(LEAVING.replace("0.05", "0")), (60, 150)
    found = al.plan(study, respondents=people, worlds=20, seed=3, workers=1)
    played = [way for way in found.ways if way.policy is not None]
    once = [way.policy for way in played if not way.is_planned]
    once += [way.for_people(n).policy for n in people for way in played if way.is_planned]
    searched = {label for label, _ in found.searched} - {"one arm for all"}
    once += [found.way(label).policy for label in searched]
    assert sorted(map(repr, made)) == sorted(map(repr, once))
    for way in played:
        outcome = found.outcomes[way.label, 150]
        for i in (0, 19):
            world = found.prior.world(i, seed=3)
            policy = way.for_people(150).policy if way.is_planned else way.policy
            visits = outcome.visits.astype(int).tolist()
            (run,) = al.simulate(policy, world, 150, seed=3, checkpoints=visits).runs
            assert outcome.asked[i].tolist() == run.asked_at.tolist()
            assert outcome.cost[i].tolist() == run.cost_at.tolist()
            assert outcome.started[i].tolist() == visits
            best = best_rewards([world], 3, visits)[0]
            assert outcome.reward[i].tolist() == (best - run.regret_at).tolist()


@pytest.mark.parametrize(
    "policy", ["{beta_min: 3, price: 50}", "{name: ridge, beta_min: 3, grain: arm}"]
)
def test_a_policy_that_does_not_fit_is_refused_where_the_study_says_it(policy):
    study = al.Study.parse(re.sub(r"policy: .*", f"policy: {policy}", SMALL), source="small.yaml")
    with pytest.raises(StudyError, match=r"small\.yaml, line 12.*policy '"):
        al.plan(study, respondents=[50], worlds=20, workers=1)


def test_a_price_that_the_study_does_not_say_is_not_looked_for_in_it():
    study = al.Study.parse(SMALL, source="small.yaml")
    with pytest.raises(SettingError, match=r"^policy 'survey-bandit': price is 50"):
        al.plan(study, respondents=[50], worlds=20, workers=1, prices=[50])


def test_progress_says_how_far_each_stage_is():
    seen = {}

    def tell(what, further, total):
        done, _ = seen.get(what, (0, 0))
        seen[what] = done + further, total

    al.plan(al.Study.parse(SMALL), respondents=[50, 80], worlds=20, workers=1, progress=tell)
    stages = {"the study in plausible worlds", "pilots of 50 people", "pilots of 80 people"}
    assert stages <= set(seen)
    assert all(done == total for done, total in seen.values())
    assert seen["the study in plausible worlds"][1] == 4 * 20 * 80


def test_people_of_a_pilot_answer_as_in_the_pilot(tmp_path):
    # Everybody in the pilot is a donor from the north: nothing can be learned about either.
    path = tmp_path / "pilot.csv"
    rows = [f"yes,{20 + i},{'yes' if i % 2 else 'no'},north,no" for i in range(40)]
    path.write_text("donor,age,member,region,reader\n" + "\n".join(rows) + "\n")
    study = al.Study.parse(SMALL)
    found = al.plan(study, respondents=[100], worlds=20, pilot=path, workers=1)
    world = found.prior.world(3)
    z = next(world.respondents(0, 0)).contexts
    names = world.survey.column_names
    assert (z[:, names.index("donor")] == 0.5).all()
    assert len(np.unique(z[:, names.index("age")])) <= 40
    assert found.to_dict()["prior"]["pilot"] == 40


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"respondents": []}, "respondents is empty"),
        ({"respondents": [0]}, "respondents is 0"),
        ({"respondents": [1.5]}, "respondents is 1.5"),
        ({"respondents": 1500.5}, "respondents is 1500.5"),
        ({"respondents": [10**9]}, "10 to 1,000,000 people"),
        ({"prices": [0]}, "above 0"),
        ({"prices": ["dear"]}, "price"),
        ({"worlds": 5}, "worlds is 5"),
        ({"seed": -1}, "seed"),
        ({"engine": "moon"}, "engine"),
        ({"pilot": "/nowhere/pilot.csv"}, "pilot.csv"),
    ],
)
def test_bad_input_is_refused_before_any_work(given, complaint):
    study = al.Study.parse(SMALL)
    with pytest.raises(AsklessError, match=complaint):
        al.plan(study, **({"respondents": [50], "worlds": 20} | given))


def test_one_number_of_respondents_is_enough():
    """Fails if it must be a list."""
    found = al.plan(al.Study.parse(SMALL), respondents=50, worlds=20, workers=1)
    assert found.respondents == (50,)


def test_a_study_without_a_beta_min_and_other_policies():
    text = re.sub(r"policy: .*", "policy: {name: linucb}", SMALL)
    with pytest.raises((StudyError, SettingError), match="beta_min"):
        al.plan(al.Study.parse(text), respondents=[50], worlds=20)
    text = re.sub(r"policy: .*", "policy: {name: ridge, beta_min: 3, sigma: 0.1}", SMALL)
    other = al.plan(al.Study.parse(text), respondents=[10, 17, 39], worlds=20, workers=1)
    assert other.respondents == (10, 17, 39)
    assert any("not of the policy that the study names (ridge)" in w for w in other.warnings())


@pytest.mark.slow
def test_a_beta_min_above_what_is_plausible_is_warned_of():
    study = study_of("{useful: 2, effect: [1, 1.5], noise: 0.3}", "{beta_min: 4, price: 0.001}")
    found = al.plan(study, respondents=[1500], worlds=20, workers=1)
    assert found.forecast("price 0.001", 1500).losing.middle > 0.5
    assert any("take a smaller one" in warning for warning in found.warnings())


def test_what_was_not_planned_is_not_answered(small):
    with pytest.raises(SettingError, match="not for 777 respondents, but for 400, 1500"):
        small.forecast(OWN, 777)
    with pytest.raises(SettingError, match="no way 'the pilot'; it has asking everything, "):
        small.forecast("the pilot", 400)
