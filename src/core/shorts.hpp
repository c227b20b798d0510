// What is kept of a policy's short form: its models, and what is known about its cost (maths 9).
#pragma once

#include "survey.hpp"

namespace askless {

constexpr Whole RING = 500; // contexts of full visits that are kept

// What is where in Shorts::counts.
enum Count : Whole {
    STANDS = 0,  // 1 while a form stands
    SIZE,        // how many columns it has, the constant included
    FULL_VISITS, // full and check visits learned
    VISITS,      // all visits learned
    NEXT,        // with how many full ones the next form is chosen
    WITHDRAWN,   // forms withdrawn
    PEOPLE,      // contexts in the ring
    OLDEST,      // where in it the next one goes
    ASKED,       // questions of a full visit
    ASKED_SHORT, // of a short one
    FORM,        // which form the short sums are of, from 1; 0 before there is one
    DUE,         // 1 where the loop has stopped for a form to be chosen
    COUNTS
};
// And in Shorts::numbers, prices and rewards in units of the range.
enum Number : Whole {
    PRICE = 0,  // of a question, as in force
    CAUTION,    // r, by which it is multiplied where a form is chosen
    FLOOR,      // the smallest share of full visits
    COST,       // of a full visit, in weights of questions
    COST_SHORT, // of a short one
    LOG_WEALTH,
    BETS,                   // w, s and q of the bets (maths 9.4)
    LOSS = BETS + 3,        // so far: sums of 1, U, (U - mean)^2, bets, bets times U, what they may err
    WHOLE_WIDTH = LOSS + 6, // of the scores of whole models: tau times the noise when they were derived
    NUMBERS
};

// Each array once: ROW(kind, name, length), TABLE(kind, name, rows, columns), TABLES(kind, name, count,
// rows, columns). m questions, K arms, p columns, P padded. What belongs to a form is packed: its
// columns come first.
// clang-format off
#define ASKLESS_SHORTS(ROW, TABLE, TABLES)                                                         \
    ROW(Whole, counts, COUNTS)                                                                     \
    ROW(Real, numbers, NUMBERS)                                                                    \
    ROW(Whole, form, m)              /* 1 for its questions */                                     \
    ROW(Whole, everyone, m)          /* 1 for the questions asked of everyone */                   \
    ROW(Whole, wanted, m)            /* 1 for those that full visits are asked */                  \
    ROW(Whole, live, K)              /* 1 for the arms that are not retired */                     \
    ROW(Real, cost, m)               /* weights of the questions */                                \
    ROW(Whole, columns, p)           /* which columns the form has, in order */                    \
    TABLE(Real, ring, RING, p)       /* contexts, NaN for what was not asked */                    \
    TABLE(Whole, may, RING, K)       /* 1 for the arms that those visits could get */              \
    TABLE(Real, projection, p, p)    /* B, contexts on the form's columns: a row for each */       \
    TABLES(Real, prior, K, p, p)     /* lower triangle L, with V = L L' */                         \
    TABLE(Real, pull, K, p)          /* inv(L) m */                                                \
    TABLES(Real, gram, K, p, p)      /* LA, sum of z z' over short visits */                       \
    TABLE(Real, moment, K, p)        /* Lc, sum of z y / R */                                      \
    ROW(Whole, rows, K)              /* short visits in them */                                    \
    ROW(Whole, renewed, K)           /* as many when the model was derived last */                 \
    TABLES(Real, spread, K, p, p)    /* Sigma */                                                   \
    TABLE(Real, estimate, K, p)      /* b, in units of the range from its middle */                \
    ROW(Real, width, K)              /* half the noise then */                                     \
    TABLES(Real, told, K, p, p)      /* T, what visits of earlier forms and checks have told */    \
    TABLE(Real, tells, K, p)         /* t */                                                       \
    TABLES(Real, whole_root, K, P, P)   /* lower triangle M, M'M = inv(D'') on the arm's own */    \
    TABLE(Real, whole_estimate, K, P)   /* b'', in units of the range from its middle */           \
    ROW(Real, scores, K)             /* of the context scored last */
// clang-format on

// Scratch, likewise.
// clang-format off
#define ASKLESS_SHORTS_SCRATCH(ROW, TABLE, TABLES)                                                 \
    ROW(Real, packed, p)                                                                           \
    TABLES(Real, work, 2, p, p)                                                                    \
    TABLE(Real, known_root, P, P)                                                                  \
    ROW(Real, known_estimate, P)                                                                   \
    TABLE(Real, known_gram, P, P)                                                                  \
    ROW(Real, known_weights, P)
// clang-format on

class Shorts {
  public:
    Shorts(const Survey& survey, Whole arm_count, Row<const Whole> everyone, Row<const Real> cost);
    // Take over all that another one with as many arms is, in the memory that there is.
    void take(const Shorts& other);
    // Whether it has as many arms, questions and columns, and what is used as a place in an array is one.
    bool fits(const Survey& survey, Whole arm_count) const;

#define ARRAY(kind, name, ...) Store<kind> name;
    ASKLESS_SHORTS(ARRAY, ARRAY, ARRAY)
    ASKLESS_SHORTS_SCRATCH(ARRAY, ARRAY, ARRAY)
#undef ARRAY

  private:
    Shorts(Whole m, Whole K, Whole p, Whole P);
};

} // namespace askless
