// Residuals measured: the noise that they show, and what follows from it (maths 8.1, 8.2).
#include "noise.hpp"

#include "radius.hpp"
#include "ridge.hpp"

namespace askless {

// The variance of the noise that all arms' latest residuals show.
Real pooled(Arms& arms) {
    Real squares = PRIOR_ROWS * PRIOR_NOISE, freedom = PRIOR_ROWS;
    for (Whole k = 0; k < arms.count(); ++k) squares += arms[k].misfit, freedom += arms[k].freedom;
    return squares / freedom;
}

// Let an arm's ridge follow from the noise as it is known before the arm is renewed.
void set_ridge(Arms& arms, Arm& arm) {
    arm.ridge = max(pooled(arms) / (PRIOR_SPREAD * PRIOR_SPREAD), LEAST_RIDGE);
}

// Put an arm's sum of z y, rewards measured from the middle of the range, into `out`.
void centred_moment(const Rule& rule, const Arm& arm, Reals out) {
    const Real shift = rule.middle();
    for (Whole i = 0; i < arm.size; ++i) out[i] = arm.moment[i] - shift * arm.gram(i, 0);
    out.from(arm.size).fill(0.0);
}

// Measure an arm's residuals; its noise becomes the pooled one that they lead to (maths 8.1).
// The model is that on all of its columns, in units of the range from its middle.
void measure(Arms& arms, Arm& arm, Matrix root, Vector weights, Vector estimate) {
    const Whole size = arm.size;
    const Real shift = arms.rule.middle(), n = static_cast<Real>(arm.n);
    const Reals moment = arms.scratch(0), variance = arms.scratch(2);
    centred_moment(arms.rule, arm, moment);
    Real squares = arm.squares - 2.0 * shift * arm.moment[0] + shift * shift * n;
    // (G + ridge) b = c, so that b'Gb is b'c less the ridge's part.
    squares -= dot(moment, estimate, size) + arm.ridge * dot(estimate, estimate, size);
    variance.fill(0.0);
    diagonal_of(root, weights, size, variance);
    Real fitted = 0.0;
    for (Whole i = 0; i < size; ++i) fitted += 1.0 - arm.ridge * variance[i];
    arm.misfit = max(squares, 0.0);
    arm.freedom = max(n - fitted, 0.0);
    arm.noise = pooled(arms);
}

// Renew ridge and width of an arm that learns row by row (maths 8.8).
void renew(Arms& arms, Whole k) {
    Arm& arm = arms[k];
    set_ridge(arms, arm);
    refresh(arms, k);
    const Reals estimate = arms.scratch(1);
    for (Whole i = 0; i < arm.size; ++i) estimate[i] = arm.estimate[i] / arms.rule.span;
    estimate[0] -= arms.rule.middle();
    estimate.from(arm.size).fill(0.0);
    measure(arms, arm, arm.root, arm.weights, estimate);
    arm.renewed = arm.n;
    arm.radius = radius_of(arms, arm);
}

} // namespace askless
