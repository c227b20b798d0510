// Simulated people: who comes, what each arm would bring them, and what came of their visits.
#pragma once

#include "choosing.hpp"

namespace askless {

// The shapes of the noise.
enum NoiseShape : Whole { UNIFORM_NOISE = 0, TWO_POINT, TRUNCATED_NORMAL, AT_THE_ENDS };

Real noise_of(Whole shape, Real spread, Real luck);

// By which law rewards come: expected reward plus noise, on the grid.
struct Law {
    Whole shape;
    Real spread;
    Real low; // the smallest reward in units of the range (centred: -½)

    // A reward in units of its range; `expected` is in reward units.
    Real outcome(Real span, Real expected, Real luck) const {
        if (shape == AT_THE_ENDS) return on_reward_grid(luck < expected / span - low ? low + 1.0 : low);
        return on_reward_grid((expected + noise_of(shape, spread, luck)) / span);
    }
};

// A block of visits. Rewards come by a law and luck, or out of tables.
struct People {
    Matrix contexts;         // (n, p)
    Vector luck;             // (n)
    Row<const Whole> matter; // the columns that matter, and a zero
    Matrix slopes;           // (K, those) by how much, and a zero
    Law law;
    Matrix expected; // (n, K) what is expected of each arm; without rows, nobody knows
    Matrix drawn;    // (n, K) what each arm brings; without rows, the law says
    Whole number;    // of the first visit
    Matrix draws;    // (n, 4) what arms are drawn by (`drawn`); without epochs no row
    Allowed allowed; // which arms a visit may get
    Whole begun;     // visits played before

    Whole count() const { return contexts.rows(); }
    bool tabled() const { return drawn.rows() > 0; }

    // What arm k is expected to bring visit `now`, in reward units; NaN where nobody knows.
    Real mean(Whole now, Whole k) const {
        if (tabled()) return expected.rows() ? expected(now, k) : NOT_A_NUMBER;
        Real mean = 0.0;
        for (Whole j = 0; j + 1 < matter.size(); ++j) mean += slopes(k, j) * contexts(now, matter[j]);
        return mean;
    }
    // What arm k brings it, in units of the range on the grid.
    Real reward(const Rule& rule, Whole now, Whole k, Real expected_of_it) const {
        return tabled() ? rule.units(drawn(now, k)) : law.outcome(rule.span, expected_of_it, luck[now]);
    }
};

// Answers to scales that are uniform from 0 to 1, on the grid: floor(1024 u + ½) / 1024 takes the ends half
// as often as the numbers between them, so that eleven bits say which, and a word has those of five answers.
constexpr Whole ANSWER_BITS = 11, ANSWERS_A_WORD = 5;
constexpr Whole words_for(Whole answers) { return (answers + ANSWERS_A_WORD - 1) / ANSWERS_A_WORD; }

// Put contexts into `out`: the constant, then answers less a shift; everyone's begin with a word of their
// own.
void draw_scales(Table<const std::uint64_t> words, Real shift, RealTable out);

// What came of them, a visit a number.
struct Course {
    WholeTable drops; // (K, m) at which visit an arm dropped a question
    Wholes played;    // the arm
    Reals radii;      // the radius of its set
    Reals regret;     // what the best arm would have been expected to bring beyond it
    Reals earned;     // the reward in units on the grid
    Wholes asked;     // how many questions
    Reals paid;       // what they cost
    Wholes others;    // interactive: 1 where the full survey would have given another arm

    void note_drops(const Arm& arm, Whole k, bool epochs, Whole visit) const {
        const Whole since = epochs ? arm.n : arm.n - 1; // else perhaps before the row learned since
        for (Whole g = 0; g < drops.columns(); ++g)
            if (arm.dropped_at[g] >= since) drops(k, g) = visit;
    }
};

// Play arm k in visit `now`: note what it brings and how far that is from the best; return the reward.
Real play_arm(const People& people, const Course& course, Arms& arms, Whole now, Whole k);

} // namespace askless
