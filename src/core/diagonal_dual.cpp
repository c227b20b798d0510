// The diagonal dual: sweeps that find a dual point, and the elimination that checks it.
#include "diagonal_dual.hpp"

namespace askless {

namespace {

constexpr Whole SWEEPS = 3;
constexpr Real SHIFT = 3e-2; // of the mean length: tried first to make w feasible, then thrice that, …
constexpr Whole TRIES = 6;

// Put the linear part c into place; special questions keep theirs (`special_gain`).
void set_border(const View& view, Real weight) {
    const Reals border = view.room.border, linear = view.room.linear;
    border.fill(0.0);
    for (Whole i = 1; i < view.size; ++i)
        border[i] = view.own.plain[i] * (view.own.pull[i] + weight * linear[i]);
}

// A row of A times the vectors; rows beyond the last are zero.
ASKLESS_INLINE Lanes field_of(Vector row, Matrix vectors, Whole size) {
    Lanes sums[4] = {spread(0.0), spread(0.0), spread(0.0), spread(0.0)};
    for (Whole j = 0; j < size; j += 4)
        for (int r = 0; r < 4; ++r) sums[r] = fma(spread(row[j + r]), load(vectors[j + r], 0), sums[r]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The sum of the vectors' lengths, the border's own, and how far the vectors went along `pull`.
struct Swept {
    Real lengths = 0.0, along = 0.0, toward = 0.0;
};

// Turn every vector once, in the order of the columns; put the dual point into the prices.
// The border's vector is the first unit vector, which is where the constant's would be.
Swept sweep_vectors(const View& view) {
    const RealTable vectors = view.room.vectors, scaled = view.room.scaled;
    const Reals border = view.room.border, price = view.room.price, reach = view.own.reach;
    const Whole size = view.size;
    const Lanes unit = load(view.room.start[0], 0);
    Lanes along = spread(0.0), toward = spread(0.0);
    Real lengths = 0.0;
    // A vector is written back only when the next field has been summed up, with its change added
    // at the end: so one field need not wait for the other.
    Whole last = 0;
    Lanes turned = spread(0.0), change = spread(0.0);
    for (Whole i = 1; i < size; ++i) {
        if (reach[i] == 0.0) continue;
        const Reals row = scaled[i];
        const Lanes own = load(vectors[i], 0);
        Lanes field = fma(spread(-row[i]), own, field_of(row, vectors, size));
        field = fma(spread(row[last]), change, fma(spread(border[i]), unit, field));
        store(vectors[last], 0, turned);
        const Real length = sqrt(total(field * field));
        turned = spread(length > 0.0 ? 1.0 / length : 0.0) * field;
        last = i, change = turned - own;
        price[i] = length + row[i];
        lengths += length + row[i];
        along = fma(spread(border[i]), turned, along);
        toward = fma(spread(view.own.plain[i] * view.own.pull[i]), turned, toward);
    }
    store(vectors[last], 0, turned);
    return {lengths, total(along * unit), total(toward * unit)};
}

// What the linear part gains at most from the special questions.
Real special_gain(const View& view, Real weight) {
    const Reals tilt = view.room.tilt, point = view.room.point;
    Real gain = 0.0;
    for (const Unit& unit : view.own.specials) {
        set_tilt(view, unit, view.own.pull, weight);
        move_special(unit, tilt, point);
        for (Whole j = unit.at; j < unit.end(); ++j) gain += tilt[j] * point[j];
    }
    return gain;
}

// Add a multiple of x to y, from the lane of an index on.
ASKLESS_INLINE void eliminate(Real weight, Vector x, Whole first, Whole size, Reals y) {
    const Lanes times_x = spread(weight);
    for (Whole j = first / WIDTH * WIDTH; j < size; j += WIDTH)
        store(y, j, fma(times_x, load(x, j), load(y, j)));
}

// Put diag(w + shift) - A and its border into place, to whole panels; what is not there gets a pivot of 1.
void set_elimination(const View& view, Real shift) {
    const Scratch& room = view.room;
    const Whole end = view.size + 3;
    for (Whole i = 1; i < end; ++i) {
        const Reals row = room.fields[i], source = room.scaled[i];
        const bool there = i < view.size && view.own.reach[i] > 0.0;
        const Lanes sign = spread(there ? -1.0 : 0.0);
        for (Whole j = 0; j < end; j += WIDTH) store(row, j, sign * load(source, j));
        row[i] += there ? room.price[i] + shift : 1.0;
    }
    for (Whole j = 0; j < end; j += WIDTH) store(room.turned, j, spread(-1.0) * load(room.border, j));
}

} // namespace

// Put A into place, inv(D) in units of the columns' reaches, and the vectors at their start.
// Columns that are asked, or a choice's, have no reach: their rows and vectors are zero.
void set_matrix(const View& view) {
    const Scratch& room = view.room;
    const Reals reach = view.own.reach;
    for (Whole i = 0; i < view.size; ++i) {
        const Reals row = view.own.inverse[i], out = room.scaled[i];
        const Lanes own = spread(reach[i]);
        for (Whole j = 0; j < view.size; j += WIDTH) store(out, j, own * load(row, j) * load(reach, j));
        store(room.vectors[i], 0, spread(reach[i] > 0.0 ? 1.0 : 0.0) * load(room.start[i], 0));
    }
}

// Whether diag(w + shift) - A, bordered by -c and w0 + shift, is positive definite.
// By elimination; where that goes through in floating point, it does so exactly for a matrix that
// differs by less than the caller allows for.
bool is_feasible(const View& view, Real along, Real shift) {
    const Whole size = view.size;
    const RealTable left = view.room.fields;
    const Reals border = view.room.turned;
    Real corner = along + shift;
    set_elimination(view, shift);
    for (Whole i = 1; i < size; i += 4) {
        // A panel of four rows is eliminated in itself, then from the rows below it in one pass.
        Vector rows[4];
        Real scales[4];
        for (int r = 0; r < 4; ++r) {
            const Whole a = i + r;
            const Vector row = rows[r] = left[a];
            if (!(row[a] > 0.0)) return false;
            const Real scale = scales[r] = -1.0 / row[a];
            corner += scale * border[a] * border[a];
            eliminate(scale * border[a], row, i, size, border);
            for (Whole b = a + 1; b < i + 4; ++b) eliminate(scale * row[b], row, i, size, left[b]);
        }
        for (Whole t = i + 4; t < size; ++t) {
            const Reals row = left[t];
            Lanes weights[4];
            for (int r = 0; r < 4; ++r) weights[r] = spread(scales[r] * rows[r][t]);
            for (Whole j = t / WIDTH * WIDTH; j < size; j += WIDTH) {
                Lanes x = load(row, j);
                for (int r = 0; r < 4; ++r) x = fma(weights[r], load(rows[r], j), x);
                store(row, j, x);
            }
        }
    }
    return corner > 0.0;
}

// An upper bound of F (`bounds`), from any 1/tau `scale` on; inf if none is found.
// Columns of scales, yes/nos and multis get the dual; choices keep their prices. With a limit of
// -inf the bound is as low as can be, else at most the limit or infinite.
Real diagonal_dual(const View& view, Real offset, Real scale, Real limit) {
    const Whole size = view.size;
    const Real theta = view.theta;
    Whole boxed = 0;
    Real flat = squared(view);
    for (Whole i = 1; i < size; ++i) {
        if (view.own.reach[i] > 0.0)
            ++boxed;
        else
            flat += view.room.price[i];
    }
    if (boxed == 0) return INFINITE;
    set_matrix(view);
    Swept swept;
    Real used = scale;
    for (Whole i = 0; i < SWEEPS; ++i) {
        used = scale;
        set_border(view, 1.0 / (theta * used));
        swept = sweep_vectors(view);
        // At a fixed point the quadratic part is the lengths less what the border gave.
        const Real square = flat + swept.lengths - swept.along + 2.0 * swept.toward;
        if (square > 0.0) scale = 1.0 / sqrt(square);
    }
    const Real centre = offset + dot(view.own.centre, view.room.linear, size);
    const Real base = centre + special_gain(view, theta * used);
    const Real held = (swept.lengths + swept.along) * (1.0 + 4.0 * EPSILON * ((size + 2) * (size + 2)));
    const Real least = base + 0.5 * theta * (used * (flat + held) + 1.0 / used);
    if (limit > -INFINITE) {
        const Real room = 2.0 * (limit - least) / (theta * used * (boxed + 1));
        return room > 0.0 && is_feasible(view, swept.along, room) ? limit : INFINITE;
    }
    Real shift = SHIFT * held / (boxed + 1);
    for (Whole i = 0; i < TRIES; ++i, shift *= 3.0)
        if (is_feasible(view, swept.along, shift)) return least + 0.5 * theta * used * shift * (boxed + 1);
    return INFINITE;
}

} // namespace askless
