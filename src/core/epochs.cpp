// The memory of the epochs: made, and taken over from others.
#include "epochs.hpp"

namespace askless {

Epochs::Epochs(const Survey& survey, Whole count)
    : wide(padded(survey.columns())), order(wide), whole(wide, wide), factor(wide, wide),
      solutions(survey.widest() + GROUP, wide), residues(survey.widest() + GROUP, wide), left(wide),
      online(5, wide + WIDTH), cells(LEVERS, RANGES), spreads(survey.directions()) {
    const Whole K = count, m = survey.questions(), P = wide, d = survey.directions();
#define NUMBER(kind, name) stores.name = Store<kind>(K);
#define ROW(kind, name, length) stores.name = Store<kind>(K, length);
#define TABLE(kind, name, rows, columns) stores.name = Store<kind>(K, rows, columns);
    ASKLESS_EPOCH(NUMBER, ROW, TABLE)
#undef NUMBER
#undef ROW
#undef TABLE
    epochs_.reserve(static_cast<std::size_t>(K));
    for (Whole k = 0; k < K; ++k) {
#define NUMBER(kind, name, ...) stores.name.number(k),
#define ROW(kind, name, ...) stores.name.row(k),
#define TABLE(kind, name, ...) stores.name.table(k),
        epochs_.push_back(Epoch{ASKLESS_EPOCH(NUMBER, ROW, TABLE)});
#undef NUMBER
#undef ROW
#undef TABLE
    }
}

void Epochs::take(const Epochs& others) {
#define TAKE(kind, name, ...) \
    std::copy(others.stores.name.all().begin(), others.stores.name.all().end(), stores.name.data());
    ASKLESS_EPOCH(TAKE, TAKE, TAKE)
#undef TAKE
    for (std::size_t k = 0; k < others.epochs_.size(); ++k) epochs_[k].room = others.epochs_[k].room;
}

RealTable Epochs::table(Whole rows) {
    const Whole numbers = solutions.length(0) + TALLIES, lanes = in_lanes(rows);
    table_.assign(static_cast<std::size_t>(numbers * lanes), 0.0);
    return {table_.data(), numbers, lanes};
}

} // namespace askless
