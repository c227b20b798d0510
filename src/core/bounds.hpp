// How high an arm's UCB can get, whatever the unasked answers are (maths 4.1).
//
// What is bounded is F(z) = offset + z'b + theta sqrt(z' inv(D) z), with b in `Scratch::linear`, over all
// contexts z that agree with the answers so far. The levels, cheapest first: a feasible point, which
// shows that F can exceed a limit; an interval, a diagonal dual and a search, which show that it
// cannot. Each says what it guarantees; each bound carries a margin for rounding.
#pragma once

#include "unasked.hpp"

namespace askless {

Real feasible(const View& view, Real offset, Real limit);
bool cannot_exceed(const View& view, Real offset, Real limit);
Real upper(const View& view);
void set_linear(const View& view);
Real rounding(const View& view, Real offset);
void set_prices(const View& view);
std::pair<Real, Real> interval(const View& view, Real offset, Real limit);
Real paper_heuristic(const View& view);

} // namespace askless
