// The decision models: fitted on the support, active questions found, fitted again on those.
#include "deciding.hpp"

#include "epochs.hpp"
#include "noise.hpp"
#include "ridge.hpp"

namespace askless {

namespace {

constexpr Real SURE = 2.0; // kappa: so many standard errors may be chance

// Say which questions of an arm are active, how many of them undecided (maths 8.3).
void find_active(Arms& arms, Arm& arm, Epoch& epoch) {
    const Rule& rule = arms.rule;
    const Real beta_min = rule.beta_min / rule.span, noise = sqrt(arm.noise);
    const Reals variance = arms.epochs->left.all(), spreads = arms.epochs->spreads.all();
    const RealTable block = arms.block.table();
    variance.fill(0.0);
    diagonal_of(epoch.model_root, epoch.model_weights, arm.size, variance);
    arm.active.fill(0);
    Whole at = 1, judged = 0;
    epoch.undecided = 0;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        if (!arm.uses(g)) continue;
        const Survey::Question q = arms.survey[g];
        const Vector estimate = epoch.model_estimate.part(at, q.width);
        if (q.width > 1)
            inverse_block(epoch.model_root, epoch.model_weights, arm.size, at, q.width, block);
        else
            block(0, 0) = variance[at];
        Real most = 0.0, surest = 0.0;
        for (Whole d = q.start; d < q.end; ++d) {
            const Vector direction = arms.survey.direction(d, q.width);
            if (!is_judged(rule, q, direction)) continue;
            const Real squared = quadratic(block, direction);
            const Real slack = noise * sqrt(squared), size = abs(inner(direction, estimate));
            most = max(most, size + SURE * slack);
            surest = max(surest, size / slack);
            if (arm.ridge * squared < 0.5 * inner(direction, direction)) spreads[judged++] = squared;
        }
        if (most > beta_min || rule.by_sets) {
            arm.active[g] = 1;
            epoch.undecided += surest < SURE;
        }
        at += q.width;
    }
    if (epoch.warm) epoch.spread = judged > 0 ? median(spreads.part(0, judged)) : 0.0;
}

// List the columns of an arm's active questions; return how many questions they are.
Whole pack_active(const Survey& survey, Arm& arm) {
    arm.active_columns[0] = 0;
    Whole size = 1, count = 0;
    for (Whole g = 0; g < survey.questions(); ++g) {
        if (!arm.active[g]) continue;
        const Survey::Question q = survey[g];
        for (Whole j = q.first; j < q.first + q.width; ++j) arm.active_columns[size++] = j;
        ++count;
    }
    arm.active_size = size;
    return count;
}

// Do an arm's regression again on the columns of its active questions, with the same ridge.
void fit_active(Arms& arms, Arm& arm) {
    const Whole size = arm.active_size;
    const RealTable gram = arms.epochs->whole.table();
    const Wholes place = arms.epochs->order.all();
    const Reals centred = arms.scratch(0), moment = arms.scratch(2);
    centred_moment(arms.rule, arm, centred);
    Whole at = 0;
    for (Whole i = 0; i < size; ++i) { // both lists of columns are in their order
        while (arm.columns[at] != arm.active_columns[i]) ++at;
        place[i] = at;
        moment[i] = centred[at];
        for (Whole j = 0; j <= i; ++j) gram(i, j) = arm.gram(at, place[j]);
    }
    moment.from(size).fill(0.0);
    factor(gram, arm.ridge, size, arm.active_root, arm.active_weights);
    solve(arm.active_root, arm.active_weights, moment, size, arms.scratch(1), arm.active_estimate);
}

} // namespace

// Derive an arm's model on its whole support, with the ridge that the arm has (maths 8.2).
void fit(Arms& arms, Whole k) {
    Arm& arm = arms[k];
    Epoch& epoch = (*arms.epochs)[k];
    const Reals moment = arms.scratch(0);
    settle(arm);
    factor(arm.gram, arm.ridge, arm.size, epoch.model_root, epoch.model_weights);
    centred_moment(arms.rule, arm, moment);
    solve(epoch.model_root, epoch.model_weights, moment, arm.size, arms.scratch(1), epoch.model_estimate);
}

// Find an arm's active questions and derive the model by which it is chosen (maths 8.3, 8.4).
Whole activate(Arms& arms, Whole k) {
    Arm& arm = arms[k];
    Epoch& epoch = (*arms.epochs)[k];
    const Rule& rule = arms.rule;
    find_active(arms, arm, epoch);
    arm.ready = arm.inverted = 0;
    if (rule.by_sets) std::copy(arm.support.begin(), arm.support.end(), arm.active.begin());
    const Whole count = pack_active(arms.survey, arm), size = arm.active_size;
    auto be = [&](Matrix root, Vector weights, Vector estimate) {
        copy_rows(root, size, arm.active_root);
        copy(weights, arms.wide, arm.active_weights);
        copy(estimate, arms.wide, arm.active_estimate);
    };
    if (rule.by_sets) {
        be(arm.root, arm.weights, arm.estimate);
        arm.width = arm.radius;
        return count;
    }
    if (size == arm.size)
        be(epoch.model_root, epoch.model_weights, epoch.model_estimate);
    else
        fit_active(arms, arm);
    for (Whole i = 0; i < size; ++i) arm.active_estimate[i] *= rule.span;
    arm.active_estimate[0] += rule.span * rule.middle();
    arm.width = width_of(rule, arm);
    return count;
}

// w' A w on a direction's own columns; above 0, as it must be.
Real quadratic(Matrix matrix, Vector direction) {
    Real squared = 0.0;
    for (Whole i = 0; i < direction.size(); ++i)
        squared += direction[i] * inner(matrix[i].part(0, direction.size()), direction);
    return max(squared, 1e-300);
}

// The number at half the length of the sorted values; their order changes.
Real median(Reals values) {
    Real* const middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace askless
