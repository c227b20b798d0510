// What an arm does not know of a visit, and where that would take it.
#include "unasked.hpp"

namespace askless {

namespace {

// Put an arm's view of the answers in z into place; return how many questions are unasked.
Whole look(const View& view, Vector z) {
    Unasked& own = view.own;
    const Reals x = own.centre, reach = own.reach, plain = own.plain;
    reach.fill(0.0);
    plain.fill(0.0);
    own.plains.clear();
    own.specials.clear();
    x[0] = 1.0;
    x.from(view.size).fill(0.0);
    Whole at = 1, missing = 0;
    for (Whole g = 0; g < view.survey.questions(); ++g) {
        if (!view.arm.active[g]) continue;
        const Survey::Question q = view.survey[g];
        const bool asked = view.survey.is_asked(g, z), choice = q.is_choice(), special = choice || q.skip;
        for (Whole j = q.first; j < q.first + q.width; ++j, ++at) {
            if (asked) {
                x[at] = z[j];
                continue;
            }
            const Real low = view.survey.low.number(j), high = view.survey.high.number(j);
            x[at] = choice ? 1.0 / q.width : 0.5 * (low + high);
            reach[at] = choice ? 0.0 : 0.5 * (high - low);
            if (special) continue;
            plain[at] = reach[at];
            own.plains.push_back({Unit::COLUMN, at, 1});
        }
        missing += !asked;
        if (special && !asked)
            own.specials.push_back({choice ? Unit::CHOICE : Unit::SKIPPABLE, at - q.width, q.width});
    }
    return missing;
}

} // namespace

// Look at the answers in z; compute an arm's UCB at the centre, and what its inverse makes of it.
// Returns how many questions are unasked.
Whole weigh(const View& view, Vector z) {
    const Whole missing = look(view, z);
    Unasked& own = view.own;
    Arm& arm = view.arm;
    if (!arm.inverted) own.trace = inverse_of(arm.active_root, arm.active_weights, view.size, own.inverse);
    arm.inverted = 1;
    whole_times(own.inverse, own.centre, view.size, own.pull);
    own.square = max(dot(own.centre, own.pull, view.size), 0.0);
    own.value = dot(own.centre, arm.active_estimate, view.size) + view.theta * sqrt(own.square);
    return missing;
}

// x' inv(D) x at the centre, and more: as much as rounding can add to any z' inv(D) z.
// That is at most 0.7 (size + 8) epsilon of |z|' |inv(D)| |z|, and |inv(D)_ij| is at most the root of
// its diagonal's, so that the trace times the largest |z|² bounds the rest.
Real squared(const View& view) {
    const Real trace = view.own.trace * (view.norm * view.norm);
    return view.own.square + 2.0 * EPSILON * (view.size + 8) * trace;
}

// Put into `point` the move away from the centre that gains most along `tilt`; return that.
Real best_point(const View& view) {
    const Reals point = view.room.point, plain = view.own.plain, tilt = view.room.tilt;
    for (Whole j = 0; j < view.size; j += WIDTH) store(point, j, with_sign(load(plain, j), load(tilt, j)));
    for (const Unit& unit : view.own.specials) move_special(unit, tilt, point);
    return dot(tilt, point, view.size);
}

// Put the tangent b + weight field along a unit's columns into `tilt`.
void set_tilt(const View& view, const Unit& unit, Vector field, Real weight) {
    const Reals tilt = view.room.tilt, linear = view.room.linear;
    for (Whole j = unit.at; j < unit.end(); ++j) tilt[j] = linear[j] + weight * field[j];
}

// Put a special question's move that gains most in direction a into `out`; say which it is.
// Of a choice the option, else 1 for a skip.
Whole move_special(const Unit& unit, Vector a, Reals out) {
    const Whole at = unit.at, last = unit.end() - 1;
    if (unit.is_choice()) {
        Whole best = at;
        for (Whole j = at + 1; j <= last; ++j)
            if (a[j] > a[best]) best = j;
        out.part(at, unit.width).fill(-1.0 / unit.width);
        out[best] += 1.0;
        return best - at;
    }
    Real answered = 0.0;
    for (Whole j = at; j < last; ++j) answered += 0.5 * abs(a[j]);
    const bool skipped = a[last] > answered;
    for (Whole j = at; j < last; ++j) out[j] = skipped ? 0.0 : std::copysign(0.5, a[j]);
    out[last] = skipped ? 0.5 : -0.5;
    return skipped;
}

// The most that question g can gain in direction sign * a; its first column is `at`.
Real rise(const Survey& survey, Whole g, Whole at, Vector a, Real sign) {
    const Survey::Question q = survey[g];
    if (q.is_choice()) {
        Real mean = 0.0, most = -INFINITE;
        for (Whole j = at; j < at + q.width; ++j) {
            mean += sign * a[j] / q.width;
            most = max(most, sign * a[j]);
        }
        return most - mean;
    }
    Real gain = 0.0;
    for (Whole j = 0; j < q.width - q.skip; ++j)
        gain += 0.5 * (survey.high.number(q.first + j) - survey.low.number(q.first + j)) * abs(a[at + j]);
    if (!q.skip) return gain;
    const Real skipped = 0.5 * sign * a[at + q.width - 1];
    return max(gain - skipped, skipped);
}

} // namespace askless
