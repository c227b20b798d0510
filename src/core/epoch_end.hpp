// The end of a block of rows: test, take them in, drop, decide anew, freeze again (maths 5.1).
#pragma once

#include "arms.hpp"

namespace askless {

Whole look(Arms& arms, Whole k);
void end_blocks(Arms& arms);

} // namespace askless
