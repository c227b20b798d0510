// The arms of a policy: what each has learned, and what follows from it (maths 2, 3, 5, 8).
//
// An arm's columns are packed: those of its support come first. Beyond `size`, what has P columns is
// zero; P is the number of columns, padded. The statistics n, gram (with the rows that wait to be
// added to it), moment and squares are the truth, in units of the reward range and exact; the rest is
// derived. An arm's *set* has a radius; its *decision* model, by which it is chosen, has a width
// (maths 8). Without epochs both are the same, in the same memory.
#pragma once

#include "rule.hpp"
#include "triangle.hpp"

#include <memory>

namespace askless {

constexpr Whole RECENT = 32;      // rows that wait: a Gram matrix is read and written once for all
constexpr Whole LATE = 2 * WIDTH; // updates that wait, likewise
constexpr Whole NEVER = -1;       // how many updates ago an arm was derived that has not been

// What an arm has, each once: NUMBER(kind, name), ROW(kind, name, length), TABLE(kind, name, rows,
// columns). m questions, P columns, Q = P with an elastic net, else 0.
// clang-format off
#define ASKLESS_ARM(NUMBER, ROW, TABLE)                                                            \
    ROW(Whole, support, m)         /* 1 for the questions that the arm's model still uses */       \
    NUMBER(Whole, size)            /* how many columns that is, the constant included */           \
    ROW(Whole, columns, P)         /* which columns, in order; the first `size` count */           \
    NUMBER(Real, share)            /* the arm's part of delta */                                   \
    NUMBER(Whole, n)               /* rows learned */                                              \
    TABLE(Real, gram, P, P)        /* sum of z z', lower triangle, packed */                       \
    NUMBER(Whole, waiting)         /* how many rows learned last are not yet in `gram` */          \
    TABLE(Real, recent, RECENT, P) /* those rows, packed */                                        \
    ROW(Real, moment, P)           /* sum of z y / R, packed */                                    \
    NUMBER(Real, squares)          /* sum of (y / R) squared */                                    \
    TABLE(Real, root, P, P)        /* lower triangle M with inv(D) = M' diag(weights) M, packed */ \
    ROW(Real, weights, P)                                                                          \
    ROW(Real, estimate, P)         /* ridge estimate in reward units, packed */                    \
    ROW(Real, variance, P)         /* diagonal of inv(D); kept up where the rule needs it */       \
    NUMBER(Real, log_det)          /* ln(det D / alpha^size) */                                    \
    NUMBER(Real, radius)           /* theta */                                                     \
    NUMBER(Whole, stale)           /* rank-one updates since the last fresh factor */              \
    ROW(Whole, dropped_at, m)      /* the arm's rows when a question was dropped, else -1 */       \
    TABLE(Real, evidence, m, 3)    /* estimate, low and high of its effect at that moment */       \
    NUMBER(Whole, late)            /* how many updates of M and the estimate have been put off */  \
    TABLE(Real, slopes, LATE, P)   /* what they are made of (maths 2.3), packed */                 \
    TABLE(Real, lifts, LATE, P)                                                                    \
    ROW(Real, moves, LATE)         /* error / tau */                                               \
    ROW(Real, net_coef, Q)         /* elastic net, in units of the range, packed */                \
    ROW(Real, net_sign, Q)         /* the rest of it: `Net` */                                     \
    ROW(Whole, net_active, Q)                                                                      \
    ROW(Whole, net_place, Q)                                                                       \
    ROW(Whole, net_counts, 2)                                                                      \
    TABLE(Real, net_inverse, Q, Q)                                                                 \
    NUMBER(Real, net_residual)     /* how exact it is, relatively */                               \
    ROW(Real, projected, P)        /* M z of the context scored last, packed */                    \
    NUMBER(Whole, ready)           /* 1 if that is of `Arms::row` and of M as it is */             \
    NUMBER(Whole, inverted)        /* 1 if the room for asking has inv(D) as it is */              \
    NUMBER(Real, noise)            /* estimated variance of the noise, in ranges squared (8.1) */  \
    NUMBER(Real, ridge)            /* the penalty that follows from it (8.2) */                    \
    NUMBER(Real, misfit)           /* squared residuals of its rows when it was renewed last */    \
    NUMBER(Real, freedom)          /* their degrees of freedom */                                  \
    NUMBER(Whole, renewed)         /* the arm's rows then */
// clang-format on

// The decision model: memory of its own with epochs, else that of the set.
// clang-format off
#define ASKLESS_DECISION(NUMBER, ROW, TABLE)                                                       \
    ROW(Whole, active, support, m)            /* 1 for the questions by which it is chosen */      \
    NUMBER(Whole, active_size, size)                                                               \
    ROW(Whole, active_columns, columns, P)                                                         \
    TABLE(Real, active_root, root, P, P)                                                           \
    ROW(Real, active_weights, weights, P)                                                          \
    ROW(Real, active_estimate, estimate, P)                                                        \
    NUMBER(Real, width, radius)               /* times ‖z‖ in the norm of inv(D), in a score */
// clang-format on

// The arrays of all arms, an arm after the other.
struct ArmStores {
#define STORE(kind, name, ...) Store<kind> name;
    ASKLESS_ARM(STORE, STORE, STORE)
    ASKLESS_DECISION(STORE, STORE, STORE)
#undef STORE
};

// One arm: its own part of the arrays.
struct Arm {
#define NUMBER(kind, name, ...) kind & name;
#define ROW(kind, name, ...) Row<kind> name;
#define TABLE(kind, name, ...) Table<kind> name;
    ASKLESS_ARM(NUMBER, ROW, TABLE)
    ASKLESS_DECISION(NUMBER, ROW, TABLE)
#undef NUMBER
#undef ROW
#undef TABLE
    bool uses(Whole g) const { return support[g] != 0; }
    Whole questions_left() const {
        Whole left = 0;
        for (Whole kept : support) left += kept;
        return left;
    }
};

struct Epochs; // epochs.hpp
struct Asking; // asking.hpp

class Arms {
  public:
    Arms(const Survey& survey, const Rule& rule, Whole count, Row<const Whole> always, Vector cost);
    Arms(const Arms& other);
    ~Arms();

