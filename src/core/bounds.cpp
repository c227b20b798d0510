// The bounds of an arm's UCB: the cheap levels, and the order of all of them.
#include "bounds.hpp"

#include "diagonal_dual.hpp"
#include "vertex_search.hpp"

namespace askless {

namespace {

constexpr Whole TURNS = 4;  // of a feasible point towards the best vertex
constexpr Whole FLIPS = 8;  // of single columns after that
constexpr Whole SCALES = 6; // values of tau that the interval tries at most
constexpr Real NEAR = 0.01; // a change of tau that is not worth another try: it gains less than NEAR²
constexpr Real TINY = 1e-300;

// A context that is possible: F there, z' inv(D) z and its root.
struct Possible {
    Real value = -INFINITE, square = 0.0, root = 0.0;
};

// F at `vertex`, given the root of z' inv(D) z there.
Real value_at(const View& view, Real offset, Real root) {
    return offset + dot(view.room.vertex, view.room.linear, view.size) + view.theta * root;
}

// Turn towards the best vertex of the tangent, as long as that is higher and below the limit.
Possible turn(const View& view, Real offset, Real limit) {
    const Scratch& room = view.room;
    const Whole size = view.size;
    Possible at;
    add(room.linear, view.theta / sqrt(max(view.own.square, TINY)), view.own.pull, size, room.tilt);
    for (Whole i = 0; i < TURNS; ++i) {
        best_point(view);
        add(view.own.centre, 1.0, room.point, size, room.vertex);
        room.vertex.from(size).fill(0.0);
        whole_times(view.own.inverse, room.vertex, size, room.turned);
        at.square = dot(room.vertex, room.turned, size);
        at.root = sqrt(max(at.square, TINY));
        const Real higher = value_at(view, offset, at.root);
        const bool stuck = higher <= at.value;
        at.value = max(at.value, higher);
        if (at.value > limit || stuck) break;
        add(room.linear, view.theta / at.root, room.turned, size, room.tilt);
    }
    return at;
}

} // namespace

// Level 0. F at some context that is possible: a lower bound of its maximum.
// F is convex, so that the best vertex of its tangent is at least as high; then single columns are
// flipped. Stops as soon as the limit is exceeded.
Real feasible(const View& view, Real offset, Real limit) {
    const Reals tilt = view.room.tilt, point = view.room.point, turned = view.room.turned;
    const RealTable inverse = view.own.inverse;
    const Real theta = view.theta;
    auto [value, square, root] = turn(view, offset, limit);
    for (Whole i = 0; i < FLIPS && value <= limit; ++i) {
        Whole best = -1;
        Real gain = 0.0;
        for (const Unit& unit : view.own.plains) {
            const Whole j = unit.at;
            const Real change = -2.0 * point[j];
            const Real bend = 0.5 * theta * change * change * inverse(j, j) / root;
            if (change * tilt[j] + bend > gain) best = j, gain = change * tilt[j] + bend;
        }
        if (best < 0) break;
        const Real change = -2.0 * point[best];
        square += change * (2.0 * turned[best] + change * inverse(best, best));
        view.room.vertex[best] += change;
        point[best] = -point[best];
        root = sqrt(max(square, TINY));
        const Real higher = value_at(view, offset, root);
        if (higher <= value) break;
        value = higher;
        add_multiple(change, inverse[best], turned, view.size);
        add(view.room.linear, theta / root, turned, view.size, tilt);
    }
    return value;
}

// Whether F is certainly at most `limit`; false also where no level can tell.
bool cannot_exceed(const View& view, Real offset, Real limit) {
    if (!is_finite(view.theta) || feasible(view, offset, limit) > limit) return false;
    offset += rounding(view, offset);
    set_prices(view);
    const auto [bound, scale] = interval(view, offset, limit);
    return bound <= limit || diagonal_dual(view, offset, scale, limit) <= limit ||
           vertex_search(view, offset, scale, limit) == Verdict::CANNOT;
}

// An upper bound of an arm's UCB: the lower one of the interval's and the dual's.
Real upper(const View& view) {
    if (!is_finite(view.theta)) return INFINITE;
    set_linear(view);
    const Real offset = rounding(view, 0.0);
    set_prices(view);
    const auto [bound, scale] = interval(view, offset, -INFINITE);
    return min(bound, diagonal_dual(view, offset, scale, -INFINITE));
}

// Let F be an arm's UCB itself.
void set_linear(const View& view) {
    view.room.linear.from(view.size).fill(0.0);
    copy(view.arm.active_estimate, view.size, view.room.linear);
}

// Bound the rounding errors of all but z' inv(D) z, which has a margin of its own.
Real rounding(const View& view, Real offset) {
    Real most = abs(offset) + view.theta * sqrt(view.own.square);
    for (Real weight : view.room.linear.part(0, view.size)) most += abs(weight);
    return 2.0 * EPSILON * (view.size + 8) * most;
}

// Price the unasked columns: s' inv(D) s is at most their sum, for all moves s to vertices.
// A column pays for all pairs it is in with columns that are no choice's; a choice, in its first
// column, for the others.
void set_prices(const View& view) {
    const Unasked& own = view.own;
    const Reals reach = own.reach, price = view.room.price;
    price.fill(0.0);
    for (Whole i = 1; i < view.size; ++i) {
        if (!(reach[i] > 0.0)) continue;
        const Reals row = own.inverse[i];
        Lanes running = spread(0.0);
        for (Whole j = 0; j < view.size; j += WIDTH)
            running = fma(magnitude(load(row, j)), load(reach, j), running);
        price[i] = reach[i] * total(running);
    }
    for (const Unit& unit : own.specials) {
        if (!unit.is_choice()) continue;
        Real paid = 0.0;
        for (const Unit& other : own.plains) paid += 2.0 * pair(view, unit, other);
        for (const Unit& other : own.specials)
            paid += (other.is_choice() ? 1.0 : 2.0) * pair(view, unit, other);
        price[unit.at] = paid;
    }
}

// Level 1. An upper bound of F by intervals around the centre, and the 1/tau it took.
// sqrt(q) is at most q/(2 tau) + tau/2 for every tau > 0, the linear part is maximal question by
// question, and the quadratic part is at most the prices. Stops once the limit is reached.
std::pair<Real, Real> interval(const View& view, Real offset, Real limit) {
    const Scratch& room = view.room;
    const Whole size = view.size;
    const Real theta = view.theta;
    Real flat = squared(view);
    for (Real price : room.price.part(0, size)) flat += price;
    const Real base = offset + dot(view.own.centre, room.linear, size);
    Real scale = 1.0 / sqrt(flat), best_scale = scale, best = INFINITE;
    for (Whole i = 0; i < SCALES; ++i) {
        add(room.linear, theta * scale, view.own.pull, size, room.tilt);
        const Real gain = best_point(view);
        const Real bound = base + gain + 0.5 * theta * (scale * flat + 1.0 / scale);
        if (bound < best) best = bound, best_scale = scale;
        if (best <= limit) break;
        // The bound is convex in the scale, and lowest where scale² q = 1.
        const Real q = max(flat + 2.0 * dot(view.own.pull, room.point, size), 1e-3 * flat);
        const Real change = sqrt(1.0 / (scale * sqrt(q)));
        if (abs(change - 1.0) < NEAR) break;
        scale *= change;
    }
    return {best, best_scale};
}

// The paper's surrogate of an arm's highest UCB: it is **not** an upper bound.
// The mean at its highest, plus the width where every unasked column has its largest value.
Real paper_heuristic(const View& view) {
    const Whole size = view.size;
    const Reals top = view.room.vertex, turned = view.room.turned;
    copy(view.arm.active_estimate, size, view.room.tilt);
    const Real mean = dot(view.own.centre, view.arm.active_estimate, size) + best_point(view);
    for (Whole j = 0; j < size; ++j) top[j] = view.own.centre[j] + view.own.reach[j];
    top.from(size).fill(0.0);
    for (const Unit& unit : view.own.specials)
        if (unit.is_choice()) top.part(unit.at, unit.width).fill(1.0);
    whole_times(view.own.inverse, top, size, turned);
    return mean + view.theta * sqrt(max(dot(top, turned, size), 0.0));
}

} // namespace askless
