// The protocols of asking: by arm, by question, and as the paper has it.
#include "protocol.hpp"

#include "asking.hpp"
#include "bounds.hpp"
#include "ridge.hpp"

namespace askless {

namespace {

// Ask the questions that everyone is asked, so many of them; return how many there were.
Whole pending(Arms& arms, Whole most) {
    const Wholes asks = arms.asking->asks.all();
    Whole count = 0;
    asks.fill(0);
    for (Whole g = 0; g < asks.size() && count < most; ++g)
        if (arms.always.number(g) && !arms.survey.is_asked(g, arms.asking->z.all())) asks[g] = 1, ++count;
    return count;
}

// Ask what an arm's score needs and has not been asked: it is UNDECIDED then.
Whole ask_active(Arms& arms, const Arm& arm) {
    const Wholes asks = arms.asking->asks.all();
    for (Whole g = 0; g < asks.size(); ++g)
        if (arm.active[g] && !arms.survey.is_asked(g, arms.asking->z.all())) asks[g] = 1;
    return UNDECIDED;
}

// The live arm that comes after another in the order of plays; -1: there is none.
// Arms with the same number of plays come in their own order; `after` -1 gives the first.
Whole most_played(Arms& arms, Whole after) {
    Whole best = -1;
    for (Whole k = 0; k < arms.count(); ++k) {
        const Whole n = arms[k].n;
        const bool later = after < 0 || n < arms[after].n || (n == arms[after].n && k > after);
        if (arms.asking->live.number(k) && later && (best < 0 || n > arms[best].n)) best = k;
    }
    return best;
}

// Whether all that an arm's score needs has been asked.
bool is_known(const Arms& arms, const Arm& arm) {
    const Vector z = arms.asking->z.all();
    for (Whole g = 0; g < arms.survey.questions(); ++g)
        if (arm.active[g] && !arms.survey.is_asked(g, z)) return false;
    return true;
}

// Score the arms that are known in full, the others at -inf; find each arm's limit.
// Without any known arm, nothing limits the others.
void score_known(Arms& arms) {
    Asking& asking = *arms.asking;
    const Reals scores = arms.scores.all(), z = asking.z.all();
    for (Whole k = 0; k < arms.count(); ++k) {
        const bool known = asking.live.number(k) && is_known(arms, arms[k]);
        asking.possible.number(k) = known;
        scores[k] = known ? score(arms, arms[k], z) : -INFINITE;
    }
    const Real highest = largest(scores);
    Real limit = lowest_tied(highest, arms.rule.span);
    for (Whole k = 0; k < arms.count(); ++k) {
        // To win, an arm must not be below the tied ones, and exceed those before it (maths 2).
        asking.limit.number(k) = highest > -INFINITE ? limit : -INFINITE;
        limit = max(limit, scores[k]);
    }
}

// Whether an arm that has been weighed certainly does not win against those that are known in full.
bool is_out(const View& view, Real limit) {
    if (limit == -INFINITE) return false; // none is
    set_linear(view);
    return cannot_exceed(view, 0.0, limit);
}

// Ask all questions of the most played arm that can still win.
// Nothing is remembered: what is discarded now is tested again when more is known.
Whole ask_an_arm(Arms& arms) {
    score_known(arms);
    const Whole waiting = pending(arms, arms.survey.questions());
    Whole chosen = -1;
    for (Whole k = most_played(arms, -1); k >= 0; k = most_played(arms, k)) {
        if (arms.scores.number(k) != -INFINITE) continue;
        const Real limit = arms.asking->limit.number(k);
        if (chosen < 0 && limit > -INFINITE) { // else there is nobody to lose against
            const View view(arms, k);
            weigh(view, arms.asking->z.all());
            if (is_out(view, limit)) continue;
        }
        arms.asking->possible.number(k) = 1;
        if (chosen < 0) chosen = k;
    }
    if (chosen >= 0) return ask_active(arms, arms[chosen]);
    return waiting > 0 ? UNDECIDED : winner(arms);
}

// Do as the paper's protocol with its heuristic; winners may be discarded.
// It is gone through from its start, with the answers of the arms that it has come to.
Whole ask_as_the_paper(Arms& arms) {
    Asking& asking = *arms.asking;
    const Reals scores = arms.scores.all(), z = asking.z.all(), seen = asking.seen.all();
    const Wholes possible = asking.possible.all();
    const Whole waiting = pending(arms, arms.survey.questions());
    Real highest = -INFINITE;
    seen.fill(NOT_A_NUMBER);
    seen[0] = 1.0;
    scores.fill(-INFINITE);
    std::copy(asking.live.all().begin(), asking.live.all().end(), possible.begin());
    for (Whole k = most_played(arms, -1); k >= 0; k = most_played(arms, k)) {
        if (!possible[k]) continue;
        Arm& arm = arms[k];
        if (!is_known(arms, arm)) return ask_active(arms, arm);
        scores[k] = score(arms, arm, z);
        highest = max(highest, scores[k]);
        for (Whole j : arm.active_columns.part(1, arm.active_size - 1)) seen[j] = z[j];
        for (Whole other = 0; other < arms.count(); ++other) {
            if (!possible[other] || scores[other] != -INFINITE) continue;
            const View view(arms, other);
            weigh(view, seen);
            if (paper_heuristic(view) <= highest) possible[other] = 0;
        }
    }
    return waiting > 0 ? UNDECIDED : winner(arms);
}

// Put into place how an arm's UCB changes at the centre with each column of a context.
void take_slope(const View& view) {
    const Unasked& own = view.own;
    const Real weight = view.theta / sqrt(own.square);
    own.slope.fill(0.0);
    for (Whole i = 0; i < view.size; ++i)
        own.slope[view.arm.active_columns[i]] = view.arm.active_estimate[i] + weight * own.pull[i];
}

// By how much an arm's UCB can exceed the leader's at most, by intervals.
// The leader's is convex, so it is nowhere below its tangent at the centre, of that height and slope;
// that is subtracted from the arm's linear part, so that answers which move both alike move nothing.
Real gap_to(const View& view, Vector z, Real height, Vector slope) {
    const Reals linear = view.room.linear;
    set_linear(view);
    Real offset = -height;
    Whole at = 1;
    for (Whole g = 0; g < view.survey.questions(); ++g) {
        const Survey::Question q = view.survey[g];
        const bool active = view.arm.active[g], asked = view.survey.is_asked(g, z);
        if (!asked && !active) offset += rise(view.survey, g, q.first, slope, -1.0);
        if (!active) continue;
        for (Whole j = q.first; j < q.first + q.width; ++j, ++at) {
            if (asked) continue;
            linear[at] -= slope[j];
            offset += slope[j] * view.own.centre[at];
        }
    }
    set_prices(view);
    return interval(view, offset + rounding(view, offset), -INFINITE).first;
}

// By how much the answer to question g moves two slopes apart.
Real swing(const Survey& survey, Whole g, Vector one, Vector other, Reals apart) {
    const Survey::Question q = survey[g];
    for (Whole j = q.first; j < q.first + q.width; ++j) apart[j] = one[j] - other[j];
    const Real up = rise(survey, g, q.first, apart, 1.0);
    if (!q.is_choice() && !q.skip) return 2.0 * up; // as far down as up
    return up + rise(survey, g, q.first, apart, -1.0);
}

// The unasked question that settles most for its cost.
// The leader's own come first: they must be asked in any case, if it wins. For each arm that may yet
// exceed the leader, an answer settles at most as much of the gap between the two as it moves them apart.
Whole most_settling(Arms& arms, Whole leader) {
    Asking& asking = *arms.asking;
    const Reals slope = View(arms, leader).own.slope, apart = asking.scratch.tilt;
    Whole best = -1;
    Real most = 0.0;
    bool best_is_own = false;
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        if (arms.survey.is_asked(g, asking.z.all())) continue;
        const bool own = arms[leader].active[g];
        bool wanted = own;
        Real worth = 0.0;
        for (Whole k = 0; k < arms.count(); ++k) {
            if (!asking.possible.number(k) || k == leader) continue;
            wanted = wanted || arms[k].active[g];
            const Real moved = swing(arms.survey, g, View(arms, k).own.slope, slope, apart);
            worth += min(1.0, moved / asking.gap.number(k));
        }
        worth /= arms.cost.number(g);
        const bool better = best < 0 || (own && !best_is_own) || (own == best_is_own && worth > most);
        if (wanted && better) best = g, most = worth, best_is_own = own;
    }
    return best;
}

// Ask the one question that is expected to settle most for its cost.
Whole ask_a_question(Arms& arms) {
    Asking& asking = *arms.asking;
    const Wholes possible = asking.possible.all();
    score_known(arms);
    const Whole waiting = pending(arms, 1);
    Whole leader = -1, unknown = 0;
    for (Whole k = 0; k < arms.count(); ++k) {
        if (!asking.live.number(k)) continue;
        const View view(arms, k);
        weigh(view, asking.z.all());
        if (!possible[k] && is_out(view, asking.limit.number(k))) continue;
        unknown += !possible[k];
        possible[k] = 1;
        take_slope(view);
        if (leader < 0 || view.own.value > View(arms, leader).own.value) leader = k;
    }
    if (waiting > 0) return UNDECIDED;
    if (unknown == 0) return winner(arms);
    const Unasked& leading = View(arms, leader).own;
    const Real clear = CLEAR * (arms.rule.span + abs(leading.value));
    for (Whole k = 0; k < arms.count(); ++k) {
        if (!possible[k] || k == leader) continue;
        const Real gap = gap_to(View(arms, k), asking.z.all(), leading.value, leading.slope);
        asking.gap.number(k) = max(gap, clear);
        if (gap < -clear && arms.scores.number(leader) == -INFINITE) possible[k] = 0;
    }
    asking.asks.number(most_settling(arms, leader)) = 1;
    return UNDECIDED;
}

} // namespace

// The arm to play, or UNDECIDED; says in `Asking` what to ask next and which arms can still win.
Whole ask_next(Arms& arms) {
    if (arms.rule.interactive == PAPER_HEURISTIC) return ask_as_the_paper(arms);
    return arms.rule.grain == BY_QUESTION ? ask_a_question(arms) : ask_an_arm(arms);
}

// Put bounds of every live arm's UCB into place, whatever is answered to what z leaves open.
void reach(Arms& arms, Row<const bool> live, Vector z, Reals low, Reals high) {
    for (Whole k = 0; k < arms.count(); ++k) {
        if (!live[k]) continue;
        const View view(arms, k);
        if (weigh(view, z) == 0) {
            low[k] = high[k] = score(arms, view.arm, z);
            continue;
        }
        high[k] = upper(view);
        // A convex function is nowhere below its tangent at the centre.
        low[k] = view.own.value - rounding(view, 0.0);
        take_slope(view);
        for (Whole g = 0; g < arms.survey.questions(); ++g)
            if (view.arm.active[g] && !arms.survey.is_asked(g, z))
                low[k] -= rise(arms.survey, g, arms.survey.first.number(g), view.own.slope, -1.0);
    }
}

} // namespace askless
