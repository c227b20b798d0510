// Rows as they come from outside: checked, and put on the grid before anybody works with them.
#include "survey.hpp"

namespace askless {

// Copy a row to `out`, on the grid; return the first question that does not fit, or a code.
// A question left out has NaN in all its columns.
Whole Survey::read_row(Row<const Real> z, Reals out) const {
    if (z[0] != 1.0) return NO_CONSTANT;
    out[0] = 1.0;
    if (read_scales(z, out)) return COMPLETE;
    Whole result = COMPLETE;
    for (Whole g = 0; g < questions(); ++g) {
        const Question q = (*this)[g];
        const Whole last = q.first + q.width;
        if (is_nan(z[q.first])) {
            result = INCOMPLETE;
            for (Whole j = q.first; j < last; ++j) {
                if (!is_nan(z[j])) return g;
                out[j] = z[j];
            }
            continue;
        }
        bool skipped = false;
        if (q.skip) {
            const Real flag = out[last - 1] = z[last - 1];
            if (flag != 0.0 && flag != 1.0) return g;
            skipped = flag == 1.0;
        }
        const Real lowest = low.number(q.first), highest = high.number(q.first);
        Whole given = 0;
        for (Whole j = q.first; j < last - q.skip; ++j) {
            Real value = z[j];
            if (skipped) {
                if (value != 0.0) return g;
            } else if (q.kind == NUMBER) {
                if (!(lowest <= value && value <= highest)) return g;
                value = on_grid(value);
            } else if (value != lowest && value != highest) {
                return g;
            }
            given += value == 1.0;
            out[j] = value;
        }
        if (q.is_choice() && !skipped && given != 1) return g;
    }
    return result;
}

// Check rows; return the first that is not complete (their number if all are), and why.
std::pair<Whole, Whole> Survey::read_rows(Table<const Real> rows, RealTable out) const {
    for (Whole i = 0; i < rows.rows(); ++i) {
        const Whole wrong = read_row(rows[i], out[i]);
        if (wrong != COMPLETE) return {i, wrong};
    }
    return {rows.rows(), COMPLETE};
}

// Do as `read_row` with a complete row of a survey of scales; false if it is another case.
bool Survey::read_scales(Row<const Real> z, Reals out) const {
    if (columns() != questions() + 1) return false; // choices, multis, skips
    for (Whole g = 0; g < questions(); ++g)
        if (kind.number(g) != NUMBER) return false;
    const Real *lowest = low.data(), *highest = high.data();
    Whole outside = 0;
    for (Whole j = 1; j < z.size(); ++j) {
        outside += !(z[j] >= lowest[j] && z[j] <= highest[j]);
        out[j] = on_grid(z[j]);
    }
    return outside == 0;
}

} // namespace askless
