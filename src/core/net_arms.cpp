// The elastic net of an arm, kept up with its rows (maths 3).
#include "net_arms.hpp"

#include "elastic_net.hpp"

namespace askless {

namespace {

Net net_of(Arms& arms, Arm& arm) {
    const auto work = [&](Whole i) { return arms.net_work.row(i); };
    return {arm.net_coef,    arm.net_sign, arm.net_active, arm.net_place, arm.net_counts,
            arm.net_inverse, work(0),      work(1),        work(2),       work(3)};
}

// What an arm's net minimises, in units of the reward range.
Problem problem_of(Arms& arms, Arm& arm) {
    const Rule& rule = arms.rule;
    const Survey& survey = arms.survey;
    const Reals penalty = arms.net_work.row(4);
    const Real level = noise_level(arms, arm) / rule.span;
    for (Whole i = 0; i < arm.size; ++i) {
        const Whole j = arm.columns[i];
        if (rule.penalty == OWN) {
            const Real reach = max(abs(survey.low.number(j)), abs(survey.high.number(j)));
            penalty[i] = j == 0 ? 0.0 : rule.multiple * level * reach;
        } else {
            penalty[i] = 2.0 * level / (rule.penalty == SCALED ? static_cast<Real>(survey.columns()) : 1.0);
        }
    }
    return {arm.gram, arm.moment, penalty, 2.0 * rule.alpha, arm.size};
}

// Solve; where the net is what estimates, hand its coefficients over, in reward units.
// A net that has not converged hands over zeros, for which `radius` has a bound of its own.
void solve_net(Arms& arms, Arm& arm) {
    arm.net_residual = net_of(arms, arm).solve(problem_of(arms, arm));
    if (!(arm.net_residual <= GOOD)) arm.net_coef.fill(0.0);
    if (arms.rule.net == NET_ESTIMATES)
        for (Whole i = 0; i < arm.size; ++i) arm.estimate[i] = arms.rule.span * arm.net_coef[i];
}

} // namespace

// N tau / 2, where tau L_j is the paper's lambda_0 of column j (maths 3.2); in reward units.
Real noise_level(const Arms& arms, const Arm& arm) {
    const Real n = static_cast<Real>(arm.n), d = static_cast<Real>(arms.survey.columns());
    return arms.rule.sigma * sqrt(2.0 * n * ln(4.0 * d * n * n / arm.share));
}

// Bring an arm's net up to date after its newest row, which is in `recent`.
void refit(Arms& arms, Arm& arm) {
    net_of(arms, arm).add_row(arm.recent[0]);
    solve_net(arms, arm);
}

// Derive an arm's net anew from its statistics, starting at the coefficients it has.
void refit_anew(Arms& arms, Arm& arm) {
    arm.net_coef.from(arm.size).fill(0.0);
    arm.net_place.fill(-1);
    for (Whole i = 0; i < arm.size; ++i)
        for (Whole j = 0; j < i; ++j) arm.gram(j, i) = arm.gram(i, j);
    if (arm.n == 0) {
        arm.net_coef.fill(0.0);
        arm.net_counts.fill(0);
        arm.net_residual = 0.0;
        return;
    }
    Net net = net_of(arms, arm);
    const Problem problem = problem_of(arms, arm);
    net.restart(problem);
    net.rebuild(problem);
    solve_net(arms, arm);
}

// Whether the net says that all coefficients of a question are exactly zero, and is exact.
bool is_zero(const Arm& arm, Whole at, Whole width) {
    bool zero = arm.net_residual <= GOOD;
    for (Whole i = at; i < at + width; ++i) zero &= arm.net_coef[i] == 0.0;
    return zero;
}

} // namespace askless
