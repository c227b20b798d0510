// Eight numbers at a time: the few vector steps out of which the hot loops are built.
//
// Compilers vectorise short loops badly (rows of a triangle are short) and reorder sums as they
// like. Here both are written down: a sum has one order, the same in every loop that uses it and
// on every processor. Arrays are padded with zeros to whole pairs of lanes (`padded`).
#pragma once

#include "array.hpp"

#include <cmath>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace askless {

constexpr Whole WIDTH = 8;

// Round a length up to whole pairs of lanes, and one more.
constexpr Whole padded(Whole length) { return ((length + 2 * WIDTH - 1) / (2 * WIDTH) * 2 + 1) * WIDTH; }
// Round a length up to whole lanes.
constexpr Whole in_lanes(Whole length) { return (length + WIDTH - 1) / WIDTH * WIDTH; }

#define ASKLESS_INLINE inline __attribute__((always_inline))

// As many numbers as the processor has in one register.
#if defined(__AVX512F__)
constexpr int PER_REGISTER = 8;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int PER_REGISTER = 4;
#else
constexpr int PER_REGISTER = 2;
#endif
using Register = Real __attribute__((vector_size(8 * PER_REGISTER)));
constexpr int REGISTERS = WIDTH / PER_REGISTER;

struct Lanes {
    Register part[REGISTERS];
};
// Which lanes something holds in: all bits of a lane, or none.
struct Holds {
    Whole __attribute__((vector_size(8 * PER_REGISTER))) part[REGISTERS];
};

template <class F> ASKLESS_INLINE Lanes each(F f) {
    Lanes out;
    for (int i = 0; i < REGISTERS; ++i) out.part[i] = f(i);
    return out;
}

// -- memory ---------------------------------------------------------------------------------------

ASKLESS_INLINE Lanes load(Row<const Real> x, Whole at) {
    check(0 <= at && at + WIDTH <= x.size());
    const Real* from = x.begin() + at;
    return each([&](int i) {
        Register out; // rows begin anywhere: a pointer to a register would promise otherwise
        __builtin_memcpy(&out, from + i * PER_REGISTER, sizeof out);
        return out;
    });
}
ASKLESS_INLINE void store(Reals x, Whole at, Lanes values) {
    check(0 <= at && at + WIDTH <= x.size());
    Real* to = x.begin() + at;
    for (int i = 0; i < REGISTERS; ++i)
        __builtin_memcpy(to + i * PER_REGISTER, &values.part[i], sizeof(Register));
}
// Bring numbers nearer, so that nobody waits for them later.
ASKLESS_INLINE void fetch(Row<const Real> x, Whole at) { __builtin_prefetch(x.begin() + at); }

// One number in every lane.
ASKLESS_INLINE Lanes spread(Real value) {
    return each([&](int) { return Register{} + value; });
}

// -- lane by lane ---------------------------------------------------------------------------------

// a * b + c, rounded once.
ASKLESS_INLINE Register fma(Register a, Register b, Register c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
    return vfmaq_f64(c, a, b);
#else
    Register out{};
    for (int i = 0; i < PER_REGISTER; ++i) out[i] = std::fma(a[i], b[i], c[i]);
    return out;
#endif
}
ASKLESS_INLINE Lanes fma(Lanes a, Lanes b, Lanes c) {
    return each([&](int i) { return fma(a.part[i], b.part[i], c.part[i]); });
}
ASKLESS_INLINE Lanes operator+(Lanes a, Lanes b) {
    return each([&](int i) { return a.part[i] + b.part[i]; });
}
ASKLESS_INLINE Lanes operator-(Lanes a, Lanes b) {
    return each([&](int i) { return a.part[i] - b.part[i]; });
}
ASKLESS_INLINE Lanes operator*(Lanes a, Lanes b) {
    return each([&](int i) { return a.part[i] * b.part[i]; });
}
ASKLESS_INLINE Lanes operator/(Lanes a, Lanes b) {
    return each([&](int i) { return a.part[i] / b.part[i]; });
}
ASKLESS_INLINE Holds operator<(Lanes a, Lanes b) {
    Holds out;
    for (int i = 0; i < REGISTERS; ++i) out.part[i] = a.part[i] < b.part[i];
    return out;
}
ASKLESS_INLINE Holds operator&(Holds a, Holds b) {
    for (int i = 0; i < REGISTERS; ++i) a.part[i] &= b.part[i];
    return a;
}
// `a` where something holds, else `b`.
ASKLESS_INLINE Lanes choose(Holds where, Lanes a, Lanes b) {
    return each([&](int i) { return where.part[i] ? a.part[i] : b.part[i]; });
}
ASKLESS_INLINE Lanes larger(Lanes a, Lanes b) { return choose(a < b, b, a); }
ASKLESS_INLINE Lanes smaller(Lanes a, Lanes b) { return choose(b < a, b, a); }

// |a|, and |a| with the sign of b.
ASKLESS_INLINE Lanes magnitude(Lanes a) {
    return each([&](int i) {
        using Bits = decltype(Holds::part[0] + 0);
        return Register(Bits(a.part[i]) & INT64_MAX);
    });
}
ASKLESS_INLINE Lanes with_sign(Lanes a, Lanes b) {
    return each([&](int i) {
        using Bits = decltype(Holds::part[0] + 0);
        return Register((Bits(a.part[i]) & INT64_MAX) | (Bits(b.part[i]) & INT64_MIN));
    });
}

