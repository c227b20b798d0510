// Which of the core's builds this processor can run.
#include <nanobind/nanobind.h>

NB_MODULE(_processor, m) {
    m.def("level", [] {
#if defined(__x86_64__)
        __builtin_cpu_init();
        auto has = [](bool feature) { return feature; };
        const bool v3 = has(__builtin_cpu_supports("avx2")) && has(__builtin_cpu_supports("fma")) &&
                        has(__builtin_cpu_supports("bmi2")) && has(__builtin_cpu_supports("bmi"));
        const bool v4 = v3 && has(__builtin_cpu_supports("avx512f")) &&
                        has(__builtin_cpu_supports("avx512bw")) && has(__builtin_cpu_supports("avx512cd")) &&
                        has(__builtin_cpu_supports("avx512dq")) && has(__builtin_cpu_supports("avx512vl"));
        return v4 ? "v4" : v3 ? "v3" : "any";
#else
        return "any";
#endif
    });
}
