"""What stands in a request's body."""

import json

import numpy as np

from askless.client import call


def test_numpy_and_sets_are_sent_as_plain_answers():
    """Fails if answers out of a data frame have to be turned into plain Python first."""
    answers = {"age": np.int64(44), "donor": np.bool_(True), "media": {"web", "tv"}}
    sent = json.loads(call.answer("token", answers).body)
    assert sent == {"answers": {"age": 44, "donor": True, "media": ["tv", "web"]}}
    assert json.loads(call.learn("token", np.float32(0.5)).body) == {"reward": 0.5}


def test_what_is_left_out_is_not_sent():
    """Fails if a study's own rules are overruled by a null."""
    assert json.loads(call.start(None, None, "p").body) == {"id": "p"}
    sent = json.loads(call.start({}, ("a",), "p").body)
    assert sent == {"id": "p", "known": {}, "arms": ["a"]}


def test_answers_are_not_shown():
    """Fails if a log of calls holds what people said."""
    assert "43.25" not in repr(call.answer("t0ken", {"age": 43.25}))
    assert "t0ken" not in repr(call.answer("t0ken", {"age": 43.25}))
