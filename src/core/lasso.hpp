// A path of lassos out of correlations, by coordinate descent, each from the one before.
#pragma once

#include "triangle.hpp"

namespace askless {

void lasso_path(Matrix gram, Reals gradient, Real ridge, Vector penalties, Real enough, RealTable found);

} // namespace askless
