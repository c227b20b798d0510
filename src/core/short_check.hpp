// The check: what short forms cost, by fair tosses between two arms (maths 9.4).
#pragma once

#include "shorts.hpp"

namespace askless {

constexpr Real MOST_LOSS = 4.0; // |X|, 2 for the coin times 2 for the toss

Real bet(const Shorts& shorts, Real saving);
bool enter(Shorts& shorts, Real x, Real lambda, Real saving);

} // namespace askless
