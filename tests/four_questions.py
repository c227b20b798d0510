"""A question of each kind."""

from askless.survey import Choice, Multi, Scale, YesNo

AGE = Scale("age", low=18, high=90)
DONOR = YesNo("donor")
CAUSE = Choice("cause", ["children", "animals", "climate"])
MEDIA = Multi("media", ["tv", "radio", "web"])
