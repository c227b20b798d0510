// The elastic net from sums alone: follow the solution with its active set (maths 3.1).
//
// Minimises ½ b'(G + ridge I)b - c'b + Σ penalty_j |b_j|. The Gram matrix G is given whole, both
// triangles; everything is padded with zeros (lanes).
#pragma once

#include "triangle.hpp"

#include <utility>

namespace askless {

constexpr Real GOOD = 1e-10; // a solution's KKT residual, relative to the largest |c|

// What is minimised.
struct Problem {
    Matrix gram;    // (P, P) G
    Vector moment;  // (P) c
    Vector penalty; // (P) of |b_j|; 0: the coefficient is free
    Real ridge;
    Whole size; // how many columns count
};

// A solution and the active set that it was found with; somebody else owns the memory.
struct Net {
    Reals coef;        // (P) b
    Reals sign;        // (P) of the active coefficients; 0 of the free and the inactive ones
    Wholes active;     // (P) the active columns, in the order of `inverse`
    Wholes place;      // (P) a column's place among them, -1 if it is not active
    Wholes counts;     // (2) how many are active; updates since `inverse` was built
    RealTable inverse; // (P, P) of (G + ridge I) on them
    Reals target;      // (P) where the active coefficients would go, by column
    Reals gradient;    // (P) c - G target
    Reals one, other;  // (P) scratch, by place

    Whole size() const { return counts[0]; }
    void add_row(Vector z);
    void restart(const Problem& problem);
    void rebuild(const Problem& problem);
    Real solve(const Problem& problem);
    Real descend(const Problem& problem);

  private:
    void enter(const Problem& problem, Whole j);
    void leave(Whole at);
    void admit_free(const Problem& problem);
    Real aim(const Problem& problem, Real slack);
    Real miss(const Problem& problem);
    void set_gradient(const Problem& problem);
    std::pair<Whole, Real> first_crossing() const;
    std::pair<Whole, Real> worst_outside(const Problem& problem) const;
    Real worst_anywhere(const Problem& problem) const;
    void move(Real step);
};

} // namespace askless
