// Models on a form's columns: a prior out of whole models, and what short visits add to it.
#include "short_models.hpp"

#include "epochs.hpp"
#include "noise.hpp"
#include "ridge.hpp"

namespace askless {

namespace {

constexpr Real LEAST = 1e-9; // on the diagonal of a prior's variance
constexpr Real SOFT = 1e-6;  // on that of the people's Gram matrix

// Add a multiple of the first numbers of a row, each product rounded by itself.
void add_rounded(Real weight, Vector x, Whole size, Reals out) {
    for (Whole j = 0; j < size; ++j) out[j] += weight * x[j];
}

// Arm k's score of the answers to a form.
Real score(const Shorts& shorts, Whole k, Vector packed, Whole size) {
    const RealTable spread = shorts.spread.table(k);
    const Reals estimate = shorts.estimate.row(k);
    Real mean = 0.0, squared = 0.0;
    for (Whole i = 0; i < size; ++i) {
        const Vector row = spread[i];
        Real total = 0.0;
        for (Whole j = 0; j < size; ++j) total += row[j] * packed[j];
        squared += packed[i] * total;
        mean += packed[i] * estimate[i];
    }
    return mean + shorts.width.number(k) * sqrt(max(squared, 0.0));
}

// Add what the present form's visits tell about an arm: B' LA B (lower triangle) and B' Lc, packed.
void add_told(Arms& arms, Shorts& shorts, Whole k, RealTable gram, Reals moment) {
    const Arm& arm = arms[k];
    const Whole size = arm.size, many = shorts.counts.number(SIZE);
    const Real shift = arms.rule.middle();
    const RealTable projection = shorts.projection.table(), lead = shorts.work.table(0);
    const RealTable sums = shorts.gram.table(k);
    for (Whole a = 0; a < many; ++a) {
        lead[a].part(0, size).fill(0.0);
        for (Whole b = 0; b < many; ++b)
            for (Whole i = 0; i < size; ++i) lead(a, i) += sums(a, b) * projection(b, arm.columns[i]);
    }
    for (Whole i = 0; i < size; ++i) {
        for (Whole a = 0; a < many; ++a) {
            const Real own = projection(a, arm.columns[i]);
            add_rounded(own, lead[a], i + 1, gram[i]);
            moment[i] += own * (shorts.moment.row(k)[a] - shift * sums(a, 0));
        }
    }
}

// Replace a positive definite matrix by its inverse, by Gauss and Jordan's elimination.
void invert(RealTable matrix, Whole size) {
    for (Whole a = 0; a < size; ++a) {
        const Reals own = matrix[a];
        const Real pivot = 1.0 / own[a];
        for (Whole i = 0; i < size; ++i) {
            if (i == a) continue;
            const Real weight = matrix(i, a) * pivot;
            add_rounded(-weight, own, size, matrix[i]);
            matrix(i, a) = -weight;
        }
        for (Whole j = 0; j < size; ++j) own[j] *= pivot;
        own[a] = pivot;
    }
}

} // namespace

// Score the arms that visit `now` may get and that are past their start; return the best, or NOBODY.
Whole short_winner(Arms& arms, Shorts& shorts, const Allowed& allowed, Whole now, Vector z) {
    const Whole size = shorts.counts.number(SIZE);
    const Reals packed = shorts.packed.all(), scores = shorts.scores.all();
    for (Whole i = 0; i < size; ++i) packed[i] = z[shorts.columns.number(i)];
    for (Whole k = 0; k < scores.size(); ++k) {
        const bool compared = shorts.live.number(k) && is_compared(arms, allowed, now, k);
        scores[k] = compared ? score(shorts, k, packed, size) : -INFINITE;
    }
    const Real highest = largest(scores);
    return highest == -INFINITE ? NOBODY : first_tied(scores, highest, 1.0);
}

// Move what the present form's visits tell about an arm into T and t; its sums begin anew.
void fold(Arms& arms, Shorts& shorts, Whole k) {
    const Arm& arm = arms[k];
    const Wholes columns = arm.columns;
    const RealTable gram = shorts.known_gram.table(), told = shorts.told.table(k);
    const Reals moment = arms.scratch(0);
    gram.fill(0.0);
    moment.fill(0.0);
    add_told(arms, shorts, k, gram, moment);
    for (Whole i = 0; i < arm.size; ++i) {
        for (Whole j = 0; j < i; ++j) told(columns[j], columns[i]) += gram(i, j);
        for (Whole j = 0; j <= i; ++j) told(columns[i], columns[j]) += gram(i, j);
        shorts.tells.row(k)[columns[i]] += moment[i];
    }
    shorts.gram.table(k).fill(0.0);
    shorts.moment.row(k).fill(0.0);
    shorts.rows.number(k) = 0;
}

// Put M, with M'M = inv(D'), and b' of an arm into place; `now`: with the present form's sums.
// D' is out of full visits and of what others have told.
void know(Arms& arms, Shorts& shorts, Whole k, bool now, RealTable root, Reals estimate) {
    const Arm& arm = arms[k];
    const Whole size = arm.size;
    const RealTable gram = shorts.known_gram.table(), told = shorts.told.table(k);
    const Reals moment = arms.scratch(0), weights = shorts.known_weights.all();
    const Vector before = (*arms.epochs)[k].model_estimate;
    moment.fill(0.0);
    for (Whole i = 0; i < size; ++i) {
        const Whole column = arm.columns[i];
        moment[i] += shorts.tells.row(k)[column] + arm.ridge * before[i];
        for (Whole j = 0; j <= i; ++j) {
            gram(i, j) = arm.gram(i, j) + told(column, arm.columns[j]);
            moment[i] += arm.gram(i, j) * before[j];
        }
        add_rounded(before[i], arm.gram[i], i, moment);
    }
    if (now) add_told(arms, shorts, k, gram, moment);
    factor(gram, arm.ridge, size, root, weights);
    solve(root, weights, moment, size, arms.scratch(1), estimate);
    for (Whole i = 0; i < size; ++i) {
        const Real scale = sqrt(weights[i]);
        for (Whole j = 0; j <= i; ++j) root(i, j) *= scale;
    }
}

// Put the form's columns into place, and B = inv(G on them + SOFT) G, G the mean of zz' over the people.
void project(const Survey& survey, Shorts& shorts, Matrix gram, Real heads) {
    const Wholes columns = shorts.columns.all();
    Whole size = 1;
    columns[0] = 0;
    for (Whole g = 0; g < survey.questions(); ++g)
        for (Whole j = 0; j < survey.width.number(g) && shorts.form.number(g); ++j)
            columns[size++] = survey.first.number(g) + j;
    shorts.counts.number(SIZE) = size;
    const RealTable within = shorts.known_gram.table(), root = shorts.known_root.table();
    const Reals weights = shorts.known_weights.all(), own = shorts.known_estimate.all();
    const Reals with = within[size], work = within[size + 1]; // padded: there are rows to spare
    for (Whole a = 0; a < size; ++a)
        for (Whole b = 0; b <= a; ++b) within(a, b) = gram(columns[a], columns[b]) / heads;
    factor(within, SOFT, size, root, weights);
    with.fill(0.0);
    for (Whole j = 0; j < survey.columns(); ++j) {
        for (Whole a = 0; a < size; ++a) with[a] = gram(columns[a], j) / heads;
        solve(root, weights, with, size, work, own);
        for (Whole a = 0; a < size; ++a) shorts.projection.row(a)[j] = own[a];
    }
}

// Put an arm's model, without the present form's sums, projected on the form, into `prior` and `pull`.
void set_prior(Arms& arms, Shorts& shorts, Whole k) {
    const Arm& arm = arms[k];
    const Whole size = shorts.counts.number(SIZE), own = arm.size;
    const RealTable lower = shorts.prior.table(k), half = shorts.work.table(0);
    const RealTable root = shorts.known_root.table();
    const Reals pull = shorts.pull.row(k), estimate = shorts.known_estimate.all();
    know(arms, shorts, k, false, root, estimate);
    for (Whole a = 0; a < size; ++a) {
        const Vector projection = shorts.projection.row(a);
        pull[a] = 0.0;
        for (Whole i = 0; i < own; ++i) {
            pull[a] += projection[arm.columns[i]] * estimate[i];
            half(a, i) = 0.0;
            for (Whole j = 0; j <= i; ++j) half(a, i) += projection[arm.columns[j]] * root(i, j);
        }
    }
    for (Whole a = 0; a < size; ++a) { // L L' = half half' and a little on the diagonal, row by row
        lower[a].from(a).fill(0.0);
        for (Whole b = 0; b <= a; ++b) {
            Real left = a == b ? LEAST : 0.0;
            for (Whole i = 0; i < own; ++i) left += half(a, i) * half(b, i);
            for (Whole i = 0; i < b; ++i) left -= lower(a, i) * lower(b, i);
            lower(a, b) = a == b ? sqrt(max(left, LEAST)) : left / lower(b, b);
        }
    }
    for (Whole a = 0; a < size; ++a) { // pull = inv(L) m
        for (Whole b = 0; b < a; ++b) pull[a] -= lower(a, b) * pull[b];
        pull[a] /= lower(a, a);
    }
}

// What an arm's whole model expects, in units of the range from its middle.
Real whole_mean(Arms& arms, const Shorts& shorts, Whole k, Vector z) {
    const Arm& arm = arms[k];
    const Vector estimate = shorts.whole_estimate.row(k);
    Real mean = 0.0;
    for (Whole i = 0; i < arm.size; ++i) mean += estimate[i] * z[arm.columns[i]];
    return mean;
}

// Score an arm by its whole model, in its reward units (maths 9.1).
Real whole_score(Arms& arms, Shorts& shorts, Whole k, Vector z) {
    Arm& arm = arms[k];
    const Reals packed = arms.scratch(0);
    gather(arm, z, packed);
    times(shorts.whole_root.table(k), packed, arm.size, arm.projected);
    arm.ready = 0;
    const Real mean = dot(packed, shorts.whole_estimate.row(k), arm.size);
    const Real above = shorts.numbers.number(WHOLE_WIDTH) * sqrt(dot(arm.projected, arm.projected, arm.size));
    return arms.rule.span * (mean + above + arms.rule.middle());
}

// Let a check tell an arm what it has brought, or take it back: no test ever sees it.
void tell(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, Real sign) {
    const Wholes columns = arms[k].columns.part(0, arms[k].size);
    const RealTable told = shorts.told.table(k);
    const Real excess = sign * (y - arms.rule.middle());
    for (Whole a : columns) {
        for (Whole b : columns) told(a, b) += sign * z[a] * z[b];
        shorts.tells.row(k)[a] += excess * z[a];
    }
}

// Add a short visit to an arm's sums, or take it out; derive its model anew when it is time.
void learn_short(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, Real sign) {
    const Wholes columns = shorts.columns.all().part(0, shorts.counts.number(SIZE));
    const RealTable gram = shorts.gram.table(k);
    for (Whole i = 0; i < columns.size(); ++i) {
        const Real x = sign * z[columns[i]];
        for (Whole j = 0; j < columns.size(); ++j) gram(i, j) += x * z[columns[j]];
        shorts.moment.row(k)[i] += x * y;
    }
    const Whole rows = shorts.rows.number(k) += sign > 0.0 ? 1 : -1, renewed = shorts.renewed.number(k);
    if (rows < renewed || rows - renewed >= max<Whole>(1, renewed / 10)) derive(arms, shorts, k);
}

// Derive an arm's model from its prior and its sums: Sigma = L inv(I + L' LA L) L', which inverts
// nothing that is nearly singular.
void derive(Arms& arms, Shorts& shorts, Whole k) {
    const Whole size = shorts.counts.number(SIZE);
    const RealTable root = shorts.prior.table(k), gram = shorts.gram.table(k), out = shorts.spread.table(k);
    const RealTable within = shorts.work.table(0), half = shorts.work.table(1);
    const Reals told = shorts.packed.all(), estimate = shorts.estimate.row(k), moment = shorts.moment.row(k);
    const Real shift = arms.rule.middle();
    for (Whole i = 0; i < size; ++i) {
        half[i].fill(0.0);
        for (Whole a = 0; a < size; ++a) add_rounded(gram(i, a), root[a], a + 1, half[i]);
    }
    for (Whole i = 0; i < size; ++i) {
        told[i] = shorts.pull.row(k)[i];
        within[i].fill(0.0);
        within(i, i) = 1.0;
        for (Whole a = i; a < size; ++a) {
            told[i] += root(a, i) * (moment[a] - shift * gram(a, 0));
            add_rounded(root(a, i), half[a], size, within[i]);
        }
    }
    invert(within, size);
    for (Whole i = 0; i < size; ++i) {
        half[i].fill(0.0);
        for (Whole a = 0; a <= i; ++a) add_rounded(root(i, a), within[a], size, half[i]);
        estimate[i] = 0.0;
        for (Whole j = 0; j < size; ++j) estimate[i] += half(i, j) * told[j];
    }
    for (Whole i = 0; i < size; ++i) {
        for (Whole j = 0; j < size; ++j) {
            Real sum = 0.0;
            for (Whole a = 0; a <= j; ++a) sum += half(i, a) * root(j, a);
            out(i, j) = sum;
        }
    }
    shorts.width.number(k) = 0.5 * sqrt(pooled(arms));
    shorts.renewed.number(k) = shorts.rows.number(k);
}

} // namespace askless
