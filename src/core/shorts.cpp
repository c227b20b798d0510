// The memory of short forms: made for a policy that has no form yet, and taken over from others.
#include "shorts.hpp"

namespace askless {

namespace {

template <class T> void copy_all(Row<const T> from, Row<T> to) {
    check(from.size() == to.size());
    std::copy(from.begin(), from.end(), to.begin());
}

} // namespace

Shorts::Shorts(Whole m, Whole K, Whole p, Whole P) {
#define ARRAY(kind, name, ...) name = Store<kind>(__VA_ARGS__);
    ASKLESS_SHORTS(ARRAY, ARRAY, ARRAY)
    ASKLESS_SHORTS_SCRATCH(ARRAY, ARRAY, ARRAY)
#undef ARRAY
}

Shorts::Shorts(const Survey& survey, Whole arm_count, Row<const Whole> everyone, Row<const Real> cost)
    : Shorts(survey.questions(), arm_count, survey.columns(), padded(survey.columns())) {
    copy_all<Whole>(everyone, this->everyone.all());
    copy_all<Real>(cost, this->cost.all());
    wanted.all().fill(1);
    live.all().fill(1);
    ring.all().fill(NOT_A_NUMBER);
}

void Shorts::take(const Shorts& other) {
#define TAKE(kind, name, ...) copy_all<kind>(other.name.all(), name.all());
    ASKLESS_SHORTS(TAKE, TAKE, TAKE)
#undef TAKE
}

bool Shorts::fits(const Survey& survey, Whole arm_count) const {
    if (live.size() != arm_count || form.size() != survey.questions() || columns.size() != survey.columns())
        return false;
    for (Whole column : columns.all())
        if (!(0 <= column && column < columns.size())) return false;
    auto is_within = [&](Count which, Whole most) {
        return 0 <= counts.number(which) && counts.number(which) <= most;
    };
    return is_within(SIZE, columns.size()) && is_within(OLDEST, RING - 1) && is_within(PEOPLE, RING);
}

} // namespace askless
