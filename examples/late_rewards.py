"""What late rewards can break, and what keeps them harmless: wrong drops under six kinds of delay.

Sales are reported at once, their absence late. One question matters, by exactly beta_min.
"""

import askless as al

RUNS, VISITS = 100, 3_000
BETA_MIN, DELTA = 0.3, 0.2

DELAYS = {
    "at once": None,
    "0s after 400 visits, learned in the order of the decisions": al.Delay(200, "by_reward"),
    "0s after 400 visits, learned as they arrive": al.Delay(200, "by_reward", order="arrival"),
    "0s never, given up after 100 visits": al.Delay(100, "by_reward", deadline=100),
    "0s never, taken to be 0 after 100 visits": al.Delay(
        100, "by_reward", deadline=100, silence=0.0
    ),
    "random, 100 visits on average, learned as they arrive": al.Delay(
        100, "random", order="arrival"
    ),
    "heavy-tailed, a tenth lost, given up after 500 visits": al.Delay(
        100, "heavy_tailed", lost=0.1, deadline=500
    ),
}


def wrong_drops(delay: al.Delay | None) -> float:
    """Return the share of runs that lose the question that matters."""
    survey = al.Survey([al.YesNo("member"), al.YesNo("left_handed"), al.YesNo("rainy")])
    world = al.LinearEnvironment(
        survey,
        arms=["offer"],
        reward=(0, 1),
        coefficients={"offer": {"member": BETA_MIN}},
        noise="two_point",
    )
    policy = al.EpochSurveyUCB(
        survey, arms=world.arms, reward=world.reward, beta_min=BETA_MIN, delta=DELTA
    )
    done = al.simulate(policy, world, VISITS, RUNS, seed=1, delay=delay)
    return sum(run.useful_dropped > 0 for run in done.runs) / RUNS


def main() -> None:
    """Print a line a kind of delay."""
    print(f"Runs that lose the useful question, of {RUNS}; at most {DELTA:.0%} are allowed:\n")
    for label, delay in DELAYS.items():
        print(f"{label:<60} {wrong_drops(delay):>5.0%}", flush=True)


if __name__ == "__main__":
    main()
