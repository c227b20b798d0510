// Solutions, levers and bets: how an epoch's rows become evidence (maths 5.2).
#include "e_process.hpp"

#include "epochs.hpp"

namespace askless {

namespace {

constexpr Real SINGULAR = 1e-11; // a pivot below this, relatively, is rounding: sums of rows are exact (1.3)
constexpr Real BIASED = 1e-6;    // A x = w must hold this well; the bias is at most that much of b1
constexpr Real MOST = 0.95, PLANNED = 0.9; // of what would lose everything: the most a row bets, is to bet
constexpr Whole BETS = 24;                 // candidates; the largest is LARGEST / max |lever|
constexpr Real SMALLEST = 0.003, LARGEST = 8.0;
constexpr Real NO_LEVER = 1e-9; // of the largest: a lever that is rounding; so far may a border be passed

// Candidates, and what each costs a row in the middle of a cell: at most `plain`, or `adaptive` times
// the variance of the noise.
struct Bets {
    Store<Real> candidates{BETS}, plain{LEVERS, BETS}, adaptive{LEVERS, RANGES, BETS};

    Bets() {
        for (Whole b = 0; b < BETS; ++b) {
            const Real share = 1.0 - static_cast<Real>(b) / static_cast<Real>(BETS - 1);
            candidates.number(b) = LARGEST * exponential(ln(SMALLEST) * share);
        }
        for (Whole a = 0; a < LEVERS; ++a) {
            for (Whole b = 0; b < BETS; ++b) {
                const Real stake = middle_of(a, LEVERS) * candidates.number(b);
                plain.row(a)[b] = stake * stake / 8.0;
                for (Whole r = 0; r < RANGES; ++r) {
                    const Real loss = middle_of(r, RANGES), x = stake * loss;
                    adaptive.table(a)(r, b) = x < PLANNED ? (-ln_1_plus(-x) - x) / (loss * loss) : 1e100;
                }
            }
        }
    }
    static Real middle_of(Whole bin, Whole bins) {
        return (static_cast<Real>(bin) + 0.5) / static_cast<Real>(bins);
    }
};

const Bets& bets() {
    static const Bets made;
    return made;
}

// Solve A x = e_column on the columns that were chosen; zeros elsewhere.
// Sums of such solutions solve A x = w exactly where w lies in the range of A.
void solve_column(const Design& design, Whole column, Reals x, Reals residue) {
    const Reals u = design.left;
    u.fill(0.0);
    x.fill(0.0);
    for (Whole r = 0; r < design.rank; ++r) {
        const Vector row = design.factor[design.order[r]];
        const Real right = design.order[r] == column ? 1.0 : 0.0;
        u[r] = (right - inner(row.part(0, r), u.part(0, r))) / row[r];
    }
    for (Whole r = design.rank - 1; r >= 0; --r) {
        const Vector row = design.factor[design.order[r]];
        const Real value = x[design.order[r]] = u[r] / row[r];
        for (Whole t = 0; t < r; ++t) u[t] -= value * row[t];
    }
    whole_times(design.whole, x, design.size, residue);
    residue[column] -= 1.0;
}

// Eight numbers of a direction's sum of rows.
ASKLESS_INLINE Lanes sum_of_rows(Matrix rows, Whole first, Vector direction, Whole i) {
    Lanes sum = spread(direction[0]) * load(rows[first], i);
    for (Whole j = 1; j < direction.size(); ++j) sum = sum + spread(direction[j]) * load(rows[first + j], i);
    return sum;
}

// The largest entry of A x - w: 0 where the epoch can tell this direction's effect.
Real bias_of(const Design& design, Whole first, Vector direction) {
    Lanes worst = spread(0.0);
    for (Whole i = 0; i < design.size; i += WIDTH)
        worst = larger(worst, magnitude(sum_of_rows(design.residues, first, direction, i)));
    return largest_of(worst);
}

// Put a direction's levers into place; return the size of the largest.
Real put_levers(const Design& design, Whole first, Vector direction) {
    Lanes top = spread(0.0);
    for (Whole i = 0; i < design.n(); i += WIDTH) {
        const Lanes levers = sum_of_rows(design.levers, first, direction, i);
        store(design.lever, i, levers);
        top = larger(top, magnitude(levers));
    }
    return largest_of(top);
}

// Count rows by the size of their lever and by how much side + may lose there (maths 5.2).
void count_cells(const Design& design, Real top) {
    auto bin = [](Real share, Whole bins) {
        const Real place = (share + NO_LEVER) * static_cast<Real>(bins);
        return place < static_cast<Real>(bins) ? static_cast<Whole>(max(place, 0.0)) : bins - 1;
    };
    design.cells.fill(0.0);
    for (Whole i = 0; i < design.n(); ++i) {
        const Real lever = design.lever[i], guess = design.guesses[i], size = abs(lever);
        if (size < NO_LEVER * top) continue;
        const Real loss = lever > 0.0 ? 0.5 - guess : 0.5 + guess;
        design.cells(bin(size / top, LEVERS), bin(loss, RANGES)) += 1.0;
    }
}

struct Bet {
    Real bet = 0.0, gain = 0.0;
};
// The bet that is expected to gain most if the effect is zero, and that gain.
Bet best_bet(const Design& design, Real top, int side) {
    const Lanes noise = spread(design.noise);
    Real costs[BETS] = {};
    const Reals cost{costs, BETS};
    for (Whole a = 0; a < LEVERS; ++a) {
        const Vector plain = bets().plain.row(a);
        for (Whole r = 0; r < RANGES; ++r) {
            const Real count = design.cells(a, r);
            if (!(count > 0.0)) continue;
            const Vector adaptive = bets().adaptive.table(a)[side ? RANGES - 1 - r : r];
            for (Whole b = 0; b < BETS; b += WIDTH) {
                const Lanes price = smaller(load(plain, b), noise * load(adaptive, b));
                store(cost, b, load(cost, b) + spread(count) * price);
            }
        }
    }
    Bet best;
    for (Whole b = 0; b < BETS; ++b) {
        const Real candidate = bets().candidates.number(b) / top;
        const Real expected = candidate * design.beta_min - cost[b];
        if (expected > best.gain) best = {candidate, expected};
    }
    return best;
}

// What a bet costs a side: the prices of all rows (maths 5.2).
Real price_of(const Design& design, Real bet, int side) {
    const Lanes turn = spread(side ? -1.0 : 1.0), most = spread(MOST), noise = spread(design.noise);
    Lanes prices = spread(0.0);
    for (Whole i = 0; i < design.n(); i += WIDTH) {
        const Lanes levers = turn * load(design.lever, i), stake = spread(bet) * magnitude(levers);
        const Lanes loss = losses_of(design, levers, i), at_stake = stake * loss, x = smaller(at_stake, most);
        const Lanes adaptive = (spread(0.0) - ln_of_part(spread(1.0) - x) - x) / (loss * loss);
        const Lanes plain = spread(0.125) * stake * stake;
        const Holds adapts = (at_stake < most) & (adaptive * noise < plain);
        prices = prices + choose(adapts, adaptive * load(design.errors, i), plain);
    }
    return total(prices);
}

} // namespace

// Factor a Gram matrix, the largest pivot first; return its rank.
// A singular one has fewer pivots than columns: a choice's columns sum to the constant.
Whole factor_by_rank(const Design& design) {
    const RealTable factor = design.factor;
    const Matrix whole = design.whole;
    const Reals left = design.left;
    factor.fill(0.0);
    for (Whole i = 0; i < design.size; ++i) left[i] = whole(i, i);
    for (Whole rank = 0; rank < design.size; ++rank) {
        Whole best = -1;
        for (Whole i = 0; i < design.size; ++i)
            if (left[i] > SINGULAR * whole(i, i) && (best < 0 || left[i] > left[best])) best = i;
        if (best < 0) return rank;
        const Real root = sqrt(left[best]);
        design.order[rank] = best;
        for (Whole i = 0; i < design.size; ++i) {
            if (!(left[i] > 0.0)) continue; // a column already chosen has nothing left
            const Real column = (whole(i, best) - dot(factor[i], factor[best], rank)) / root;
            factor(i, rank) = column;
            left[i] -= column * column;
        }
        factor(best, rank) = root;
        left[best] = 0.0;
    }
    return design.size;
}

// Solve for some columns, and put each row's levers into place; four by two share a pass.
void prepare(const Design& design, Whole at, Whole width) {
    const Matrix rows = design.rows;
    const Whole fours = design.n() / 4 * 4, pairs = width / 2 * 2;
    for (Whole j = 0; j < width; ++j) solve_column(design, at + j, design.solutions[j], design.residues[j]);
    for (Whole i = 0; i < fours; i += 4) {
        const Vector four[4] = {rows[i], rows[i + 1], rows[i + 2], rows[i + 3]};
        for (Whole j = 0; j < pairs; j += 2) {
            const Vector one = design.solutions[j], two = design.solutions[j + 1];
            Lanes a[4], b[4];
            for (int r = 0; r < 4; ++r) a[r] = b[r] = spread(0.0);
            for (Whole lane = 0; lane < design.size; lane += WIDTH) {
                const Lanes x = load(one, lane), y = load(two, lane);
                for (int r = 0; r < 4; ++r) {
                    const Lanes z = load(four[r], lane);
                    a[r] = fma(z, x, a[r]), b[r] = fma(z, y, b[r]);
                }
            }
            store_totals(design.levers[j], i, a);
            store_totals(design.levers[j + 1], i, b);
        }
    }
    for (Whole i = 0; i < design.n(); ++i)
        for (Whole j = i < fours ? pairs : 0; j < width; ++j)
            design.levers(j, i) = dot(rows[i], design.solutions[j], design.size);
}

// Put a direction's levers into place; `first` is where the solutions of its question begin.
Told estimate_of(const Design& design, Whole first, Vector direction) {
    if (bias_of(design, first, direction) > BIASED) return {};
    Real estimate = 0.0;
    for (Whole j = 0; j < direction.size(); ++j)
        estimate += direction[j] * dot(design.solutions[first + j], design.moment, design.size);
    return {estimate, put_levers(design, first, direction)};
}

// Let the two e-processes of a direction grow by what the epoch says (maths 5.2).
// Its levers are in place. Sides that have passed are left alone; `gains` gets what growth was to be
// expected if the effect is zero.
void bet_on(const Design& design, Told told, Row<const Whole> passed, Reals logs, Reals gains) {
    gains.fill(0.0);
    if (!(told.top > 0.0)) return;
    count_cells(design, told.top);
    for (int side = 0; side < 2; ++side) {
        if (passed[side]) continue;
        const Bet best = best_bet(design, told.top, side);
        if (!(best.gain > 0.0)) continue;
        const Real off = side == 0 ? told.estimate : -told.estimate;
        logs[side] += best.bet * (design.beta_min - off) - price_of(design, best.bet, side);
        gains[side] = best.gain;
    }
}

} // namespace askless
