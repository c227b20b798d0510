// Which arm a visit gets: the winner, an arm drawn, in the start one after the other (maths 8).
#pragma once

#include "arms.hpp"
#include "epochs.hpp"

namespace askless {

constexpr Whole NOBODY = -1;
constexpr Real BACK = 0.3; // the largest share of visits that pay back what they ask for other arms

// Which arms each visit may get; without a row, every visit may get every arm.
struct Allowed {
    Table<const bool> table;
    bool limits() const { return table.rows() > 0; }
    bool may_get(Whole now, Whole k) const { return !limits() || table(now, k); }
};

// The first question that an arm uses and a context does not answer; NOBODY if there is none.
inline Whole lacking(const Arms& arms, const Arm& arm, Vector z) {
    for (Whole g = 0; g < arms.survey.questions(); ++g)
        if (arm.uses(g) && !arms.survey.is_asked(g, z)) return g;
    return NOBODY;
}

// How many arms are meant.
template <class Meant> Whole count_arms(const Arms& arms, const Meant& meant) {
    Whole count = 0;
    for (Whole k = 0; k < arms.count(); ++k) count += meant(k);
    return count;
}
// The arm that comes so many places after the first of those that are meant; the last one if there
// are not so many.
template <class Meant> Whole nth_arm(const Arms& arms, Whole left, const Meant& meant) {
    Whole k = 0;
    for (; k + 1 < arms.count() && (left > 0 || !meant(k)); ++k) left -= meant(k);
    return k;
}
// Which of so many places a number in [0, 1) means.
inline Whole place_of(Real draw, Whole places) {
    return 0.0 <= draw && draw < 1.0 ? static_cast<Whole>(draw * static_cast<Real>(places)) : 0;
}

// The arm whose turn it is among those that visit `now` may get, if it is starting.
inline Whole turn(Arms& arms, const Allowed& allowed, Whole now, Whole number) {
    auto may_get = [&](Whole k) { return allowed.may_get(now, k); };
    const Whole k = nth_arm(arms, number % max(count_arms(arms, may_get), Whole(1)), may_get);
    return (*arms.epochs)[k].ended == 0 ? k : NOBODY;
}

// Whose turn it is, if that arm is in its first block still; else NOBODY (maths 8.7).
inline Whole starter(Arms& arms, const Allowed& allowed, Whole now, Whole number) {
    bool starting = false;
    for (Whole ended : arms.epochs->stores.ended.all()) starting |= ended == 0;
    return starting ? turn(arms, allowed, now, number) : NOBODY;
}

// Whether visit `now` may get an arm, and the arm has more than its first rows to come.
inline bool is_compared(const Arms& arms, const Allowed& allowed, Whole now, Whole k) {
    return allowed.may_get(now, k) && (*arms.epochs)[k].ended > 0;
}

// Whether pay-back may draw an arm: not the winner, and undecided.
inline bool is_other(const Arms& arms, Whole winner, const Allowed& allowed, Whole now, Whole k) {
    return k != winner && (*arms.epochs)[k].undecided > 0 && is_compared(arms, allowed, now, k);
}

// With which probability a visit pays back, and among how many arms (maths 8.5).
inline std::pair<Real, Whole> payback(Arms& arms, Whole winner, const Allowed& allowed, Whole now) {
    const Whole others = count_arms(arms, [&](Whole k) { return is_other(arms, winner, allowed, now, k); });
    if (others == 0) return {0.0, 0};
    Whole lacking = 0, own = 0;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        auto wants = [&](Whole k) { return arms[k].active[g] != 0 && is_compared(arms, allowed, now, k); };
        if (arms[winner].uses(g))
            ++own;
        else
            lacking += count_arms(arms, wants) > 0;
    }
    if (lacking == 0) return {0.0, others};
    const Real part = arms.rule.beta_min / arms.rule.span, worth = min(1.0, part * part / arms[winner].noise);
    return {BACK * worth * static_cast<Real>(lacking) / static_cast<Real>(lacking + own), others};
}

// One of the arms that visit `now` may get, by a number in [0, 1).
inline Whole nth_allowed(const Arms& arms, const Allowed& allowed, Whole now, Real draw) {
    auto may_get = [&](Whole k) { return allowed.may_get(now, k); };
    return nth_arm(arms, place_of(draw, count_arms(arms, may_get)), may_get);
}

// The arm that comes so many places after the first of the others that are undecided.
inline Whole nth_other(const Arms& arms, Whole winner, const Allowed& allowed, Whole now, Whole wanted) {
    return nth_arm(arms, wanted, [&](Whole k) { return is_other(arms, winner, allowed, now, k); });
}

// The arm to play: the winner, or one that is drawn (maths 8.5, 8.6).
// `draws` has four numbers: for the arm that insurance draws, -1 where it does not; one that is used
// up; whether pay-back draws; and for its arm.
inline Whole drawn(Arms& arms, Whole winner, bool started, const Allowed& allowed, Whole now, Vector draws) {
    if (draws[0] >= 0.0) return nth_allowed(arms, allowed, now, draws[0]);
    if (started || !arms.rule.payback || draws[2] >= BACK) return winner; // most visits end here
    const auto [chance, others] = payback(arms, winner, allowed, now);
    if (draws[2] >= chance) return winner;
    return nth_other(arms, winner, allowed, now, place_of(draws[3], others));
}

// The same, with which probability each arm was to be played in `chances`; `insured` is how likely
// insurance draws.
inline Whole drawn_with_chances(Arms& arms, Whole winner, bool started, const Allowed& allowed, Real insured,
                                Vector draws, Reals chances) {
    const Whole now = 0;
    const auto [back, others] =
        started || !arms.rule.payback ? std::pair(0.0, Whole(0)) : payback(arms, winner, allowed, now);
    const Whole may = count_arms(arms, [&](Whole k) { return allowed.may_get(now, k); });
    for (Whole k = 0; k < arms.count(); ++k) {
        chances[k] = allowed.may_get(now, k) ? insured / static_cast<Real>(may) : 0.0;
        if (others > 0 && is_other(arms, winner, allowed, now, k))
            chances[k] += (1.0 - insured) * back / static_cast<Real>(others);
    }
    chances[winner] += (1.0 - insured) * (1.0 - back);
    return drawn(arms, winner, started, allowed, now, draws);
}

// Count what visit `now` is asked, and what it costs: what scores need, then the played arm.
// In the start nothing is scored. Costs are added up in the order in which questions are put.
inline std::pair<Whole, Real> count_asked(Arms& arms, Whole played, bool started, const Allowed& allowed,
                                          Whole now) {
    auto needs = [&](Whole k, Whole g) {
        const bool scored = arms.epochs ? is_compared(arms, allowed, now, k) : allowed.may_get(now, k);
        return scored && arms[k].active[g];
    };
    Whole count = 0;
    Real price = 0.0;
    for (bool first : {true, false}) {
        for (Whole g = 0; g < arms.survey.questions(); ++g) {
            const bool own = arms[played].uses(g);
            bool used = arms.always.number(g) != 0 || (started && own);
            for (Whole k = 0; k < arms.count() && !started && !used; ++k) used = needs(k, g);
            if (first ? used : !used && own) ++count, price += arms.cost.number(g);
        }
    }
    return {count, price};
}

} // namespace askless
