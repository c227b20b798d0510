// How a block ends: what it says is judged, then it becomes a part of what its arm knows (maths 5.1).
#include "epoch_end.hpp"

#include "deciding.hpp"
#include "epochs.hpp"
#include "noise.hpp"
#include "online.hpp"
#include "ridge.hpp"
#include "signed_effects.hpp"

namespace askless {

namespace {

constexpr Real HOPELESS = 2.0; // a side this far below where it started is not what an epoch is planned for
constexpr Real AMPLE = 1.3;    // how much more than the expected growth an epoch is planned for
constexpr Real WARM = 0.2;     // of the rows that tests will need, before the first one
constexpr Real MOVED = 3.0;    // an epoch with this many times the information of all before it must end

// The logarithm at which a side of a test passes in an arm.
Real line_of(const Rule& rule, const Arm& arm) {
    return ln(static_cast<Real>(arm.questions_left()) / ((1.0 - rule.set_part) * arm.share));
}

// With how many rows warm-up ends in an arm: a part of what tests need (maths 8.7).
Real warm_rows(const Rule& rule, const Arm& arm, const Epoch& epoch) {
    Real rows = 3.0 * static_cast<Real>(arm.size);
    if (rule.beta_min > 0.0 && arm.size > 1) {
        const Real ratio = rule.span / rule.beta_min;
        const Real spread = static_cast<Real>(arm.n) * epoch.spread * (ratio * ratio);
        rows = max(rows, WARM * 2.0 * arm.noise * line_of(rule, arm) * spread);
    }
    return min(rows, static_cast<Real>(MOST_ROWS));
}

// Say with how many rows an arm's next block ends, and whether that is warm-up (maths 5.1).
void set_need(const Arms& arms, const Arm& arm, Epoch& epoch) {
    const Rule& rule = arms.rule;
    const Real n = static_cast<Real>(arm.n);
    if (epoch.warm && n >= warm_rows(rule, arm, epoch)) epoch.warm = 0;
    if (epoch.warm) {
        epoch.need = max(Whole(1), arm.n / 10);
        return;
    }
    const Whole least = fewest_rows(arm.size);
    epoch.need = max(least, static_cast<Whole>((rule.growth - 1.0) * n));
    if (arm.size == 1) return;
    epoch.need = min(epoch.need, MOST_ROWS);
    const Real size = static_cast<Real>(arm.size), need = static_cast<Real>(epoch.need);
    const Real line = line_of(rule, arm);
    Real total = 0.0, count = 0.0;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        if (!arm.uses(g)) continue;
        for (Whole d = arms.survey[g].start; d < arms.survey[g].end; ++d) {
            for (int side = 0; side < 2; ++side) {
                const Real far = line - epoch.logs(d, side), pace = epoch.pace(d, side);
                const bool unsure = far < line + HOPELESS && !epoch.passed(d, side);
                if (unsure && pace > 0.0) total += min(size + AMPLE * far / pace, need), count += 1.0;
            }
        }
    }
    if (count > 0.0) epoch.need = max(least, min(epoch.need, 1 + static_cast<Whole>(total / count)));
}

// Add the newest rows in the room to the sums of an arm's block, exactly.
void add_to_block(Epoch& epoch, Whole size) {
    const Whole lanes = in_lanes(size);
    const RealTable rows = epoch.rows(size).part(epoch.added, epoch.kept);
    add_rows(epoch.gram, rows, rows.rows(), size);
    for (Whole i = 0; i < rows.rows(); ++i) {
        const Real y = rows(i, lanes);
        add_multiple(y, rows[i], epoch.moment, lanes);
        epoch.squares += y * y;
    }
    epoch.added = epoch.kept;
}

// Whether contexts have moved: the newest row is where earlier epochs knew little (maths 5.1).
// In its direction g = inv(D) z the epoch then has three times the information g'Dg = z'inv(D)z.
bool has_moved(const Arms& arms, const Arm& arm, Epoch& epoch) {
    const Whole size = arm.size;
    if (epoch.warm || size == 1) return false;
    const Vector z = epoch.rows(size)[epoch.kept - 1];
    const Reals g = arms.scratch(2);
    solve(arm.root, arm.weights, z, size, arms.scratch(1), g);
    Real gained = 0.0;
    for (Whole i = 0; i < size; ++i) {
        const Vector row = epoch.gram[i];
        gained += g[i] * (2.0 * inner(row.part(0, i), g.part(0, i)) + row[i] * g[i]);
    }
    return gained > MOVED * dot(z, g, size);
}

// Judge one direction; `first` is where the solutions of its question begin.
void judge_direction(const Design& design, Whole first, Vector direction, Epoch& epoch, Whole d) {
    const Told told = estimate_of(design, first, direction);
    if (told.top > 0.0) add_epoch(design, told, epoch.signed_sums[d]);
    const Wholes passed = epoch.passed[d];
    if (design.beta_min > 0.0 && !(passed[0] && passed[1])) {
        bet_on(design, told, passed, epoch.logs[d], epoch.pace[d]);
        for (Real& pace : epoch.pace[d]) pace /= static_cast<Real>(max(design.n() - design.rank, Whole(1)));
    }
}

// Add the epoch to the sums of all directions; bet on those in which a side has yet to pass.
// Rows are read for some questions at a time: they do not fit into the processor's caches.
void judge_questions(const Survey& survey, const Design& design, const Arm& arm, Epoch& epoch) {
    for (Whole begin = 0, end = 0, at = 1, width = 0; begin < survey.questions(); begin = end, at += width) {
        for (width = 0; end < survey.questions() && width < GROUP; ++end)
            width += arm.uses(end) ? survey[end].width : 0;
        prepare(design, at, width);
        Whole first = 0;
        for (Whole g = begin; g < end; ++g) {
            if (!arm.uses(g)) continue;
            const Survey::Question q = survey[g];
            for (Whole d = q.start; d < q.end; ++d)
                judge_direction(design, first, survey.direction(d, q.width), epoch, d);
            first += q.width;
        }
    }
}

// Let the tests and the effects of all an arm's questions take in what the epoch says.
void judge(Arms& arms, const Arm& arm, Epoch& epoch) {
    Epochs& epochs = *arms.epochs;
    const Whole size = arm.size, count = epoch.kept, lanes = in_lanes(size);
    const Real shift = arms.rule.middle();
    const RealTable rows = epoch.rows(size).part(0, count), table = epochs.table(count);
    const Whole tallies = table.rows() - TALLIES;
    const Reals guesses = table[tallies + 1], predicted = table[tallies + 2], errors = table[tallies + 3];
    for (Whole i = 0; i < count; ++i) {
        guesses[i] = min(max(dot(rows[i], epoch.model_estimate, size), -0.5), 0.5);
        errors[i] = rows(i, lanes) - shift;
    }
    predict(arms, arm, epoch, rows, errors, predicted);
    for (Whole i = 0; i < count; ++i) {
        const Real error = errors[i] - predicted[i];
        errors[i] = error * error;
    }
    const RealTable whole = epochs.whole.table();
    const Reals moment = epochs.online.row(0);
    whole.fill(0.0);
    moment.fill(0.0);
    for (Whole i = 0; i < size; ++i) {
        for (Whole j = 0; j <= i; ++j) whole(i, j) = whole(j, i) = epoch.gram(i, j);
        moment[i] = epoch.moment[i] - shift * epoch.gram(i, 0);
    }
    const Real middle_rows = static_cast<Real>(arm.n) + 0.5 * static_cast<Real>(count);
    Design design{
        .rows = rows,
        .size = size,
        .whole = whole,
        .factor = epochs.factor.table(),
        .order = epochs.order.all(),
        .moment = moment,
        .solutions = epochs.solutions.table(),
        .residues = epochs.residues.table(),
        .levers = table,
        .lever = table[tallies],
        .guesses = guesses,
        .predicted = predicted,
        .errors = errors,
        .left = epochs.left.all(),
        .cells = epochs.cells.table(),
        .beta_min = arms.rule.beta_min / arms.rule.span,
        .noise = min(0.25, arm.noise * (1.0 + static_cast<Real>(size) / middle_rows)),
        .seen = static_cast<Real>(arm.n + count),
    };
    design.rank = factor_by_rank(design);
    if (static_cast<Real>(count) < 1.5 * static_cast<Real>(design.rank) + 5.0) return;
    judge_questions(arms.survey, design, arm, epoch);
}

// Add the epoch's sums to those of an arm, exactly, and begin a new epoch.
void take_in(Arm& arm, Epoch& epoch) {
    for (Whole i = 0; i < arm.size; ++i) {
        for (Whole j = 0; j <= i; ++j) arm.gram(i, j) += epoch.gram(i, j);
        arm.moment[i] += epoch.moment[i];
    }
    arm.squares += epoch.squares;
    arm.n += epoch.held;
    epoch.ended += 1;
    epoch.tested += !epoch.warm;
    epoch.held = epoch.kept = epoch.added = 0;
    epoch.gram.part(0, arm.size).fill(0.0);
    epoch.moment.fill(0.0);
    epoch.squares = 0.0;
}

// By which test a question is to be dropped, once its sides that are beyond `enough` have passed.
Whole test_of(const Arms& arms, const Arm& arm, Epoch& epoch, Whole g, Real enough) {
    Whole all = 1;
    for (Whole d = arms.survey[g].start; d < arms.survey[g].end; ++d)
        for (int side = 0; side < 2; ++side) all &= epoch.passed(d, side) |= epoch.logs(d, side) >= enough;
    if (all) return BY_EPOCHS;
    const Real beta_min = arms.rule.beta_min;
    return arm.evidence(g, 2) <= beta_min && beta_min > 0.0 ? BY_ELLIPSOID : NOT_DROPPED;
}

// Drop an arm's questions that either test is sure of; returns how many (maths 5.1).
Whole drop(Arms& arms, Arm& arm, Epoch& epoch) {
    const Whole m = arms.survey.questions(), before = arm.questions_left();
    for (Whole g = 0, at = 1; g < m; ++g) {
        if (!arm.uses(g)) continue;
        const Interval found = effect(arms, arm, g, at, INFINITE);
        const Reals evidence = arm.evidence[g];
        evidence[0] = found.estimate, evidence[1] = found.low, evidence[2] = found.high;
        at += arms.survey[g].width;
    }
    for (bool found = true; found;) { // the fewer questions are left, the less a side needs to pass (Holm)
        const Real enough = line_of(arms.rule, arm);
        found = false;
        for (Whole g = 0; g < m; ++g) {
            const Whole test = arm.uses(g) ? test_of(arms, arm, epoch, g, enough) : NOT_DROPPED;
            if (test == NOT_DROPPED) continue;
            arm.support[g] = 0;
            arm.dropped_at[g] = arm.n;
            epoch.test[g] = test;
            found = true;
        }
    }
    for (Whole g = 0; g < m; ++g)
        if (arm.uses(g)) arm.evidence[g].fill(0.0);
    return before - arm.questions_left();
}

} // namespace

