// A survey's columns, as Python makes them.
#include "binding.hpp"
#include "survey.hpp"

namespace askless {

namespace {

template <class T> void fill(Store<T>& store, Row<const T> given) {
    must(given.size() == store.size(), "the arrays of a survey do not fit each other");
    std::copy(given.begin(), given.end(), store.data());
}

using Ints = Given<const Whole, 1>;
using Floats = Given<const Real, 1>;

Survey make(const Ints& kind, const Ints& first, const Ints& width, const Ints& skip, const Ints& start,
            const Floats& low, const Floats& high, const Given<const Real, 2>& directions) {
    const Table<const Real> ways = table_of(directions);
    const Whole m = row_of(kind).size(), p = row_of(low).size();
    Survey survey(m, p, ways.rows(), ways.columns());
    fill(survey.kind, row_of(kind)), fill(survey.first, row_of(first)), fill(survey.width, row_of(width));
    fill(survey.skip, row_of(skip)), fill(survey.start, row_of(start));
    fill(survey.low, row_of(low)), fill(survey.high, row_of(high));
    std::copy(ways.begin(), ways.end(), survey.directions_.data());
    Whole next = 1;
    for (Whole g = 0; g < m; ++g) {
        const Survey::Question q = survey[g];
        must(q.first == next && q.skip < q.width && q.width <= ways.columns() && 0 <= q.skip && q.skip <= 1 &&
                 0 <= q.start && q.start <= q.end && q.end <= ways.rows(),
             "a question's columns or directions are out of place");
        next += q.width;
    }
    must(next == p, "questions must own all columns but the constant");
    return survey;
}

} // namespace

void bind_survey(nb::module_& m) {
    nb::class_<Survey>(m, "Survey", "How the questions of a survey own the columns of a context.")
        .def_static("of", &make, nb::arg("kind"), nb::arg("first"), nb::arg("width"), nb::arg("skip"),
                    nb::arg("start"), nb::arg("low"), nb::arg("high"), nb::arg("directions"),
                    nb::rv_policy::move)
        .def(
            "read_row",
            [](const Survey& survey, Given<const Real, 1> z, Given<Real, 1> out) {
                return survey.read_row(row_of(z, survey.columns()), row_of(out, survey.columns()));
            },
            nb::arg("z"), nb::arg("out").noconvert(),
            "Copy a row to `out`, on the grid; return the first question that does not fit, or a code.")
        .def(
            "read_rows",
            [](const Survey& survey, Given<const Real, 2> rows, Given<Real, 2> out) {
                const auto given = table_of(rows, -1, survey.columns());
                return survey.read_rows(given, table_of(out, given.rows(), survey.columns()));
            },
            nb::arg("rows"), nb::arg("out").noconvert(),
            "Check rows; return the first that is not complete (their number if all are), and why.");
}

} // namespace askless
