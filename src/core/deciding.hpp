// What an arm is chosen by: its ridge model, the questions that are active in it (maths 8.2-8.4).
//
// An arm's set is another thing: `refresh` and `radius_of`.
#pragma once

#include "arms.hpp"

namespace askless {

void fit(Arms& arms, Whole k);
Whole activate(Arms& arms, Whole k);
Real quadratic(Matrix matrix, Vector direction);
Real median(Reals values);

// Whether a direction of a question counts: not where skips are not judged and it is of a skip.
inline bool is_judged(const Rule& rule, const Survey::Question& q, Vector direction) {
    return rule.judge_skips || !(q.skip && direction[q.width - 1] != 0.0);
}

} // namespace askless
