"""A first study: 5,000 simulated people meet the survey of the example study.

Prints which questions were dropped for which arm, when and why, and what that did to the survey.
"""

import numpy as np

import askless as al

VISITS = 5_000


def person(rng: np.random.Generator) -> dict[str, object]:
    """Draw one respondent's answers; whoever has children is older on average."""
    children = bool(rng.random() < 0.5)
    media = [place for place in ("friends", "web", "tv") if rng.random() < 0.5]
    return {
        "age": int(rng.integers(30 if children else 18, 91)),
        "donor": bool(rng.random() < 0.5),
        "cause": str(rng.choice(["children", "animals", "climate"])),
        "income": float(rng.uniform(0, 10)),
        "newsletter": bool(rng.random() < 0.5),
        "region": str(rng.choice(["north", "south"])),
        "media": media,
        "children": None if rng.random() < 0.2 else children,
    }


def gladness(arm: str, answers: dict[str, object]) -> float:
    """Return how glad this person will be on average: three questions matter, five do not."""
    if arm == "red_cross":
        return 30.0 + 45.0 * (float(str(answers["age"])) - 18) / 72
    if arm == "wwf":
        return 75.0 if answers["cause"] == "animals" else 35.0
    return 65.0 if answers["donor"] else 25.0


def main() -> None:
    """Play the study and print what it learned."""
    study = al.Study.example()
    print(f"{study.text}\nPlaying {VISITS:,} visits ...\n", flush=True)
    policy = al.policy_for(study)
    rng = np.random.default_rng(2026)
    asked = np.zeros(VISITS)
    glad = np.zeros(VISITS)
    best = np.zeros(VISITS)
    gone: dict[tuple[str, str], int] = {}
    for t in range(VISITS):
        answers = person(rng)
        visit = policy.visit()
        while visit.asks:
            visit.answer({question: answers[question] for question in visit.asks})
        expected = gladness(visit.arm, answers)
        before = policy.support
        policy.learn(visit, expected + rng.uniform(-10, 10))
        for k, g in np.argwhere(before & ~policy.support):
            gone[policy.arms[k], policy.survey.names[g]] = t + 1
        asked[t] = len(visit.asked)
        glad[t] = expected
        best[t] = max(gladness(arm, answers) for arm in policy.arms)

    print(f"{'arm':<10} {'question':<11} {'dropped':<24} why")
    for effect in policy.effects():
        when = "kept"
        if not effect.kept:
            when = f"visit {gone[effect.arm, effect.question]:,} (row {effect.dropped_at:,})"
        print(f"{effect.arm:<10} {effect.question:<11} {when:<24} {effect.reason}")

    print(f"\n{'':<22} {'first 500':>10} {'last 500':>10}")
    for label, values in (
        ("questions a visit", asked),
        ("reward a visit", glad),
        ("... at best", best),
    ):
        print(f"{label:<22} {values[:500].mean():>10.1f} {values[-500:].mean():>10.1f}")
    print(f"\nStill asked: {', '.join(policy.asked_now())}")


if __name__ == "__main__":
    main()
