// The loops over simulated visits; they hold no lock of Python's while they run.
#include "binding.hpp"
#include "loops.hpp"

namespace askless {

namespace {

constexpr Whole MOST_VISITS = Whole(1) << 53;

template <class... Arrays> std::shared_ptr<void> keep(const Arrays&... arrays) {
    return std::make_shared<std::tuple<Arrays...>>(arrays...);
}

// A block of people and what came of their visits, in the arrays that Python has made for both.
struct Block {
    const Arms* arms; // whose visits they are
    People people;
    Course course;
    std::vector<Whole> matter;   // a copy: they are places in contexts
    std::shared_ptr<void> given; // the arrays: they stay where they are for as long as the block

    Block(const Arms& arms, Given<const Real, 2> contexts, Given<const Real, 1> luck,
          Given<const Whole, 1> matter, Given<const Real, 2> slopes, std::tuple<Whole, Real, Real> law,
          Given<const Real, 2> expected, Given<const Real, 2> drawn, Whole number, Given<const Real, 2> draws,
          Given<const bool, 2> allowed, Whole begun, Given<Whole, 2> drops, Given<Whole, 1> played,
          Given<Real, 1> radii, Given<Real, 1> regret, Given<Real, 1> earned, Given<Whole, 1> asked,
          Given<Real, 1> paid, Given<Whole, 1> others)
        : arms(&arms), people{table_of(contexts, -1, arms.survey.columns()),
                              row_of(luck),
                              {},
                              table_of(slopes, arms.count(), row_of(matter).size()),
                              {std::get<0>(law), std::get<1>(law), std::get<2>(law)},
                              table_of(expected, -1, arms.count()),
                              table_of(drawn, -1, arms.count()),
                              number,
                              table_of(draws, -1, 4),
                              Allowed{table_of(allowed, -1, arms.count())},
                              begun},
          course{table_of(drops, arms.count(), arms.survey.questions()),
                 row_of(played),
                 row_of(radii),
                 row_of(regret),
                 row_of(earned),
                 row_of(asked),
                 row_of(paid),
                 row_of(others)},
          matter(row_of(matter).begin(), row_of(matter).end()),
          given(keep(contexts, luck, slopes, expected, drawn, draws, allowed, drops, played, radii, regret,
                     earned, asked, paid, others)) {
        people.matter = {this->matter.data(), static_cast<Whole>(this->matter.size())};
        const Whole n = people.count();
        auto fits = [&](Whole rows) { return rows == 0 || rows == n; };
        must(people.tabled() || (people.luck.size() == n && people.matter.size() > 0),
             "nobody knows the rewards");
        must(fits(people.expected.rows()) && fits(people.drawn.rows()) && fits(people.allowed.table.rows()) &&
                 people.draws.rows() == (arms.rule.epochs ? n : 0),
             "a block's arrays do not fit each other");
        must(0 <= number && number <= MOST_VISITS && 0 <= begun && begun <= MOST_VISITS,
             "that many visits cannot be");
        for (Whole t = 0; t < people.allowed.table.rows(); ++t) {
            const Row<const bool> row = people.allowed.table[t];
            must(std::find(row.begin(), row.end(), true) != row.end(), "a visit may get no arm");
        }
        for (Whole j : people.matter) must(0 <= j && j < arms.survey.columns(), "there is no such column");
        must(course.played.size() == n && course.radii.size() == n && course.regret.size() == n &&
                 course.earned.size() == n && course.asked.size() == n && course.paid.size() == n &&
                 course.others.size() == n,
             "the arrays for what comes of the visits have another length");
    }
    Block(const Block&) = delete;

    void must_be_of(const Arms& others) const {
        must(arms == &others, "these people visit another policy");
        must(others.is_in_order(), OUT_OF_ORDER);
    }
};

} // namespace

void bind_loops(nb::module_& m) {
    using Floats2 = Given<const Real, 2>;
    using Floats = Given<const Real, 1>;
    using Out = Given<Real, 1>;
    using OutWhole = Given<Whole, 1>;
    nb::class_<Block>(m, "Block",
                      "A block of simulated people, and the arrays for what comes of their visits.")
        .def(nb::init<const Arms&, Floats2, Floats, Given<const Whole, 1>, Floats2,
                      std::tuple<Whole, Real, Real>, Floats2, Floats2, Whole, Floats2, Given<const bool, 2>,
                      Whole, Given<Whole, 2>, OutWhole, Out, Out, Out, OutWhole, Out, OutWhole>(),
             nb::arg("arms"), nb::arg("contexts").noconvert(), nb::arg("luck").noconvert(),
             nb::arg("matter").noconvert(), nb::arg("slopes").noconvert(), nb::arg("law"),
             nb::arg("expected").noconvert(), nb::arg("drawn").noconvert(), nb::arg("number"),
             nb::arg("draws").noconvert(), nb::arg("allowed").noconvert(), nb::arg("begun"),
             nb::arg("drops").noconvert(), nb::arg("played").noconvert(), nb::arg("radii").noconvert(),
             nb::arg("regret").noconvert(), nb::arg("earned").noconvert(), nb::arg("asked").noconvert(),
             nb::arg("paid").noconvert(), nb::arg("others").noconvert(), nb::keep_alive<1, 2>());
    nb::class_<FusedLoop>(m, "FusedLoop", "Visits that are asked all that some arm uses.")
        .def(nb::init<Arms&>(), nb::arg("arms"), nb::keep_alive<1, 2>())
        .def(
            "play",
            [](FusedLoop& loop, const Block& block) {
                block.must_be_of(loop.arms());
                loop.play(block.people, block.course);
            },
            nb::arg("block"), nb::call_guard<nb::gil_scoped_release>());
    m.def(
        "play_interactive",
        [](Arms& arms, const Block& block) {
            must(arms.asking != nullptr, "this policy is not interactive");
            block.must_be_of(arms);
            play_interactive(arms, block.people, block.course);
        },
        nb::arg("arms"), nb::arg("block"), nb::call_guard<nb::gil_scoped_release>(),
        "Play visits one after the other, each asked no more than it must be.");
    m.def(
        "play_short",
        [](Arms& arms, Shorts& shorts, Whole first, const Block& block) {
            must(arms.epochs && 0 <= first, "this policy has no short forms");
            must(shorts.fits(arms.survey, arms.count()), "these short forms are another policy's");
            block.must_be_of(arms);
            return play_short(arms, shorts, first, block.people, block.course);
        },
        nb::arg("arms"), nb::arg("shorts"), nb::arg("first"), nb::arg("block"),
        nb::call_guard<nb::gil_scoped_release>(),
        "Play visits with short forms from the `first` on; return which comes next.");
}

} // namespace askless
