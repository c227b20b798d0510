"""Any number of threads read and visit while one learns; learners wait for each other."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import askless as al
from threading_world import LEAST, Story, crowded, ridge, survey_bandit, watched


@pytest.fixture(scope="module", params=[survey_bandit, ridge])
def story(request):
    return Story(request.param, 150)


def test_what_is_seen_is_of_one_moment(story):
    # Fails where a table is put together while rows are learned; `make soak` shows that.
    policy = story.make()
    counts, torn = watched(story, policy, readers=3, visitors=2)
    assert not torn, torn[:5]
    assert policy.version == story.versions  # and no row is lost
    for look, table in story.looks.items():
        assert repr(table(policy)) == story.shown[look][-1], look
    assert counts["read"] >= 3 * LEAST
    assert counts["visited"] >= 2 * LEAST


@pytest.mark.parametrize("make", [survey_bandit, ridge])
def test_learners_wait_for_each_other(make):
    policy = make()
    learned = crowded(policy, threads=4, people=60)
    assert policy.version == len(learned) == 240
    assert sorted(number for number, *_ in learned) == list(range(240))  # one number a visit
    assert policy.learned == ((0, 239),)
    if make is ridge:  # every row is in the sums, once: they are exact, in any order
        sums = np.zeros((3, 7, 7))
        for _, arm, z, _ in learned:
            sums[policy.arms.index(arm)] += np.outer(z, z)
        assert [policy._model.gram(k).tolist() for k in range(3)] == sums.tolist()
        assert policy.rows.tolist() == sums[:, 0, 0].astype(int).tolist()


def test_the_lock_can_be_held_to_see_two_things_of_one_moment(story):
    policy, done, differ = story.make(), threading.Event(), []

    def look():
        while not done.is_set():
            with policy.lock:
                version, rows = policy.version, int(policy.rows.sum())
                again = policy.version
            differ.extend([(version, again)] if version != again else [])
            assert rows <= version  # short visits and checks teach no rows

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for saved, earned in story.lessons:
            policy.learn(policy.visit(saved), earned)
    finally:
        done.set()
        thread.join()
    assert not differ


def test_copies_and_pickles_have_locks_of_their_own():
    policy = survey_bandit()
    for same in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert same.lock is not policy.lock
        with policy.lock:
            thread = threading.Thread(target=same.effects, daemon=True)
            thread.start()
            thread.join(60)
            assert not thread.is_alive()  # it did not wait for the other's lock


def test_two_policies_that_merge_each_other_do_not_wait_for_ever():
    one, other = ridge(), ridge()
    refused = []

    def merge(mine, theirs):
        try:
            mine.merge(theirs)
        except al.errors.AsklessError as error:
            refused.append(error)

    threads = [
        threading.Thread(target=merge, args=pair, daemon=True)
        for pair in [(one, other), (other, one)] * 20
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert not refused


def test_a_waiting_line_is_of_one_moment_with_its_policy():
    policy = survey_bandit(price=0)
    queue, rng = al.InOrder(policy), np.random.default_rng(0)
    visits = [policy.visit(known={"age": 40, "donor": True, "cause": "animals"}) for _ in range(60)]
    for visit in visits:
        queue.add(visit)
    parts = [list(part) for part in np.array_split(rng.permutation(60), 4)]
    threads = [
        threading.Thread(target=lambda own=part: [queue.reward(int(n), 0.5) for n in own])
        for part in parts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(queue), policy.version, policy.learned) == (0, 60, ((0, 59),))


def test_simulating_while_the_lock_is_held_does_not_wait_for_ever():
    # Fails if threads of a simulation copy the policy itself, whose lock their caller holds.
    world = al.paper_environment(arms=3, features=5)
    policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=(0, 2), beta_min=0.3)

    def simulate():
        with policy.lock:
            al.simulate(policy, world, 100, runs=2, workers=2)

    thread = threading.Thread(target=simulate, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_all_runs_of_a_simulation_begin_at_one_moment():
    class Noted(al.Uniform):
        name = "noted"

        def _decide(self, z, mask, number):
            begun.append(self.version)
            owner.learn_row(0, np.array([1.0, 0.0]), 0.5)  # somebody learns meanwhile
            return super()._decide(z, mask, number)

    world = al.paper_environment(arms=1, features=2)
    begun, owner = [], Noted(world.survey, arms=world.arms, reward=(0, 2))
    owner.learn_row = lambda *_: setattr(owner, "_version", owner._version + 1)
    al.simulate(owner, world, 1, runs=3)
    assert begun == [0, 0, 0]


def test_waiting_lines_and_policies_that_know_themselves_can_be_copied_and_pickled():
    policy = Knowing(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    for same in (
        copy.deepcopy(policy),
        copy.copy(policy),
        pickle.loads(pickle.dumps(policy)),
    ):
        assert same.itself is same
        assert same.lock is not policy.lock
    queue = al.InOrder(policy, window="3 visits")
    for other in (copy.deepcopy(queue), pickle.loads(pickle.dumps(queue))):
        assert other.lock is other.policy.lock
        assert other.policy.itself is other.policy
        other.add(other.policy.visit(known={"x1": 0.5}))
        assert (len(other), len(queue)) == (1, 0)


class Knowing(al.Uniform):
    """Keeps a reference to itself, as one that keeps a method of its own does."""

    name = "knowing"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.itself = self


def test_plans_in_two_threads_leave_the_warnings_as_they_were():
    before = list(warnings.filters)
    study = al.Study.example()
    threads = [
        threading.Thread(
            target=al.plan, args=(study,), kwargs={"respondents": [n], "worlds": 20, "workers": 1}
        )
        for n in (20, 200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before