// -- sums of lanes --------------------------------------------------------------------------------

// The sum of the lanes: halves are added until one number is left.
ASKLESS_INLINE Real total(Lanes a) {
    Real half[4], quarter[2];
    auto lane = [&](int i) { return a.part[i / PER_REGISTER][i % PER_REGISTER]; };
    for (int i = 0; i < 4; ++i) half[i] = lane(i) + lane(i + 4);
    for (int i = 0; i < 2; ++i) quarter[i] = half[i] + half[i + 2];
    return quarter[0] + quarter[1];
}

// Pick numbers of two registers, those of the second numbered after the first's.
#define ASKLESS_PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

// The sums of the lanes of eight vectors, a vector a lane: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
ASKLESS_INLINE Lanes totals(const Lanes (&v)[8]) {
#if defined(__AVX512F__)
    auto ones = [](Register x, Register y) {
        return ASKLESS_PICK(x, y, 0, 8, 2, 10, 4, 12, 6, 14) + ASKLESS_PICK(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    };
    auto twos = [](Register x, Register y) {
        return ASKLESS_PICK(x, y, 0, 1, 8, 9, 4, 5, 12, 13) + ASKLESS_PICK(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    };
    auto fours = [](Register x, Register y) {
        return ASKLESS_PICK(x, y, 0, 1, 2, 3, 8, 9, 10, 11) + ASKLESS_PICK(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    };
    Register a = ones(v[0].part[0], v[1].part[0]), b = ones(v[2].part[0], v[3].part[0]);
    Register c = ones(v[4].part[0], v[5].part[0]), d = ones(v[6].part[0], v[7].part[0]);
    return {{fours(twos(a, b), twos(c, d))}};
#elif defined(__AVX2__) && defined(__FMA__)
    auto quads = [](Register a, Register b, Register c, Register d) {
        Register ab = ASKLESS_PICK(a, b, 0, 4, 2, 6) + ASKLESS_PICK(a, b, 1, 5, 3, 7);
        Register cd = ASKLESS_PICK(c, d, 0, 4, 2, 6) + ASKLESS_PICK(c, d, 1, 5, 3, 7);
        return ASKLESS_PICK(ab, cd, 0, 1, 4, 5) + ASKLESS_PICK(ab, cd, 2, 3, 6, 7);
    };
    Lanes out;
    for (int h = 0; h < 2; ++h) {
        const Lanes* u = v + 4 * h;
        out.part[h] = quads(u[0].part[0], u[1].part[0], u[2].part[0], u[3].part[0]) +
                      quads(u[0].part[1], u[1].part[1], u[2].part[1], u[3].part[1]);
    }
    return out;
#else
    Lanes out;
    for (int i = 0; i < 8; ++i) {
        auto lane = [&](int j) { return v[i].part[j / PER_REGISTER][j % PER_REGISTER]; };
        out.part[i / PER_REGISTER][i % PER_REGISTER] =
            ((lane(0) + lane(1)) + (lane(2) + lane(3))) + ((lane(4) + lane(5)) + (lane(6) + lane(7)));
    }
    return out;
#endif
}

// Write the sums of the lanes of four vectors: ((0 + 4) + (1 + 5)) + ((2 + 6) + (3 + 7)).
ASKLESS_INLINE void store_totals(Reals x, Whole at, const Lanes (&v)[4]) {
    check(0 <= at && at + 4 <= x.size());
#if defined(__AVX2__) && defined(__FMA__)
    using Half = Real __attribute__((vector_size(32)));
    auto halves = [](const Lanes& a) -> Half {
#if defined(__AVX512F__)
        return ASKLESS_PICK(a.part[0], a.part[0], 0, 1, 2, 3) +
               ASKLESS_PICK(a.part[0], a.part[0], 4, 5, 6, 7);
#else
        return a.part[0] + a.part[1];
#endif
    };
    const Half a = halves(v[0]), b = halves(v[1]), c = halves(v[2]), d = halves(v[3]);
    const Half ab = ASKLESS_PICK(a, b, 0, 4, 2, 6) + ASKLESS_PICK(a, b, 1, 5, 3, 7);
    const Half cd = ASKLESS_PICK(c, d, 0, 4, 2, 6) + ASKLESS_PICK(c, d, 1, 5, 3, 7);
    const Half sums = ASKLESS_PICK(ab, cd, 0, 1, 4, 5) + ASKLESS_PICK(ab, cd, 2, 3, 6, 7);
    __builtin_memcpy(x.begin() + at, &sums, sizeof sums);
#else
    for (int i = 0; i < 4; ++i) {
        auto lane = [&](int j) { return v[i].part[j / PER_REGISTER][j % PER_REGISTER]; };
        x[at + i] = ((lane(0) + lane(4)) + (lane(1) + lane(5))) + ((lane(2) + lane(6)) + (lane(3) + lane(7)));
    }
#endif
}

} // namespace askless
