// How wide an arm's confidence set is: the radii of maths 2.1 and 3.2.
#pragma once

#include "arms.hpp"

namespace askless {

Real radius_of(Arms& arms, Arm& arm);

} // namespace askless
