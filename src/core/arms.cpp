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

// Whether columns are those of the questions used, in order.
bool are_columns_of(const Survey& survey, Row<const Whole> used, Whole size, Row<const Whole> columns) {
    for (Whole column : columns) // those behind are read too, times zero
        if (!(0 <= column && column < survey.columns())) return false;
    if (columns[0] != 0) return false;
    Whole at = 1;
    for (Whole g = 0; g < survey.questions(); ++g) {
        if (used[g] != 0 && used[g] != 1) return false;
        const Survey::Question q = survey[g];
        for (Whole j = q.first; used[g] && j < q.first + q.width; ++j)
            if (columns[at++] != j) return false;
    }
    return at == size;
}

// Whether an arm's net names its active columns, each once.
bool is_net_in_order(const Arm& arm) {
    if (arm.net_place.size() == 0) return true;
    const Whole count = arm.net_counts[0];
    if (!(0 <= count && count <= arm.size)) return false;
    for (Whole i = 0; i < count; ++i) {
        const Whole j = arm.net_active[i];
        if (!(0 <= j && j < arm.size && arm.net_place[j] == i)) return false;
    }
    Whole placed = 0;
    for (Whole place : arm.net_place) {
        if (!(-1 <= place && place < count)) return false;
        placed += place >= 0;
    }
    return placed == count;
}

bool is_arm_in_order(const Survey& survey, const Arm& arm) {
    for (Whole g = 0; g < survey.questions(); ++g)
        if (arm.active[g] && !arm.uses(g)) return false;
    return are_columns_of(survey, arm.support, arm.size, arm.columns) &&
           are_columns_of(survey, arm.active, arm.active_size, arm.active_columns) && 0 <= arm.waiting &&
           arm.waiting <= RECENT && 0 <= arm.late && arm.late < LATE && is_net_in_order(arm);
}

// Let an arm be one that has learned nothing: it uses everything, and nothing is derived.
void begin(const Survey& survey, Arm& arm, bool epochs) {
    arm.support.fill(1);
    arm.size = survey.columns();
    for (Whole j = 0; j < arm.size; ++j) arm.columns[j] = j;
    if (epochs) arm.active_size = 1;
    arm.dropped_at.fill(-1);
    arm.net_place.fill(-1);
    arm.stale = NEVER;
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
        begin(survey, arms_.back(), rule.epochs);
    }
    if (rule.epochs) epochs = std::make_unique<Epochs>(survey, count);
    if (rule.interactive != EVERYTHING) asking = std::make_unique<Asking>(survey, count);
}

Arms::Arms(const Arms& other)
    : Arms(other.survey, other.rule, other.count(), other.always.all(), other.cost.all()) {
    take(other);
}

Arms::~Arms() = default;

void Arms::take(const Arms& others) {
#define TAKE(kind, name, ...) \
    if (stores.name.owns()) stores.name.take(others.stores.name);
    ASKLESS_ARM(TAKE, TAKE, TAKE)
    ASKLESS_DECISION(TAKE, TAKE, TAKE)
#undef TAKE
    for (Arm& arm : arms_) arm.inverted = arm.ready = 0; // scratch is not taken over
    if (epochs) epochs->take(*others.epochs);
}

bool Arms::can_take(const Arms& others) const {
    return others.count() <= count() && others.survey.questions() == survey.questions() &&
           others.survey.columns() == survey.columns() && others.survey.directions() == survey.directions() &&
           (others.rule.net == NO_NET) == (rule.net == NO_NET) && !others.epochs == !epochs;
}

bool Arms::is_in_order() const {
    for (const Arm& arm : arms_)
        if (!is_arm_in_order(survey, arm)) return false;
    if (!epochs) return true;
    for (Whole k = 0; k < count(); ++k)
        if (!(*epochs)[k].is_in_order(arms_[static_cast<std::size_t>(k)].size)) return false;
    return true;
}

} // namespace askless
