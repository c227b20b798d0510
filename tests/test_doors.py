"""What a service and a researcher rely on; every test here fails on the code before doors."""

import copy
import json

import numpy as np
import pytest

import askless as al
from askless.errors import AsklessError, ContractError, RewardError, VisitError

SURVEY = al.Survey.unit(4)


class Mine(al.LinUCB):
    """LinUCB that throws dice instead."""

    name = "mine"

    def _decide(self, z, mask, number):
        decision = super()._decide(z, mask, number)
        arm = int(self.rng(number).choice(np.flatnonzero(mask)))
        return al.Decision(arm, decision.scores, mask / mask.sum())


class FirstTwo(al.Policy):
    """Asks two questions of all that it could ask, and then a third of those who say little."""

    name = "first_two"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.sums = np.zeros((len(self.arms), 2))

    def _ask(self, z, mask, number):
        missing = np.isnan(z[self.survey.columns.first])
        asks = missing & (np.arange(len(self.survey)) < 2)
        if not asks.any() and z[1] + z[2] < 0:
            asks = missing & (np.arange(len(self.survey)) == 2)
        return al.Asked(asks, np.array(mask))

    def _needs(self, arm):
        return np.arange(len(self.survey)) < 2

    def _decide(self, z, mask, number):
        means = self.sums[:, 1] / np.maximum(self.sums[:, 0], 1)
        scores = np.where(mask, means + (z[1] > 0) * np.arange(len(mask)), -np.inf)
        return al.Decision(int(np.argmax(scores)), scores)

    def _learn(self, played, rows, ys):
        np.add.at(self.sums, played, np.c_[np.ones(len(ys)), ys])

    def _grow(self):
        self.sums = np.vstack([self.sums, np.zeros(2)])

    def _state(self):
        return {"arms": self.sums.tolist()}

    def _restore(self, state):
        self.sums = np.array(state["arms"])


class Coins:
    """Two arms; the second is better for whoever says more than ½. Knows no coefficients."""

    survey, arms, reward = al.Survey.unit(2), (al.Arm("low"), al.Arm("high")), al.RewardRange(0, 1)

    def respondents(self, seed, run):
        rng = np.random.default_rng([seed, run])
        while True:
            answers = np.round(rng.uniform(size=(100, 2)) * 1024) / 1024
            chances = np.c_[1 - answers[:, 0], answers[:, 0]]
            yield al.Block(
                contexts=np.c_[np.ones(100), answers - 0.5],
                rewards=(rng.random((100, 1)) < chances).astype(float),
                expected=chances,
            )


def same(kind, world, **settings):
    return kind(world.survey, arms=world.arms, reward=world.reward, **settings)


# -- 1: a policy of one's own ----------------------------------------------------------------------


def test_a_subclass_is_simulated_as_itself():
    world = al.paper_environment(arms=3, features=4)
    own, parent = (
        al.simulate(same(kind, world), world, 300, seed=1).runs[0] for kind in (Mine, al.LinUCB)
    )
    # Dice play each arm 100 times, give or take: 300 draws are 60 off with probability < 1e-10.
    assert np.abs(own.plays - 100).max() < 60
    assert own.regret > 1.5 * parent.regret
    al.check_policy(same(Mine, world))


def test_a_policy_of_ones_own_is_known_by_name(tmp_path, catalogue):
    al.register(Mine)
    assert catalogue["mine"] is Mine
    world = al.paper_environment(arms=3, features=4)
    compared = al.compare(["mine", "linucb"], world, horizon=200)
    assert set(compared.to_frame()["curve"]) == {"mine", "linucb"}
    assert compared.plot().axes
    assert "mine" in str(compared)
    sweep = al.Sweep(policies=[{"name": "mine"}], environments={"w": world}, horizon=100)
    sweep.run(tmp_path / "runs.jsonl", workers=1)
    assert al.sweep_frame(tmp_path / "runs.jsonl")["policy"].tolist() == ["mine"]
    study = al.Study.parse(
        "{schema: 1, questions: [{kind: yes_no, name: donor}], arms: [{name: a}, {name: b}],"
        " reward: {low: 0, high: 1}, policy: {name: 'test_doors:Mine'}}"
    )
    assert type(al.policy_for(study)).__name__ == "Mine"


