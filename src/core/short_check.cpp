// Bets against a form, and the interval of what it has cost so far.
#include "short_check.hpp"

namespace askless {

namespace {

constexpr Real LEVEL = 0.05; // how often a form may be withdrawn that should stand, or the interval be wrong
constexpr Real FORGET = 1.0 - 1.0 / 300.0;
constexpr Real LEAST_LOSS = 0.002; // that is bet on
constexpr Real LEAST_CAUTION = 1.0 / 32.0;

// Add a visit to what the interval of the loss so far is made of.
void measure(Reals loss, Real u) {
    const Real n = loss[0] + 1.0, mean = (0.5 + loss[1]) / n, variance = (0.25 + loss[2]) / n;
    const Real stake = min(0.5, sqrt(2.0 * ln(2.0 / LEVEL) / (variance * n * ln_1_plus(n))));
    const Real squared = (u - mean) * (u - mean);
    loss[0] = n;
    loss[1] += u;
    loss[2] += squared;
    loss[3] += stake;
    loss[4] += stake * u;
    loss[5] += squared * (-ln_1_plus(-stake) - stake);
}

} // namespace

// Lambda, what is bet against a form that saves so much a visit.
Real bet(const Shorts& shorts, Real saving) {
    const Reals bets = shorts.numbers.all().part(BETS, 3);
    const Real weight = bets[0], mean = bets[1] / weight;
    const Real stake = max(max(mean, saving), LEAST_LOSS) / (bets[2] / weight + mean * mean);
    return min(stake, 0.5 / (MOST_LOSS + saving));
}

// Let a visit with the loss x count, with its own bet and saving; whether the form goes.
bool enter(Shorts& shorts, Real x, Real lambda, Real saving) {
    const Reals numbers = shorts.numbers.all(), bets = numbers.part(BETS, 3);
    const Wholes counts = shorts.counts.all();
    const Real excess = x - saving;
    numbers[LOG_WEALTH] += ln_1_plus(lambda * excess);
    bets[0] = FORGET * bets[0] + 1.0;
    bets[1] = FORGET * bets[1] + excess;
    bets[2] = FORGET * bets[2] + excess * excess;
    measure(numbers.part(LOSS, 6), (x + MOST_LOSS) / (2.0 * MOST_LOSS));
    const Whole j = counts[WITHDRAWN];
    const Real enough = ln(static_cast<Real>((j + 1) * (j + 2)) / LEVEL);
    if (!counts[STANDS] || numbers[LOG_WEALTH] < enough) return false;
    counts[STANDS] = 0;
    counts[WITHDRAWN] = j + 1;
    numbers[LOG_WEALTH] = 0.0;
    numbers[CAUTION] = max(numbers[CAUTION] / 2.0, LEAST_CAUTION);
    return true;
}

} // namespace askless
