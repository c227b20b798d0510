"""Rules to draw, on the survey of `rules_by_ast`."""

from hypothesis import strategies as st

SIGNS = ("==", "!=", "<", "<=", ">", ">=")
OPTIONS = ("north", '"north"', "south", "'far east'")


def _comparisons():
    signs, upward = st.sampled_from(SIGNS), st.sampled_from(("<", "<="))
    ages, trusts = st.sampled_from((18, 30, 65, 90)), st.sampled_from((1, 3, 5, 7))
    options = st.sampled_from(OPTIONS)
    several = st.lists(options, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        st.builds("age {} {}".format, signs, ages),
        st.builds("{1} {0} age".format, signs, ages),
        st.builds("{} {} age {} {}".format, ages, upward, upward, ages),
        st.builds("trust {} {}".format, signs, trusts),
        st.builds("region {} {}".format, st.sampled_from(SIGNS[:2]), options),
        st.builds("region {} [{}]".format, st.sampled_from(("in", "not in")), several),
        st.sampled_from(("donor", "donor == yes", "donor != no", "donor == false")),
        st.builds("media has {}".format, st.sampled_from(("web", "tv", '"web"'))),
    )


def rules(leaves=6):
    """Draw a rule: comparisons within brackets, after nots, joined by and and or."""
    return st.recursive(
        _comparisons(),
        lambda inner: st.one_of(
            st.builds("({})".format, inner),
            st.builds("not ({})".format, inner),
            st.builds("{} and {}".format, inner, inner),
            st.builds("{}  or {}".format, inner, inner),
        ),
        max_leaves=leaves,
    )
