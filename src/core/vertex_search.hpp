// Level 3 of the bounds: branch and bound over the extreme points (maths 4.1).
//
// F is convex, so it is highest at an extreme point. Units are fixed one after the other; a branch
// ends where the interval bound on what is left shows that the limit cannot be exceeded in it.
#pragma once

#include "unasked.hpp"

namespace askless {

enum class Verdict { CANNOT, CAN, UNKNOWN };

Real pair(const View& view, const Unit& one, const Unit& other);
Verdict vertex_search(const View& view, Real offset, Real scale, Real limit);

} // namespace askless
