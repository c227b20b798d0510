// The steps of Ridge SurveyUCB: score the arms, test for drops, learn a row, refresh (maths 2).
//
// Each step is written once; a single visit and a loop over many call the same functions.
#pragma once

#include "arms.hpp"

#include <limits>

namespace askless {

constexpr Whole REFRESH_EVERY = 4096; // rank-one updates between fresh factors (maths 2.3)
constexpr Real TIED = 1e-9; // scores nearer than this, relatively, are tied: rounding shall not decide

// Pick so many columns out of a context, in their order; zeros fill the last lane.
ASKLESS_INLINE void pick(Row<const Whole> columns, Whole size, Vector z, Reals out) {
    if (size == z.size()) { // all of them: whole lanes
        Whole i = 0;
        for (; i + WIDTH <= size; i += WIDTH) store(out, i, load(z, i));
        for (; i < size; ++i) out[i] = z[i];
    } else {
        for (Whole i = 0; i < size; ++i) out[i] = z[columns[i]];
    }
    store(out, size, spread(0.0));
}
// Pick the columns of an arm's support.
ASKLESS_INLINE void gather(const Arm& arm, Vector z, Reals out) { pick(arm.columns, arm.size, z, out); }

// Score of an arm in a context: z'b + width sqrt(z' inv(D) z) (maths 2, 8.4).
ASKLESS_INLINE Real score(Arms& arms, Arm& arm, Vector z) {
    const Whole size = arm.active_size;
    const Reals packed = arms.scratch(0);
    pick(arm.active_columns, size, z, packed);
    times(arm.active_root, packed, size, arm.projected);
    arm.ready = 0;
    const Real length = sqrt(squared_length(arm.active_weights, arm.projected, size));
    return dot(packed, arm.active_estimate, size) + arm.width * length;
}

// The lowest score that is tied with the highest one (maths 2).
ASKLESS_INLINE Real lowest_tied(Real highest, Real span) { return highest - TIED * (span + abs(highest)); }
// The first of the scores that are tied with the highest one.
ASKLESS_INLINE Whole first_tied(Vector scores, Real highest, Real span) {
    const Real enough = lowest_tied(highest, span);
    Whole k = 0;
    while (scores[k] < enough) ++k;
    return k;
}

// The arm with the highest score; of tied ones the first (maths 2).
ASKLESS_INLINE Whole winner(Arms& arms) {
    const Reals scores = arms.scores.all();
    return first_tied(scores, largest(scores), arms.rule.span);
}

// Score the live arms, in `arms.scores`, the others at -inf; return the best one.
template <class Live> ASKLESS_INLINE Whole best_arm(Arms& arms, const Live& live, Vector z) {
    for (Whole k = 0; k < arms.count(); ++k)
        arms.scores.number(k) = live[k] ? score(arms, arms[k], z) : -INFINITE;
    return winner(arms);
}

// Estimate, low and high end of a question's effect.
struct Interval {
    Real estimate = 0.0, low = 0.0, high = 0.0;
    void include(Real size, Real slack) {
        estimate = max(estimate, size), low = max(low, size - slack), high = max(high, size + slack);
    }
};

Interval effect(Arms& arms, Arm& arm, Whole g, Whole at, Real enough);
void pack(const Arms& arms, Arm& arm);
void settle(Arm& arm);
void take_out_row(Arms& arms, Arm& arm, Vector z, Real y);
void catch_up(Arms& arms, Arm& arm);
void refresh(Arms& arms, Whole k);
// What learning a row took: questions dropped, and whether everything was derived anew.
struct Taken {
    Whole dropped;
    bool fresh;
};
Taken take(Arms& arms, Whole k, Vector z, Real y);
void update(Arms& arms, Arm& arm, Real error);
Whole hold(Arms& arms, Whole k, Vector z, Real y);
Whole learn(Arms& arms, Whole k, Vector z, Real y, bool ready);

} // namespace askless
