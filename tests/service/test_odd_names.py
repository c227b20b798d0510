"""Names and texts that are unusual, and are served all the same."""

import askless as al
from live_world import TEXT
from served import served


def test_an_arm_whose_name_looks_like_an_address_can_be_retired(tmp_path):
    """Fails if a name with a slash in it is taken for a longer address."""
    text = (TEXT % ("", "survey-bandit", "")).replace("name: mail", "name: by/mail")
    with (
        served(tmp_path, study=al.Study.parse(text)) as (address, key),
        al.Client(address, "small", key) as client,
    ):
        assert client.summary().arms == ("by/mail", "call")
        client.retire("by/mail")
        assert client.summary().arms == ("call",)
