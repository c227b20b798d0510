// How wide confidence sets are, when questions leave, how visits are asked: a policy's settings.
#pragma once

#include "survey.hpp"

namespace askless {

// The forms of the radius (maths 2.1, 6, 8.8 and 3.2).
enum Form : Whole {
    VALID = 0,
    PUBLISHED,
    PUBLISHED_SQRT,
    FIXED,
    NOISE,
    NET_VALID,
    NET_PUBLISHED,
    NET_PUBLISHED_SQRT,
    NET_SCALED,
    NET_SCALED_SQRT
};
// What an elastic net is for (maths 3): nothing, the estimate, or only to say what is zero.
enum Use : Whole { NO_NET = 0, NET_ESTIMATES, NET_SELECTS };
// Its penalties (maths 3.2): of each column its own, the same for all, that divided by the columns.
enum Penalty : Whole { OWN = 0, UNIFORM, SCALED };
// What is asked of a visit (maths 4): all that some arm uses, or only what can matter still.
enum Interactive : Whole { EVERYTHING = 0, CERTIFIED, PAPER_HEURISTIC };
// How much of it at once: all questions of an arm, or one question.
enum Grain : Whole { BY_ARM = 0, BY_QUESTION };

// Each setting once: kind and name. In reward units.
// clang-format off
#define ASKLESS_RULE(SETTING)                                                                      \
    SETTING(Whole, form)                                                                           \
    SETTING(Whole, sharp_bias)  /* 1: bound the bias by what the reward range allows */            \
    SETTING(Whole, plain)       /* 1: no question is a choice or may be skipped */                 \
    SETTING(Whole, raw)         /* 1: rewards are measured from 0, not from the middle */          \
    SETTING(Whole, net)         /* Use */                                                          \
    SETTING(Whole, penalty)     /* Penalty */                                                      \
    SETTING(Whole, interactive) /* Interactive */                                                  \
    SETTING(Whole, grain)       /* Grain */                                                        \
    SETTING(Whole, epochs)      /* 1: models change only at the ends of epochs (maths 5) */        \
    SETTING(Whole, by_sets)     /* 1: of those, arms are chosen by their sets (maths 8.4) */       \
    SETTING(Whole, payback)     /* 1: visits pay back what they ask for other arms (8.5) */        \
    SETTING(Whole, judge_skips) /* 0: a question is judged by its answers alone (5.4) */           \
    SETTING(Whole, start)       /* rows of an arm before arms are compared (8.7) */                \
    SETTING(Real, alpha)                                                                           \
    SETTING(Real, sigma)                                                                           \
    SETTING(Real, beta_min)     /* 0: never drop */                                                \
    SETTING(Real, span)         /* length R of the reward range */                                 \
    SETTING(Real, norm)         /* L2, the largest 2-norm of a context */                          \
    SETTING(Real, ridge_bias)   /* sqrt(alpha) b2 */                                               \
    SETTING(Real, b1)                                                                              \
    SETTING(Real, b2)                                                                              \
    SETTING(Real, multiple)     /* of the elastic net's own penalties */                           \
    SETTING(Real, fixed)        /* the radius where the form is FIXED */                           \
    SETTING(Real, growth)       /* by which factor an epoch makes an arm's rows grow */            \
    SETTING(Real, low)          /* the smallest and the largest reward */                          \
    SETTING(Real, high)                                                                            \
    SETTING(Real, optimism)     /* tau, how many noises wide a score is (maths 8.4) */             \
    SETTING(Real, set_part)     /* of an arm's share of delta: what its set gets (5.1) */
// clang-format on

struct Rule {
#define SETTING(kind, name) kind name = 0;
    ASKLESS_RULE(SETTING)
#undef SETTING
    std::vector<Real> log_supports; // (m + 1) ln((m + 1) C(m, h)): the price of a support of size h

    // Whether the diagonal of inv(D) is needed after every row: by tests, the radius or the net.
    bool needs_variance() const { return beta_min > 0.0 || (sharp_bias && form == VALID) || net != NO_NET; }
    // Where the middle of the range is in an arm's sums, in units of the range.
    Real middle() const { return raw ? (low + 0.5 * span) / span : 0.0; }

    // A reward in units of its range, on the grid; NaN if it is outside the range.
    Real units(Real reward) const {
        if (!(low <= reward && reward <= high)) return NOT_A_NUMBER;
        const Real zero = raw ? 0.0 : low + span / 2.0;
        return on_reward_grid((reward - zero) / span);
    }
};

} // namespace askless
