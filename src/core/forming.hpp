// What a short form is chosen by: the path of questions, each worth most next, and trimming it (maths 9.2).
//
// Contexts lie here a column a row, so that a step over all people is one over whole lanes.
#pragma once

#include "survey.hpp"
#include "triangle.hpp"

namespace askless {

// The people by whom a form is chosen, n of them, and the room to do it. K counts live arms.
class Forming {
  public:
    // People (n × p) and the sums of products of their columns; the models of the arms (K × p) and which
    // arms each of them may get (n × K); which questions a form may and must have, and what each costs;
    // how many columns the widest has.
    Forming(Matrix people, Matrix gram, Matrix models, Table<const bool> allowed, Row<const Whole> candidate,
            Row<const Whole> forced, Vector cost, Whole widest);

    // Whether they answer to a survey, and no question of it is wider than the widest.
    bool fits(const Survey& survey) const {
        return p == survey.columns() && cost.size() == survey.questions() && survey.widest() <= widest;
    }
    Whole find_path(const Survey& survey, Real price);
    Real trim(const Survey& survey, Real price);

    Store<Whole> candidate;              // (m) 1 for the questions that a form may have
    Store<Whole> forced;                 // (m) 1 for those that it must have
    Store<Real> cost;                    // (m)
    Store<Whole> taken{cost.size()};     // (m) 1 for the questions taken so far
    Store<Whole> path{cost.size()};      // (m) in which order they were taken
    Store<Real> values{cost.size() + 1}; // (m + 1) what each part of the path is worth, the forced one first

  private:
    struct Gain {
        Real worth, explained; // of those taken and one more; of how arms differ, by that one
    };
    void begin();
    Gain with_question(const Survey& survey, Whole g);
    Real span(const Survey& survey, Whole g);
    Real apart(Vector slopes) const;
    Real worth(Matrix start, Matrix weights) const;
    Real worth_of_one(Vector column) const;
    template <int COUNT> void add_best(Vector column, Whole at, Lanes& everyone) const;
    void take_question(const Survey& survey, Whole g);
    void take_out(Whole i, Whole j);
    Real value_of(const Survey& survey, Real price);
    void eliminate(Whole size);

    Whole n, p, count, widest; // people, columns, arms, columns of a question
    Whole wide = padded(n);    // people and zeros
    Real heads = static_cast<Real>(n);
    Store<Real> people;              // (p, n and zeros) their contexts, a column a row
    Store<Real> fitted{count, wide}; // what each arm's model expects
    Store<Real> may{count, wide};    // 0, or BARRED where a person may not get an arm
    Store<Real> gram;                // (p, p) sums of products of the contexts' columns
    Store<Real> cross{p, count};     // of those and what the models expect
    Store<Real> left{p, wide};       // what of each column the questions taken do not tell
    Store<Real> within{p, p};        // sums of products of these
    Store<Real> products{p, count};  // sums of their products with what the models expect
    Store<Real> shown{count, wide};  // the models, projected on them
    Store<Real> basis{widest, wide}; // the rest is scratch
    Store<Real> slopes{widest, count};
    Store<Real> row{p}, pivots{p}, factor{p, p}, solution{p, count};
    Store<Whole> columns{p};
    std::vector<Vector> rows; // those whose multiples are added up now
};

} // namespace askless
