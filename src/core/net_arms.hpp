// The elastic net of an arm: its penalties, and its refit after every row (maths 3).
#pragma once

#include "arms.hpp"

namespace askless {

Real noise_level(const Arms& arms, const Arm& arm);
void refit(Arms& arms, Arm& arm);
void refit_anew(Arms& arms, Arm& arm);
bool is_zero(const Arm& arm, Whole at, Whole width);

} // namespace askless
