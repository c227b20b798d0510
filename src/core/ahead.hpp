// Look ahead: score the next 16 contexts together, then follow the one arm that each visit changes.
//
// A factor is then read once for 16 contexts, and an arm that learns a row changes M z of the contexts
// to come as it changes M itself. Scores differ from those taken one by one by rounding, which
// decides nothing (ties: maths 2).
#pragma once

#include "choosing.hpp"
#include "ridge.hpp"

namespace askless {

constexpr Whole AHEAD = LATE;

class Ahead {
  public:
    explicit Ahead(Arms& arms);

    void look(Matrix rows);
    Whole best_arm(Whole t, const Allowed& allowed, Whole now);
    Whole learn(Whole k, Whole t, Vector z, Real y);
    // Put z'weights of every context into `out`.
    void combine(Row<const Whole> columns, Vector weights, Whole size, Reals out) const;

    Arms& arms;
    Store<Real> expected; // (K, AHEAD) the reward to expect, which only the simulator knows

  private:
    void score(Whole k);
    void follow(Whole k, Whole t);

    Store<Real> contexts_;  // (p, AHEAD) a context a column
    Store<Real> projected_; // (K, P, AHEAD) M z
    Store<Real> square_;    // (K, AHEAD) z' inv(D) z
    Store<Real> mean_;      // (K, AHEAD) z'b
    Store<Real> fallen_;    // (K) by which factor at most a square has fallen since it was computed anew
    Store<Real> gain_;      // (AHEAD) scratch
};

} // namespace askless
