// What to ask next, or which arm to play: a function of the state and the answers so far (maths 4).
//
// The arm is the one that the full survey would give. That rests on the last step alone, in which the
// arms that are not known in full certainly do not win against those that are; what was asked on the
// way only decides how soon that is so.
#pragma once

#include "arms.hpp"

namespace askless {

constexpr Whole UNDECIDED = -1;
constexpr Real CLEAR = 1e-8; // relatively; an arm that far below the leader is not worth a question (maths 4)

Whole ask_next(Arms& arms);
void reach(Arms& arms, Row<const bool> live, Vector z, Reals low, Reals high);

} // namespace askless
