// Following an elastic net's solution, and coordinate descent where that fails (maths 3.1).
#include "elastic_net.hpp"

namespace askless {

namespace {

constexpr Real EXACT = 1e-14;        // what is aimed at
constexpr Whole REBUILD_EVERY = 512; // rank-one updates between fresh inverses
constexpr Whole PATIENCE = 10'000;   // sweeps of coordinate descent

Real scale_of(const Problem& problem) {
    Real found = 0.0;
    for (Whole j = 0; j < problem.size; ++j) found = max(found, abs(problem.moment[j]));
    return found == 0.0 ? 1.0 : found;
}

} // namespace

// Go from the coefficients to the solution; returns its KKT residual, relative.
// Each turn heads for the minimum on the active set with its signs. Where a coefficient would change
// its sign on the way, it stops there at zero and leaves; where none does, the column that violates
// the optimality conditions most enters. The objective falls at every turn.
Real Net::solve(const Problem& problem) {
    const Real scale = scale_of(problem);
    admit_free(problem);
    Real slack = EXACT * scale;
    Whole entered = -1;
    for (Whole turn = 0; turn < 20 * problem.size + 100; ++turn) {
        const Real off = aim(problem, slack);
        const auto [blocked, step] = first_crossing();
        if (blocked >= 0) {
            if (blocked == entered && step == 0.0) slack *= 10.0; // it had entered because of rounding
            move(step);
            coef[blocked] = 0.0;
            leave(place[blocked]);
            entered = -1;
            continue;
        }
        move(1.0);
        const auto [worst, excess] = worst_outside(problem);
        entered = worst;
        if (excess <= slack) {
            const Real residual = max(off, excess) / scale;
            if (residual <= GOOD) return residual;
            break;
        }
        enter(problem, entered);
        sign[entered] = gradient[entered] > 0.0 ? 1.0 : -1.0;
    }
    return descend(problem);
}

// Let every free column be active, and every other one have the sign of its coefficient.
void Net::admit_free(const Problem& problem) {
    for (Whole j = 0; j < problem.size; ++j) {
        if (problem.penalty[j] == 0.0) {
            sign[j] = 0.0;
            if (place[j] < 0) enter(problem, j);
        } else if (place[j] >= 0 && sign[j] == 0.0) {
            sign[j] = coef[j] > 0.0 ? 1.0 : -1.0;
            if (coef[j] == 0.0) {
                sign[j] = 0.0;
                leave(place[j]);
            }
        }
    }
}

// Put the minimum on the active set with its signs into `target`, refined to rounding, and c - G target
// into `gradient`. Returns by how much the active conditions are missed.
Real Net::aim(const Problem& problem, Real slack) {
    if (counts[1] >= REBUILD_EVERY) rebuild(problem);
    const Whole count = counts[0];
    const Reals right = one, found = other;
    for (Whole i = 0; i < count; ++i) {
        const Whole j = active[i];
        right[i] = problem.moment[j] - problem.penalty[j] * sign[j];
        target[j] = 0.0;
    }
    Real off = INFINITE;
    for (int attempt = 0; attempt < 6; ++attempt) {
        right.part(count, in_lanes(count) - count).fill(0.0);
        for (Whole i = 0; i < count; i += WIDTH) store(found, i, spread(0.0));
        for (Whole i = 0; i < count; ++i) add_multiple(right[i], inverse[i], found, count);
        for (Whole i = 0; i < count; ++i) target[active[i]] += found[i];
        set_gradient(problem);
        if (attempt == 3) rebuild(problem);
        off = miss(problem);
        if (off <= slack) break;
    }
    return off;
}

// Put by how much the target misses each active condition into scratch; return the most.
Real Net::miss(const Problem& problem) {
    Real off = 0.0;
    for (Whole i = 0; i < counts[0]; ++i) {
        const Whole j = active[i];
        one[i] = gradient[j] - (problem.penalty[j] * sign[j] + problem.ridge * target[j]);
        const Real size = abs(one[i]);
        if (!(size <= off)) off = size >= 0.0 ? size : INFINITE; // NaN is a miss too
    }
    return off;
}

void Net::set_gradient(const Problem& problem) {
    for (Whole j = 0; j < problem.size; j += WIDTH) store(gradient, j, load(problem.moment, j));
    for (Whole i = 0; i < counts[0]; ++i) {
        const Whole j = active[i];
        add_multiple(-target[j], problem.gram[j], gradient, problem.size);
    }
}

// The first active column to reach zero on the way to the target, and how far that is; -1 if none does.
std::pair<Whole, Real> Net::first_crossing() const {
    Whole blocked = -1;
    Real step = 1.0;
    for (Whole i = 0; i < counts[0]; ++i) {
        const Whole j = active[i];
        if (sign[j] * target[j] <= 0.0 && sign[j] != 0.0) {
            const Real way = coef[j] - target[j];
            const Real until = way != 0.0 ? min(max(coef[j] / way, 0.0), 1.0) : 0.0;
            if (until < step || blocked < 0) blocked = j, step = until;
        }
    }
    return {blocked, step};
}

// Go so far towards the target.
void Net::move(Real step) {
    for (Whole i = 0; i < counts[0]; ++i) {
        const Whole j = active[i];
        coef[j] = step == 1.0 ? target[j] : coef[j] + step * (target[j] - coef[j]);
    }
}

// The inactive column that should be active most, and how much; 0 if none should.
std::pair<Whole, Real> Net::worst_outside(const Problem& problem) const {
    Whole worst = -1;
    Real most = 0.0;
    for (Whole j = 0; j < problem.size; ++j) {
        const Real excess = abs(gradient[j]) - problem.penalty[j];
        if (place[j] < 0 && excess > most) worst = j, most = excess;
    }
    return {worst, most};
}

// The largest violation of the optimality conditions, given the gradient at `coef`.
Real Net::worst_anywhere(const Problem& problem) const {
    Real most = 0.0;
    for (Whole j = 0; j < problem.size; ++j) {
        if (is_nan(gradient[j])) return INFINITE;
        const Real side = coef[j] > 0.0 ? 1.0 : -1.0;
        const Real off = coef[j] == 0.0
                             ? abs(gradient[j]) - problem.penalty[j]
                             : abs(gradient[j] - problem.penalty[j] * side - problem.ridge * coef[j]);
        most = max(most, off);
    }
    return most;
}

// Coordinate descent from the coefficients; returns the KKT residual, relative.
// The fallback where following fails, and a check of it in the tests.
Real Net::descend(const Problem& problem) {
    const Real scale = scale_of(problem);
    for (Whole turn = 0; turn < PATIENCE; ++turn) {
        if (turn % 32 == 0) { // the gradient is kept by updates: compute it anew now and then
            restart(problem);
            set_gradient(problem);
            if (worst_anywhere(problem) / scale <= EXACT) break;
        }
        Real change = 0.0;
        for (Whole j = 0; j < problem.size; ++j) {
            const Real diagonal = problem.gram(j, j), old = coef[j], reach = gradient[j] + diagonal * old;
            Real now = max(abs(reach) - problem.penalty[j], 0.0) / (diagonal + problem.ridge);
            now = reach > 0.0 ? now : -now;
            if (now != old) {
                coef[j] = now;
                add_multiple(old - now, problem.gram[j], gradient, problem.size);
                change = max(change, abs(now - old) * (diagonal + problem.ridge));
            }
        }
        if (change <= EXACT * scale) break;
    }
    restart(problem);
    set_gradient(problem);
    const Real residual = worst_anywhere(problem) / scale;
    rebuild(problem);
    return residual;
}

} // namespace askless
