// Short forms: their arrays, visits with them, and how one is chosen.
#include "binding.hpp"
#include "forming.hpp"
#include "short_visits.hpp"

namespace askless {

namespace {

using Floats = Given<const Real, 1>;
using Floats2 = Given<const Real, 2>;
using Mask = Given<const bool, 1>;

void make(Shorts* self, const Survey& survey, Whole arm_count, Given<const Whole, 1> everyone, Floats cost) {
    const Whole m = survey.questions();
    must(arm_count > 0, "there must be an arm");
    new (self) Shorts(survey, arm_count, row_of(everyone, m), row_of(cost, m));
}

// The arms that one visit may get, as a table with one row.
Allowed allowed_of(const Arms& arms, const Mask& mask) {
    const Row<const bool> row = row_of(mask, arms.count());
    return {Table<const bool>(row.begin(), 1, row.size())};
}
void belong(const Arms& arms, const Shorts& shorts) {
    must(arms.epochs && shorts.fits(arms.survey, arms.count()), "these short forms are another policy's");
}
void belongs(const Arms& arms, Whole k) { must(0 <= k && k < arms.count(), "there is no such arm"); }
Vector context(const Arms& arms, const Floats& z) { return row_of(z, arms.survey.columns()); }

void keep_if_whole(Arms& arms, Shorts& own, Vector z, const Allowed& allowed) {
    for (Whole g = 0; g < arms.survey.questions(); ++g)
        if (own.wanted.number(g) && !arms.survey.is_asked(g, z)) return;
    keep_person(arms.survey, own, z, allowed, 0);
}

// Which kind of visit comes, and what it is asked.
void bind_asking(nb::class_<Shorts>& shorts) {
    shorts
        .def(
            "recount", [](Shorts& own, Arms& arms) { belong(arms, own), recount(arms, own); },
            nb::arg("arms"))
        .def(
            "full_share",
            [](Shorts& own, Arms& arms, Mask mask, Whole number) {
                belong(arms, own), recount(arms, own);
                return full_share(arms, own, allowed_of(arms, mask), 0, number);
            },
            nb::arg("arms"), nb::arg("mask"), nb::arg("number"), "With which probability a visit is full.")
        .def(
            "may_ask",
            [](Shorts& own, Arms& arms, Given<bool, 1> out) {
                belong(arms, own), recount(arms, own);
                const Row<bool> asks = row_of(out, arms.survey.questions());
                for (Whole g = 0; g < asks.size(); ++g) asks[g] = own.wanted.number(g) != 0;
            },
            nb::arg("arms"), nb::arg("out").noconvert(), "Put into `out` what a full visit is asked.")
        .def(
            "open",
            [](Shorts& own, Arms& arms, Floats z, Given<bool, 1> out) {
                belong(arms, own), recount(arms, own);
                const Vector answers = context(arms, z);
                const Row<bool> asks = row_of(out, arms.survey.questions());
                bool some = false;
                for (Whole g = 0; g < asks.size(); ++g)
                    some |= asks[g] = own.wanted.number(g) && !arms.survey.is_asked(g, answers);
                return some;
            },
            nb::arg("arms"), nb::arg("z"), nb::arg("out").noconvert(),
            "Put into `out` what of that a context does not answer; return whether there is something.")
        .def(
            "share",
            [](Shorts& own, Arms& arms, Whole number) {
                return belong(arms, own), share_of(arms, own, number);
            },
            nb::arg("arms"), nb::arg("number"), "The share of full visits with a form, at a visit's number.");
}

Whole draw_full(Shorts& own, Arms& arms, Mask mask, Whole winner, Whole rival, Real insured, Floats coins,
                Given<Real, 1> chances) {
    belong(arms, own), belongs(arms, winner);
    if (rival != NOBODY) belongs(arms, rival);
    const Allowed allowed = allowed_of(arms, mask);
    const Reals out = row_of(chances, arms.count());
    const Whole may = count_arms(arms, [&](Whole k) { return allowed.may_get(0, k); });
    for (Whole k = 0; k < arms.count(); ++k)
        out[k] = allowed.may_get(0, k) ? insured / static_cast<Real>(may) : 0.0;
    const bool differ = rival != NOBODY && rival != winner;
    out[winner] += (1.0 - insured) * (differ ? 1.0 - TOSS : 1.0);
    if (differ) out[rival] += (1.0 - insured) * TOSS;
    return arm_of(arms, {winner, rival}, allowed, 0, row_of(coins, 4));
}

// What visits play.
void bind_deciding(nb::class_<Shorts>& shorts) {
    shorts
        .def(
            "choose_full",
            [](Shorts& own, Arms& arms, Mask mask, Floats z, Whole number, Given<Real, 1> scores,
               Given<Real, 1> terms) {
                belong(arms, own), recount(arms, own);
                const Vector answers = context(arms, z);
                const Reals high = row_of(scores, arms.count());
                const FullChoice choice = choose_full(arms, own, allowed_of(arms, mask), 0, number, answers);
                std::copy(arms.scores.data(), arms.scores.data() + arms.count(), high.begin());
                if (choice.rival != NOBODY)
                    terms_of(arms, own, choice.winner, choice.rival, answers, row_of(terms, 3));
                return std::pair(choice.winner, choice.rival);
            },
            nb::arg("arms"), nb::arg("mask"), nb::arg("z"), nb::arg("number"), nb::arg("scores").noconvert(),
            nb::arg("terms").noconvert(),
            "The winner of a full visit, and the form's arm that it is compared with, -1 if it is not; "
            "scores "
            "and the terms of the check: expected reward, bet, saving.")
        .def("draw_full", &draw_full, nb::arg("arms"), nb::arg("mask"), nb::arg("winner"), nb::arg("rival"),
             nb::arg("insured"), nb::arg("coins"), nb::arg("chances").noconvert(),
             "The arm that a full visit plays, by its coins; the probability of each arm in `chances`.")
        .def(
            "outlook",
            [](Shorts& own, Arms& arms, Floats z, Given<Real, 1> means, Given<Real, 1> scores) {
                belong(arms, own);
                const Vector answers = context(arms, z);
                const Reals mean = row_of(means, arms.count()), high = row_of(scores, arms.count());
                for (Whole k = 0; k < arms.count(); ++k) {
                    const bool known = lacking(arms, arms[k], answers) == NOBODY;
                    const Real units = known ? whole_mean(arms, own, k, answers) : NOT_A_NUMBER;
                    mean[k] = arms.rule.span * (units + arms.rule.middle());
                    high[k] = known ? whole_score(arms, own, k, answers) : -INFINITE;
                }
            },
            nb::arg("arms"), nb::arg("z"), nb::arg("means").noconvert(), nb::arg("scores").noconvert(),
            "By whole models: mean and score of every arm whose questions are answered; NaN and -inf of the "
            "others.")
        .def(
            "short_arm",
            [](Shorts& own, Arms& arms, Mask mask, Floats z) {
                belong(arms, own);
                return short_winner(arms, own, allowed_of(arms, mask), 0, context(arms, z));
            },
            nb::arg("arms"), nb::arg("mask"), nb::arg("z"),
            "What a short visit plays; -1 if no arm is past its start.")
        .def(
            "score_whole",
            [](Shorts& own, Arms& arms, Mask mask, Floats z, Given<Real, 1> scores) {
                belong(arms, own);
                return score_whole(arms, own, row_of(mask, arms.count()), context(arms, z),
                                   row_of(scores, arms.count()));
            },
            nb::arg("arms"), nb::arg("mask"), nb::arg("z"), nb::arg("scores").noconvert());
}

// The check of what short forms cost.
void bind_check(nb::class_<Shorts>& shorts) {
    shorts
        .def(
            "enter", [](Shorts& own, Real x, Real bet, Real saving) { return enter(own, x, bet, saving); },
            nb::arg("x"), nb::arg("bet"), nb::arg("saving"),
            "Let a visit count in the check; true if the form goes.")
        .def(
            "loss",
            [](Shorts&, Arms& arms, Real y, Real mean, bool of_full) {
                return loss_of(arms.rule, y, mean, of_full);
            },
            nb::arg("arms"), nb::arg("y"), nb::arg("mean"), nb::arg("of_full"),
            "X of a check visit, whose reward is y in units of the range.")
        .def("bet", [](Shorts& own, Real saving) { return bet(own, saving); }, nb::arg("saving"));
}

// What visits teach.
void bind_learning(nb::class_<Shorts>& shorts) {
    shorts
        .def(
            "keep_if_whole",
            [](Shorts& own, Arms& arms, Floats z, Mask mask) {
                belong(arms, own), recount(arms, own);
                keep_if_whole(arms, own, context(arms, z), allowed_of(arms, mask));
            },
            nb::arg("arms"), nb::arg("z"), nb::arg("mask"),
            "Put a person into the ring who has answered all that full visits are asked.")
        .def(
            "learn_full",
            [](Shorts& own, Arms& arms, Whole k, Floats z, Real y, Mask mask) {
                belong(arms, own), belongs(arms, k);
                const Vector answers = context(arms, z);
                const Allowed allowed = allowed_of(arms, mask);
                const FullLesson lesson = learn_full(arms, own, k, answers, y, false);
                recount(arms, own);
                keep_if_whole(arms, own, answers, allowed);
                ++own.counts.number(VISITS);
                return lesson.due;
            },
            nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("y"), nb::arg("mask"),
            "Learn a full visit and keep its person; return whether a form is to be chosen now.")
        .def(
            "learn_check",
            [](Shorts& own, Arms& arms, Whole k, Floats z, Real y, Real sign) {
                belong(arms, own), belongs(arms, k);
                tell(arms, own, k, context(arms, z), y, sign);
            },
            nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("y"), nb::arg("sign"))
        .def(
            "learn_short",
            [](Shorts& own, Arms& arms, Whole k, Floats z, Real y, Real sign) {
                belong(arms, own), belongs(arms, k);
                learn_short(arms, own, k, context(arms, z), y, sign);
            },
            nb::arg("arms"), nb::arg("k"), nb::arg("z"), nb::arg("y"), nb::arg("sign"))
        .def(
            "fold_all", [](Shorts& own, Arms& arms) { belong(arms, own), fold_all(arms, own); },
            nb::arg("arms"))
        .def(
            "know_whole", [](Shorts& own, Arms& arms) { belong(arms, own), know_whole(arms, own); },
            nb::arg("arms"))
        .def(
            "derive_all",
            [](Shorts& own, Arms& arms, Floats2 gram, Whole people) {
                const Whole p = arms.survey.columns();
                belong(arms, own);
                derive_all(arms, own, table_of(gram, p, p), people);
            },
            nb::arg("arms"), nb::arg("gram"), nb::arg("people"),
            "Derive the models of all arms on the form, out of the sum of zz' over so many people.");
}

void bind_forming(nb::module_& m) {
#define EXPOSE(name) \
    .def_prop_ro(#name, [](nb::object self) { return view_of(nb::cast<Forming&>(self).name, self); })
    nb::class_<Forming>(m, "Forming",
                        "The people by whom a form is chosen, and the room to do it (maths 9.2).")
        .def(
            "__init__",
            [](Forming* self, Floats2 people, Floats2 gram, Floats2 models, Given<const bool, 2> allowed,
               Given<const Whole, 1> candidate, Given<const Whole, 1> forced, Floats cost, Whole widest) {
                const Matrix rows = table_of(people);
                const Whole n = rows.rows(), p = rows.columns(), m = row_of(cost).size();
                const Matrix given = table_of(models, -1, p);
                new (self) Forming(rows, table_of(gram, p, p), given, table_of(allowed, n, given.rows()),
                                   row_of(candidate, m), row_of(forced, m), row_of(cost), widest);
            },
            nb::arg("people"), nb::arg("gram"), nb::arg("models"), nb::arg("allowed"), nb::arg("candidate"),
            nb::arg("forced"), nb::arg("cost"), nb::arg("widest"))
        .def(
            "find_path",
            [](Forming& own, const Survey& survey, Real price) {
                must(own.fits(survey), "the people are another survey's");
                return own.find_path(survey, price);
            },
            nb::arg("survey"), nb::arg("price"),
            "Take every candidate, that which is worth most first; return how many are not forced.")
        .def(
            "trim",
            [](Forming& own, const Survey& survey, Real price) {
                must(own.fits(survey), "the people are another survey's");
                return own.trim(survey, price);
            },
            nb::arg("survey"), nb::arg("price"), "Take questions out while that raises the value; return it.")
            EXPOSE(taken) EXPOSE(path) EXPOSE(values) EXPOSE(forced) EXPOSE(cost);
#undef EXPOSE
}

} // namespace

void bind_shorts(nb::module_& m) {
    nb::class_<Shorts> shorts(m, "Shorts",
                              "The short form of a policy, its models and what is known about its cost.");
#define EXPOSE(kind, name, ...) \
    shorts.def_prop_ro(#name, [](nb::object self) { return view_of(nb::cast<Shorts&>(self).name, self); });
    ASKLESS_SHORTS(EXPOSE, EXPOSE, EXPOSE)
#undef EXPOSE
    shorts
        .def("__init__", &make, nb::arg("survey"), nb::arg("arm_count"), nb::arg("everyone"), nb::arg("cost"))
        .def(
            "take",
            [](Shorts& own, const Shorts& other) {
                must(own.live.size() == other.live.size() && own.form.size() == other.form.size() &&
                         own.columns.size() == other.columns.size(),
                     "these short forms are another policy's");
                own.take(other);
            },
            nb::arg("other"));
    bind_asking(shorts);
    bind_deciding(shorts);
    bind_learning(shorts);
    bind_check(shorts);
    bind_forming(m);
}

} // namespace askless