# -- 2: reading ------------------------------------------------------------------------------------


def test_reading_decides_nothing():
    policy = al.LinUCB(SURVEY, arms=["a", "b"], reward=(0, 1))
    visit = policy.visit(known={"x1": 0, "x2": 0, "x3": 0})
    asked = []
    policy._ask = lambda *given: asked.append(given)
    policy._decide = lambda *given: asked.append(given)
    before = visit.to_dict()
    assert (visit.asks, visit.decided, visit.asked) == (("x4",), False, ("x4",))
    with pytest.raises(VisitError, match="not decided"):
        _ = visit.arm
    with pytest.raises(VisitError, match="not decided"):
        policy.learn(visit, 1)
    assert asked == []
    assert visit.to_dict() == before


# -- 3: one reward ---------------------------------------------------------------------------------


def test_one_saved_visit_has_one_reward():
    policy = al.LinUCB(SURVEY, arms=["a"], reward=(0, 1))
    visit = policy.visit(known=dict.fromkeys(SURVEY.names, 0.5))
    saved = json.loads(json.dumps(visit.to_dict()))
    policy.learn(policy.visit(saved), 1.0)
    for reward in (0.0, 1.0):
        with pytest.raises(RewardError, match="another copy"):
            policy.learn(policy.visit(saved), reward)
    assert policy.rows.tolist() == [1]


def test_visits_of_two_workers_have_numbers_of_one_series():
    policy = al.LinUCB(SURVEY, arms=["a"], reward=(0, 1))
    workers = [al.LinUCB.from_dict(policy.to_dict()) for _ in range(2)]
    known = dict.fromkeys(SURVEY.names, 0.5)
    visits = [worker.visit(known=known, number=i) for i, worker in enumerate(workers)]
    for visit in visits:
        policy.learn(visit, 1.0)
    assert policy.learned == ((0, 1),)
    with pytest.raises(VisitError, match="has been learned"):
        policy.visit(number=1)


def test_late_rewards_are_learned_in_the_order_of_decisions():
    policy = al.EpochSurveyUCB(SURVEY, arms=["a"], reward=(0, 1), beta_min=0.2)
    in_order, queue = copy.deepcopy(policy), al.InOrder(policy)
    rng = np.random.default_rng(0)
    rewards = rng.random(30)
    visits = []
    for reward in rewards:
        known = dict(zip(SURVEY.names, rng.random(4).tolist(), strict=True))
        visits.append(policy.visit(known=known))
        queue.add(visits[-1])
        in_order.learn(in_order.visit(known=known), reward)
    for i in rng.permutation(30):
        queue.reward(visits[i], rewards[i])
    assert policy.to_dict() == in_order.to_dict()


# -- 4: asking a part ------------------------------------------------------------------------------


def test_a_policy_can_ask_a_part_of_what_it_may_ask():
    policy = FirstTwo(SURVEY, arms=["a", "b"], reward=(0, 1))
    assert policy.may_ask() == ("x1", "x2", "x3", "x4")
    assert policy.needs("a") == ("x1", "x2")
    visit = policy.visit()
    assert visit.asks == ("x1", "x2")
    visit.answer({"x1": 0.1, "x2": 0.2})
    assert visit.asks == ("x3",)
    visit.answer({"x3": 0.2})
    policy.learn(visit, 1)
    assert visit.asked == ("x1", "x2", "x3")
    assert policy.visit(known={"x1": 0.9, "x2": 0.9}).decided
    al.check_policy(policy)
    world = al.paper_environment(arms=2, features=4)
    runs = al.simulate(same(FirstTwo, world), world, 500)
    assert 2 < runs.questions_per_visit < 3


