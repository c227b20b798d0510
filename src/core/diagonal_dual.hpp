// Level 2 of the bounds: the diagonal dual of the quadratic part, by the mixing method (maths 4.1).
//
// The Shor relaxation of max s'As + 2c's over signs s gives every column a unit vector instead of a
// sign. Eight dimensions fill one register, and a few sweeps of turning each vector into the direction
// that suits the others best come within a percent of its value. The lengths met on the way are
// a dual point w, which a shift makes feasible: that diag(w) - A is positive definite is *checked*, by
// elimination, so the bound holds however far the sweeps got.
#pragma once

#include "unasked.hpp"

namespace askless {

void set_matrix(const View& view);
bool is_feasible(const View& view, Real along, Real shift);
Real diagonal_dual(const View& view, Real offset, Real scale, Real limit);

} // namespace askless
