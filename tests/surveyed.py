"""A survey of a question of each kind, two of which may be skipped; answers, and their context."""

import math

from askless.survey import Choice, Multi, Scale, Survey, YesNo

AGE = Scale("age", low=18, high=90)
DONOR = YesNo("donor", may_skip=True)
CAUSE = Choice("cause", ["children", "animals", "climate"])
MEDIA = Multi("media", ["tv", "web"], may_skip=True)
SURVEY = Survey([AGE, DONOR, CAUSE, MEDIA])
NAN = math.nan

# One context of SURVEY, by hand: constant; age 54; no donor; animals; web without tv.
ANSWERS = {"age": 54, "donor": False, "cause": "animals", "media": ["web"]}
CONTEXT = [1.0, 0.0, -0.5, 0.0, 0.0, 1.0, 0.0, -0.5, 0.5, 0.0]
