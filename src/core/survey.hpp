// How the questions of a survey own the columns of a context, and rows as they come from outside.
#pragma once

#include "elementary.hpp"

#include <utility>

namespace askless {

// The kinds of columns a question can own (maths 1.1).
enum Kind : Whole { NUMBER = 0, SIGNS = 1, ONE_HOT = 2 };

// What checking a row says when no question is wrong.
constexpr Whole COMPLETE = -1, INCOMPLETE = -2, NO_CONSTANT = -3;

constexpr Real GRID = 1024.0;         // columns are multiples of 1/1024 (maths 1.3)
constexpr Real REWARD_GRID = 16384.0; // rewards are multiples of 1/16384 of their range

inline Real on_grid(Real value) { return std::floor(value * GRID + 0.5) / GRID; }
inline Real on_reward_grid(Real units) { return std::floor(units * REWARD_GRID + 0.5) / REWARD_GRID; }

struct Survey {
    Survey(Whole questions, Whole columns, Whole directions, Whole widest)
        : kind(questions), first(questions), width(questions), skip(questions), start(questions + 1),
          low(columns), high(columns), directions_(directions, widest) {}
    Survey(Survey&&) = default;

    Store<Whole> kind;  // of each question's columns
    Store<Whole> first; // a question's first column
    Store<Whole> width; // how many columns it owns, the skip column included
    Store<Whole> skip;  // 1 if its last column says that it was skipped, else 0
    Store<Whole> start; // a question's first row in the directions
    Store<Real> low;    // smallest value of a column
    Store<Real> high;   // largest value of a column
    Store<Real> directions_;

    struct Question {
        Whole kind, first, width, skip, start, end; // `end`: after its last direction
        bool is_choice() const { return kind == ONE_HOT; }
    };
    Question operator[](Whole g) const {
        return {kind.number(g), first.number(g), width.number(g),
                skip.number(g), start.number(g), start.number(g + 1)};
    }
    Whole questions() const { return kind.size(); }
    Whole columns() const { return low.size(); }
    Whole directions() const { return directions_.length(0); }
    Whole widest() const { return directions_.length(1); }
    // A direction of question g, on its own columns.
    Row<const Real> direction(Whole d, Whole width) const { return directions_.row(d).part(0, width); }
    bool is_asked(Whole g, Row<const Real> z) const { return !is_nan(z[first.number(g)]); }

    Whole read_row(Row<const Real> z, Reals out) const;
    std::pair<Whole, Whole> read_rows(Table<const Real> rows, RealTable out) const;

  private:
    bool read_scales(Row<const Real> z, Reals out) const;
};

} // namespace askless
