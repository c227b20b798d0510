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

// What came of learning a full or check visit: questions dropped, and whether a form is to be chosen.
struct FullLesson {
    Whole dropped;
    bool due;
};
FullLesson learn_full(Arms& arms, Shorts& shorts, Whole k, Vector z, Real y, bool is_check);

// The winner of a full visit, and the arm of the form that it is compared with; NOBODY where it is not.
struct FullChoice {
    Whole winner, rival = NOBODY;

    // Whether the visit is a check: the two arms differ, and a coin says so.
    bool is_check(Vector coins) const { return rival != NOBODY && rival != winner && coins[3] < COIN; }
};
Whole arm_of(const Arms& arms, const FullChoice& choice, const Allowed& allowed, Whole now, Vector coins);
FullChoice choose_full(Arms& arms, Shorts& shorts, const Allowed& allowed, Whole now, Whole number, Vector z);

} // namespace askless
