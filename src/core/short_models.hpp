// What visits are decided by once a form stands: the arms' models on it, and whole (maths 9.3).
#pragma once

#include "arms.hpp"
#include "choosing.hpp"
#include "shorts.hpp"

namespace askless {

Whole short_winner(Arms& arms, Shorts& shorts, const Allowed& allowed, Whole now, Vector z);
void fold(Arms& arms, Shorts& shorts, Whole k);
void know(Arms& arms, Shorts& shorts, Whole k, bool now, RealTable root, Reals estimate);
void project(const Survey& survey, Shorts& shorts, Matrix gram, Real heads);
void set_prior(Arms& arms, Shorts& shorts, Whole k);
Real whole_mean(Arms& arms, const Shorts& shorts, Whole k, Vector z);
Real whole_score(Arms& arms, Shorts& shorts, Whole k, Vector z);
void tell(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, Real sign);
void learn_short(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, Real sign);
void derive(Arms& arms, Shorts& shorts, Whole k);

} // namespace askless
