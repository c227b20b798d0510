// Gram matrices and their factors: the heavy steps of the triangles' algebra.
#include "triangle.hpp"

namespace askless {

// Add z z' of the first rows to a Gram matrix, whole lanes; four rows of it share a pass.
void add_rows(RealTable gram, Matrix rows, Whole count, Whole size) {
    for (Whole i = 0; i < size; i += 4) {
        for (Whole j = 0; j < i + 4; j += WIDTH) {
            Lanes sums[4];
            for (int r = 0; r < 4; ++r) sums[r] = load(gram[i + r], j);
            for (Whole n = 0; n < count; ++n) {
                const Vector z = rows[n];
                const Lanes x = load(z, j);
                for (int r = 0; r < 4; ++r) sums[r] = fma(spread(z[i + r]), x, sums[r]);
            }
            for (int r = 0; r < 4; ++r) store(gram[i + r], j, sums[r]);
        }
    }
}

// Put M and the weights of inv(D), D = alpha I + gram, into place; return ln det(D / alpha).
// A pivot below alpha is rounding: the exact one is at least alpha (maths 2.3).
Real factor(Matrix gram, Real alpha, Whole size, RealTable root, Reals weights) {
    root.fill(0.0);
    weights.fill(0.0);
    Real log_det = 0.0;
    for (Whole i = 0; i < size; ++i) {
        for (Whole j = 0; j < i; ++j) root(j, i) = gram(i, j);
        root(i, i) = gram(i, i) + alpha;
    }
    // Elimination row by row, above the diagonal, where rows lie in lanes; L grows below it.
    for (Whole k = 0; k < size; ++k) {
        const Reals row = root[k];
        const Real pivot = max(alpha, row[k]);
        weights[k] = 1.0 / pivot;
        log_det += ln(pivot / alpha);
        for (Whole i = k + 1; i < size; ++i) {
            const Real part = row[i] / pivot;
            add_multiple(-part, row.from(i), root[i].from(i), size - i);
            root(i, k) = part;
        }
    }
    for (Whole i = 0; i < size; ++i) {
        root[i].from(i).fill(0.0);
        root(i, i) = 1.0;
    }
    invert_unit_triangle(root, size);
    return log_det;
}

// Replace a lower triangle with ones on its diagonal by its inverse: row i needs only those above.
void invert_unit_triangle(RealTable lower, Whole size) {
    for (Whole i = 0; i < size; ++i) {
        const Reals row = lower[i];
        for (Whole j = 0; j < i; ++j) {
            // Entry j is still the old one; those left of it have been turned into sums already.
            const Real weight = row[j];
            row[j] = 0.0;
            add_multiple(-weight, lower[j], row, j + 1);
        }
    }
}

// Put the diagonal of inv(D) into `variance`.
void diagonal_of(Matrix root, Vector weights, Whole size, Reals variance) {
    for (Whole j = 0; j < size; j += WIDTH) {
        Lanes squares = spread(0.0);
        for (Whole i = j; i < size; ++i) {
            const Lanes old = load(root[i], j);
            squares = fma(spread(weights[i]) * old, old, squares);
        }
        store(variance, j, squares);
    }
}

// Put M' diag(weights) M, all of it, into `out`, zeros beyond; return its trace.
Real inverse_of(Matrix root, Vector weights, Whole size, RealTable out) {
    out.fill(0.0);
    for (Whole c = 0; c < size; c += WIDTH) {
        for (Whole j = 0; j < size; j += 4) {
            // Four rows share a pass over M, which is zero above row c.
            Lanes sums[4] = {spread(0.0), spread(0.0), spread(0.0), spread(0.0)};
            for (Whole i = max(c, j); i < size; ++i) {
                const Vector row = root[i];
                const Lanes x = spread(weights[i]) * load(row, c);
                for (int r = 0; r < 4; ++r) sums[r] = fma(spread(row[j + r]), x, sums[r]);
            }
            for (int r = 0; r < 4; ++r) store(out[j + r], c, sums[r]);
        }
    }
    Real trace = 0.0;
    for (Whole i = 0; i < size; ++i) trace += out(i, i);
    return trace;
}

// Put the block of inv(D) on `width` packed columns into place; M is zero above row `at`.
void inverse_block(Matrix root, Vector weights, Whole size, Whole at, Whole width, RealTable block) {
    for (Whole a = 0; a < width; ++a) block[a].part(0, width).fill(0.0);
    for (Whole i = at; i < size; ++i) {
        const Vector row = root[i].part(at, width);
        for (Whole a = 0; a < width; ++a)
            for (Whole b = 0; b < width; ++b) block(a, b) += weights[i] * row[a] * row[b];
    }
}

// Put inv(D) times a moment into `out`.
void solve(Matrix root, Vector weights, Vector moment, Whole size, Reals work, Reals out) {
    times(root, moment, size, work);
    for (Whole i = 0; i < size; ++i) work[i] *= weights[i];
    transposed_times(root, work, size, out);
}

} // namespace askless
