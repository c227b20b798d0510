// The memory of the arms: made, and taken over from others.
#include "arms.hpp"

#include "asking.hpp"
#include "epochs.hpp"

namespace askless {

namespace {

ArmStores stores_of(const Survey& survey, const Rule& rule, Whole K) {
    const Whole m = survey.questions(), P = padded(survey.columns()), Q = rule.net == NO_NET ? 0 : P;
    ArmStores stores;
#define NUMBER(kind, name) stores.name = Store<kind>(K);
#define ROW(kind, name, length) stores.name = Store<kind>(K, length);
#define TABLE(kind, name, rows, columns) stores.name = Store<kind>(K, rows, columns);
    ASKLESS_ARM(NUMBER, ROW, TABLE)
#undef NUMBER
#undef ROW
#undef TABLE
    if (rule.epochs) {
#define NUMBER(kind, name, of_set) stores.name = Store<kind>(K);
#define ROW(kind, name, of_set, length) stores.name = Store<kind>(K, length);
#define TABLE(kind, name, of_set, rows, columns) stores.name = Store<kind>(K, rows, columns);
        ASKLESS_DECISION(NUMBER, ROW, TABLE)
#undef NUMBER
#undef ROW
#undef TABLE
    } else {
#define SAME(kind, name, of_set, ...) stores.name.be_the_same_as(stores.of_set);
        ASKLESS_DECISION(SAME, SAME, SAME)
#undef SAME
    }
    return stores;
}

} // namespace

Arms::Arms(const Survey& survey, const Rule& rule, Whole count, Row<const Whole> always, Vector cost)
    : survey(survey), rule(rule), wide(padded(survey.columns())), stores(stores_of(survey, rule, count)),
      always(always.size()), cost(cost.size()), row(wide + WIDTH), scores(count), work(3, wide + WIDTH),
      block(survey.widest(), survey.widest()), net_work(5, rule.net == NO_NET ? 0 : wide) {
    std::copy(always.begin(), always.end(), this->always.data());
    std::copy(cost.begin(), cost.end(), this->cost.data());
    arms_.reserve(static_cast<std::size_t>(count));
    for (Whole k = 0; k < count; ++k) {
#define NUMBER(kind, name, ...) stores.name.number(k),
#define ROW(kind, name, ...) stores.name.row(k),
#define TABLE(kind, name, ...) stores.name.table(k),
        arms_.push_back(Arm{ASKLESS_ARM(NUMBER, ROW, TABLE) ASKLESS_DECISION(NUMBER, ROW, TABLE)});
#undef NUMBER
#undef ROW
#undef TABLE
    }
    if (rule.epochs) epochs = std::make_unique<Epochs>(survey, count);
    if (rule.interactive != EVERYTHING) asking = std::make_unique<Asking>(survey, count);
}

Arms::Arms(const Arms& other) : Arms(other.survey, other.rule, other.count(), other.always.all(), other.cost.all()) {
    take(other);
}

Arms::~Arms() = default;

void Arms::take(const Arms& others) {
#define TAKE(kind, name, ...)                                                                      \
    if (stores.name.owns()) stores.name.take(others.stores.name);
    ASKLESS_ARM(TAKE, TAKE, TAKE)
    ASKLESS_DECISION(TAKE, TAKE, TAKE)
#undef TAKE
    for (Arm& arm : arms_) arm.inverted = arm.ready = 0; // scratch is not taken over
    if (epochs) epochs->take(*others.epochs);
}

} // namespace askless
