// Lower-triangular algebra: inv(D) = M' diag(weights) M, kept by rank-one updates.
//
// M has ones on its diagonal, so that an update costs two operations an entry and no square root.
// Vectors and matrices are padded with zeros to whole lanes; `size` says how much of them is meant.
#pragma once

#include "elementary.hpp"

namespace askless {

using Vector = Row<const Real>;
using Matrix = Table<const Real>;

// -- vectors --------------------------------------------------------------------------------------

// Inner product of two padded vectors.
ASKLESS_INLINE Real dot(Vector x, Vector y, Whole size) {
    Lanes running = spread(0.0);
    for (Whole j = 0; j < size; j += WIDTH) running = fma(load(x, j), load(y, j), running);
    return total(running);
}
// Inner product of two vectors that are not padded.
ASKLESS_INLINE Real inner(Vector x, Vector y) {
    Lanes running = spread(0.0);
    const Whole size = x.size(), whole = size / WIDTH * WIDTH;
    for (Whole j = 0; j < whole; j += WIDTH) running = fma(load(x, j), load(y, j), running);
    Real sum = whole ? total(running) : 0.0;
    for (Whole j = whole; j < size; ++j) sum += x[j] * y[j];
    return sum;
}
ASKLESS_INLINE void copy(Vector x, Whole size, Reals out) {
    for (Whole j = 0; j < size; j += WIDTH) store(out, j, load(x, j));
}
// Put the first rows of a padded matrix into `out`, zeros below them.
inline void copy_rows(Matrix matrix, Whole size, RealTable out) {
    for (Whole i = 0; i < size; ++i) copy(matrix[i], matrix.columns(), out[i]);
    out.part(size, out.rows()).fill(0.0);
}
ASKLESS_INLINE Real sum_of(Vector x, Whole size) {
    Lanes running = spread(0.0);
    for (Whole j = 0; j < size; j += WIDTH) running = running + load(x, j);
    return total(running);
}
ASKLESS_INLINE Real largest(Vector x) {
    Real found = x[0];
    for (Whole j = 1; j < x.size(); ++j) found = max(found, x[j]);
    return found;
}
// Add a multiple of a padded vector x to y.
ASKLESS_INLINE void add_multiple(Real weight, Vector x, Reals y, Whole size) {
    const Lanes times_x = spread(weight);
    for (Whole j = 0; j < size; j += WIDTH) store(y, j, fma(times_x, load(x, j), load(y, j)));
}
// Put x + weight y into `out`.
ASKLESS_INLINE void add(Vector x, Real weight, Vector y, Whole size, Reals out) {
    const Lanes times_y = spread(weight);
    for (Whole j = 0; j < size; j += WIDTH) store(out, j, fma(times_y, load(y, j), load(x, j)));
}

// -- matrices -------------------------------------------------------------------------------------

// The products of some rows of a matrix, from row i on, with the first `length` numbers of z.
template <int ROWS> ASKLESS_INLINE void products(Matrix matrix, Whole i, Vector z, Whole length,
                                                 Lanes (&out)[8]) {
    Vector rows[ROWS];
    for (int r = 0; r < ROWS; ++r) rows[r] = matrix[i + r];
    Lanes sums[ROWS];
    for (int r = 0; r < ROWS; ++r) sums[r] = spread(0.0);
    for (Whole j = 0; j < length; j += WIDTH) {
        const Lanes x = load(z, j);
        for (int r = 0; r < ROWS; ++r) sums[r] = fma(load(rows[r], j), x, sums[r]);
    }
    for (int r = 0; r < 8; ++r) out[r] = r < ROWS ? sums[r < ROWS ? r : 0] : spread(0.0);
}
// Put M z into `out`, whole lanes of it; eight rows share a pass over z.
// They read the zeros above the diagonal, and in the last lane those below the last row.
ASKLESS_INLINE void times(Matrix root, Vector z, Whole size, Reals out) {
    Lanes sums[8];
    for (Whole i = 0; i < size; i += WIDTH) {
        if (size - i <= WIDTH / 2) // half a lane is left: the rows of its other half are not read
            products<4>(root, i, z, i + 1, sums);
        else
            products<8>(root, i, z, i + 1, sums);
        store(out, i, totals(sums));
    }
}
// Put a square matrix times z into `out`, whole lanes.
ASKLESS_INLINE void whole_times(Matrix matrix, Vector z, Whole size, Reals out) {
    Lanes sums[8];
    for (Whole i = 0; i < size; i += WIDTH) {
        products<8>(matrix, i, z, size, sums);
        store(out, i, totals(sums));
    }
}
// Put M' w into `out`.
inline void transposed_times(Matrix root, Vector w, Whole size, Reals out) {
    out.fill(0.0);
    for (Whole i = 0; i < size; ++i) add_multiple(w[i], root[i], out, i + 1);
}
// w' diag(weights) w; for w = M z that is z' inv(D) z.
ASKLESS_INLINE Real squared_length(Vector weights, Vector w, Whole size) {
    Lanes running = spread(0.0);
    for (Whole j = 0; j < size; j += WIDTH) {
        const Lanes x = load(w, j);
        running = fma(load(weights, j) * x, x, running);
    }
    return total(running);
}

// -- rank-one updates (maths 2.3) -----------------------------------------------------------------

// Turn the weights of inv(D) into those of inv(D + z z'), where w = M z.
// `slopes` and `lifts` become what `sweep` needs to bring M up to date; `taus` is scratch, a lane
// longer than they are. Returns 1 + z' inv(D) z.
ASKLESS_INLINE Real add_row(Reals weights, Vector w, Whole size, Reals taus, Reals slopes, Reals lifts) {
    for (Whole i = 0; i < size; i += WIDTH) store(lifts, i, load(weights, i) * load(w, i));
    Real tau = 1.0;
    taus[0] = tau;
    for (Whole i = 0; i < size; ++i) {
        tau += lifts[i] * w[i];
        taus[i + 1] = tau;
    }
    store(taus, size + 1, spread(tau)); // the weights of the padding stay what they are
    for (Whole i = 0; i < size; i += WIDTH) {
        const Lanes before = load(taus, i), after = load(taus, i + 1);
        const Lanes inverse = spread(1.0) / (before * after); // one division serves both
        store(slopes, i, load(w, i) * (after * inverse));
        store(weights, i, load(weights, i) * (before * (before * inverse)));
    }
    return tau;
}

// Bring sixteen columns of M, or of M times anything, up to date after `add_row`.
// `j` is the first of them; their rows above `top` are zero. Of `gain`, which becomes the old
// inv(D) z, the same columns are filled.
ASKLESS_INLINE void sweep(RealTable matrix, Whole j, Whole top, Whole size, Vector slopes, Vector lifts,
                          Reals gain) {
    Lanes gains0 = spread(0.0), gains1 = spread(0.0);
    for (Whole i = top; i < size; ++i) {
        const Reals row = matrix[i];
        const Lanes slope = spread(-slopes[i]), lift = spread(lifts[i]);
        const Lanes old0 = load(row, j), old1 = load(row, j + WIDTH);
        store(row, j, fma(slope, gains0, old0));
        store(row, j + WIDTH, fma(slope, gains1, old1));
        gains0 = fma(lift, old0, gains0), gains1 = fma(lift, old1, gains1);
    }
    store(gain, j, gains0);
    store(gain, j + WIDTH, gains1);
}
// The same with eight columns of M times anything.
ASKLESS_INLINE void sweep_half(RealTable matrix, Whole j, Whole size, Vector slopes, Vector lifts,
                               Reals gain) {
    Lanes gains = spread(0.0);
    for (Whole i = 0; i < size; ++i) {
        const Reals row = matrix[i];
        const Lanes old = load(row, j);
        store(row, j, fma(spread(-slopes[i]), gains, old));
        gains = fma(spread(lifts[i]), old, gains);
    }
    store(gain, j, gains);
}
// What `sweep` does after two rows, bit for bit, with one pass over the matrix.
ASKLESS_INLINE void sweep_twice(RealTable matrix, Whole j, Whole top, Whole size, const Vector (&slopes)[2],
                                const Vector (&lifts)[2], const Reals (&gains)[2]) {
    Lanes a0 = spread(0.0), a1 = a0, b0 = a0, b1 = a0;
    for (Whole i = top; i < size; ++i) {
        const Reals row = matrix[i];
        Lanes slope = spread(-slopes[0][i]), lift = spread(lifts[0][i]);
        const Lanes old0 = load(row, j), old1 = load(row, j + WIDTH);
        const Lanes mid0 = fma(slope, a0, old0), mid1 = fma(slope, a1, old1);
        a0 = fma(lift, old0, a0), a1 = fma(lift, old1, a1);
        slope = spread(-slopes[1][i]), lift = spread(lifts[1][i]);
        store(row, j, fma(slope, b0, mid0));
        store(row, j + WIDTH, fma(slope, b1, mid1));
        b0 = fma(lift, mid0, b0), b1 = fma(lift, mid1, b1);
    }
    store(gains[0], j, a0);
    store(gains[0], j + WIDTH, a1);
    store(gains[1], j, b0);
    store(gains[1], j + WIDTH, b1);
}

// -- factors --------------------------------------------------------------------------------------

void add_rows(RealTable gram, Matrix rows, Whole count, Whole size);
Real factor(Matrix gram, Real alpha, Whole size, RealTable root, Reals weights);
void invert_unit_triangle(RealTable lower, Whole size);
void diagonal_of(Matrix root, Vector weights, Whole size, Reals variance);
Real inverse_of(Matrix root, Vector weights, Whole size, RealTable out);
void inverse_block(Matrix root, Vector weights, Whole size, Whole at, Whole width, RealTable block);
void solve(Matrix root, Vector weights, Vector moment, Whole size, Reals work, Reals out);

} // namespace askless