// Look at an arm's block after some rows: end it where it is time (maths 5.1).
// Returns how many questions were dropped at its end, or GOES_ON. Only contexts and counts are looked
// at before it ends.
Whole look(Arms& arms, Whole k) {
    Arm& arm = arms[k];
    Epoch& epoch = (*arms.epochs)[k];
    add_to_block(epoch, arm.size);
    if (epoch.held < epoch.need && !has_moved(arms, arm, epoch)) {
        if (arm.size == 1) epoch.kept = epoch.added = 0; // nothing left to judge: rows are not needed again
        return GOES_ON;
    }
    if (arm.size > 1 && !epoch.warm) judge(arms, arm, epoch);
    take_in(arm, epoch);
    refresh(arms, k);
    const Whole dropped = drop(arms, arm, epoch);
    if (dropped > 0) {
        pack(arms, arm);
        refresh(arms, k);
    }
    set_ridge(arms, arm);
    fit(arms, k);
    measure(arms, arm, epoch.model_root, epoch.model_weights, epoch.model_estimate);
    arm.renewed = arm.n;
    activate(arms, k);
    set_need(arms, arm, epoch);
    return dropped;
}

// End every arm's block as if no more rows were to come.
void end_blocks(Arms& arms) {
    for (Whole k = 0; k < arms.count(); ++k) {
        Epoch& epoch = (*arms.epochs)[k];
        if (epoch.held == 0) continue;
        epoch.need = epoch.held;
        look(arms, k);
    }
}

} // namespace askless
