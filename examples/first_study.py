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


class Played:
    """What became of every visit, and at which visit each arm dropped a question."""

    def __init__(self, policy: al.Policy) -> None:
        self.asked, self.glad, self.best = np.zeros((3, VISITS))
        self.gone: dict[tuple[str, str], int] = {}
        rng = np.random.default_rng(2026)
        for t in range(VISITS):
            answers = person(rng)
            visit = policy.visit()
            while visit.asks:
                visit.answer({question: answers[question] for question in visit.asks})
            expected = gladness(visit.arm, answers)
            before = policy.support
            policy.learn(visit, expected + rng.uniform(-10, 10))
            for k, g in np.argwhere(before & ~policy.support):
                self.gone[policy.arms[k], policy.survey.names[g]] = t + 1
            self.asked[t] = len(visit.asked)
            self.glad[t] = expected
            self.best[t] = max(gladness(arm, answers) for arm in policy.arms)

    def show(self) -> None:
        """Print how visits were at the beginning and at the end."""
        print(f"\n{'':<22} {'first 500':>10} {'last 500':>10}")
        for label, values in (
            ("questions a visit", self.asked),
            ("reward a visit", self.glad),
            ("... at best", self.best),
        ):
            print(f"{label:<22} {values[:500].mean():>10.1f} {values[-500:].mean():>10.1f}")


def main() -> None:
    """Play the study twice and print what was learned."""
    study = al.Study.example()
    print(f"{study.text}\nPlaying {VISITS:,} visits ...\n", flush=True)
    proved = al.SurveyBandit(
        study.survey, arms=study.arms, reward=study.reward, price=0, **study.settings
    )
    played = Played(proved)
    print("Without short forms (price 0), a question goes once it is proved not to matter:\n")
    print(f"{'arm':<10} {'question':<11} {'dropped':<24} why")
    for effect in proved.evidence():
        when = "kept"
        if not effect.kept:
            when = f"visit {played.gone[effect.arm, effect.question]:,} (row {effect.dropped_at:,})"
        print(f"{effect.arm:<10} {effect.question:<11} {when:<24} {effect.reason}")
    played.show()
    print(f"\nStill asked: {', '.join(proved.asked_now())}")

    policy = al.policy_for(study)
    print(f"\nWith short forms, at the default price of {policy.price:g} a question:", flush=True)
    Played(policy).show()
    print(f"\n{policy.short_form()}")


if __name__ == "__main__":
    main()
