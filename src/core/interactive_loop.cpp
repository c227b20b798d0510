// Interactive visits: asked what can still change the decision, beside the full survey (maths 4).
#include "asking.hpp"
#include "epochs.hpp"
#include "loops.hpp"
#include "protocol.hpp"

#include <stdexcept>

namespace askless {

namespace {

// Ask what is to be asked next, and let the visit answer it; until it is decided. Returns the arm.
Whole ask_all(Arms& arms, const Course& course, Vector z, Whole now) {
    Asking& asking = *arms.asking;
    Whole best = ask_next(arms);
    for (Whole round = 0; best == UNDECIDED; ++round) {
        // Each round has asked a question, unless the context had no answer to it.
        if (round > arms.survey.questions()) throw std::invalid_argument("a context lacks an answer");
        for (Whole g = 0; g < arms.survey.questions(); ++g) {
            if (!asking.asks.number(g)) continue;
            const Survey::Question q = arms.survey[g];
            ++course.asked[now];
            course.paid[now] += arms.cost.number(g);
            for (Whole j = q.first; j < q.first + q.width; ++j) asking.z.number(j) = z[j];
        }
        best = ask_next(arms);
    }
    return best;
}

} // namespace

void play_interactive(Arms& arms, const People& people, const Course& course) {
    Asking& asking = *arms.asking;
    const bool epochs = arms.rule.epochs;
    for (Whole now = 0; now < people.count(); ++now) {
        const Vector z = people.contexts[now];
        const Allowed& allowed = people.allowed;
        asking.z.all().fill(NOT_A_NUMBER);
        asking.z.number(0) = 1.0;
        course.asked[now] = 0, course.paid[now] = 0.0, course.others[now] = 0;
        Whole best = epochs ? starter(arms, allowed, now, people.number + now) : NOBODY;
        const bool started = best != NOBODY;
        if (!started) {
            for (Whole k = 0; k < arms.count(); ++k) // arms in their first block are not compared
                asking.live.number(k) = epochs ? is_compared(arms, allowed, now, k) : allowed.may_get(now, k);
            best = ask_all(arms, course, z, now);
            course.others[now] = best_arm(arms, asking.live.all(), z) != best;
        }
        if (epochs) best = drawn(arms, best, started, allowed, now, people.draws[now]);
        for (Whole g = 0; g < arms.survey.questions(); ++g) { // it must be asked what it learns
            const bool needed = arms[best].uses(g) || (started && arms.always.number(g));
            if (needed && !arms.survey.is_asked(g, asking.z.all())) {
                ++course.asked[now];
                course.paid[now] += arms.cost.number(g);
            }
        }
        const Real y = play_arm(people, course, arms, now, best);
        if (learn(arms, best, z, y, false) > 0)
            course.note_drops(arms[best], best, epochs, people.begun + now + 1);
    }
}

} // namespace askless
