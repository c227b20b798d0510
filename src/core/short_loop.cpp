// Visits with short forms: full, short and check visits, up to the next choice of a form (maths 9).
#include "epochs.hpp"
#include "loops.hpp"
#include "short_check.hpp"
#include "short_models.hpp"
#include "short_visits.hpp"

#include <stdexcept>

namespace askless {

namespace {

// Let a full visit count in the check, on the terms of its decision: nothing came between.
void enter_visit(Arms& arms, Shorts& shorts, const FullChoice& choice, bool checked, Whole arm, Vector z,
                 Real y) {
    const Real saved = saving(shorts);
    Real x = 0.0;
    if (checked) {
        const Real guess = expected_of_two(arms, shorts, choice.winner, choice.rival, z);
        x = loss_of(arms.rule, y, guess, arm == choice.winner);
    }
    enter(shorts, x, bet(shorts, saved), saved);
}

// Play and learn a full visit; returns whether a form is to be chosen now.
bool play_full(Arms& arms, Shorts& shorts, const People& people, const Course& course, Whole now) {
    const Vector z = people.contexts[now];
    const FullChoice choice = choose_full(arms, shorts, people.allowed, now, people.number + now, z);
    const Whole arm = arm_of(arms, choice, people.allowed, now, people.draws[now]);
    const Real y = play_arm(people, course, arms, now, arm);
    const bool insured = people.draws[now][0] >= 0.0,
               checked = !insured && choice.is_check(people.draws[now]);
    if (choice.rival != NOBODY && !insured) enter_visit(arms, shorts, choice, checked, arm, z, y);
    const FullLesson lesson = learn_full(arms, shorts, arm, z, y, checked);
    if (lesson.dropped > 0) course.note_drops(arms[arm], arm, true, people.begun + now + 1);
    keep_person(arms.survey, shorts, z, people.allowed, now);
    return lesson.due;
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
