// Logarithms and their kin, the core's own: results do not depend on a machine's library.
//
// `ln` is within 0.52 units in the last place, so that nearly all results are the nearest number; the others
// are within two, the error function absolutely: it is for people who are simulated.
#pragma once

#include "lanes.hpp"

#include <bit>

namespace askless {

using std::abs;
using std::max;
using std::min;
using std::sqrt; // exact by the standard

constexpr Real INFINITE = __builtin_inf();
constexpr Real NOT_A_NUMBER = __builtin_nan("");
constexpr Real PI = 3.14159265358979323846;
constexpr Real SQRT_HALF = 0.70710678118654752440;
constexpr Real LN2 = 0.69314718055994530942;
// ln 2 in two parts; the first has so many zeros at its end that small multiples are exact.
constexpr Real LN2_HIGH = 0x1.62e42fefa38p-1, LN2_LOW = 0x1.ef35793c7673p-45;

inline bool is_nan(Real x) { return x != x; }
inline bool is_finite(Real x) { return abs(x) < INFINITE; }

// ln x of a number above 0: 2 artanh((m - 1) / (m + 1)) and twos.
inline Real ln(Real x) {
    if (!(x > 0.0)) return x == 0.0 ? -INFINITE : NOT_A_NUMBER;
    if (x == INFINITE) return x;
    Real twos = 0.0;
    if (x < 0x1p-1022) x *= 0x1p54, twos = -54.0;
    auto bits = std::bit_cast<std::uint64_t>(x);
    twos += static_cast<Real>(static_cast<Whole>(bits >> 52) - 1022);
    Real m = std::bit_cast<Real>((bits & 0x000fffffffffffffu) | 0x3fe0000000000000u); // in [1/2, 1)
    if (m < SQRT_HALF) m *= 2.0, twos -= 1.0;
    const Real f = m - 1.0, below = m + 1.0; // both exact, or almost
    const Real u = f / below;
    const Real off = ((m - (below - 1.0)) * -u + std::fma(-u, below, f)) / below; // what u lacks
    const Real v = u * u;
    Real series = 1.0 / 23.0;
    for (Real odd = 21.0; odd >= 3.0; odd -= 2.0) series = series * v + 1.0 / odd;
    const Real tail = 2.0 * (off + u * v * series);
    const Real high = twos * LN2_HIGH, head = high + 2.0 * u;
    const Real lost = abs(high) >= abs(2.0 * u) ? (high - head) + 2.0 * u : (2.0 * u - head) + high;
    return head + (lost + (tail + twos * LN2_LOW));
}

// ln(1 + x).
inline Real ln_1_plus(Real x) {
    const Real u = 1.0 + x;
    if (u == 1.0) return x;
    if (!(u > 0.0) || u == INFINITE) return ln(u);
    return ln(u) + (x - (u - 1.0)) / u;
}

// e to the power of x.
inline Real exponential(Real x) {
    if (is_nan(x)) return x;
    if (x > 0x1.62e42fefa39efp+9) return INFINITE;
    if (x < -745.2) return 0.0;
    const Real twos = std::floor(x / LN2 + 0.5);
    const Real r = std::fma(-twos, LN2_HIGH, x), rest = -twos * LN2_LOW;
    const Real s = r + rest, lost = (r - s) + rest;
    Real series = 1.0 / 16.0;
    for (Real n = 15.0; n >= 2.0; n -= 1.0) series = (1.0 + s * series) / n;
    const Real e = 1.0 + (s + (s * s * series + lost));
    return std::ldexp(e, static_cast<int>(twos));
}

// The error function's complement, for |x| up to 3.
inline Real error_complement(Real x) {
    Real term = x, sum = x;
    for (Real n = 1.0; n <= 80.0; n += 1.0) {
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    return 1.0 - 2.0 / sqrt(PI) * sum;
}

// ln y for 1/32 <= y <= 1 to 4e-16, eight side by side.
ASKLESS_INLINE Lanes ln_of_part(Lanes y) {
    Lanes twos = spread(0.0);
    const struct {
        Real below, factor, halvings;
    } steps[] = {{0.25, 4.0, 2.0}, {0.25, 4.0, 2.0}, {0.5, 2.0, 1.0}, {SQRT_HALF, 1.0 / SQRT_HALF, 0.5}};
    for (const auto& step : steps) {
        const Holds low = y < spread(step.below);
        y = choose(low, step.below == SQRT_HALF ? y / spread(SQRT_HALF) : y * spread(step.factor), y);
        twos = choose(low, twos + spread(step.halvings), twos);
    }
    const Lanes u = (y - spread(1.0)) / (y + spread(1.0)), v = u * u; // |u| <= 0.172
    Lanes series = spread(1.0 / 21.0);
    for (Real odd = 19.0; odd >= 1.0; odd -= 2.0) series = series * v + spread(1.0 / odd);
    return spread(2.0) * u * series - twos * spread(LN2);
}

} // namespace askless
