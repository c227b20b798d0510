// The search over extreme points: its order, its nodes, and what bounds them.
#include "vertex_search.hpp"

namespace askless {

namespace {

constexpr Whole NODES = 2000; // visited at most; then the arm stays
constexpr Whole SCALES = 3;   // values of tau that a node tries

// Put the units in order, the most expensive first; return how many there are.
Whole set_order(const View& view) {
    const Row<Node> path = view.room.path.all();
    const Reals price = view.room.price;
    Whole count = 0;
    for (const Unit& unit : view.own.plains) path[count++].unit = unit;
    for (const Unit& unit : view.own.specials) path[count++].unit = unit;
    for (Whole i = 0; i < count; ++i) {
        Whole best = i;
        for (Whole j = i + 1; j < count; ++j)
            if (price[path[j].unit.at] > price[path[best].unit.at]) best = j;
        std::swap(path[i].unit, path[best].unit);
    }
    return count;
}

// Find what the quadratic part of the units from each on is at most.
void set_tails(const View& view, Whole count) {
    const Row<Node> path = view.room.path.all();
    path[count].tail = 0.0;
    for (Whole d = count - 1; d >= 0; --d) {
        path[d].tail = path[d + 1].tail + pair(view, path[d].unit, path[d].unit);
        for (Whole later = d + 1; later < count; ++later)
            path[d].tail += 2.0 * pair(view, path[d].unit, path[later].unit);
    }
}

// Put the move to a unit's point of that number into `point`.
void move_to(const View& view, const Unit& unit, Whole number) {
    const Reals point = view.room.point.part(unit.at, unit.width);
    if (unit.form == Unit::COLUMN) {
        point[0] = number == 1 ? view.own.plain[unit.at] : -view.own.plain[unit.at];
    } else if (unit.is_choice()) {
        point.fill(-1.0 / unit.width);
        point[number] += 1.0;
    } else {
        const bool skipped = number == unit.points() - 1;
        for (Whole j = 0; j < unit.width - 1; ++j) point[j] = skipped ? 0.0 : (number >> j) & 1 ? 0.5 : -0.5;
        point[unit.width - 1] = skipped ? 0.5 : -0.5;
    }
}

// Start a node's branches with the point that its tangent favours.
void enter(const View& view, Whole depth, Real weight) {
    Node& node = view.room.path.number(depth);
    const Unit& unit = node.unit;
    const Reals tilt = view.room.tilt;
    set_tilt(view, unit, view.room.fields[depth], weight);
    Whole number = 0;
    if (unit.form == Unit::COLUMN) {
        number = tilt[unit.at] > 0.0;
    } else {
        number = move_special(unit, tilt, view.room.point);
        if (unit.form == Unit::SKIPPABLE) {
            if (number == 1)
                number = unit.points() - 1;
            else
                for (Whole j = 0; j < unit.width - 1; ++j) number |= Whole(tilt[unit.at + j] > 0.0) << j;
        }
    }
    node.turn = 0, node.lead = number;
}

// What the tangent gains at most from the units left, and that along the field.
std::pair<Real, Real> gains(const View& view, Whole depth, Whole count, Real weight) {
    const Reals field = view.room.fields[depth], linear = view.room.linear, plain = view.own.plain;
    const Reals tilts = view.room.tilt, point = view.room.point;
    Real gain = 0.0, along = 0.0;
    for (const Node& node : view.room.path.all().part(depth, count - depth)) {
        const Unit& unit = node.unit;
        if (unit.form == Unit::COLUMN) {
            const Real tilt = linear[unit.at] + weight * field[unit.at], reach = plain[unit.at];
            gain += reach * abs(tilt);
            along += std::copysign(reach, tilt) * field[unit.at];
            continue;
        }
        set_tilt(view, unit, field, weight);
        move_special(unit, tilts, point);
        for (Whole j = unit.at; j < unit.end(); ++j) {
            gain += tilts[j] * point[j];
            along += point[j] * field[j];
        }
    }
    return {gain, along};
}

// Whether F is at most the limit in all of a node's branches.
bool is_bounded(const View& view, Whole depth, Whole count, Real scale, Real limit) {
    const Node& node = view.room.path.number(depth);
    const Real theta = view.theta, flat = node.square + node.tail;
    if (depth == count) return node.mean + theta * sqrt(max(flat, 0.0)) <= limit;
    for (Whole i = 0; i < SCALES; ++i) {
        const auto [gain, along] = gains(view, depth, count, theta * scale);
        if (node.mean + gain + 0.5 * theta * (scale * flat + 1.0 / scale) <= limit) return true;
        const Real q = max(flat + 2.0 * along, 1e-3 * flat);
        scale = sqrt(scale / sqrt(q));
    }
    return false;
}

// Fix a node's unit at a point: that is the node below it.
void descend(const View& view, Whole depth, Whole number) {
    const Node& node = view.room.path.number(depth);
    Node& next = view.room.path.number(depth + 1);
    const Reals below = view.room.fields[depth + 1];
    Real mean = node.mean, square = node.square;
    move_to(view, node.unit, number);
    copy(view.room.fields[depth], view.size, below);
    for (Whole i = node.unit.at; i < node.unit.end(); ++i) {
        const Real change = view.room.point[i];
        const Reals row = view.own.inverse[i];
        mean += change * view.room.linear[i];
        square += change * (2.0 * below[i] + change * row[i]);
        add_multiple(change, row, below, view.size);
    }
    next.mean = mean, next.square = square;
}

} // namespace

// An upper bound on |s' inv(D) t| for all moves s and t of two units.
Real pair(const View& view, const Unit& one, const Unit& other) {
    const Unit &a = other.is_choice() ? other : one, &b = other.is_choice() ? one : other;
    const RealTable inverse = view.own.inverse;
    const Reals reach = view.own.reach, down = view.room.tilt;
    Real most = 0.0;
    if (!a.is_choice()) {
        for (Whole i = a.at; i < a.end(); ++i)
            for (Whole j = b.at; j < b.end(); ++j) most += reach[i] * reach[j] * abs(inverse(i, j));
        return most;
    }
    // A move to an option takes the mean over the options off.
    if (!b.is_choice()) {
        for (Whole j = b.at; j < b.end(); ++j) {
            Real mean = 0.0, furthest = 0.0;
            for (Whole i = a.at; i < a.end(); ++i) mean += inverse(j, i) / a.width;
            for (Whole i = a.at; i < a.end(); ++i) furthest = max(furthest, abs(inverse(j, i) - mean));
            most += reach[j] * furthest;
        }
        return most;
    }
    Real grand = 0.0;
    for (Whole j = b.at; j < b.end(); ++j) {
        down[j] = 0.0;
        for (Whole i = a.at; i < a.end(); ++i) down[j] += inverse(i, j) / a.width;
        grand += down[j] / b.width;
    }
    for (Whole i = a.at; i < a.end(); ++i) {
        Real across = 0.0;
        for (Whole j = b.at; j < b.end(); ++j) across += inverse(i, j) / b.width;
        for (Whole j = b.at; j < b.end(); ++j)
            most = max(most, abs(inverse(i, j) - down[j] - across + grand));
    }
    return most;
}

// Whether F (`bounds`) CAN exceed the limit or CANNOT; UNKNOWN after too many nodes.
// CANNOT is certain: every extreme point has been looked at or bounded. `scale` is a 1/tau to start from.
Verdict vertex_search(const View& view, Real offset, Real scale, Real limit) {
    const Whole count = set_order(view);
    const Row<Node> path = view.room.path.all();
    set_tails(view, count);
    copy(view.own.pull, view.size, view.room.fields[0]);
    path[0].mean = offset + dot(view.own.centre, view.room.linear, view.size);
    path[0].square = squared(view);
    if (is_bounded(view, 0, count, scale, limit)) return Verdict::CANNOT;
    if (count == 0) return Verdict::CAN;
    for (const Node& node : path.part(0, count))
        if (!node.unit.is_countable()) return Verdict::UNKNOWN;
    enter(view, 0, view.theta * scale);
    for (Whole nodes = 0, depth = 0; depth >= 0;) {
        Node& node = path[depth];
        const Whole points = node.unit.points();
        if (node.turn == points) {
            --depth;
            continue;
        }
        if (++nodes > NODES) return Verdict::UNKNOWN;
        descend(view, depth, (node.lead + node.turn++) % points);
        if (is_bounded(view, depth + 1, count, scale, limit)) continue;
        if (++depth == count) return Verdict::CAN;
        enter(view, depth, view.theta * scale);
    }
    return Verdict::CANNOT;
}

} // namespace askless
