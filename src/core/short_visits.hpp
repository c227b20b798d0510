// Full, check and short visits: which kind comes, what it plays, what it teaches (maths 9.1).
#pragma once

#include "short_check.hpp"
#include "short_models.hpp"

namespace askless {

constexpr Real COIN = 0.5;  // below it a visit on which the arms differ is a check
constexpr Real TOSS = 0.25; // below it the short visit's arm is played

void recount(Arms& arms, Shorts& shorts);
bool is_short(const Shorts& shorts);
bool is_starting(Arms& arms, const Allowed& allowed, Whole now);
bool is_whole(const Arms& arms, const Shorts& shorts);
Real saving(const Shorts& shorts);
Real full_share(Arms& arms, const Shorts& shorts, const Allowed& allowed, Whole now, Whole number);
Real share_of(Arms& arms, Shorts& shorts, Whole number);
Whole score_whole(Arms& arms, Shorts& shorts, Row<const bool> mask, Vector z, Reals scores);
Real expected_of_two(Arms& arms, const Shorts& shorts, Whole one, Whole other, Vector z);
void terms_of(Arms& arms, const Shorts& shorts, Whole one, Whole other, Vector z, Reals out);
Real loss_of(const Rule& rule, Real y, Real mean, bool of_full);
void keep_person(const Survey& survey, Shorts& shorts, Vector z, const Allowed& allowed, Whole now);
void fold_all(Arms& arms, Shorts& shorts);
void know_whole(Arms& arms, Shorts& shorts);
void derive_all(Arms& arms, Shorts& shorts, Matrix gram, Whole people);

// What Python calls for one visit; `allowed` is a table with one row.
inline Real full_share_of(Arms& arms, const Shorts& shorts, const Allowed& allowed, Whole number) {
    return full_share(arms, shorts, allowed, 0, number);
}
inline Whole short_arm(Arms& arms, Shorts& shorts, const Allowed& allowed, Vector z) {
    return short_winner(arms, shorts, allowed, 0, z);
}
inline Real loss_units(const Arms& arms, Real y, Real mean, bool of_full) {
    return loss_of(arms.rule, y, mean, of_full);
}
inline void learn_check(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, Real sign) {
    tell(arms, shorts, k, z, y, sign);
}

} // namespace askless
