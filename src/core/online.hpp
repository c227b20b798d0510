// Predictions that see only what came before: ridge regression, a row of an epoch at a time.
#pragma once

#include "arms.hpp"
#include "epochs.hpp"

namespace askless {

void predict(Arms& arms, const Arm& arm, const Epoch& epoch, Matrix rows, Vector ys, Reals out);

} // namespace askless
