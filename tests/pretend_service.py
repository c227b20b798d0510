"""The HTTP API of a live study in a few lines, on a policy in memory: what a client may expect.

It knows nothing of the real service, so that the two can be compared.
"""

import json
import re
from dataclasses import fields

import httpx

import askless as al
from askless.policies import Effect

KEY = "ask_pretended"
PERSON = {
    "age": 44,
    "donor": True,
    "cause": "climate",
    "income": 5,
    "newsletter": False,
    "region": "north",
    "media": ["tv", "web"],
    "children": None,
}


class RefusedError(Exception):
    """An answer in the shape of errors."""


def fresh(response):
    """Return a copy of an answer, to be sent: one that was sent cannot be sent again."""
    return httpx.Response(response.status_code, headers=response.headers, content=response.content)


class PretendService:
    """Handles requests as `httpx.MockTransport` hands them over; `calls` are those it got."""

    def __init__(self, study=None):
        self.study = study or al.Study.example()
        self.policy = al.policy_for(self.study)
        self.visits, self.by_id, self.rewards, self.events = {}, {}, {}, []
        self.paused, self.calls = False, []

    def transport(self):
        return httpx.MockTransport(self)

    def __call__(self, request):
        self.calls.append(request)
        if request.url.path == "/health":
            return httpx.Response(200, json={"status": "ok"})
        try:
            return self.answered(request)
        except RefusedError as refused:
            status, code, message = refused.args
            body = {"error": {"code": code, "message": message}}
            return httpx.Response(status, json=body)

    def answered(self, request):
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            raise RefusedError(401, "key", "the key is not known")
        prefix, _, path = request.url.path.partition(f"/studies/{self.study.name}/")
        if prefix != "/v1":
            raise RefusedError(404, "not_found", "there is nothing at this address")
        body = json.loads(request.content) if request.content else {}
        if path == "visits":
            return self.start(body)
        if re.fullmatch("visits/[^/]+(/[a-z]+)?", path):
            _, token, *rest = path.split("/")
            if token not in self.visits:
                raise RefusedError(404, "not_found", "there is no such visit in this study")
            return self.of_visit(request.method, token, rest, body)
        return self.of_study(path, request.url.params)

    def start(self, body):
        own = body.get("id")
        if own in self.by_id:
            return self.seen(self.by_id[own])
        if self.paused:
            raise RefusedError(409, "paused", "the study is paused")
        token = f"token-{len(self.visits)}"
        self.visits[token] = self.policy.visit(known=body.get("known"), arms=body.get("arms"))
        self.by_id[own] = token
        self.note("started", token)
        return self.seen(token, 201)

    def of_visit(self, method, token, rest, body):
        visit = self.visits[token]
        if method == "DELETE":
            del self.visits[token]
            return httpx.Response(204)
        try:
            if (method, rest) == ("POST", ["answers"]):
                held = visit.answers
                given = self.policy.survey.check(body["answers"])
                if any(q in held and held[q] != a for q, a in given.items()):
                    raise RefusedError(409, "conflict", "it has another answer")
                new = {q: a for q, a in given.items() if q not in held}
                if new:
                    visit.answer(new)
                    self.note("answered", token, answers=new)
            elif (method, rest) == ("PATCH", ["answers"]):
                visit.revise(body["answers"])
            elif (method, rest) == ("POST", ["reward"]):
                self.reward(token, body["reward"])
        except al.errors.AnswerError as error:
            raise RefusedError(422, "answer", error.discreet) from None
        except al.errors.VisitError as error:
            raise RefusedError(409, "visit", str(error)) from None
        return self.seen(token)

    def reward(self, token, reward):
        if not self.visits[token].decided:
            raise RefusedError(409, "visit", "the arm is not decided yet")
        low, high = self.policy.reward.low, self.policy.reward.high
        if not low <= reward <= high:
            raise RefusedError(422, "reward", "the reward is not in its range")
        if self.rewards.setdefault(token, reward) != reward:
            raise RefusedError(409, "conflict", "this visit has another reward")
        if self.visits[token].reward is None:
            self.policy.learn(self.visits[token], reward)
            self.note("rewarded", token, reward=reward)

    def of_study(self, path, params):
        if path in ("pause", "resume"):
            self.paused = path == "pause"
            return httpx.Response(200, json={})
        if path == "summary":
            return httpx.Response(200, json=self.summary())
        if path == "effects":
            rows = [{f.name: e[f.name] for f in fields(Effect)} for e in self.policy.effects()]
            return httpx.Response(200, json={"effects": rows})
        if path == "events":
            after, limit = int(params["after"]), min(2, int(params["limit"]))
            found = self.events[after : after + limit]
            more = after + limit < len(self.events)
            return httpx.Response(
                200, json={"events": found, "next": found[-1]["serial"] if more else None}
            )
        arm = re.fullmatch("arms/(.+)/retire", path)
        if arm:
            self.policy.retire_arm(arm[1])
            return httpx.Response(200, json={})
        raise RefusedError(404, "not_found", "there is nothing at this address")

    def summary(self):
        arms, learned = self.policy.live_arms, len(self.rewards)
        decided = sum(visit.decided for visit in self.visits.values())
        counts = ("started", "decided", "full", "short", "checks", "asked", "rewarded", "late")
        return {
            "study": self.study.name,
            "paused": self.paused,
            "stopped": False,
            "visits": len(self.visits),
            "decided": decided,
            "learned": learned,
            "waiting": decided - learned,
            "events": len(self.events),
            "questions": list(self.study.survey.names),
            "arms": list(arms),
            "support": {arm: list(self.study.survey.names) for arm in arms},
            "form": None,
            "asked_now": list(self.study.survey.names),
            "spans": [
                {"start": 0, "arm": None, "reward": 2.5, "squares": 6.25}
                | dict.fromkeys((*counts, "asked_short"), 1)
            ],
        }

    def note(self, kind, token, **body):
        self.events.append(
            {
                "serial": len(self.events) + 1,
                "at": 1.5,
                "kind": kind,
                "visit": self.visits[token].number,
                "body": body,
            }
        )

    def seen(self, token, status=200):
        visit = self.visits[token]
        texts = {arm.name: arm.text for arm in self.study.arms}
        told = ("name", "kind", "text", "help", "may_skip", "low", "high", "options")
        questions = {q.name: q.to_dict() for q in self.study.survey}
        body = {
            "visit": token,
            "id": next(own for own, known in self.by_id.items() if known == token),
            "number": visit.number,
            "status": "rewarded" if token in self.rewards else self.status(visit),
            "asks": [{k: questions[q][k] for k in told if k in questions[q]} for q in visit.asks],
            "at_most": len(set(visit.promised) - set(visit.answers)) if not visit.decided else 0,
            "answers": visit.answers,
            "arm": {"name": visit.arm, "text": texts[visit.arm]} if visit.decided else None,
            "reward": self.rewards.get(token),
        }
        return httpx.Response(status, json=body)

    @staticmethod
    def status(visit):
        return "waiting" if visit.decided else "open"
