// Loops over simulated visits, from context to learned row, without leaving the core.
#pragma once

#include "ahead.hpp"
#include "people.hpp"
#include "shorts.hpp"

namespace askless {

// Visits that are asked all that some arm uses.
class FusedLoop {
  public:
    explicit FusedLoop(Arms& arms) : ahead_(arms), asked_(arms.count()), paid_(arms.count()) {}
    void play(const People& people, const Course& course);
    const Arms& arms() const { return ahead_.arms; }

  private:
    void play_next(const People& people, const Course& course, Whole t, Whole now);
    void count(const People& people, const Course& course, Whole best, bool started, Whole now);

    Ahead ahead_;
    Store<Whole> asked_; // (K) how many questions a visit is asked that plays an arm, if that is known
    Store<Real> paid_;   // (K) and what they cost
};

// Visits one after the other, each asked no more than it must be (maths 4).
void play_interactive(Arms& arms, const People& people, const Course& course);

// Visits with short forms from the `first` on; returns which comes next: it stops where a form is to be
// chosen (maths 9).
Whole play_short(Arms& arms, Shorts& shorts, Whole first, const People& people, const Course& course);

} // namespace askless
