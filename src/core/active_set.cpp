// The active set of an elastic net, and the inverse on it: columns enter and leave, rows come.
#include "elastic_net.hpp"

namespace askless {

namespace {
// Clear the rest of the lane that a length ends in.
void clear_lane(Reals x, Whole from) { x.part(from, in_lanes(from) - from).fill(0.0); }
} // namespace

// Make column j active: the inverse grows by a border.
void Net::enter(const Problem& problem, Whole j) {
    const Whole count = counts[0];
    const Reals beside = one, b = other;
    for (Whole i = 0; i < count; ++i) beside[i] = problem.gram(active[i], j);
    b.fill(0.0);
    for (Whole i = 0; i < count; ++i) add_multiple(beside[i], inverse[i], b, count);
    clear_lane(beside, count);
    // The exact Schur complement is at least `ridge`; less is rounding.
    const Real schur = max(problem.gram(j, j) + problem.ridge - dot(beside, b, count), problem.ridge);
    for (Whole i = 0; i < count; ++i) {
        add_multiple(b[i] / schur, b, inverse[i], count);
        inverse(i, count) = inverse(count, i) = -b[i] / schur;
    }
    inverse(count, count) = 1.0 / schur;
    active[count] = j, place[j] = count;
    counts[0] = count + 1;
}

// Make the column at a place inactive: it goes last, and the inverse loses its border.
void Net::leave(Whole at) {
    const Whole last = counts[0] - 1, gone = active[at];
    if (at != last) {
        for (Whole i = 0; i <= last; ++i) std::swap(inverse(at, i), inverse(last, i));
        for (Whole i = 0; i <= last; ++i) std::swap(inverse(i, at), inverse(i, last));
        active[at] = active[last];
        place[active[at]] = at;
    }
    const Reals border = one;
    for (Whole i = 0; i <= last; ++i) {
        border[i] = inverse(last, i);
        inverse(last, i) = inverse(i, last) = 0.0;
    }
    const Real corner = border[last];
    clear_lane(border, last);
    for (Whole i = 0; i < last; ++i) add_multiple(-border[i] / corner, border, inverse[i], last);
    place[gone] = -1;
    sign[gone] = target[gone] = 0.0;
    counts[0] = last;
}

// Compute the inverse on the active set anew.
void Net::rebuild(const Problem& problem) {
    const Whole count = counts[0];
    inverse.fill(0.0);
    counts[0] = counts[1] = 0;
    for (Whole i = 0; i < count; ++i) enter(problem, active[i]);
}

// Bring the inverse up to date when z z' has been added to the Gram matrix.
void Net::add_row(Vector z) {
    const Whole count = counts[0];
    const Reals own = one, u = other;
    for (Whole i = 0; i < count; ++i) own[i] = z[active[i]];
    clear_lane(own, count);
    for (Whole i = 0; i < count; i += WIDTH) store(u, i, spread(0.0));
    for (Whole i = 0; i < count; ++i) add_multiple(own[i], inverse[i], u, count);
    const Real tau = 1.0 + dot(own, u, count);
    for (Whole i = 0; i < count; ++i) add_multiple(-u[i] / tau, u, inverse[i], count);
    ++counts[1];
}

// Let exactly the columns with a coefficient, and the free ones, be active; target = coef.
void Net::restart(const Problem& problem) {
    counts[0] = 0;
    for (Whole j = 0; j < problem.size; ++j) {
        place[j] = -1, sign[j] = 0.0, target[j] = coef[j];
        if (coef[j] != 0.0 || problem.penalty[j] == 0.0) {
            active[counts[0]] = j, place[j] = counts[0];
            ++counts[0];
            if (problem.penalty[j] > 0.0) sign[j] = coef[j] > 0.0 ? 1.0 : -1.0;
        }
    }
}

} // namespace askless
