"""Studies that are planned in tests: a small one, one whose people give up, one with everything."""

import re

import askless as al

SMALL = """
schema: 1
name: small
questions:
  - {kind: yes_no, name: donor}
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: member}
  - {kind: choice, name: region, options: [north, south]}
  - {kind: yes_no, name: reader}
arms: [{name: letter}, {name: call}]
reward: {low: 0, high: 10}
policy: {beta_min: 3, price: 0.02}
plan: {useful: [1, 2], effect: [3, 5], noise: [0.5, 1.5]}
"""
LEAVING = SMALL.replace("[0.5, 1.5]}", "[0.5, 1.5], dropout: 0.05}")
EVERYTHING = """
schema: 1
name: everything
questions:
  - {kind: scale, name: age, low: 18, high: 90, cost: 0.5}
  - {kind: yes_no, name: donor, may_skip: true, cost: 3}
  - {kind: choice, name: cause, options: [children, animals, climate], always_ask: true}
  - {kind: multi, name: media, options: [friends, web], may_skip: true}
arms: [{name: a}, {name: b}, {name: c}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.2, explore: 0.1, questions: 3}
plan: {effect: [0.2, 0.4], noise: ends, eligible: {b: 0.5}, skips: {donor: 0.3}, dropout: 0.02}
"""


OWN = "price 0.02"


def study_of(plan, policy="{beta_min: 3, price: 0.02}"):
    return al.Study.parse(
        re.sub(r"plan: .*", f"plan: {plan}", re.sub(r"policy: .*", f"policy: {policy}", SMALL))
    )
