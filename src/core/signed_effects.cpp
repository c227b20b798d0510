// The sums of a direction's signed effect: an epoch added to both intervals' (maths 10).
#include "signed_effects.hpp"

#include "epochs.hpp"

namespace askless {

namespace {

constexpr Real BOLDEST = 0.5; // of what would lose everything: the most that is bet on a row
constexpr Real FEWEST = 10.0; // rows that must carry an estimate, if all had the largest lever

struct Cubes {
    Real sum, most;
};
// The sum of |lever|^3 b (y - prediction)^2 of all rows, and the largest |lever| b.
// Here b is the most that a reward can lose on that side (maths 5.2).
Cubes cubes_of(const Design& design, int side) {
    const Lanes turn = spread(side ? -1.0 : 1.0);
    Lanes sum = spread(0.0), most = spread(0.0);
    for (Whole i = 0; i < design.n(); i += WIDTH) {
        const Lanes levers = turn * load(design.lever, i);
        const Lanes at_stake = magnitude(levers) * losses_of(design, levers, i);
        most = larger(most, at_stake);
        sum = sum + levers * levers * at_stake * load(design.errors, i);
    }
    return {total(sum), largest_of(most)};
}

} // namespace

// Let an epoch count at the end if enough rows carry it and it narrows the interval.
// `measured` is the estimate's variance as the epoch shows it. Python calls it, too.
void add_at_the_end(Real estimate, Real variance, Real measured, Real top, Reals sums) {
    const Real counted = sums[COUNTED], root = 1.0 / sqrt(variance);
    const bool narrows = counted == 0.0 || root > (sqrt((counted + 1.0) / counted) - 1.0) * sums[ROOTS];
    if (!(counted < MOST_COUNTED && variance >= FEWEST * top * top && narrows)) return;
    sums[ESTIMATES] += root * estimate;
    sums[ROOTS] += root;
    sums[SQUARES] += measured / variance;
    sums[COUNTED] += 1.0;
}

// Add an epoch to the sums of a direction: its levers are in place.
void add_epoch(const Design& design, Told told, Reals sums) {
    Lanes squares = spread(0.0), weighted = spread(0.0);
    for (Whole i = 0; i < design.n(); i += WIDTH) {
        const Lanes levers = load(design.lever, i), squared = levers * levers;
        squares = squares + squared;
        weighted = weighted + squared * load(design.errors, i);
    }
    const Real variance = total(squares), measured = total(weighted); // the first in units of the noise's
    // Where rewards are rare, an epoch may have seen none of them, and would seem to be sure.
    const Real shown = max(measured, design.noise * variance) + variance / design.seen;
    add_at_the_end(told.estimate, variance, shown, told.top, sums);
    const Real scale = design.beta_min > 0.0 ? design.beta_min : SCALE;
    const Cubes below = cubes_of(design, 0), above = cubes_of(design, 1);
    for (Whole c = 0; c < BETS_AT_ALL_TIMES; ++c) {
        const Real bet = min(HALF_WIDTHS[c] * scale / (design.noise * variance), BOLDEST / told.top);
        sums[STAKED + c] += bet;
        sums[WEIGHTED + c] += bet * told.estimate;
        // Both prices are expected, not seen, where one of them is chosen.
        const Real boldest = bet * told.top, excess = 1.0 + boldest / 3.0 / (1.0 - 0.5 * boldest);
        const bool by_error = 4.0 * design.noise * excess < 1.0;
        auto price = [&](const Cubes& cubes) {
            const Real cubed = bet * (bet * bet) * cubes.sum / 3.0 / (1.0 - bet * cubes.most);
            return by_error ? 0.5 * bet * bet * measured + cubed : 0.125 * bet * bet * variance;
        };
        sums[PRICES + c] += price(below);
        sums[PRICES + BETS_AT_ALL_TIMES + c] += price(above);
    }
}

} // namespace askless
