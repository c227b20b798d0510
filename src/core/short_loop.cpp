// Visits with short forms: full, short and check visits, up to the next choice of a form (maths 9).
#include "epochs.hpp"
#include "loops.hpp"
#include "short_check.hpp"
#include "short_models.hpp"
#include "short_visits.hpp"

#include <stdexcept>

namespace askless {

namespace {

// What a full visit plays; and, where it counts in the check, the two arms of that.
struct FullChoice {
    Whole arm, winner = NOBODY, rival = NOBODY;

    // Whether the visit is a check: the two arms differ, and a coin says so.
    bool is_check(Vector coins) const { return rival != NOBODY && rival != winner && coins[3] < COIN; }
};

FullChoice choose_full(Arms& arms, Shorts& shorts, const People& people, Whole now) {
    const Vector z = people.contexts[now], coins = people.draws[now];
    const Allowed& allowed = people.allowed;
    Whole best = starter(arms, allowed, now, people.number + now);
    if (best == NOBODY) {
        const bool whole = is_whole(arms, shorts);
        for (Whole k = 0; k < arms.count(); ++k) {
            const bool compared = is_compared(arms, allowed, now, k);
            arms.scores.number(k) = !compared ? -INFINITE
                                    : whole   ? whole_score(arms, shorts, k, z)
                                              : score(arms, arms[k], z);
        }
        best = winner(arms);
    }
    if (coins[0] >= 0.0) return {nth_allowed(arms, allowed, now, coins[0])};
    if (!is_short(shorts) || is_starting(arms, allowed, now)) return {best};
    FullChoice choice{best, best, short_winner(arms, shorts, allowed, now, z)};
    if (choice.is_check(coins) && coins[3] < TOSS) choice.arm = choice.rival;
    return choice;
}

// Let a full visit count in the check, on the terms of its decision: nothing came between.
void enter_visit(Arms& arms, Shorts& shorts, const FullChoice& choice, bool checked, Vector z, Real y) {
    const Real saved = saving(shorts);
    Real x = 0.0;
    if (checked) {
        const Real guess = expected_of_two(arms, shorts, choice.winner, choice.rival, z);
        x = loss_of(arms.rule, y, guess, choice.arm == choice.winner);
    }
    enter(shorts, x, bet(shorts, saved), saved);
}

// Play and learn a full visit; returns whether a form is to be chosen now.
bool play_full(Arms& arms, Shorts& shorts, const People& people, const Course& course, Whole now) {
    const Vector z = people.contexts[now];
    const FullChoice choice = choose_full(arms, shorts, people, now);
    const Real y = play_arm(people, course, arms, now, choice.arm);
    const bool checked = choice.is_check(people.draws[now]);
    if (choice.rival != NOBODY) enter_visit(arms, shorts, choice, checked, z, y);
    bool moved = false; // whether the arm has dropped something, or ended its first block
    if (checked) {
        tell(arms, shorts, choice.arm, z, y, 1.0);
    } else {
        const bool began = (*arms.epochs)[choice.arm].ended == 0;
        const Whole dropped = learn(arms, choice.arm, z, y, false);
        moved = dropped > 0 || (began && dropped != GOES_ON);
        if (dropped > 0) {
            course.note_drops(arms[choice.arm], choice.arm, true, people.begun + now + 1);
            recount(arms, shorts);
        }
    }
    keep_person(arms.survey, shorts, z, people.allowed, now);
    const Wholes counts = shorts.counts.all();
    ++counts[FULL_VISITS];
    return (moved && counts[STANDS]) || counts[FULL_VISITS] >= counts[NEXT];
}

} // namespace

Whole play_short(Arms& arms, Shorts& shorts, Whole first, const People& people, const Course& course) {
    const Wholes counts = shorts.counts.all();
    const Reals numbers = shorts.numbers.all();
    recount(arms, shorts);
    for (Whole now = first; now < people.count(); ++now) {
        const Vector z = people.contexts[now];
        const Real share = full_share(arms, shorts, people.allowed, now, people.number + now);
        const bool full = people.draws[now][2] < share;
        course.asked[now] = full ? counts[ASKED] : counts[ASKED_SHORT];
        course.paid[now] = full ? numbers[COST] : numbers[COST_SHORT];
        ++counts[VISITS];
        if (!full) {
            const Whole best = short_winner(arms, shorts, people.allowed, now, z);
            if (best == NOBODY) throw std::invalid_argument("no arm that is past its start may be played");
            const Real y = play_arm(people, course, arms, now, best);
            learn_short(arms, shorts, best, z, y, 1.0);
        } else if (play_full(arms, shorts, people, course, now)) {
            counts[DUE] = 1;
            return now + 1;
        }
    }
    return people.count();
}

} // namespace askless
