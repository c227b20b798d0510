// The room in which it is decided what to ask next: answers so far, inverses, scratch (maths 4).
#pragma once

#include "survey.hpp"

namespace askless {

// What is answered at once: an unasked plain column, or a special question.
struct Unit {
    enum Form : Whole { COLUMN, SKIPPABLE, CHOICE } form;
    Whole at, width; // its first packed column, and how many it owns
    Whole end() const { return at + width; }
    bool is_choice() const { return form == CHOICE; }
    // Whether a number can say which of its extreme points is meant; and how many it has, then.
    bool is_countable() const { return form != SKIPPABLE || width < 63; }
    Whole points() const { return form == COLUMN ? 2 : is_choice() ? width : (Whole(1) << (width - 1)) + 1; }
};

// What an arm does not know of a visit. P and the packing are those of `Arms`.
// It sees its unasked questions at their centres, each with a reach around it. One is *plain* if its
// columns move independently of each other (it is no choice and may not be skipped), else *special*.
struct Unasked {
    explicit Unasked(Whole wide);
    Store<Real> square_memory, memory; // of the tables and rows below

    std::vector<Unit> plains, specials;        // unasked columns, and questions
    Real square = 0.0;                         // x' inv(D) x at the centre
    Real value = 0.0;                          // the UCB there
    Real trace = 0.0;                          // of inv(D)
    RealTable inverse = square_memory.table(); // (P, P) inv(D), whole; `Arm::inverted`: it is up to date
    Reals centre = memory.row(0);              // (P) the context with unasked questions at their centres
    Reals pull = memory.row(1);                // (P) inv(D) times that
    Reals reach = memory.row(2); // (P) half the range of an unasked column; 0 for choices and what is asked
    Reals plain = memory.row(3); // (P) the same, 0 for special questions too
    Reals slope = memory.row(4); // (P) how the UCB changes with a column at the centre; not packed
};

// A search's unit at some depth, and the node at which it is the next one (`vertex_search`).
struct Node {
    Unit unit;
    Whole turn, lead;  // how many of the unit's points have been visited, and the first one
    Real mean, square; // the linear part of F, and z' inv(D) z
    Real tail;         // what the units from here on can add to that at most
};

// Room for the levels of the bounds.
struct Scratch {
    explicit Scratch(Whole wide);
    Store<Real> squares_memory, vectors_memory, memory; // of the tables and rows below

    Store<Node> path;                            // (P)
    RealTable scaled = squares_memory.table(0);  // (P, P)
    RealTable fields = squares_memory.table(1);  // (P, P)
    RealTable start = vectors_memory.table(0);   // (P, WIDTH) unit vectors in general position; first (1, 0)
    RealTable vectors = vectors_memory.table(1); // (P, WIDTH)
    Reals linear = memory.row(0);                // (P) the linear part of what is to be bounded
    Reals price = memory.row(1);                 // (P) diag(price) dominates the quadratic part
    Reals tilt = memory.row(2), point = memory.row(3), vertex = memory.row(4); // (P)
    Reals turned = memory.row(5), border = memory.row(6);                      // (P)
};

struct Asking {
    explicit Asking(const Survey& survey, Whole count);

    Store<Whole> live;            // (K) in: 1 for the arms that may be played
    Store<Whole> asks;            // (m) out: 1 for the questions to ask next
    Store<Whole> possible;        // (K) out: 1 for the arms that can still win
    Store<Real> z;                // (p) in: the answers so far, NaN where there is none
    Store<Real> seen;             // (p) scratch
    Store<Real> limit;            // (K) what an arm must exceed
    Store<Real> gap;              // (K) by how much an arm may exceed the leading one
    std::vector<Unasked> unasked; // of each arm
    Scratch scratch;
};

} // namespace askless