    Arm& operator[](Whole k) {
        check(0 <= k && k < count());
        return arms_[static_cast<std::size_t>(k)];
    }
    Whole count() const { return static_cast<Whole>(arms_.size()); }
    // Take over all that other arms are, as the first ones of these.
    void take(const Arms& others);
    // Whether they can: they have as many questions, columns and kinds of arrays, and not more arms.
    bool can_take(const Arms& others) const;
    // Whether what is used as a place in an array is one, in all arms: Python can write to all of them.
    bool is_in_order() const;

    const Survey& survey;
    const Rule rule;
    const Whole wide;    // P
    ArmStores stores;    // the memory of all arms
    Store<Whole> always; // (m) 1 for the questions that everyone is asked
    Store<Real> cost;    // (m) of each question
    std::unique_ptr<Epochs> epochs;
    std::unique_ptr<Asking> asking;

    bool complete = false; // whether `row` is a row in order
    Store<Real> row;       // (P and a lane more) the row checked last, on the grid
    Store<Real> scores;    // (K) of each arm in the context scored last, -inf if it was not live
    Real tau = 1.0;        // of the row learned last
    Real move = 0.0;       // and error / tau
    Store<Real> work;      // (3, P and a lane more) scratch, so that no step allocates
    Store<Real> block;     // (widest, widest) scratch
    Store<Real> net_work;  // (5, Q) scratch

    Reals scratch(Whole i) const { return work.row(i); }

  private:
    std::vector<Arm> arms_;
};

} // namespace askless
