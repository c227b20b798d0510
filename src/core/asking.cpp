// The memory for asking, and directions that are the same on every machine.
#include "asking.hpp"

namespace askless {

namespace {

// Numbers between -1 and 1 in no order (splitmix64).
struct Numbers {
    std::uint64_t state = 0;
    Real next() {
        std::uint64_t x = state += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return static_cast<Real>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
    }
};

} // namespace

Unasked::Unasked(Whole wide) : square_memory(wide, wide), memory(5, wide) {
    plains.reserve(static_cast<std::size_t>(wide)); // so that no step allocates
    specials.reserve(static_cast<std::size_t>(wide));
}

Scratch::Scratch(Whole wide)
    : squares_memory(2, wide, wide), vectors_memory(2, wide, WIDTH), memory(7, wide), path(wide) {
    Numbers numbers;
    start(0, 0) = 1.0; // the constant is always known; its place is the border's
    for (Whole i = 1; i < wide; ++i) {
        for (Real& x : start[i]) // sums of a few are all but normal: no direction is favoured
            for (int n = 0; n < 4; ++n) x += numbers.next();
        const Lanes x = load(start[i], 0);
        store(start[i], 0, x / spread(sqrt(total(x * x))));
    }
}

Asking::Asking(const Survey& survey, Whole count)
    : live(count), asks(survey.questions()), possible(count), z(survey.columns()), seen(survey.columns()),
      limit(count), gap(count), scratch(padded(survey.columns())) {
    unasked.reserve(static_cast<std::size_t>(count));
    for (Whole k = 0; k < count; ++k) unasked.emplace_back(padded(survey.columns()));
}

} // namespace askless
