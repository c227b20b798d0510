// What an arm does not know of a visit: its unasked questions, their centres and extreme points.
//
// A choice's points are its options, a skip among them if there may be one. Of any other question
// that may be skipped, the columns are ±½ around (0, …, 0; ½) where it is answered, and 0 with the
// skip column at +½ where it is not. What cannot be skipped and is no choice is *plain*: each of its
// columns moves for itself.
#pragma once

#include "arms.hpp"
#include "asking.hpp"

namespace askless {

constexpr Real EPSILON = 0x1p-52;

// One arm, what it does not know, and room to bound its UCB.
struct View {
    View(Arms& arms, Whole k)
        : survey(arms.survey), norm(arms.rule.norm), arm(arms[k]), size(arm.active_size), theta(arm.width),
          own(arms.asking->unasked[static_cast<std::size_t>(k)]), room(arms.asking->scratch) {}

    const Survey& survey;
    const Real norm; // the largest of a context
    Arm& arm;
    const Whole size;
    const Real theta; // the width of the arm's decision model
    Unasked& own;
    Scratch& room;
};

Whole weigh(const View& view, Vector z);
Real squared(const View& view);
Real best_point(const View& view);
void set_tilt(const View& view, const Unit& unit, Vector field, Real weight);
Whole move_special(const Unit& unit, Vector a, Reals out);
Real rise(const Survey& survey, Whole g, Whole at, Vector a, Real sign);

} // namespace askless
