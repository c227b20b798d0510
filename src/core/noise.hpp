// How noisy rewards are, pooled over arms, and the ridge that follows from it (maths 8.1, 8.2).
#pragma once

#include "arms.hpp"

namespace askless {

constexpr Real PRIOR_ROWS = 1.0;         // what the prior guess of the noise counts for
constexpr Real PRIOR_NOISE = 1.0 / 16.0; // that guess, in units of the range squared
constexpr Real PRIOR_SPREAD = 0.25;      // standard deviation of a coefficient, before anything is known
constexpr Real LEAST_RIDGE = 0.01;

Real pooled(Arms& arms);
void set_ridge(Arms& arms, Arm& arm);
void centred_moment(const Rule& rule, const Arm& arm, Reals out);
void measure(Arms& arms, Arm& arm, Matrix root, Vector weights, Vector estimate);
void renew(Arms& arms, Whole k);

// Whether an arm has a tenth more rows than when its noise was measured last.
inline bool is_due(const Arm& arm) { return arm.n - arm.renewed >= max(Whole(1), arm.renewed / 10); }
// How wide an arm's score is: so many times its noise, in reward units (maths 8.4).
inline Real width_of(const Rule& rule, const Arm& arm) { return rule.optimism * sqrt(arm.noise) * rule.span; }

} // namespace askless
