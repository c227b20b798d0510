// The radii of maths 2.1 and 3.2, and the bound on the ridge bias.
#include "radius.hpp"

#include "elastic_net.hpp"
#include "net_arms.hpp"
#include "noise.hpp"

namespace askless {

namespace {

// Largest e_j' P inv(D) P e_j over the questions' columns; P makes each choice sum to zero.
Real largest_projected(Arms& arms, Arm& arm) {
    Real found = 0.0;
    Whole at = 1;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        if (!arm.uses(g)) continue;
        const Survey::Question q = arms.survey[g];
        if (q.is_choice()) {
            const Whole options = q.width - q.skip;
            const Reals squares = arms.scratch(2).part(0, options);
            squares.fill(0.0);
            for (Whole i = at; i < arm.size; ++i) {
                const Vector row = arm.root[i].part(at, options);
                Real mean = 0.0;
                for (Real x : row) mean += x / static_cast<Real>(options);
                for (Whole j = 0; j < options; ++j)
                    squares[j] += arm.weights[i] * ((row[j] - mean) * (row[j] - mean));
            }
            found = max(found, largest(squares));
            if (q.skip) found = max(found, arm.variance[at + options]);
        } else {
            found = max(found, largest(arm.variance.part(at, q.width)));
        }
        at += q.width;
    }
    return found;
}

// Bound B on the ridge bias over the parameters that the reward range allows (maths 2.1).
Real bias(Arms& arms, Arm& arm) {
    const Rule& rule = arms.rule;
    if (!rule.sharp_bias) return rule.ridge_bias;
    const Real constant = arm.variance[0], found = largest_projected(arms, arm);
    Real bound = rule.b1 * sqrt(max(constant, found));
    if (rule.plain) bound = min(bound, rule.span * max(0.5 * sqrt(constant), sqrt(found)));
    return min(rule.ridge_bias, rule.alpha * bound);
}

// The largest right-hand side of maths 3.2 over the parameters that are possible.
Real net_bound(Arms& arms, Arm& arm, Real level) {
    const Rule& rule = arms.rule;
    auto reach = [&](Whole j) {
        return max(abs(arms.survey.low.number(j)), abs(arms.survey.high.number(j)));
    };
    Real longest = 0.0, fitted = 0.0, squared = 0.0;
    for (Whole j = 1; j < arms.survey.columns(); ++j) longest = max(longest, reach(j));
    for (Whole i = 0; i < arm.size; ++i) {
        const Whole j = arm.columns[i];
        const Real size = abs(arm.estimate[i]);
        fitted += j == 0 ? size : (1.0 - rule.multiple) * reach(j) * size;
        squared += size * size;
    }
    Real possible = max(1.0, (1.0 + rule.multiple) * longest) * rule.b1;
    if (rule.plain && !rule.raw) possible = min(possible, (1.0 + rule.multiple) * rule.span / 2.0);
    return level * (possible + fitted) + rule.alpha * (rule.b2 * rule.b2 - squared);
}

// Radius of an elastic net's confidence set (maths 3.2).
Real net_radius(Arms& arms, Arm& arm) {
    const Rule& rule = arms.rule;
    const Real n = static_cast<Real>(arm.n);
    if (!(arm.net_residual <= GOOD)) {
        // Zeros are at most this far from parameters whose means stay in the range (maths 3.2).
        const Real furthest = rule.raw ? max(abs(rule.low), abs(rule.high)) : rule.span / 2.0;
        return sqrt(n * (furthest * furthest) + rule.alpha * (rule.b2 * rule.b2));
    }
    const Real level = arm.n > 0 ? noise_level(arms, arm) : 0.0;
    if (rule.form == NET_VALID) return sqrt(max(net_bound(arms, arm, level), 0.0));
    Real taxicab = 0.0;
    for (Whole i = 0; i < arm.size; ++i) taxicab += abs(arm.estimate[i]);
    const bool scaled = rule.form == NET_SCALED || rule.form == NET_SCALED_SQRT;
    const Real norm = scaled ? (rule.b1 + taxicab) * static_cast<Real>(arms.survey.columns()) : rule.b1;
    const Real theta = sqrt(6.0 * level * norm + 4.0 * rule.alpha * (rule.b1 * rule.b1));
    return rule.form == NET_PUBLISHED_SQRT || rule.form == NET_SCALED_SQRT ? sqrt(theta) : theta;
}

} // namespace

// Radius theta of an arm's confidence set (maths 2.1); of LinUCB its width (maths 6, 8.8).
Real radius_of(Arms& arms, Arm& arm) {
    const Rule& rule = arms.rule;
    if (rule.form == FIXED) return rule.fixed;
    if (rule.form == NOISE) return width_of(rule, arm);
    if (rule.form >= NET_VALID) return net_radius(arms, arm);
    if (rule.form == VALID) {
        const Real supports = rule.log_supports[static_cast<std::size_t>(arm.questions_left())];
        const Real price = supports - ln(rule.set_part * arm.share);
        return rule.sigma * sqrt(max(arm.log_det, 0.0) + 2.0 * price) + bias(arms, arm);
    }
    Real theta = rule.ridge_bias;
    if (arm.n > 0) {
        const Real n = static_cast<Real>(arm.n);
        const Real growth = ln_1_plus(n * (rule.norm * rule.norm) / rule.alpha) + 2.0 * ln(1.0 + n);
        theta +=
            rule.sigma * sqrt(static_cast<Real>(arm.size) * (growth - ln(arm.share))); // the paper's theta
    }
    return rule.form == PUBLISHED_SQRT ? sqrt(theta) : theta;
}

} // namespace askless
