// Coordinate descent: the few coefficients that are not zero settle first, then all are looked at again.
#include "lasso.hpp"

namespace askless {

namespace {

constexpr int MOST_SWEEPS = 1000;

// Take the best step of each coefficient in turn, of the active ones only if wanted.
Real sweep(Matrix gram, Real ridge, Real penalty, Reals gradient, Reals coef, bool active) {
    Real longest = 0.0;
    for (Whole j = 0; j < coef.size(); ++j) {
        const Real square = gram(j, j), before = coef[j];
        if (square <= 0.0 || (active && before == 0.0)) continue;
        const Real wanted = gradient[j] + square * before, left = abs(wanted) - penalty;
        const Real after = left <= 0.0 ? 0.0 : (wanted > 0.0 ? left : -left) / (square + ridge);
        const Real step = after - before;
        if (step == 0.0) continue;
        coef[j] = after;
        const Vector row = gram[j];
        for (Whole a = 0; a < coef.size(); ++a) gradient[a] -= step * row[a];
        longest = max(longest, abs(step));
    }
    return longest;
}

} // namespace

// Minimise ½b'Gb − c'b + ½ridge‖b‖² + λ‖b‖₁ for one λ after the other, in rows of `found`.
// The first row of `found` is where to start, b; `gradient` is c − Gb, then and always. A λ is done
// once no coefficient moves by more than `enough`.
void lasso_path(Matrix gram, Reals gradient, Real ridge, Vector penalties, Real enough, RealTable found) {
    for (Whole i = 0; i < penalties.size(); ++i) {
        const Reals coef = found[i];
        if (i > 0) std::copy(found[i - 1].begin(), found[i - 1].end(), coef.begin());
        auto moves = [&](bool active) {
            return !(sweep(gram, ridge, penalties[i], gradient, coef, active) <= enough);
        };
        for (int turn = 0; turn < MOST_SWEEPS && moves(false); ++turn)
            for (int again = 0; again < MOST_SWEEPS && moves(true);) ++again;
    }
}

} // namespace askless
