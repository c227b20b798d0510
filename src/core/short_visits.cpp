// What full and short visits are asked, how often they come, and the models that they need.
#include "short_visits.hpp"

#include "epochs.hpp"
#include "noise.hpp"
#include "ridge.hpp"

namespace askless {

namespace {

constexpr Real BALANCE = 0.1; // what a row is worth, beside what a full visit costs

// The share of full visits at a visit's number, while a form stands.
Real share(Arms& arms, const Shorts& shorts, Whole number) {
    const Real saved = saving(shorts), columns = static_cast<Real>(arms.survey.columns());
    if (saved <= 0.0) return 1.0;
    Whole live = 0;
    for (Whole one : shorts.live.all()) live += one;
    const Real rows = BALANCE * pooled(arms) * columns * static_cast<Real>(live);
    const Real wanted = sqrt(rows / (saved * (static_cast<Real>(number) + 1.0)));
    return min(1.0, max(wanted, shorts.numbers.number(FLOOR)));
}

} // namespace

// Count what full and short visits are asked, and what that costs, as it is now.
void recount(Arms& arms, Shorts& shorts) {
    Whole asked = 0, asked_short = 0;
    Real cost = 0.0, cost_short = 0.0;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        bool wanted = shorts.everyone.number(g) != 0;
        for (Whole k = 0; k < arms.count(); ++k) wanted |= shorts.live.number(k) && arms[k].uses(g);
        shorts.wanted.number(g) = wanted;
        if (wanted) ++asked, cost += shorts.cost.number(g);
        if (shorts.form.number(g)) ++asked_short, cost_short += shorts.cost.number(g);
    }
    shorts.counts.number(ASKED) = asked;
    shorts.counts.number(ASKED_SHORT) = asked_short;
    shorts.numbers.number(COST) = cost;
    shorts.numbers.number(COST_SHORT) = cost_short;
}

// Whether a form stands that asks less than full visits do.
bool is_short(const Shorts& shorts) {
    return shorts.counts.number(STANDS) && shorts.counts.number(ASKED_SHORT) < shorts.counts.number(ASKED);
}

// Whether an arm that visit `now` may get is in its first block.
bool is_starting(Arms& arms, const Allowed& allowed, Whole now) {
    bool starting = false;
    for (Whole k = 0; k < arms.count(); ++k)
        starting |= allowed.may_get(now, k) && (*arms.epochs)[k].ended == 0;
    return starting;
}

// Whether full visits are decided by whole models: while a form stands.
bool is_whole(const Arms& arms, const Shorts& shorts) {
    return shorts.counts.number(STANDS) && !arms.rule.by_sets;
}

// What a short visit saves, in units of the range.
Real saving(const Shorts& shorts) {
    const Reals numbers = shorts.numbers.all();
    return numbers[PRICE] * (numbers[COST] - numbers[COST_SHORT]);
}

// With which probability visit `now` is full.
Real full_share(Arms& arms, const Shorts& shorts, const Allowed& allowed, Whole now, Whole number) {
    return !is_short(shorts) || is_starting(arms, allowed, now) ? 1.0 : share(arms, shorts, number);
}

// The share of full visits with a form, at a visit's number.
Real share_of(Arms& arms, Shorts& shorts, Whole number) {
    recount(arms, shorts);
    return share(arms, shorts, number);
}

// Score the arms in `mask` by their whole models, the others at -inf; return the best one.
Whole score_whole(Arms& arms, Shorts& shorts, Row<const bool> mask, Vector z, Reals scores) {
    for (Whole k = 0; k < mask.size(); ++k)
        arms.scores.number(k) = scores[k] = mask[k] ? whole_score(arms, shorts, k, z) : -INFINITE;
    return winner(arms);
}

// Choose the winner of full visit `now`, its scores in `arms.scores`; compare it where a form stands that
// asks less and that it has answered.
FullChoice choose_full(Arms& arms, Shorts& shorts, const Allowed& allowed, Whole now, Whole number,
                       Vector z) {
    Whole best = starter(arms, allowed, now, number);
    if (best == NOBODY) {
        const bool whole = is_whole(arms, shorts);
        for (Whole k = 0; k < arms.count(); ++k) {
            const bool compared = is_compared(arms, allowed, now, k);
            arms.scores.number(k) = !compared ? -INFINITE
                                    : whole   ? whole_score(arms, shorts, k, z)
                                              : score(arms, arms[k], z);
        }
        best = winner(arms);
    } else {
        for (Whole k = 0; k < arms.count(); ++k)
            arms.scores.number(k) = allowed.may_get(now, k) ? 0.0 : -INFINITE;
    }
    bool answered = is_short(shorts) && !is_starting(arms, allowed, now);
    for (Whole g = 0; g < arms.survey.questions() && answered; ++g)
        answered = !shorts.form.number(g) || arms.survey.is_asked(g, z);
    return {best, answered ? short_winner(arms, shorts, allowed, now, z) : NOBODY};
}

