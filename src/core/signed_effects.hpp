// What an epoch says of a direction's effect, with its sign: sums for both intervals (maths 10).
//
// Which epochs count, and how much, is settled by contexts and by what came before them.
#pragma once

#include "e_process.hpp"

namespace askless {

// The half-widths at which the five intervals at all times are sharpest, in units of beta_min.
constexpr Whole BETS_AT_ALL_TIMES = 5;
constexpr Real HALF_WIDTHS[BETS_AT_ALL_TIMES] = {2.0, 1.0, 0.5, 0.25, 0.125};
constexpr Real SCALE = 0.05;       // of the range: stands in for beta_min where that is 0
constexpr Whole MOST_COUNTED = 15; // epochs at the end, of any direction: what Pocock's constant is for

void add_at_the_end(Real estimate, Real variance, Real measured, Real top, Reals sums);
void add_epoch(const Design& design, Told told, Reals sums);

} // namespace askless
