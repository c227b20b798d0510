// Steps that are of use by themselves: the elastic net, lassos, outcomes.
#include "binding.hpp"
#include "elastic_net.hpp"
#include "lasso.hpp"
#include "people.hpp"
#include "signed_effects.hpp"

namespace askless {

namespace {

using Floats = Given<const Real, 1>;
using Floats2 = Given<const Real, 2>;

// An elastic net by itself: a problem of p columns, and its solution (maths 3.1).
class ElasticNet {
  public:
    ElasticNet(Floats2 gram, Floats moment, Floats penalty, Real ridge)
        : size_(row_of(moment).size()), wide_(padded(size_)), gram_(wide_, wide_), vectors_(7, wide_),
          wholes_(2, wide_), counts_(2), inverse_(wide_, wide_),
          problem_{gram_.table(), vectors_.row(0), vectors_.row(1), ridge, size_},
          net_{vectors_.row(2),  vectors_.row(3), wholes_.row(0),  wholes_.row(1), counts_.all(),
               inverse_.table(), vectors_.row(4), vectors_.row(5), work_.row(0),   work_.row(1)} {
        const Matrix given = table_of(gram, size_, size_);
        for (Whole i = 0; i < size_; ++i) std::copy(given[i].begin(), given[i].end(), gram_.row(i).begin());
        const Vector c = row_of(moment), lambda = row_of(penalty, size_);
        std::copy(c.begin(), c.end(), vectors_.row(0).begin());
        std::copy(lambda.begin(), lambda.end(), vectors_.row(1).begin());
        net_.place.fill(-1);
    }
    // Start at other coefficients.
    void start(Floats coef) {
        const Vector given = row_of(coef, size_);
        std::copy(given.begin(), given.end(), net_.coef.begin());
        net_.restart(problem_);
        net_.rebuild(problem_);
    }
    // Learn a row: z z' and y z are added to the sums.
    void add_row(Floats z, Real y) { learn(row_of(z, size_), y); }
    void set_penalty(Floats penalty) {
        const Vector given = row_of(penalty, size_);
        std::copy(given.begin(), given.end(), vectors_.row(1).begin());
    }
    Real solve() { return net_.solve(problem_); }
    // Learn rows one after the other, going to the solution after each; the worst certificate.
    Real follow(Floats2 rows, Floats ys) {
        const Matrix contexts = table_of(rows, -1, size_);
        const Vector rewards = row_of(ys, contexts.rows());
        Real worst = 0.0;
        for (Whole t = 0; t < contexts.rows(); ++t) {
            learn(contexts[t], rewards[t]);
            worst = max(worst, solve());
        }
        return worst;
    }
    Real descend() { return net_.descend(problem_); }
    nb::ndarray<nb::numpy, Real> coef(nb::handle owner) {
        std::size_t shape[1] = {static_cast<std::size_t>(size_)};
        return {net_.coef.begin(), 1, shape, owner};
    }

  private:
    void learn(Vector z, Real y) {
        for (Whole i = 0; i < size_; ++i) {
            for (Whole j = 0; j < size_; ++j) gram_.row(i)[j] += z[i] * z[j];
            vectors_.row(0)[i] += z[i] * y;
        }
        net_.add_row(z);
    }

    Whole size_, wide_;
    Store<Real> gram_, vectors_;
    Store<Whole> wholes_, counts_;
    Store<Real> inverse_, work_{2, wide_};
    Problem problem_;
    Net net_;
};

void outcomes(Whole shape, Real spread, Real low, Real span, Floats2 expected, Floats luck,
              Given<Real, 2> out) {
    const Matrix means = table_of(expected);
    const RealTable rewards = table_of(out, means.rows(), means.columns());
    const Vector lucks = row_of(luck, means.rows());
    const Law law{shape, spread, low};
    for (Whole t = 0; t < means.rows(); ++t)
        for (Whole k = 0; k < means.columns(); ++k) rewards(t, k) = law.outcome(span, means(t, k), lucks[t]);
}

} // namespace

void bind_steps(nb::module_& m) {
    nb::class_<ElasticNet>(m, "ElasticNet", "An elastic net from sums alone (maths 3.1).")
        .def(nb::init<Floats2, Floats, Floats, Real>(), nb::arg("gram"), nb::arg("moment"),
             nb::arg("penalty"), nb::arg("ridge"))
        .def("start", &ElasticNet::start, nb::arg("coef"), "Start at other coefficients.")
        .def("add_row", &ElasticNet::add_row, nb::arg("z"), nb::arg("y"), "Add a row to the sums.")
        .def("set_penalty", &ElasticNet::set_penalty, nb::arg("penalty"))
        .def("solve", &ElasticNet::solve, "Go to the solution; return its KKT residual, relative.")
        .def("follow", &ElasticNet::follow, nb::arg("rows"), nb::arg("ys"),
             "Add rows one after the other, going to the solution after each; return the worst residual.")
        .def("descend", &ElasticNet::descend, "The same by coordinate descent.")
        .def_prop_ro("coef", [](nb::object self) { return nb::cast<ElasticNet&>(self).coef(self); });
    m.def(
        "lasso_path",
        [](Floats2 gram, Given<Real, 1> gradient, Real ridge, Floats penalties, Real enough,
           Given<Real, 2> found) {
            const Matrix sums = table_of(gram);
            const Whole p = sums.columns();
            lasso_path(table_of(gram, p, p), row_of(gradient, p), ridge, row_of(penalties), enough,
                       table_of(found, row_of(penalties).size(), p));
        },
        nb::arg("gram"), nb::arg("gradient").noconvert(), nb::arg("ridge"), nb::arg("penalties"),
        nb::arg("enough"), nb::arg("found").noconvert(),
        "Minimise ½b'Gb − c'b + ½ridge‖b‖² + λ‖b‖₁ for one λ after the other.");
    m.def(
        "draw_scales",
        [](Given<const std::uint64_t, 2> words, Real shift, Given<Real, 2> out) {
            const RealTable contexts = table_of(out);
            must(contexts.columns() > 0, "a context has no constant");
            const Whole wanted = words_for(contexts.columns() - 1);
            draw_scales(table_of(words, contexts.rows(), wanted), shift, contexts);
        },
        nb::arg("words"), nb::arg("shift"), nb::arg("out").noconvert(),
        "Put contexts of a survey of scales into `out`, five answers out of each word of bits.");
    m.def("outcomes", &outcomes, nb::arg("shape"), nb::arg("spread"), nb::arg("low"), nb::arg("span"),
          nb::arg("expected"), nb::arg("luck"), nb::arg("out").noconvert(),
          "Put the reward of every arm (a column) in every visit (a row) into `out`, in units on the grid.");
    m.def("noise", &noise_of, nb::arg("shape"), nb::arg("spread"), nb::arg("luck"));
    m.def(
        "add_at_the_end",
        [](Real estimate, Real variance, Real measured, Real top, Given<Real, 1> sums) {
            add_at_the_end(estimate, variance, measured, top, row_of(sums, SUMS));
        },
        nb::arg("estimate"), nb::arg("variance"), nb::arg("measured"), nb::arg("top"),
        nb::arg("sums").noconvert(),
        "Let an epoch count at the end if enough rows carry it and it narrows the interval (maths 10.2).");
}

} // namespace askless
