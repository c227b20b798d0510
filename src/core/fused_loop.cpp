// The fused loop: visits that are asked everything, sixteen contexts at a time.
#include "epochs.hpp"
#include "loops.hpp"

namespace askless {

namespace {

constexpr Whole UNKNOWN = -1; // how many questions a visit is asked that plays an arm

void fetch_row(Matrix rows, Whole t) {
    if (t < rows.rows())
        for (Whole j = 0; j < rows.columns(); j += WIDTH) fetch(rows[t], j);
}

} // namespace

void FusedLoop::play(const People& people, const Course& course) {
    Arms& arms = ahead_.arms;
    const Whole count = people.count();
    asked_.all().fill(UNKNOWN);
    for (Whole start = 0; start < count; start += AHEAD) {
        const Whole last = min(start + AHEAD, count);
        ahead_.look(people.contexts.part(start, last));
        for (Whole k = 0; k < arms.count(); ++k) {
            const Reals expected = ahead_.expected.row(k);
            if (people.tabled())
                for (Whole t = start; t < last; ++t) expected[t - start] = people.mean(t, k);
            else
                ahead_.combine(people.matter, people.slopes[k], people.matter.size() - 1, expected);
        }
        for (Whole now = start; now < last; ++now) play_next(people, course, now - start, now);
    }
    for (Whole k = 0; k < arms.count(); ++k) catch_up(arms, arms[k]);
}

// Play visit `now`, whose context is the t-th of those looked at.
void FusedLoop::play_next(const People& people, const Course& course, Whole t, Whole now) {
    Arms& arms = ahead_.arms;
    const bool epochs = arms.rule.epochs;
    const Vector z = people.contexts[now];
    fetch_row(people.contexts, now + AHEAD);
    Whole best = epochs ? starter(arms, people.allowed, now, people.number + now) : NOBODY;
    const bool started = best != NOBODY;
    if (!started) best = ahead_.best_arm(t, people.allowed, now);
    if (epochs) best = drawn(arms, best, started, people.allowed, now, people.draws[now]);
    Real most = -INFINITE;
    for (Whole k = 0; k < arms.count(); ++k) {
        const Real expected = ahead_.expected.row(k)[t];
        if (people.allowed.may_get(now, k)) most = most > expected ? most : expected;
    }
    const Real own = ahead_.expected.row(best)[t];
    course.played[now] = best;
    course.radii[now] = arms[best].radius;
    course.regret[now] = most - own;
    count(people, course, best, started, now);
    const Real y = course.earned[now] = people.reward(arms.rule, now, best, own);
    const Whole dropped = ahead_.learn(best, t, z, y);
    if (dropped > 0 || (epochs && dropped != GOES_ON)) asked_.all().fill(UNKNOWN);
    if (dropped > 0) course.note_drops(arms[best], best, epochs, people.begun + now + 1);
}

// Note what a visit was asked and what that cost; where nobody is limited it is the same until an arm
// changes.
void FusedLoop::count(const People& people, const Course& course, Whole best, bool started, Whole now) {
    const bool own = people.allowed.limits() || started;
    Whole& asked = asked_.number(best);
    Real& paid = paid_.number(best);
    if (own || asked == UNKNOWN) {
        const auto [count, price] = count_asked(ahead_.arms, best, started, people.allowed, now);
        course.asked[now] = count, course.paid[now] = price;
        if (!own) asked = count, paid = price;
    } else {
        course.asked[now] = asked, course.paid[now] = paid;
    }
}

} // namespace askless
