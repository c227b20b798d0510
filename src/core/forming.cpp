// The best path of questions, and what some of them are worth.
#include "forming.hpp"

namespace askless {

namespace {

constexpr Real BARRED = -1e300; // the reward of an arm that a person may not get
constexpr Real TINY = 1e-5;     // of the rows: a column with less left over adds nothing
constexpr Real TIE = 0.001;     // what explaining how arms differ counts, where no question alone decides

template <class T> Store<T> copy_of(Row<const T> from) {
    Store<T> made(from.size());
    std::copy(from.begin(), from.end(), made.data());
    return made;
}
Store<Real> copy_of(Matrix from) {
    Store<Real> made(from.rows(), from.columns());
    std::copy(from.begin(), from.end(), made.data());
    return made;
}
Store<Real> transposed(Matrix from, Whole wide) {
    Store<Real> made(from.columns(), wide);
    for (Whole i = 0; i < from.rows(); ++i)
        for (Whole j = 0; j < from.columns(); ++j) made.row(j)[i] = from(i, j);
    return made;
}

} // namespace

Forming::Forming(Matrix people, Matrix gram, Matrix models, Table<const bool> allowed,
                 Row<const Whole> candidate, Row<const Whole> forced, Vector cost, Whole widest)
    : candidate(copy_of(candidate)), forced(copy_of(forced)), cost(copy_of(cost)), n(people.rows()),
      p(people.columns()), count(models.rows()), widest(widest), people(transposed(people, wide)),
      gram(copy_of(gram)) {
    for (Whole k = 0; k < count; ++k) {
        const Reals expected = fitted.row(k);
        for (Whole i = 0; i < n; ++i) may.row(k)[i] = allowed(i, k) ? 0.0 : BARRED;
        for (Whole j = 0; j < p; ++j) add_multiple(models(k, j), this->people.row(j), expected, wide);
        for (Whole j = 0; j < p; ++j) cross.row(j)[k] = dot(this->people.row(j), expected, wide);
    }
}

// Take nothing but the constant, column 0.
void Forming::begin() {
    const RealTable gram = this->gram.table(), cross = this->cross.table();
    taken.all().fill(0);
    for (Whole j = 0; j < p; ++j) {
        const Real mean = gram(0, j) / heads;
        for (Whole i = 0; i < n; ++i) left.row(j)[i] = people.row(j)[i] - mean;
        for (Whole i = 0; i < p; ++i) within.row(j)[i] = gram(j, i) - mean * gram(0, i);
        for (Whole k = 0; k < count; ++k) products.row(j)[k] = cross(j, k) - mean * cross(0, k);
    }
    for (Whole k = 0; k < count; ++k) {
        const Real mean = sum_of(fitted.row(k), wide) / heads;
        for (Whole i = 0; i < n; ++i) shown.row(k)[i] = mean + may.row(k)[i];
    }
}

// Take every candidate, that which is worth most first; return how many are not forced.
// `path` has the forced ones first.
Whole Forming::find_path(const Survey& survey, Real price) {
    Whole length = 0;
    Real paid = 0.0;
    auto take = [&](Whole g) {
        take_question(survey, g);
        path.number(length++) = g;
        paid += cost.number(g);
    };
    begin();
    for (Whole g = 0; g < cost.size(); ++g)
        if (forced.number(g)) take(g);
    const Whole first = length;
    rows.clear();
    values.number(0) = worth(shown.table(), slopes.table()) - price * paid;
    while (true) {
        Whole chosen = -1;
        Real most = 0.0, value = 0.0;
        for (Whole g = 0; g < cost.size(); ++g) {
            if (!candidate.number(g) || taken.number(g)) continue;
            const Gain gain = with_question(survey, g);
            const Real own = gain.worth - price * (paid + cost.number(g));
            const Real rank = own + TIE * sqrt(gain.explained);
            if (chosen < 0 || rank > most) chosen = g, most = rank, value = own;
        }
        if (chosen < 0) return length - first;
        take(chosen);
        values.number(length - first) = value;
    }
}

// What the questions taken are worth with one more, and what that explains.
Forming::Gain Forming::with_question(const Survey& survey, Whole g) {
    const Whole j = survey.first.number(g);
    if (survey.width.number(g) > 1) {
        const Real explained = span(survey, g);
        return {worth(shown.table(), slopes.table()), explained};
    }
    // One column is a basis by itself, and what it has to do with the models is known.
    const Real squares = within.row(j)[j];
    rows.clear();
    if (squares < TINY * heads) return {worth(shown.table(), slopes.table()), 0.0};
    for (Whole k = 0; k < count; ++k) slopes.row(0)[k] = products.row(j)[k] / squares;
    return {worth_of_one(left.row(j)), squares * apart(slopes.row(0))};
}

// How far arms' slopes along a column are apart, a person and arm.
Real Forming::apart(Vector slopes) const {
    Real mean = 0.0, squares = 0.0;
    for (Real slope : slopes) mean += slope / static_cast<Real>(count);
    for (Real slope : slopes) squares += (slope - mean) * (slope - mean);
    return squares / static_cast<Real>(n * count);
}

// Make `rows` an orthonormal basis of what question g adds, with its slopes; return what that explains.
Real Forming::span(const Survey& survey, Whole g) {
    const auto q = survey[g];
    Real explained = 0.0;
    rows.clear();
    for (Whole j = q.first; j < q.first + q.width; ++j) {
        const Whole b = static_cast<Whole>(rows.size());
        const Reals own = basis.row(b);
        copy(left.row(j), wide, own);
        for (Vector other : rows) add_multiple(-dot(other, own, wide), other, own, wide);
        const Real squares = dot(own, own, wide), scale = 1.0 / sqrt(squares);
        if (squares < TINY * heads) continue;
        for (Whole i = 0; i < n; ++i) own[i] *= scale;
        for (Whole k = 0; k < count; ++k) slopes.row(b)[k] = dot(own, fitted.row(k), wide);
        explained += apart(slopes.row(b));
        rows.push_back(own);
    }
    return explained;
}

// The mean reward of everyone's best arm: where each starts, and multiples of `rows`.
Real Forming::worth(Matrix start, Matrix weights) const {
    const Whole many = static_cast<Whole>(rows.size());
    Lanes everyone = spread(0.0);
    for (Whole i = 0; i < wide; i += WIDTH) {
        Lanes best = spread(BARRED);
        for (Whole k = 0; k < count; ++k) {
            Lanes own = load(start[k], i);
            for (Whole b = 0; b < many; ++b)
                own = fma(spread(weights(b, k)), load(rows[static_cast<std::size_t>(b)], i), own);
            best = larger(best, own);
        }
        everyone = best + everyone;
    }
    return total(everyone) / heads;
}

// Add the rewards of some lanes of people, with multiples of a column: they share the slopes.
template <int COUNT> ASKLESS_INLINE void Forming::add_best(Vector column, Whole at, Lanes& everyone) const {
    Lanes x[COUNT], best[COUNT];
    for (int r = 0; r < COUNT; ++r) x[r] = load(column, at + r * WIDTH), best[r] = spread(BARRED);
    for (Whole k = 0; k < count; ++k) {
        const Vector start = shown.row(k);
        const Lanes slope = spread(slopes.row(0)[k]);
        for (int r = 0; r < COUNT; ++r)
            best[r] = larger(best[r], fma(slope, x[r], load(start, at + r * WIDTH)));
    }
    for (int r = COUNT - 1; r >= 0; --r) everyone = best[r] + everyone;
}

// The same with one column, four lanes at a time.
Real Forming::worth_of_one(Vector column) const {
    Lanes everyone = spread(0.0);
    Whole at = 0;
    for (; at + 4 * WIDTH <= wide; at += 4 * WIDTH) add_best<4>(column, at, everyone);
    for (; at < wide; at += WIDTH) add_best<1>(column, at, everyone);
    return total(everyone) / heads;
}

// Add question g to those taken, a column at a time.
void Forming::take_question(const Survey& survey, Whole g) {
    const auto q = survey[g];
    const RealTable within = this->within.table();
    const Reals row = this->row.all();
    taken.number(g) = 1;
    for (Whole j = q.first; j < q.first + q.width; ++j) {
        if (within(j, j) < TINY * heads) continue;
        for (Whole k = 0; k < count; ++k)
            add_multiple(products.row(j)[k] / within(j, j), left.row(j), shown.row(k), wide);
        for (Whole i = j + 1; i < q.first + q.width; ++i) take_out(i, j);
        for (Whole h = 0; h < cost.size(); ++h) {
            if (taken.number(h) || !(candidate.number(h) || forced.number(h))) continue;
            const auto other = survey[h];
            for (Whole i = other.first; i < other.first + other.width; ++i) take_out(i, j);
        }
        for (Whole i = 0; i < p; ++i) row[i] = within(i, j); // what `take_out` has left for the last
        for (Whole a = 0; a < p; ++a) {
            const Real share = row[a] / row[j];
            const Reals own = within[a];
            for (Whole b = 0; b < p; ++b) own[b] -= share * row[b];
        }
    }
}

// Take out of column i what column j tells, but for the products of columns.
void Forming::take_out(Whole i, Whole j) {
    const Real share = within.row(i)[j] / within.row(j)[j];
    add_multiple(-share, left.row(j), left.row(i), wide);
    for (Whole k = 0; k < count; ++k) products.row(i)[k] -= share * products.row(j)[k];
}

// Take questions out of `taken` while that raises its value; return the value then.
Real Forming::trim(const Survey& survey, Real price) {
    Real value = value_of(survey, price);
    while (true) {
        Whole chosen = -1;
        Real most = value;
        for (Whole g = 0; g < cost.size(); ++g) {
            if (!taken.number(g) || forced.number(g)) continue;
            taken.number(g) = 0;
            const Real own = value_of(survey, price);
            taken.number(g) = 1;
            if (own > most) chosen = g, most = own;
        }
        if (chosen < 0) return value;
        taken.number(chosen) = 0;
        value = most;
    }
}

// What the questions in `taken` are worth: by elimination in their Gram matrix.
Real Forming::value_of(const Survey& survey, Real price) {
    Whole size = 1;
    Real paid = 0.0;
    columns.number(0) = 0;
    for (Whole g = 0; g < cost.size(); ++g) {
        if (!taken.number(g)) continue;
        const auto q = survey[g];
        paid += cost.number(g);
        for (Whole j = q.first; j < q.first + q.width; ++j) columns.number(size++) = j;
    }
    eliminate(size);
    rows.clear();
    for (Whole i = 0; i < size; ++i) rows.push_back(people.row(columns.number(i)));
    return worth(may.table(), solution.table()) - price * paid;
}

// Put the models on the first so many of `columns` into `solution`: gram = L diag(pivots) L', a column
// that adds nothing left out.
void Forming::eliminate(Whole size) {
    const RealTable factor = this->factor.table(), solution = this->solution.table();
    const Reals pivots = this->pivots.all();
    for (Whole i = 0; i < size; ++i) {
        const Whole own = columns.number(i);
        for (Whole j = 0; j <= i; ++j) {
            Real left = gram.row(own)[columns.number(j)];
            for (Whole b = 0; b < j; ++b) left -= factor(i, b) * factor(j, b) * pivots[b];
            if (j < i)
                factor(i, j) = pivots[j] > 0.0 ? left / pivots[j] : 0.0;
            else
                pivots[i] = left >= TINY * heads ? left : 0.0;
        }
        for (Whole k = 0; k < count; ++k) {
            Real left = cross.row(own)[k];
            for (Whole b = 0; b < i; ++b) left -= factor(i, b) * solution(b, k);
            solution(i, k) = pivots[i] > 0.0 ? left : 0.0;
        }
    }
    for (Whole i = size - 1; i >= 0; --i) {
        for (Whole k = 0; k < count; ++k) {
            Real left = 0.0;
            if (pivots[i] > 0.0) {
                left = solution(i, k) / pivots[i];
                for (Whole b = i + 1; b < size; ++b) left -= factor(b, i) * solution(b, k);
            }
            solution(i, k) = left;
        }
    }
}

} // namespace askless
