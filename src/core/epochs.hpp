// The room of the arms' blocks: rows that wait for their block's end, and what is known by then.
//
// Blocks in warm-up are not tested; the later ones, which are, are epochs (maths 5.1).
#pragma once

#include "survey.hpp"

namespace askless {

constexpr Whole MOST_ROWS = 20000;        // of an epoch with undecided questions: they are in memory
constexpr Whole BLOCK = 32;               // rows between two looks at an epoch
constexpr Whole GOES_ON = -1;             // what learning a row returns in mid-epoch, else its drops
constexpr Whole GROUP = 8;                // columns for which all rows are read at once
constexpr Whole LEVERS = 32, RANGES = 16; // bins in which levers and what a reward can lose are counted
constexpr Whole TALLIES = 4;              // further numbers that are noted of every row

// By which test a question was dropped (maths 5.1).
constexpr Whole NOT_DROPPED = 0, BY_EPOCHS = 1, BY_ELLIPSOID = 2;

// What is added up of a direction (`signed_effects`): for the interval at all times five bets, those times
// the estimates, and five prices a side; for that at the end sums of s/sqrt(v), of 1/sqrt(v) and of
// squared errors, and of how many epochs.
constexpr Whole STAKED = 0, WEIGHTED = 5, PRICES = 10;
constexpr Whole ESTIMATES = 20, ROOTS = 21, SQUARES = 22, COUNTED = 23, SUMS = 24;

// What an arm's epoch has, each once, as in `ASKLESS_ARM`; d counts all directions.
// clang-format off
#define ASKLESS_EPOCH(NUMBER, ROW, TABLE)                                                          \
    NUMBER(Whole, held)              /* rows of the block so far */                                \
    NUMBER(Whole, kept)              /* how many of them are in the room */                        \
    NUMBER(Whole, added)             /* how many of those are in `gram`, `moment` and `squares` */ \
    NUMBER(Whole, need)              /* with how many rows it ends */                              \
    NUMBER(Whole, ended)             /* blocks before it */                                        \
    NUMBER(Whole, warm)              /* 1 while the arm is in warm-up */                           \
    NUMBER(Whole, tested)            /* blocks that were epochs */                                 \
    NUMBER(Whole, undecided)         /* active questions whose effect may be zero (maths 8.3) */   \
    ROW(Whole, test, m)              /* by which test a question was dropped */                    \
    TABLE(Whole, passed, d, 2)       /* 1 where an effect is below beta_min, above -beta_min */    \
    TABLE(Real, gram, P, P)          /* sum of z z' over the block, lower triangle */              \
    TABLE(Real, model_root, P, P)    /* the decision ridge on the whole support (8.2), as `root` */ \
    ROW(Real, moment, P)             /* sum of z y / R over the block */                           \
    ROW(Real, model_weights, P)                                                                    \
    ROW(Real, model_estimate, P)     /* in units of the range, from its middle */                  \
    NUMBER(Real, squares)            /* sum of (y / R) squared over the block */                   \
    NUMBER(Real, spread)             /* in warm-up: median of w' inv(D) w over its directions */   \
    TABLE(Real, logs, d, 2)          /* the e-processes' logarithms */                             \
    TABLE(Real, pace, d, 2)          /* their growth a row if the effect is zero, at the last test */ \
    TABLE(Real, signed_sums, d, SUMS) /* what epochs say of a direction's effect */
// clang-format on

// The arrays of all arms, an arm after the other.
struct EpochStores {
#define STORE(kind, name, ...) Store<kind> name;
    ASKLESS_EPOCH(STORE, STORE, STORE)
#undef STORE
};

// One arm's epoch: its own part of the arrays, and the room of its rows.
struct Epoch {
#define NUMBER(kind, name, ...) kind & name;
#define ROW(kind, name, ...) Row<kind> name;
#define TABLE(kind, name, ...) Table<kind> name;
    ASKLESS_EPOCH(NUMBER, ROW, TABLE)
#undef NUMBER
#undef ROW
#undef TABLE
    std::vector<Real, Aligned<Real>> room{};

    // A row: its packed columns in whole lanes, then its reward in units of the range.
    static constexpr Whole row_length(Whole size) { return in_lanes(size) + WIDTH; }
    // As many rows as fit.
    RealTable rows(Whole size) {
        const Whole length = row_length(size);
        return {room.data(), static_cast<Whole>(room.size()) / length, length};
    }
    // Whether its counts are those of rows that are there.
    bool is_in_order(Whole size) {
        return 0 <= added && added <= kept && kept <= held && kept <= rows(size).rows();
    }
    void make_room(Whole rows, Whole size) {
        const auto enough = static_cast<std::size_t>(rows * row_length(size));
        if (enough > room.size()) room.resize(max(enough, 2 * room.size()));
    }
};

struct Epochs {
    Epochs(const Survey& survey, Whole count);
    Epoch& operator[](Whole k) {
        check(0 <= k && k < count());
        return epochs_[static_cast<std::size_t>(k)];
    }
    Whole count() const { return static_cast<Whole>(epochs_.size()); }
    // Take over the epochs of other arms, rooms too, as the first ones of these.
    void take(const Epochs& others);
    // A number a row for each of `solutions` and of the tallies, in whole lanes; all of them zero.
    RealTable table(Whole rows);

    const Whole wide;                // P
    EpochStores stores;              // the memory of all arms
    Store<Whole> order;              // (P) scratch, as all that follows
    Store<Real> whole;               // (P, P)
    Store<Real> factor;              // (P, P)
    Store<Real> solutions, residues; // (widest + GROUP, P)
    Store<Real> left;                // (P)
    Store<Real> online;              // (5, P and a lane more)
    Store<Real> cells;               // (LEVERS, RANGES)
    Store<Real> spreads;             // (d)

  private:
    std::vector<Epoch> epochs_;
    std::vector<Real, Aligned<Real>> table_;
};

// How many rows an epoch of an arm with so many columns has at least (maths 5.1).
constexpr Whole fewest_rows(Whole size) { return max(2 * size, (3 * size + 1) / 2 + 5); }

} // namespace askless
