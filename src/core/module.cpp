// The extension module, one for each level of processors.
#include "binding.hpp"

NB_MODULE(ASKLESS_MODULE, m) {
    nanobind::set_leak_warnings(false); // policies that are alive when Python ends are nobody's leak
    m.doc() = "The compiled core of askless: the arithmetic, and nothing else.";
    askless::bind_survey(m);
    askless::bind_arms(m);
    askless::bind_shorts(m);
    askless::bind_loops(m);
    askless::bind_steps(m);
    askless::bind_inside(m);
}
