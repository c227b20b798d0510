// The e-processes of a question: evidence that its effect is within beta_min (maths 5.2).
//
// How much is bet is fixed by the epoch's contexts and by what came before it, and what a row costs by
// the rows before it too; so nobody can choose either by looking at the reward that it is about.
#pragma once

#include "triangle.hpp"

namespace askless {

// The contexts of an epoch, and what is known from earlier ones; in units of the range.
// Behind the last row, levers, guesses, predictions and errors are zero up to whole lanes.
struct Design {
    Matrix rows;         // (n, row length): `Epoch::rows`
    Whole size;          // columns
    Matrix whole;        // (P, P) A = sum of z z'
    RealTable factor;    // (P, P) its Cholesky factor, columns in the order in which they were chosen
    Wholes order;        // (P) which columns those are
    Vector moment;       // (P) sum of z y, rewards from the middle of the range
    RealTable solutions; // (some, P) x with A x = e_j for some columns
    RealTable residues;  // (some, P) A x - e_j
    RealTable levers;    // (some, n and more) z'x of each row
    Reals lever;         // (n and more) the levers of one direction
    Vector guesses;      // (n and more) predictions of the model from before the epoch
    Vector predicted;    // (n and more) predictions that know the epoch's rows before
    Vector errors;       // (n and more) their squared residuals
    Reals left;          // (P) scratch
    RealTable cells;     // (LEVERS, RANGES) how many rows are in a cell
    Real beta_min;
    Real noise;     // variance of the residuals that is expected
    Real seen;      // rows of the arm, those of the epoch included
    Whole rank = 0; // of A
    Whole n() const { return rows.rows(); }
};

// What an epoch says of a direction, and its largest lever's size: 0 where the epoch cannot tell.
struct Told {
    Real estimate = 0.0, top = 0.0;
};

Whole factor_by_rank(const Design& design);
void prepare(const Design& design, Whole at, Whole width);
Told estimate_of(const Design& design, Whole first, Vector direction);
void bet_on(const Design& design, Told told, Row<const Whole> passed, Reals logs, Reals gains);

// The most that rewards can lose on the side of some levers (maths 5.2).
ASKLESS_INLINE Lanes losses_of(const Design& design, Lanes levers, Whole i) {
    constexpr Real LEAST = 0.02; // of the range: a reward can always be this far from its prediction
    const Lanes predicted = load(design.predicted, i), half = spread(0.5);
    return larger(spread(LEAST), choose(spread(0.0) < levers, half - predicted, half + predicted));
}
// The largest lane.
ASKLESS_INLINE Real largest_of(Lanes values) {
    Real lanes[WIDTH];
    store({lanes, WIDTH}, 0, values);
    return largest({lanes, WIDTH});
}

} // namespace askless