// Which arm a full visit plays: the winner, one that insurance draws, or one that a check tosses.
Whole arm_of(const Arms& arms, const FullChoice& choice, const Allowed& allowed, Whole now, Vector coins) {
    if (coins[0] >= 0.0) return nth_allowed(arms, allowed, now, coins[0]);
    return choice.is_check(coins) && coins[3] < TOSS ? choice.rival : choice.winner;
}

// The mean of what two arms are expected to bring, in [0, 1].
Real expected_of_two(Arms& arms, const Shorts& shorts, Whole one, Whole other, Vector z) {
    const Real mean = whole_mean(arms, shorts, one, z) + whole_mean(arms, shorts, other, z);
    return min(1.0, max(0.0, 0.5 * mean + 0.5));
}

// Put the terms of a check between two arms into `out`: expected reward, bet, saving.
void terms_of(Arms& arms, const Shorts& shorts, Whole one, Whole other, Vector z, Reals out) {
    const Real saved = saving(shorts);
    out[0] = expected_of_two(arms, shorts, one, other, z);
    out[1] = bet(shorts, saved);
    out[2] = saved;
}

// X of a check visit, whose reward is y in units of the range.
Real loss_of(const Rule& rule, Real y, Real mean, bool of_full) {
    const Real excess = y - rule.middle() + 0.5 - mean;
    return of_full ? MOST_LOSS * excess : -MOST_LOSS * excess;
}

// Learn a full visit, or let a check tell its arm what it has brought; its person is kept by the caller.
FullLesson learn_full(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, bool is_check) {
    bool moved = false; // whether the arm has dropped something, or ended its first block
    Whole dropped = GOES_ON;
    if (is_check) {
        tell(arms, shorts, k, z, y, 1.0);
    } else {
        const bool began = (*arms.epochs)[k].ended == 0;
        dropped = learn(arms, k, z, y, false);
        moved = dropped > 0 || (began && dropped != GOES_ON);
        if (dropped > 0) recount(arms, shorts);
    }
    const Wholes counts = shorts.counts.all();
    ++counts[FULL_VISITS];
    return {dropped, (moved && counts[STANDS]) || counts[FULL_VISITS] >= counts[NEXT]};
}

// Put what a full visit was asked, and which arms it could get, into the ring.
void keep_person(const Survey& survey, Shorts& shorts, Vector z, const Allowed& allowed, Whole now) {
    Whole &oldest = shorts.counts.number(OLDEST), &people = shorts.counts.number(PEOPLE);
    const Reals kept = shorts.ring.row(oldest);
    const Wholes may = shorts.may.row(oldest);
    kept[0] = z[0];
    for (Whole g = 0; g < survey.questions(); ++g) {
        const auto q = survey[g];
        const bool asked = shorts.wanted.number(g) != 0;
        for (Whole j = q.first; j < q.first + q.width; ++j) kept[j] = asked ? z[j] : NOT_A_NUMBER;
    }
    for (Whole k = 0; k < may.size(); ++k) may[k] = allowed.may_get(now, k);
    oldest = (oldest + 1) % RING;
    people = min(people + 1, RING);
}

// Move what the present form's visits have told into T and t, for all arms (maths 9.3).
void fold_all(Arms& arms, Shorts& shorts) {
    for (Whole k = 0; k < arms.count(); ++k) fold(arms, shorts, k);
}

// Derive the whole models of all arms, and how wide their scores are (maths 9.3).
void know_whole(Arms& arms, Shorts& shorts) {
    for (Whole k = 0; k < arms.count(); ++k)
        know(arms, shorts, k, true, shorts.whole_root.table(k), shorts.whole_estimate.row(k));
    shorts.numbers.number(WHOLE_WIDTH) = arms.rule.optimism * sqrt(pooled(arms));
}

// Derive the short models of all arms on the form, out of the sum of zz' over so many people (maths 9.3).
void derive_all(Arms& arms, Shorts& shorts, Matrix gram, Whole people) {
    project(arms.survey, shorts, gram, static_cast<Real>(max(people, Whole(1))));
    for (Whole k = 0; k < arms.count(); ++k) set_prior(arms, shorts, k), derive(arms, shorts, k);
}

} // namespace askless