# -- 5: any world ----------------------------------------------------------------------------------


def test_an_environment_of_ones_own_runs_in_the_compiled_loop():
    world = Coins()
    al.check_environment(world)
    policy = same(al.LinUCB, world)
    assert policy.player() is not None
    runs = al.simulate(policy, world, 2_000, runs=2)
    # Uniform play expects 1,000; the best arm for each 1,500. Hoeffding: 100 off is < 1e-4.
    assert runs.reward > 1_200
    assert runs.regret < 300
    assert runs.runs[0].regret == runs.runs[0].regret_at[-1]
    assert runs.runs[0].reward == runs.runs[0].reward_at[-1]


def test_contexts_that_cannot_be_never_reach_the_core():
    class Gaps(Coins):
        def respondents(self, seed, run):
            for block in super().respondents(seed, run):
                block.contexts[3, 1] = np.nan
                yield block

    class Narrow(Coins):
        def respondents(self, seed, run):
            for block in super().respondents(seed, run):
                yield al.Block(block.contexts[:, :2].copy(), block.rewards, block.expected)

    class Own(al.LinearEnvironment):
        def respondents(self, seed, run):
            for block in super().respondents(seed, run):
                block.contexts[5] = np.nan
                yield block

    linear = Own(SURVEY, arms=["a"], reward=(0, 1), coefficients=np.zeros((1, 5)), spread=0.1)
    for world in (Gaps(), Narrow(), linear):
        with pytest.raises(AsklessError):
            al.simulate(same(al.LinUCB, world), world, 100)


# -- 6: randomness ---------------------------------------------------------------------------------


def test_draws_differ_from_run_to_run_and_are_the_same_after_a_resume():
    world = al.paper_environment(arms=3, features=4)
    runs = al.simulate(same(Mine, world), world, 64, runs=2, checkpoints=64).runs
    assert not np.array_equal(runs[0].plays_at, runs[1].plays_at)
    policy = same(Mine, world)
    numbers = policy.rng(5).random(40)
    np.testing.assert_array_equal(policy.rng(5).random(40), numbers)
    assert not np.isin(policy.rng(6).random(40), numbers).any()
    visit = policy.visit(known=dict.fromkeys(("x1", "x2", "x3"), 0.5))
    resumed = policy.visit(visit.to_dict())
    for one in (visit, resumed):
        one.answer({"x4": 0.5})
    assert (visit.arm, visit.propensities) == (resumed.arm, resumed.propensities)
    assert visit.propensities == {"arm1": 1 / 3, "arm2": 1 / 3, "arm3": 1 / 3}


class SaysCertain(Mine):
    name = "says_certain"

    def _decide(self, z, mask, number):
        return super()._decide(z, mask, number)._replace(propensities=None)


class SaysOther(Mine):
    name = "says_other"

    def _decide(self, z, mask, number):
        decision = super()._decide(z, mask, number)
        chances = np.where(mask, 1.0, 0.0)
        chances[np.flatnonzero(mask)[0]] += 3
        return decision._replace(propensities=chances / chances.sum())


class RepeatsItself(Mine):
    name = "repeats_itself"

    def _decide(self, z, mask, number):
        arm = int(np.random.default_rng(number).choice(np.flatnonzero(mask)))
        return super()._decide(z, mask, number)._replace(arm=arm)


@pytest.mark.parametrize("kind", [SaysCertain, SaysOther, RepeatsItself])
def test_a_policy_that_draws_otherwise_than_it_says_is_caught(kind):
    policy = kind(al.Survey.unit(2), arms=["a", "b", "c"], reward=(0, 1))
    with pytest.raises(ContractError, match=r"propensities.*self\.rng.*define `_decide`"):
        al.check_policy(policy)
