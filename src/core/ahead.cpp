// Looking ahead: what each arm makes of the next contexts, kept up as arms learn.
#include "ahead.hpp"

#include "epochs.hpp"

namespace askless {

namespace {

constexpr Real FALLEN = 1e3; // a squared width that may have fallen so far has lost digits

// Write a row of M z for every context; add its squares to the sums.
ASKLESS_INLINE void put(Reals row, Real weight, Lanes x0, Lanes x1, Lanes& s0, Lanes& s1) {
    store(row, 0, x0);
    store(row, WIDTH, x1);
    const Lanes u = spread(weight);
    s0 = fma(u * x0, x0, s0), s1 = fma(u * x1, x1, s1);
}

} // namespace

Ahead::Ahead(Arms& arms)
    : arms(arms), expected(arms.count(), AHEAD), contexts_(arms.survey.columns(), AHEAD),
      projected_(arms.count(), arms.wide, AHEAD), square_(arms.count(), AHEAD), mean_(arms.count(), AHEAD),
      fallen_(arms.count()), gain_(AHEAD) {}

// Look at the next contexts, at most AHEAD rows, with every arm.
void Ahead::look(Matrix rows) {
    const RealTable contexts = contexts_.table();
    for (Whole j = 0; j < rows.columns(); ++j) {
        const Reals column = contexts[j];
        for (Whole t = 0; t < rows.rows(); ++t) column[t] = rows(t, j);
        column.from(rows.rows()).fill(0.0);
    }
    for (Whole k = 0; k < arms.count(); ++k) score(k);
}

// Compute arm k's view of every context anew.
void Ahead::score(Whole k) {
    Arm& arm = arms[k];
    catch_up(arms, arm);
    const Whole size = arm.active_size;
    const RealTable contexts = contexts_.table(), out = projected_.table(k);
    combine(arm.active_columns, arm.active_estimate, size, mean_.row(k));
    Lanes s0 = spread(0.0), s1 = s0;
    for (Whole i = 0; i < size; i += 4) {
        // Four rows of M times 16 contexts: eight running sums in registers.
        const Vector rows[4] = {arm.active_root[i], arm.active_root[i + 1], arm.active_root[i + 2],
                                arm.active_root[i + 3]};
        Lanes first[4], second[4];
        for (int r = 0; r < 4; ++r) first[r] = second[r] = spread(0.0);
        for (Whole j = 0; j < i + 4; ++j) {
            const Vector z = contexts[arm.active_columns[j]];
            const Lanes z0 = load(z, 0), z1 = load(z, WIDTH);
            for (int r = 0; r < 4; ++r) {
                const Lanes entry = spread(rows[r][j]);
                first[r] = fma(entry, z0, first[r]), second[r] = fma(entry, z1, second[r]);
            }
        }
        for (int r = 0; r < 4; ++r) put(out[i + r], arm.active_weights[i + r], first[r], second[r], s0, s1);
    }
    store(square_.row(k), 0, s0);
    store(square_.row(k), WIDTH, s1);
    fallen_.number(k) = 1.0;
}

void Ahead::combine(Row<const Whole> columns, Vector weights, Whole size, Reals out) const {
    const RealTable contexts = contexts_.table();
    // Even and odd columns apart, so that four sums run side by side.
    Lanes a0 = spread(0.0), a1 = a0, b0 = a0, b1 = a0;
    for (Whole i = 0; i < size; i += 2) {
        Vector z = contexts[columns[i]];
        Lanes weight = spread(weights[i]);
        a0 = fma(weight, load(z, 0), a0), a1 = fma(weight, load(z, WIDTH), a1);
        z = contexts[columns[i + 1]], weight = spread(weights[i + 1]);
        b0 = fma(weight, load(z, 0), b0), b1 = fma(weight, load(z, WIDTH), b1);
    }
    store(out, 0, a0 + b0);
    store(out, WIDTH, a1 + b1);
}

// The arm to play in context t, which is that of visit `now`.
Whole Ahead::best_arm(Whole t, const Allowed& allowed, Whole now) {
    for (Whole k = 0; k < arms.count(); ++k) {
        const Real length = sqrt(max(square_.row(k)[t], 0.0));
        Real score = mean_.row(k)[t] + arms[k].width * length;
        // With epochs, arms in their first block are not compared.
        if (!allowed.may_get(now, k) || (arms.epochs && (*arms.epochs)[k].ended == 0)) score = -INFINITE;
        arms.scores.number(k) = score;
    }
    return winner(arms);
}

// Learn context t, which is z, for arm k, as `askless::learn` does; returns the number dropped.
// Its M z is known. Where the rule allows it, M itself is brought up to date only by `look`.
Whole Ahead::learn(Whole k, Whole t, Vector z, Real y) {
    if (arms.rule.epochs) { // a frozen model has nothing to follow
        const Whole dropped = hold(arms, k, z, y);
        if (dropped >= 0) score(k);
        return dropped;
    }
    const Taken taken = take(arms, k, z, y);
    if (taken.fresh) {
        score(k);
        return taken.dropped;
    }
    Arm& arm = arms[k];
    const RealTable seen = projected_.table(k);
    for (Whole i = 0; i < arm.size; ++i) arm.projected[i] = seen(i, t);
    arm.projected.from(arm.size).fill(0.0);
    update(arms, arm, arms.rule.span * y - mean_.row(k)[t]);
    follow(k, t);
    return taken.dropped;
}

// Bring arm k's view of the contexts to come up to date, once it has learned context t.
void Ahead::follow(Whole k, Whole t) {
    Arm& arm = arms[k];
    fallen_.number(k) *= arms.tau;
    if (fallen_.number(k) > FALLEN) {
        score(k);
        return;
    }
    // Sherman-Morrison: with g = inv(D) z of the row learned, z'inv(D)z falls by (z'g)^2 / tau, and so by
    // a factor of at most tau.
    const Whole late = max(arm.late - 1, Whole(0));
    const Reals gain = gain_.all();
    if (t < WIDTH - 1)
        sweep(projected_.table(k), 0, 0, arm.size, arm.slopes[late], arm.lifts[late], gain);
    else // the first half is over and not looked at again: whatever it holds
        sweep_half(projected_.table(k), WIDTH, arm.size, arm.slopes[late], arm.lifts[late], gain);
    Real move = arms.move;
    if (arms.rule.net == NET_ESTIMATES) {
        combine(arm.columns, arm.estimate, arm.size, mean_.row(k));
        move = 0.0;
    }
    const Lanes by_square = spread(-1.0 / arms.tau), by_mean = spread(move);
    for (Whole c = 0; c < AHEAD; c += WIDTH) {
        const Lanes change = load(gain, c);
        const Reals square = square_.row(k), mean = mean_.row(k);
        store(square, c, fma(by_square, change * change, load(square, c)));
        store(mean, c, fma(by_mean, change, load(mean, c)));
    }
}

} // namespace askless
