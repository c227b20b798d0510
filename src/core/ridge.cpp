// Ridge SurveyUCB, row by row: tests, sums, and what is derived from them (maths 2).
#include "ridge.hpp"

#include "epoch_end.hpp"
#include "epochs.hpp"
#include "net_arms.hpp"
#include "noise.hpp"
#include "radius.hpp"

namespace askless {

// A question's effect in an arm (maths 1.1, 2.2); `at` is its first packed column. Stops at the first
// direction whose high end exceeds `enough`.
Interval effect(Arms& arms, Arm& arm, Whole g, Whole at, Real enough) {
    const Survey::Question q = arms.survey[g];
    const Vector coefficients = arm.estimate.part(at, q.width);
    Interval found;
    if (q.width == 1) {
        found.include(abs(coefficients[0]), arm.radius * sqrt(arm.variance[at]));
        return found;
    }
    const RealTable block = arms.block.table();
    inverse_block(arm.root, arm.weights, arm.size, at, q.width, block);
    for (Whole d = q.start; d < q.end && found.high <= enough; ++d) {
        const Vector direction = arms.survey.direction(d, q.width);
        Real squared = 0.0;
        for (Whole i = 0; i < q.width; ++i)
            squared += direction[i] * inner(block[i].part(0, q.width), direction);
        found.include(abs(inner(direction, coefficients)), arm.radius * sqrt(max(squared, 0.0)));
    }
    return found;
}

// Drop an arm's questions whose effect is at most beta_min; returns how many (maths 2.2).
// All are tested on the same confidence set; the derived state is left to a refresh.
static Whole drop_questions(Arms& arms, Arm& arm) {
    if (arm.n == 0 || !is_finite(arm.radius)) return 0;
    const Rule& rule = arms.rule;
    // A squared slack beyond this exceeds beta_min whatever the estimate, and an estimate beyond it
    // whatever the slack; most tests end here.
    const Real hopeless = (1.0 + 1e-9) * rule.beta_min * rule.beta_min, squared = arm.radius * arm.radius;
    Whole dropped = 0, at = 1, width = 0;
    for (Whole g = 0; g < arms.survey.questions(); ++g, at += width) {
        width = arm.uses(g) ? arms.survey.width.number(g) : 0;
        if (width == 0 || (rule.net != NO_NET && !is_zero(arm, at, width))) continue;
        if (width == 1 && (squared * arm.variance[at] > hopeless || abs(arm.estimate[at]) > rule.beta_min))
            continue;
        const Interval found = effect(arms, arm, g, at, rule.beta_min);
        if (found.high <= rule.beta_min) {
            arm.dropped_at[g] = arm.n;
            const Reals evidence = arm.evidence[g];
            evidence[0] = found.estimate, evidence[1] = found.low, evidence[2] = found.high;
            ++dropped;
        }
    }
    if (dropped > 0) {
        for (Whole g = 0; g < arms.survey.questions(); ++g) arm.support[g] = arm.dropped_at[g] < 0;
        pack(arms, arm);
    }
    return dropped;
}

// Delete from an arm's statistics the rows and columns outside its support, exactly.
void pack(const Arms& arms, Arm& arm) {
    settle(arm);
    const Survey& survey = arms.survey;
    const Reals place = arms.scratch(0);
    Whole kept = 0, g = -1;
    for (Whole i = 0; i < arm.size; ++i) {
        const Whole column = arm.columns[i];
        while (g + 1 < survey.questions() && survey.first.number(g + 1) <= column) ++g;
        if (column > 0 && !arm.uses(g)) continue;
        arm.columns[kept] = column;
        arm.moment[kept] = arm.moment[i];
        if (arm.net_coef.size() > 0) arm.net_coef[kept] = arm.net_coef[i];
        place[kept] = static_cast<Real>(i);
        for (Whole j = 0; j <= kept; ++j) arm.gram(kept, j) = arm.gram(i, static_cast<Whole>(place[j]));
        ++kept;
    }
    arm.moment.from(kept).fill(0.0);
    arm.gram.part(kept, arm.gram.rows()).fill(0.0);
    for (Whole i = 0; i < kept; ++i) arm.gram[i].from(i + 1).fill(0.0);
    arm.size = kept;
}

// Add an arm's waiting rows to its Gram matrix, exactly.
void settle(Arm& arm) {
    add_rows(arm.gram, arm.recent, arm.waiting, arm.size);
    arm.waiting = 0;
}

// Add a row to an arm's statistics, exactly.
static void count_row(const Rule& rule, Arm& arm, Vector z, Real y) {
    if (arm.waiting == RECENT) settle(arm);
    const Reals packed = arm.recent[arm.waiting];
    gather(arm, z, packed);
    if (rule.net == NO_NET) {
        ++arm.waiting;
    } else { // a net needs the Gram matrix at once, and whole
        for (Whole i = 0; i < arm.size; ++i) add_multiple(packed[i], packed, arm.gram[i], arm.size);
    }
    add_multiple(y, packed, arm.moment, arm.size);
    arm.squares += y * y;
    ++arm.n;
}

// Take a row out of an arm's statistics, exactly.
void take_out_row(Arms& arms, Arm& arm, Vector z, Real y) {
    settle(arm);
    const Reals packed = arms.scratch(0);
    gather(arm, z, packed);
    for (Whole i = 0; i < arm.size; ++i) add_multiple(-packed[i], packed, arm.gram[i], i + 1);
    add_multiple(-y, packed, arm.moment, arm.size);
    arm.squares -= y * y;
    --arm.n;
}

// Test an arm's questions, then learn a row on what is left; returns the number dropped.
// `z` and `y` (in units of the reward range) lie on the grid; `ready`: M z is in place already.
// With epochs, see `hold`.
Whole learn(Arms& arms, Whole k, Vector z, Real y, bool ready) {
    if (arms.rule.epochs) return hold(arms, k, z, y);
    const Taken taken = take(arms, k, z, y);
    if (!taken.fresh) {
        Arm& arm = arms[k];
        const Reals packed = arm.recent[max(arm.waiting - 1, Whole(0))];
        if (!ready) times(arm.root, packed, arm.size, arm.projected);
        update(arms, arm, arms.rule.span * y - dot(packed, arm.estimate, arm.size));
        catch_up(arms, arm);
    }
    return taken.dropped;
}

// Put a row into an arm's epoch; returns GOES_ON, or at its end how many questions were dropped.
Whole hold(Arms& arms, Whole k, Vector z, Real y) {
    Arm& arm = arms[k];
    Epoch& epoch = (*arms.epochs)[k];
    epoch.make_room(epoch.kept + 1, arm.size);
    const Reals row = epoch.rows(arm.size)[epoch.kept];
    gather(arm, z, row);
    row[in_lanes(arm.size)] = y;
    ++epoch.kept, ++epoch.held;
    const bool due = epoch.kept % BLOCK == 0 || epoch.held >= epoch.need;
    return due ? look(arms, k) : GOES_ON;
}

// Test an arm's questions and count a row.
Taken take(Arms& arms, Whole k, Vector z, Real y) {
    Arm& arm = arms[k];
    const Whole dropped = arms.rule.beta_min > 0.0 ? drop_questions(arms, arm) : 0;
    count_row(arms.rule, arm, z, y);
    if (arms.rule.form == NOISE && is_due(arm)) {
        renew(arms, k);
        return {dropped, true};
    }
    const bool fresh = dropped > 0 || arm.stale >= REFRESH_EVERY;
    if (fresh) refresh(arms, k);
    return {dropped, fresh};
}

// Update what is derived, once a row is counted; its M z and its error are known (maths 2.3).
// M and the estimate are left to `catch_up`, unless the rule needs the diagonal of inv(D) now.
void update(Arms& arms, Arm& arm, Real error) {
    const Rule& rule = arms.rule;
    const Whole late = arm.late;
    const Real tau =
        add_row(arm.weights, arm.projected, arm.size, arms.scratch(1), arm.slopes[late], arm.lifts[late]);
    arm.moves[late] = rule.net != NET_ESTIMATES ? error / tau : 0.0;
    arm.late = late + 1, arm.ready = arm.inverted = 0;
    if (rule.needs_variance()) {
        catch_up(arms, arm);
        diagonal_of(arm.root, arm.weights, arm.size, arm.variance);
    }
    if (rule.net != NO_NET) refit(arms, arm);
    ++arm.stale;
    arms.tau = tau, arms.move = error / tau;
    if (rule.form != FIXED && rule.form != NOISE) {
        arm.log_det += ln(tau);
        arm.radius = radius_of(arms, arm);
    }
}

// Bring an arm's M and estimate up to date, sixteen columns at a time.
void catch_up(Arms& arms, Arm& arm) {
    const Whole size = arm.size, count = arm.late;
    const Reals gain = arms.scratch(1), other = arms.scratch(2), estimate = arm.estimate;
    for (Whole j = 0; j < size && count > 0; j += 2 * WIDTH) {
        for (Whole late = 0; late + 1 < count; late += 2) {
            sweep_twice(arm.root, j, j, size, {arm.slopes[late], arm.slopes[late + 1]},
                        {arm.lifts[late], arm.lifts[late + 1]}, {gain, other});
            add_multiple(arm.moves[late], gain.from(j), estimate.from(j), 2 * WIDTH);
            add_multiple(arm.moves[late + 1], other.from(j), estimate.from(j), 2 * WIDTH);
        }
        if (count % 2 == 1) {
            sweep(arm.root, j, j, size, arm.slopes[count - 1], arm.lifts[count - 1], gain);
            add_multiple(arm.moves[count - 1], gain.from(j), estimate.from(j), 2 * WIDTH);
        }
    }
    arm.late = 0;
}

// Derive everything of an arm anew from its statistics (maths 2.3).
void refresh(Arms& arms, Whole k) {
    Arm& arm = arms[k];
    const Rule& rule = arms.rule;
    settle(arm);
    arm.late = arm.ready = arm.inverted = 0;
    const bool noisy = rule.form == NOISE;
    const Whole size = arm.size;
    arm.log_det = factor(arm.gram, noisy ? arm.ridge : rule.alpha, size, arm.root, arm.weights);
    arm.variance.fill(0.0);
    diagonal_of(arm.root, arm.weights, size, arm.variance);
    Reals moment = arm.moment;
    const Reals w = arms.scratch(1);
    if (noisy) { // measured from the middle of the range
        moment = arms.scratch(0);
        centred_moment(rule, arm, moment);
    }
    times(arm.root, moment, size, w);
    for (Whole i = 0; i < size; ++i) w[i] *= rule.span * arm.weights[i];
    transposed_times(arm.root, w, size, arm.estimate);
    arm.estimate[0] += rule.span * (noisy ? rule.middle() : 0.0);
    if (rule.net != NO_NET) refit_anew(arms, arm);
    arm.stale = 0;
    arm.radius = radius_of(arms, arm);
}

} // namespace askless
