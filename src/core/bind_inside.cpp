// What tests and benchmarks look into: steps of the core by themselves, on arrays that they bring.
#include "binding.hpp"
#include "bounds.hpp"
#include "diagonal_dual.hpp"
#include "people.hpp"
#include "radius.hpp"
#include "ridge.hpp"
#include "vertex_search.hpp"

namespace askless {

namespace {

using Floats = Given<const Real, 1>;
using Floats2 = Given<const Real, 2>;
using Out = Given<Real, 1>;
using Out2 = Given<Real, 2>;

// Vectors and square matrices with room for whole lanes behind the numbers that are meant.
void must_be_padded(Whole size, Whole room) {
    must(0 <= size && size <= room && padded(size) <= room, "an array is not padded");
}
template <class T> Row<T> vector_of(const Given<T, 1>& x, Whole size) {
    must_be_padded(size, row_of(x).size());
    return row_of(x);
}
template <class T> Table<T> square_of(const Given<T, 2>& x, Whole size) {
    const Table<T> table = table_of(x);
    must_be_padded(size, min(table.rows(), table.columns()));
    return table;
}

Arm& arm_of(Arms& arms, Whole k) {
    must(0 <= k && k < arms.count(), "there is no such arm");
    return arms[k];
}

// -- lanes and logarithms -------------------------------------------------------------------------

// Put each step of a (x from its second number on), b and c into a row of `out`, their sums into `sums`.
void lane_steps(Floats x, Floats y, Floats z, Out2 out, Out sums) {
    const Lanes a = load(row_of(x, WIDTH + 1), 1), b = load(row_of(y, WIDTH), 0),
                c = load(row_of(z, WIDTH), 0);
    const Lanes steps[] = {fma(a, b, c),
                           a + b,
                           a - b,
                           a * b,
                           a / b,
                           spread(row_of(x)[3]),
                           larger(a, b),
                           smaller(a, b),
                           magnitude(a),
                           with_sign(a, b),
                           choose((a < b) & (b < c), a, c)};
    const RealTable rows = table_of(out, std::ssize(steps), WIDTH);
    for (Whole i = 0; i < rows.rows(); ++i) store(rows[i], 0, steps[i]);
    const Reals totals = row_of(sums, 6);
    totals[0] = total(a);
    const Lanes four[4] = {a, b, c, a * b};
    store_totals(totals, 1, four);
}

void totals_of(Floats2 rows, Out sums) {
    const Matrix table = table_of(rows, WIDTH, WIDTH);
    Lanes lanes[8];
    for (Whole i = 0; i < WIDTH; ++i) lanes[i] = load(table[i], 0);
    store(row_of(sums, WIDTH), 0, totals(lanes));
}

void ln_of_parts(Floats y, Out out) {
    const Vector parts = row_of(y);
    const Reals found = row_of(out, parts.size());
    must(parts.size() % WIDTH == 0, "an array is not padded");
    for (Whole i = 0; i < parts.size(); i += WIDTH) store(found, i, ln_of_part(load(parts, i)));
}

// Multiply and add in twelve registers that do not wait for each other; how often that was.
Whole multiply_add(Out x, Whole times) {
    constexpr Whole SUMS = 12 / REGISTERS;
    const Reals numbers = row_of(x, WIDTH);
    const Lanes m = load(numbers, 0);
    Lanes sums[SUMS];
    for (Lanes& sum : sums) sum = spread(0.0);
    for (Whole i = 0; i < times; ++i)
        for (Lanes& sum : sums) sum = fma(m, sum, m);
    Lanes all = m;
    for (const Lanes& sum : sums) all = fma(all, m, sum);
    store(numbers, 0, all);
    return SUMS * WIDTH * times;
}

void bind_lanes(nb::module_& m) {
    m.def("lane_steps", &lane_steps, nb::arg("x"), nb::arg("y"), nb::arg("z"), nb::arg("out").noconvert(),
          nb::arg("sums").noconvert());
    m.def("totals", &totals_of, nb::arg("rows"), nb::arg("sums").noconvert());
    m.def("padded", &padded, nb::arg("length"));
    m.def("multiply_add", &multiply_add, nb::arg("x").noconvert(), nb::arg("times"));
    m.def("ln_of_parts", &ln_of_parts, nb::arg("y"), nb::arg("out").noconvert());
    m.def("ln", &ln), m.def("ln_1_plus", &ln_1_plus), m.def("exponential", &exponential);
    m.def("error_complement", &error_complement);
}

// -- triangles ------------------------------------------------------------------------------------

// Bring all columns of M up to date after `add_row`.
void sweep_all(Out2 root, Whole size, Floats slopes, Floats lifts, Out gain) {
    const RealTable matrix = square_of(root, size);
    const Vector down = vector_of(slopes, size), up = vector_of(lifts, size);
    const Reals gains = vector_of(gain, size);
    for (Whole j = 0; j < size; j += 2 * WIDTH) sweep(matrix, j, j, size, down, up, gains);
}
// The same after two rows; what is of either row is in a row of its own.
void sweep_all_twice(Out2 root, Whole size, Floats2 slopes, Floats2 lifts, Out2 gains) {
    const RealTable matrix = square_of(root, size), gained = table_of(gains, 2, matrix.columns());
    const Matrix down = table_of(slopes, 2, matrix.columns()), up = table_of(lifts, 2, matrix.columns());
    for (Whole j = 0; j < size; j += 2 * WIDTH)
        sweep_twice(matrix, j, j, size, {down[0], down[1]}, {up[0], up[1]}, {gained[0], gained[1]});
}

void bind_vectors(nb::module_& m) {
    m.def(
        "squared_length",
        [](Floats weights, Floats w, Whole size) {
            return squared_length(vector_of(weights, size), vector_of(w, size), size);
        },
        nb::arg("weights"), nb::arg("w"), nb::arg("size"));
    m.def(
        "dot",
        [](Floats x, Floats y, Whole size) { return dot(vector_of(x, size), vector_of(y, size), size); },
        nb::arg("x"), nb::arg("y"), nb::arg("size"));
    m.def(
        "inner", [](Floats x, Floats y) { return inner(row_of(x), row_of(y, row_of(x).size())); },
        nb::arg("x"), nb::arg("y"));
    m.def(
        "add_multiple",
        [](Real weight, Floats x, Out y, Whole size) {
            add_multiple(weight, vector_of(x, size), vector_of(y, size), size);
        },
        nb::arg("weight"), nb::arg("x"), nb::arg("y").noconvert(), nb::arg("size"));
}

void bind_updates(nb::module_& m) {
    m.def(
        "add_row",
        [](Out weights, Floats w, Whole size, Out taus, Out slopes, Out lifts) {
            const Reals scratch = vector_of(taus, size);
            must(scratch.size() >= padded(size) + WIDTH, "taus is not a lane longer");
            return add_row(vector_of(weights, size), vector_of(w, size), size, scratch,
                           vector_of(slopes, size), vector_of(lifts, size));
        },
        nb::arg("weights").noconvert(), nb::arg("w"), nb::arg("size"), nb::arg("taus").noconvert(),
        nb::arg("slopes").noconvert(), nb::arg("lifts").noconvert());
    m.def("sweep", &sweep_all, nb::arg("root").noconvert(), nb::arg("size"), nb::arg("slopes"),
          nb::arg("lifts"), nb::arg("gain").noconvert());
    m.def("sweep_twice", &sweep_all_twice, nb::arg("root").noconvert(), nb::arg("size"), nb::arg("slopes"),
          nb::arg("lifts"), nb::arg("gains").noconvert());
}

void bind_triangles(nb::module_& m) {
    m.def(
        "factor",
        [](Floats2 gram, Real alpha, Whole size, Out2 root, Out weights) {
            return factor(square_of(gram, size), alpha, size, square_of(root, size),
                          vector_of(weights, size));
        },
        nb::arg("gram"), nb::arg("alpha"), nb::arg("size"), nb::arg("root").noconvert(),
        nb::arg("weights").noconvert());
    m.def(
        "times",
        [](Floats2 root, Floats z, Whole size, Out out) {
            times(square_of(root, size), vector_of(z, size), size, vector_of(out, size));
        },
        nb::arg("root"), nb::arg("z"), nb::arg("size"), nb::arg("out").noconvert());
    m.def(
        "transposed_times",
        [](Floats2 root, Floats w, Whole size, Out out) {
            transposed_times(square_of(root, size), vector_of(w, size), size, vector_of(out, size));
        },
        nb::arg("root"), nb::arg("w"), nb::arg("size"), nb::arg("out").noconvert());
    m.def(
        "diagonal_of",
        [](Floats2 root, Floats weights, Whole size, Out variance) {
            diagonal_of(square_of(root, size), vector_of(weights, size), size, vector_of(variance, size));
        },
        nb::arg("root"), nb::arg("weights"), nb::arg("size"), nb::arg("variance").noconvert());
    m.def(
        "inverse_of",
        [](Floats2 root, Floats weights, Whole size, Out2 out) {
            return inverse_of(square_of(root, size), vector_of(weights, size), size, square_of(out, size));
        },
        nb::arg("root"), nb::arg("weights"), nb::arg("size"), nb::arg("out").noconvert());
}

// -- bounds ---------------------------------------------------------------------------------------

View view_of_arm(Arms& arms, Whole k) {
    arm_of(arms, k);
    must(arms.asking != nullptr, "this policy is not interactive");
    return {arms, k};
}

// What each level says of an arm, where z leaves answers open; the last but one for a limit.
nb::tuple levels(Arms& arms, Whole k, Floats z, Real limit) {
    const View view = view_of_arm(arms, k);
    const Whole missing = weigh(view, row_of(z, arms.survey.columns()));
    set_linear(view);
    const Real offset = rounding(view, 0.0), possible = feasible(view, 0.0, INFINITE);
    set_prices(view);
    const auto [bound, scale] = interval(view, offset, -INFINITE);
    const Real dual = diagonal_dual(view, offset, scale, -INFINITE);
    const auto found = static_cast<Whole>(vertex_search(view, offset, scale, limit));
    const bool settled = cannot_exceed(view, 0.0, limit);
    return nb::make_tuple(missing, possible, bound, dual, found, settled, paper_heuristic(view));
}

// Whether a given dual point passes the check, for what z leaves open in an arm.
bool passes(Arms& arms, Whole k, Floats z, Floats lengths, Floats border, Real along, Real shift) {
    const View view = view_of_arm(arms, k);
    const Vector prices = row_of(lengths, view.size), edge = row_of(border, view.size);
    weigh(view, row_of(z, arms.survey.columns()));
    set_matrix(view);
    view.room.border.fill(0.0);
    std::copy(prices.begin(), prices.end(), view.room.price.begin());
    std::copy(edge.begin(), edge.end(), view.room.border.begin());
    return is_feasible(view, along, shift);
}

// Bound an arm's UCB over all answers that z leaves open, so many times over, by the interval, the
// dual too, or all levels; the mean of what is found.
Real bound(Arms& arms, Whole k, Floats z, Real limit, Whole what, Whole repeats) {
    enum What : Whole { INTERVAL, DUAL, CASCADE };
    const View view = view_of_arm(arms, k);
    must(0 < repeats && repeats <= 100'000, "that often takes for ever");
    const Vector answers = row_of(z, arms.survey.columns());
    Real sum = 0.0;
    for (Whole i = 0; i < repeats; ++i) {
        weigh(view, answers);
        set_linear(view);
        if (what == CASCADE) {
            sum += cannot_exceed(view, 0.0, limit);
            continue;
        }
        const Real offset = rounding(view, 0.0);
        set_prices(view);
        const auto [found, scale] = interval(view, offset, -INFINITE);
        sum += found;
        if (what == DUAL) sum += diagonal_dual(view, offset, scale, -INFINITE);
    }
    return sum / static_cast<Real>(repeats);
}

void bind_bounds(nb::module_& m) {
    m.attr("CANNOT") = static_cast<Whole>(Verdict::CANNOT);
    m.attr("CAN") = static_cast<Whole>(Verdict::CAN);
    m.attr("UNKNOWN") = static_cast<Whole>(Verdict::UNKNOWN);
    m.def(
        "levels", &levels, nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("limit"),
        "Questions missing; feasible point, interval, dual; what a search finds, and whether the limit holds;"
        " the paper's heuristic.");
    m.def("passes", &passes, nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("lengths"),
          nb::arg("border"), nb::arg("along"), nb::arg("shift"));
    m.def("bound", &bound, nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("limit"), nb::arg("what"),
          nb::arg("repeats"));
}

// -- arms -----------------------------------------------------------------------------------------

// Play visits one after the other, each asked everything; no look at those to come.
void ask_everything(Arms& arms, Floats2 contexts, Floats luck, Floats2 coefficients,
                    std::tuple<Whole, Real, Real> noise) {
    const Matrix rows = table_of(contexts, -1, arms.survey.columns());
    const Matrix table = table_of(coefficients, arms.count(), arms.survey.columns());
    const Vector lucks = row_of(luck, rows.rows());
    const Law law{std::get<0>(noise), std::get<1>(noise), std::get<2>(noise)};
    const std::vector<char> live(static_cast<std::size_t>(arms.count()), 1);
    for (Whole now = 0; now < rows.rows(); ++now) {
        const Vector z = rows[now];
        const Whole best = best_arm(arms, Row<const char>(live.data(), arms.count()), z);
        Real mean = 0.0;
        for (Whole j = 0; j < z.size(); ++j) mean += table(best, j) * z[j];
        learn(arms, best, z, law.outcome(arms.rule.span, mean, lucks[now]), false);
    }
}

} // namespace

void bind_inside(nb::module_& m) {
    nb::module_ inside = m.def_submodule("inside", "What tests and benchmarks look into.");
    bind_lanes(inside);
    bind_vectors(inside);
    bind_updates(inside);
    bind_triangles(inside);
    bind_bounds(inside);
    inside.def(
        "radius", [](Arms& arms, Whole k) { return radius_of(arms, arm_of(arms, k)); }, nb::arg("arms"),
        nb::arg("k"));
    inside.def(
        "units", [](const Arms& arms, Real reward) { return arms.rule.units(reward); }, nb::arg("arms"),
        nb::arg("reward"));
    inside.def("ask_everything", &ask_everything, nb::arg("arms"), nb::arg("contexts"), nb::arg("luck"),
               nb::arg("coefficients"), nb::arg("noise"));
}

} // namespace askless
