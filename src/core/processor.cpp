// Which of the core's builds this processor can run.
//
// The processor itself is asked: what compilers have for that does not link with all of them.
#include <nanobind/nanobind.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

#if defined(__x86_64__)
struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};
// What the processor says to a question; nothing where it does not know it.
Registers told(unsigned leaf) {
    Registers found;
    __get_cpuid_count(leaf, 0, &found.a, &found.b, &found.c, &found.d);
    return found;
}
template <class... Bits> bool all_of(unsigned word, Bits... bits) { return ((word >> bits & 1u) && ...); }

const char* level() {
    const Registers basic = told(1), more = told(7), extended = told(0x80000001u);
    // fma, ssse3, cx16, sse4.1, sse4.2, movbe, popcnt, osxsave, avx, f16c; bmi, avx2, bmi2; lahf, lzcnt
    if (!all_of(basic.c, 12, 9, 13, 19, 20, 22, 23, 27, 28, 29) || !all_of(more.b, 3, 5, 8) ||
        !all_of(extended.c, 0, 5))
        return "any";
    unsigned kept = 0, high = 0; // which registers the operating system keeps
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    if (!all_of(kept, 1, 2)) return "any";
    // avx512f, dq, cd, bw, vl
    return all_of(more.b, 16, 17, 28, 30, 31) && all_of(kept, 5, 6, 7) ? "v4" : "v3";
}
#else
const char* level() { return "any"; }
#endif

} // namespace

NB_MODULE(_processor, m) {
    m.def("level", [] { return level(); });
}
