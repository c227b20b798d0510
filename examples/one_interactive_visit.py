"""One interactive visit, step by step: what is asked, which arms can still win, what is saved.

The policy of the example study first learns from 1,500 people; then one more person comes.
"""

import numpy as np

import askless as al
from first_study import gladness, person

VISITS = 1_500


def main() -> None:
    """Learn, then explain every step of one visit."""
    study = al.Study.example()
    print(f"Playing {VISITS:,} visits ...\n", flush=True)
    policy = al.SurveyBandit(
        study.survey,
        arms=study.arms,
        reward=study.reward,
        beta_min=20,
        price=0,  # no short forms: then the survey is interactive
        grain="question",
    )
    rng = np.random.default_rng(2026)
    asked, open_questions = 0, 0
    for _ in range(VISITS):
        answers = person(rng)
        open_questions += len(policy.asked_now())
        visit = policy.visit()
        while visit.asks:
            visit.answer({question: answers[question] for question in visit.asks})
        policy.learn(visit, gladness(visit.arm, answers) + rng.uniform(-10, 10))
        asked += len(visit.asked)
    print(f"{VISITS:,} people were asked {asked / VISITS:.1f} questions each;")
    print(f"the full survey would have asked {open_questions / VISITS:.1f} and played the same.\n")

    answers, visit = person(rng), policy.visit()
    while visit.asks:
        print(visit.explain())
        question = visit.asks[0]
        print(f"-> {question}: {answers[question]}\n")
        visit.answer({question: answers[question]})
    print(visit.explain())


if __name__ == "__main__":
    main()
