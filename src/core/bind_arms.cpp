// The arms of a policy: their arrays, and the doors to what is done with them.
#include "asking.hpp"
#include "binding.hpp"
#include "choosing.hpp"
#include "deciding.hpp"
#include "epoch_end.hpp"
#include "epochs.hpp"
#include "noise.hpp"
#include "protocol.hpp"
#include "ridge.hpp"

namespace askless {

namespace {

constexpr Whole DECLINED = -3; // a row or reward that is not in order; the caller finds out why, at leisure

using Given1 = Given<const Real, 1>;
using Mask = Given<const bool, 1>;

Rule rule_of(nb::handle given) {
    Rule rule;
#define SETTING(kind, name) rule.name = nb::cast<kind>(given.attr(#name));
    ASKLESS_RULE(SETTING)
#undef SETTING
    for (nb::handle price : given.attr("log_supports")) rule.log_supports.push_back(nb::cast<Real>(price));
    return rule;
}

void make(Arms* self, const Survey& survey, nb::handle rule, Whole count, Given<const Whole, 1> always,
          Given<const Real, 1> cost) {
    const Rule settings = rule_of(rule);
    const Whole m = survey.questions();
    must(count > 0, "there must be an arm");
    must(settings.span > 0.0, "the range of rewards has no length");
    must(static_cast<Whole>(settings.log_supports.size()) == m + 1, "log_supports has another length");
    for (Real price : row_of(cost)) must(price > 0.0, "a question costs nothing, or less");
    new (self) Arms(survey, settings, count, row_of(always, m), row_of(cost, m));
}

// Put a row into `arms.row`, on the grid; refuse one that is not in order and complete.
bool admit(Arms& arms, Vector z) {
    const Whole p = arms.survey.columns();
    if (z.size() != p) return false;
    const Vector last = arms.row.all().part(0, p);
    if (arms.complete && std::equal(z.begin(), z.end(), last.begin())) return true;
    for (Whole k = 0; k < arms.count(); ++k) arms[k].ready = 0;
    arms.complete = arms.survey.read_row(z, arms.row.all().part(0, p)) == COMPLETE;
    return arms.complete;
}
// The same with whatever Python has; it declines what is no array of just this kind.
bool admit(Arms& arms, nb::handle z) {
    Given1 row;
    return nb::try_cast(z, row, false) && admit(arms, row_of(row));
}
Vector admitted(Arms& arms) { return arms.row.all().part(0, arms.survey.columns()); }

Whole play_row(Arms& arms, Mask live, nb::handle z) {
    const Row<const bool> mask = row_of(live, arms.count());
    if (!admit(arms, z)) return DECLINED;
    const Whole best = best_arm(arms, mask, admitted(arms));
    for (Whole k = 0; k < arms.count(); ++k) arms[k].ready = mask[k];
    return best;
}

// Which arms one visit may get, as a table with one row.
Allowed allowed_of(const Arms& arms, const Mask& live) {
    const Row<const bool> mask = row_of(live, arms.count());
    must(std::find(mask.begin(), mask.end(), true) != mask.end(), "no arm may be played");
    return {Table<const bool>(mask.begin(), 1, mask.size())};
}

Whole choose_row(Arms& arms, Mask live, nb::handle z, Whole number, Given1 draws) {
    must(arms.epochs != nullptr, "only policies with epochs draw arms");
    const Allowed allowed = allowed_of(arms, live);
    if (!admit(arms, z)) return DECLINED;
    Whole best = starter(arms, allowed, 0, number);
    const bool started = best != NOBODY;
    if (!started) {
        for (Whole k = 0; k < arms.count(); ++k)
            arms.scores.number(k) =
                is_compared(arms, allowed, 0, k) ? score(arms, arms[k], admitted(arms)) : -INFINITE;
        best = winner(arms);
    }
    return drawn(arms, best, started, allowed, 0, row_of(draws, 4));
}

Whole score_row(Arms& arms, Mask live, Given1 z, Given<Real, 1> out) {
    const Whole best = best_arm(arms, row_of(live, arms.count()), row_of(z, arms.survey.columns()));
    const Reals scores = row_of(out, arms.count());
    for (Whole k = 0; k < arms.count(); ++k) scores[k] = arms.scores.number(k);
    return best;
}

Arm& checked(Arms& arms, Whole k) {
    must(0 <= k && k < arms.count(), "there is no such arm");
    return arms[k];
}

// Whether some arm in `mask` uses a question.
bool is_used(Arms& arms, Row<const bool> mask, Whole g) {
    bool wanted = false;
    for (Whole k = 0; k < arms.count() && !wanted; ++k) wanted = mask[k] && arms[k].uses(g);
    return wanted;
}

void may_ask(Arms& arms, Mask live, Given<bool, 1> out) {
    const Row<const bool> mask = row_of(live, arms.count());
    const Row<bool> asks = row_of(out, arms.survey.questions());
    for (Whole g = 0; g < asks.size(); ++g) asks[g] = is_used(arms, mask, g);
}

bool open(Arms& arms, Mask live, Given1 z, Given<bool, 1> out) {
    const Row<const bool> mask = row_of(live, arms.count());
    const Vector answers = row_of(z, arms.survey.columns());
    const Row<bool> asks = row_of(out, arms.survey.questions());
    bool some = false;
    for (Whole g = 0; g < asks.size(); ++g)
        some |= asks[g] =
            !arms.survey.is_asked(g, answers) && (arms.always.number(g) != 0 || is_used(arms, mask, g));
    return some;
}

Whole lacks(Arms& arms, Whole k, Given1 z) {
    return lacking(arms, checked(arms, k), row_of(z, arms.survey.columns()));
}

Whole starter_of(Arms& arms, Mask live, Whole number) {
    must(arms.epochs && 0 <= number, "only arms with epochs start");
    return starter(arms, allowed_of(arms, live), 0, number);
}

Whole draw(Arms& arms, Mask live, Whole winner, bool started, Real insured, Given1 draws,
           Given<Real, 1> chances) {
    must(arms.epochs != nullptr, "only policies with epochs draw arms");
    const Allowed allowed = allowed_of(arms, live);
    checked(arms, winner);
    return drawn_with_chances(arms, winner, started, allowed, insured, row_of(draws, 4),
                              row_of(chances, arms.count()));
}

// Mean and score of every arm whose active questions are answered; NaN and -inf for the others.
void outlook(Arms& arms, Given1 z, Given<Real, 1> means, Given<Real, 1> scores) {
    const Vector answers = row_of(z, arms.survey.columns());
    const Reals mean = row_of(means, arms.count()), high = row_of(scores, arms.count());
    for (Whole k = 0; k < arms.count(); ++k) {
        Arm& arm = arms[k];
        bool known = true;
        for (Whole g = 0; g < arms.survey.questions() && known; ++g)
            known = !arm.active[g] || arms.survey.is_asked(g, answers);
        high[k] = known ? score(arms, arm, answers) : -INFINITE;
        mean[k] = known ? dot(arms.scratch(0), arm.active_estimate, arm.active_size) : NOT_A_NUMBER;
    }
}

void learn_visit(Arms& arms, Whole k, Given1 z, Real y) {
    learn(arms, (checked(arms, k), k), row_of(z, arms.survey.columns()), y, false);
}

Whole learn_row(Arms& arms, nb::handle arm, nb::handle z, nb::handle reward) {
    if (!PyLong_CheckExact(arm.ptr()) || !PyFloat_Check(reward.ptr())) return DECLINED;
    Whole k = -1;
    const Real y = arms.rule.units(PyFloat_AsDouble(reward.ptr()));
    if (!nb::try_cast(arm, k, false) || !(0 <= k && k < arms.count()) || is_nan(y) || !admit(arms, z))
        return DECLINED;
    return learn(arms, k, admitted(arms), y, arms[k].ready);
}

void learn_rows(Arms& arms, Given<const Whole, 1> played, Given<const Real, 2> rows, Given1 ys) {
    const Row<const Whole> arm = row_of(played);
    const Matrix contexts = table_of(rows, arm.size(), arms.survey.columns());
    const Vector rewards = row_of(ys, arm.size());
    for (Whole k : arm) must(0 <= k && k < arms.count(), "there is no such arm");
    for (Whole i = 0; i < arm.size(); ++i) learn(arms, arm[i], contexts[i], rewards[i], false);
}

Whole ask(Arms& arms, Mask live, Given1 z, Given<bool, 1> asks, Given<bool, 1> possible) {
    must(arms.asking != nullptr, "this policy is not interactive");
    Asking& asking = *arms.asking;
    const Row<const bool> mask = row_of(live, arms.count());
    const Vector answers = row_of(z, arms.survey.columns());
    const Row<bool> next = row_of(asks, arms.survey.questions()), able = row_of(possible, arms.count());
    std::copy(mask.begin(), mask.end(), asking.live.data());
    std::copy(answers.begin(), answers.end(), asking.z.data());
    const Whole arm = ask_next(arms);
    for (Whole g = 0; g < next.size(); ++g) next[g] = asking.asks.number(g) != 0;
    for (Whole k = 0; k < able.size(); ++k) able[k] = asking.possible.number(k) != 0;
    return arm;
}

void derive(Arms& arms, Given<const Whole, 1> chosen) {
    for (Whole k : row_of(chosen)) {
        must(0 <= k && k < arms.count(), "there is no such arm");
        arms[k].net_coef.fill(0.0);
        refresh(arms, k);
        if (arms.epochs) fit(arms, k), activate(arms, k);
    }
}

std::tuple<Real, Real, Real> effect_of(Arms& arms, Whole k, Whole g) {
    Arm& arm = checked(arms, k);
    must(0 <= g && g < arms.survey.questions() && arm.uses(g), "the arm does not use this question");
    Whole at = 1;
    for (Whole h = 0; h < g; ++h) at += arm.uses(h) ? arms.survey.width.number(h) : 0;
    const Interval found = effect(arms, arm, g, at, INFINITE);
    return {found.estimate, found.low, found.high};
}

void put_rows(Arms& arms, Whole k, Given<const Real, 2> given) {
    const Whole size = checked(arms, k).size;
    must(arms.epochs != nullptr, "only policies with epochs keep rows");
    const Matrix rows = table_of(given, -1, Epoch::row_length(size));
    Epoch& epoch = (*arms.epochs)[k];
    epoch.make_room(rows.rows(), size);
    std::copy(rows.begin(), rows.end(), epoch.rows(size).begin());
    epoch.kept = rows.rows();
    epoch.added = min(epoch.added, epoch.kept); // their sums are the caller's
}

nb::ndarray<nb::numpy, Real> rows(nb::object self, Whole k) {
    Arms& arms = nb::cast<Arms&>(self);
    const Whole size = checked(arms, k).size;
    must(arms.epochs != nullptr, "only policies with epochs keep rows");
    must(arms.is_in_order(), OUT_OF_ORDER);
    Epoch& epoch = (*arms.epochs)[k];
    return view_of(epoch.rows(size).part(0, epoch.kept), self);
}

void bind_epochs(nb::module_& m) {
    nb::class_<Epochs> epochs(m, "Epochs", "The blocks of rows of all arms (maths 5).");
#define EXPOSE(kind, name, ...) \
    epochs.def_prop_ro(#name,   \
                       [](nb::object self) { return view_of(nb::cast<Epochs&>(self).stores.name, self); });
    ASKLESS_EPOCH(EXPOSE, EXPOSE, EXPOSE)
#undef EXPOSE
}

// What single visits call.
void bind_visits(nb::class_<Arms>& arms) {
    arms.def("play_row", &play_row, nb::arg("live"), nb::arg("z").none())
        .def("choose_row", &choose_row, nb::arg("live"), nb::arg("z").none(), nb::arg("number"),
             nb::arg("draws"))
        .def("score_row", &score_row, nb::arg("live"), nb::arg("z"), nb::arg("out").noconvert())
        .def("learn_row", &learn_row, nb::arg("k").none(), nb::arg("z").none(), nb::arg("reward").none())
        .def("may_ask", &may_ask, nb::arg("live"), nb::arg("out").noconvert(),
             "Put into `out` what a visit may be asked that may get the live arms.")
        .def("open", &open, nb::arg("live"), nb::arg("z"), nb::arg("out").noconvert(),
             "Put into `out` what of that, and of what everyone is asked, a context does not answer; return "
             "whether there is something.")
        .def("lacks", &lacks, nb::arg("k"), nb::arg("z"),
             "The first question that an arm uses and a context does not answer; -1 if there is none.")
        .def("outlook", &outlook, nb::arg("z"), nb::arg("means").noconvert(), nb::arg("scores").noconvert(),
             "Mean and score of every arm whose questions are answered; NaN and -inf of the others.")
        .def("starter", &starter_of, nb::arg("live"), nb::arg("number"),
             "The arm whose turn it is, if it is in its first block; else -1.")
        .def("draw", &draw, nb::arg("live"), nb::arg("winner"), nb::arg("started"), nb::arg("insured"),
             nb::arg("draws"), nb::arg("chances").noconvert(),
             "The arm to play: the winner, or one that is drawn; the probability of each in `chances`.")
        .def("learn_visit", &learn_visit, nb::arg("k"), nb::arg("z"), nb::arg("y"),
             "Learn one row that has been checked; y is in units of the range.")
        .def("learn_rows", &learn_rows, nb::arg("played"), nb::arg("rows"), nb::arg("ys"))
        .def("ask", &ask, nb::arg("live"), nb::arg("z"), nb::arg("asks").noconvert(),
             nb::arg("possible").noconvert())
        .def(
            "reach",
            [](Arms& arms, Mask live, Given1 z, Given<Real, 1> low, Given<Real, 1> high) {
                must(arms.asking != nullptr, "this policy is not interactive");
                reach(arms, row_of(live, arms.count()), row_of(z, arms.survey.columns()),
                      row_of(low, arms.count()), row_of(high, arms.count()));
            },
            nb::arg("live"), nb::arg("z"), nb::arg("low").noconvert(), nb::arg("high").noconvert());
}

// What is done with what arms have learned.
void bind_learned(nb::class_<Arms>& arms) {
    arms.def("derive", &derive, nb::arg("chosen"), "Derive the chosen arms anew from their statistics alone.")
        .def("effect", &effect_of, nb::arg("k"), nb::arg("g"),
             "Estimate, low and high of a question's effect.")
        .def(
            "settle", [](Arms& arms, Whole k) { settle(checked(arms, k)); }, nb::arg("k"))
        .def(
            "pack", [](Arms& arms, Whole k) { pack(arms, checked(arms, k)); }, nb::arg("k"))
        .def(
            "take_out_row",
            [](Arms& arms, Whole k, Given1 z, Real y) {
                take_out_row(arms, checked(arms, k), row_of(z, arms.survey.columns()), y);
            },
            nb::arg("k"), nb::arg("z"), nb::arg("y"))
        .def("refresh_variance",
             [](Arms& arms) {
                 for (Whole k = 0; k < arms.count(); ++k)
                     diagonal_of(arms[k].root, arms[k].weights, arms[k].size, arms[k].variance);
             })
        .def("end_blocks",
             [](Arms& arms) {
                 if (arms.epochs) end_blocks(arms);
             })
        .def("renew_noise",
             [](Arms& arms) {
                 for (Whole k = 0; k < arms.count(); ++k) renew(arms, k);
             })
        .def("rows", &rows, nb::arg("k"), nb::rv_policy::copy,
             "The rows kept of an arm's epoch: packed columns, and after whole lanes the reward.")
        .def("put_rows", &put_rows, nb::arg("k"), nb::arg("rows"), "Put others in the place of these.");
}

} // namespace

void bind_arms(nb::module_& m) {
    bind_epochs(m);
    nb::class_<Arms> arms(m, "Arms", "The arms of a policy, their sums and what is derived from them.");
#define EXPOSE(kind, name, ...) \
    arms.def_prop_ro(#name, [](nb::object self) { return view_of(nb::cast<Arms&>(self).stores.name, self); });
    ASKLESS_ARM(EXPOSE, EXPOSE, EXPOSE)
    ASKLESS_DECISION(EXPOSE, EXPOSE, EXPOSE)
#undef EXPOSE
    arms.def("__init__", &make, nb::arg("survey"), nb::arg("rule"), nb::arg("count"), nb::arg("always"),
             nb::arg("cost"), nb::keep_alive<1, 2>())
        .def(
            "take",
            [](Arms& arms, const Arms& others) {
                must(arms.can_take(others), "these arms are another policy's, or too many");
                arms.take(others);
            },
            nb::arg("others"), "Take over all that others are, as the first ones.")
        .def(
            "check", [](const Arms& arms) { must(arms.is_in_order(), OUT_OF_ORDER); },
            "Raise ValueError where a number that is used as a place in an array is none.")
        .def_prop_ro(
            "epochs", [](Arms& arms) { return arms.epochs.get(); }, nb::rv_policy::reference_internal);
    bind_visits(arms);
    bind_learned(arms);
}

} // namespace askless
