"""A small study of reminders, and plausible worlds to play it in."""

import askless as al

STUDY = """
schema: 1
name: reminders
questions:
  - {kind: yes_no, name: phone}
  - {kind: scale, name: worry, low: 1, high: 5}
  - {kind: choice, name: region, options: [north, south, west]}
  - {kind: yes_no, name: ill, may_skip: true}
arms: [{name: letter}, {name: message}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.3POLICY}
plan: {useful: [2, 3], effect: [0.3, 0.4], noise: [0.1, 0.1], gap: [0, 0.1]}
"""


def study_with(policy=""):
    return al.Study.parse(STUDY.replace("POLICY", policy))


def recorded(study, visits, **options):
    world = al.Prior.of(study).world(1, seed=2)
    return al.record_visits(al.policy_for(study), world, visits, **options)
