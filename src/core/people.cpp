// What simulated people bring.
#include "people.hpp"

namespace askless {

namespace {

const Real SQRT2 = sqrt(2.0);

// Inverse of the normal distribution function on (0.01, 0.99), by Newton's method.
Real normal_quantile(Real u) {
    Real x = 0.0;
    for (int turn = 0; turn < 40; ++turn) {
        const Real step =
            (0.5 * error_complement(-x / SQRT2) - u) * sqrt(2.0 * PI) * exponential(0.5 * x * x);
        x -= step;
        if (abs(step) < 1e-14) break;
    }
    return x;
}

} // namespace

// Noise of mean zero out of a uniform number.
Real noise_of(Whole shape, Real spread, Real luck) {
    if (shape == UNIFORM_NOISE) return spread * (2.0 * luck - 1.0);
    if (shape == TWO_POINT) return luck < 0.5 ? spread : -spread;
    // A normal with standard deviation spread / 2 has its mass beyond two deviations cut off.
    const Real tail = 0.5 * error_complement(2.0 / SQRT2);
    return 0.5 * spread * normal_quantile(tail + luck * (1.0 - 2.0 * tail));
}

void draw_scales(Table<const std::uint64_t> words, Real shift, RealTable out) {
    constexpr std::uint64_t LAST = (1 << ANSWER_BITS) - 1;
    const Whole count = out.columns() - 1, whole = count / ANSWERS_A_WORD;
    for (Whole t = 0; t < out.rows(); ++t) {
        const Reals answers = out[t].from(1);
        auto cut = [&](Whole word, Whole many) {
            const std::uint64_t bits = words(t, word);
            for (Whole i = 0; i < many; ++i) {
                const auto steps = static_cast<Whole>(((bits >> (ANSWER_BITS * i) & LAST) + 1) >> 1);
                answers[word * ANSWERS_A_WORD + i] = static_cast<Real>(steps) / GRID - shift;
            }
        };
        out(t, 0) = 1.0;
        for (Whole word = 0; word < whole; ++word) cut(word, ANSWERS_A_WORD);
        if (whole < words.columns()) cut(whole, count - whole * ANSWERS_A_WORD);
    }
}

Real play_arm(const People& people, const Course& course, Arms& arms, Whole now, Whole k) {
    Real own = 0.0, most = -INFINITE;
    for (Whole j = 0; j < arms.count(); ++j) {
        const Real mean = people.mean(now, j);
        if (people.allowed.may_get(now, j)) most = most > mean ? most : mean;
        if (j == k) own = mean;
    }
    course.played[now] = k;
    course.radii[now] = arms[k].radius;
    course.regret[now] = most - own;
    return course.earned[now] = people.reward(arms.rule, now, k, own);
}

} // namespace askless
