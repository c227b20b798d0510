"""Start, answer, reward over HTTP: see docs/calling.md."""

import os

import askless as al

PERSON = {
    "age": 44,
    "donor": True,
    "cause": "climate",
    "income": 5,
    "newsletter": False,
    "region": "north",
    "media": ["web"],
    "children": None,
}


def main() -> None:
    """Let one person through."""
    address, study = os.environ["ASKLESS_ADDRESS"], os.environ["ASKLESS_STUDY"]
    with al.Client(address, study, os.environ["ASKLESS_KEY"]) as client:
        visit = client.visit(id="person 7 of Python")
        while visit.asks:
            visit.answer({question: PERSON[question] for question in visit.asks})
        print("arm:", visit.arm)
        client.learn(visit, reward=25)
        print("status:", visit.status)


if __name__ == "__main__":
    main()
