// Every kind of policy, played without Python: other compilers and processors must give the same bytes.
//
// Prints a line a policy: its name, a hash of all its arrays and of what came of its visits, and what
// happened in them, so that a reader sees what a run has been through. `compare.py` builds and compares.
#include "../deciding.hpp"
#include "../elastic_net.hpp"
#include "../epoch_end.hpp"
#include "../forming.hpp"
#include "../lasso.hpp"
#include "../loops.hpp"
#include "../noise.hpp"
#include "../protocol.hpp"
#include "../ridge.hpp"
#include "../short_visits.hpp"

#include <cinttypes>
#include <string>

namespace askless {

namespace {

// -- numbers and hashes ---------------------------------------------------------------------------

// Numbers in no order, multiples of 1/1024 (splitmix64): whole numbers alone, the same everywhere.
struct Numbers {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t x = state += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    Whole below(Whole end) { return static_cast<Whole>((next() >> 11) % static_cast<std::uint64_t>(end)); }
    Real part() { return static_cast<Real>(below(1024)) / 1024.0; } // in [0, 1)
    Real around_zero() { return part() - 0.5; }
};

// FNV-1a of bytes, 64 bits.
struct Hash {
    std::uint64_t value = 0xcbf29ce484222325u;
    template <class T> void add(const T* first, Whole count) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(first);
        const auto length = static_cast<std::size_t>(count) * sizeof(T);
        for (std::size_t i = 0; i < length; ++i) value = (value ^ bytes[i]) * 0x100000001b3u;
    }
    template <class T> void add(const Store<T>& store) { add(store.data(), store.size()); }
    template <class T> void add(Row<T> row) { add(row.begin(), row.size()); }
};

// -- surveys --------------------------------------------------------------------------------------

struct Asked {
    enum Kind { SCALE, YES_NO, CHOICE, MULTI } kind;
    Whole options = 1;
    bool may_skip = false;
};

// The extreme answers of a question, and the directions of its effect, as in `askless.survey.kinds`.
using Points = std::vector<std::vector<Real>>;

Points corners(Whole options, Real one, Real other) {
    Points found;
    for (Whole n = 0; n < Whole(1) << options; ++n) {
        std::vector<Real> point;
        for (Whole i = options - 1; i >= 0; --i) point.push_back(n >> i & 1 ? other : one);
        found.push_back(point);
    }
    return found;
}

Points extremes_of(const Asked& question, bool raw) {
    if (question.kind == Asked::SCALE) return corners(1, raw ? 0.0 : -0.5, raw ? 1.0 : 0.5);
    if (question.kind != Asked::CHOICE) return corners(question.options, -0.5, 0.5);
    Points found;
    for (Whole i = 0; i < question.options; ++i) {
        found.emplace_back(static_cast<std::size_t>(question.options), 0.0);
        found.back()[static_cast<std::size_t>(i)] = 1.0;
    }
    return found;
}

Points directions_of(const Asked& question, bool raw) {
    Points found;
    if (question.kind == Asked::CHOICE) {
        for (Whole i = 0; i < question.options; ++i) {
            for (Whole j = i + 1; j < question.options; ++j) {
                found.emplace_back(static_cast<std::size_t>(question.options), 0.0);
                found.back()[static_cast<std::size_t>(i)] = 1.0,
                found.back()[static_cast<std::size_t>(j)] = -1.0;
            }
        }
    } else {
        for (std::vector<Real>& signs : corners(question.options - 1, 1.0, -1.0)) {
            signs.insert(signs.begin(), 1.0);
            found.push_back(signs);
        }
    }
    if (!question.may_skip) return found;
    for (std::vector<Real>& direction : found) direction.push_back(0.0);
    for (std::vector<Real>& point : extremes_of(question, raw)) {
        point.push_back(-1.0);
        found.push_back(point);
    }
    return found;
}

Survey survey_of(const std::vector<Asked>& questions, bool raw) {
    Whole columns = 1, count = 0, widest = 0;
    for (const Asked& question : questions) {
        columns += question.options + question.may_skip;
        count += static_cast<Whole>(directions_of(question, raw).size());
        widest = max(widest, question.options + question.may_skip);
    }
    Survey survey(static_cast<Whole>(questions.size()), columns, count, widest);
    survey.high.all().fill(1.0);
    Whole g = 0, column = 1, d = 0;
    for (const Asked& question : questions) {
        const Points extremes = extremes_of(question, raw);
        survey.kind.number(g) = question.kind == Asked::SCALE    ? NUMBER
                                : question.kind == Asked::CHOICE ? ONE_HOT
                                                                 : SIGNS;
        survey.first.number(g) = column;
        survey.width.number(g) = question.options + question.may_skip;
        survey.skip.number(g) = question.may_skip;
        survey.start.number(g) = d;
        for (Whole i = 0; i < question.options; ++i) {
            Real &low = survey.low.number(column + i), &high = survey.high.number(column + i);
            low = INFINITE, high = -INFINITE;
            for (const std::vector<Real>& point : extremes)
                low = min(low, point[static_cast<std::size_t>(i)]),
                high = max(high, point[static_cast<std::size_t>(i)]);
        }
        for (const std::vector<Real>& direction : directions_of(question, raw))
            std::copy(direction.begin(), direction.end(), survey.directions_.row(d++).begin());
        column += survey.width.number(g++);
        survey.start.number(g) = d;
    }
    return survey;
}

std::vector<Asked> scales(Whole count) {
    return std::vector<Asked>(static_cast<std::size_t>(count), {Asked::SCALE});
}
// Every kind of question, with and without skips.
std::vector<Asked> mixed() {
    return {{Asked::SCALE},    {Asked::YES_NO},          {Asked::CHOICE, 3},       {Asked::SCALE, 1, true},
            {Asked::MULTI, 3}, {Asked::YES_NO, 1, true}, {Asked::CHOICE, 4, true}, {Asked::MULTI, 2, true},
            {Asked::SCALE},    {Asked::YES_NO}};
}
// Few questions of every kind: interactive surveys look at many corners.
std::vector<Asked> few() {
    return {{Asked::SCALE}, {Asked::CHOICE, 3}, {Asked::YES_NO, 1, true}, {Asked::MULTI, 2}, {Asked::SCALE}};
}

// Fill a context with the answers of somebody who comes.
void answer(const Survey& survey, Numbers& numbers, Reals z) {
    z[0] = 1.0;
    for (Whole g = 0; g < survey.questions(); ++g) {
        const Survey::Question q = survey[g];
        const Reals own = z.part(q.first, q.width);
        const Whole options = q.width - q.skip;
        own.fill(0.0);
        if (q.skip && numbers.below(8) == 0) {
            own[options] = 1.0;
            continue;
        }
        const Real low = survey.low.number(q.first), high = survey.high.number(q.first);
        if (q.is_choice())
            own[numbers.below(options)] = 1.0;
        else
            for (Real& x : own.part(0, options))
                x = q.kind == NUMBER ? low + numbers.part() : numbers.below(2) ? high : low;
    }
}

// -- policies -------------------------------------------------------------------------------------

// What a policy is like; what is 0 has the default of `askless.policies.settings`.
struct Settings {
    std::string name;
    std::vector<Asked> questions;
    Whole visits = 1000;
    Whole form = VALID, net = NO_NET, penalty = OWN;
    Whole interactive = EVERYTHING, grain = BY_ARM;
    Whole epochs = 0, by_sets = 0, judge_skips = 1, raw = 0, payback = 1;
    Real beta_min = 0.0, alpha = 0.0, sigma = 0.0, b1 = 0.0, b2 = 0.0, optimism = 1.0;
    Real price = -1.0, budget = 0.0, floor = 0.02; // of short forms: a price of 0 or more, or a budget
    Whole shape = UNIFORM_NOISE;
    Real noise = 0.05;
    bool one_by_one = false, limited = false, tabled = false;
    Real apart = 0.0;     // how much more each arm brings everyone than the next one
    bool foolish = false; // whether short forms ask nothing but what everyone is asked
    Whole arms = 3;

    bool is_short() const { return price >= 0.0 || budget > 0.0; }
};

constexpr Real SPAN = 2.0, LOW = -0.5; // of the rewards
constexpr Whole PART = 250;            // visits between two looks at everything

Rule rule_of(const Settings& settings, const Survey& survey) {
    const Whole m = survey.questions();
    Rule rule;
    Real longest = 1.0;
    bool plain = true;
    for (Whole g = 0; g < m; ++g) {
        const Survey::Question q = survey[g];
        longest += q.is_choice() ? 1.0 : 0.25 * static_cast<Real>(q.width);
        plain = plain && !q.is_choice() && !q.skip;
    }
    rule.form = settings.form, rule.net = settings.net, rule.penalty = settings.penalty;
    rule.interactive = settings.interactive, rule.grain = settings.grain;
    rule.epochs = settings.epochs, rule.by_sets = settings.by_sets, rule.payback = settings.payback;
    rule.judge_skips = settings.judge_skips, rule.raw = settings.raw, rule.plain = plain;
    rule.start = max(Whole(2), 3 * survey.columns() / 10);
    rule.alpha = settings.alpha > 0.0 ? settings.alpha : settings.form == VALID ? 5.0 : 1.0;
    rule.sigma = settings.sigma > 0.0 ? settings.sigma : SPAN / 2.0;
    rule.b1 = settings.b1 > 0.0 ? settings.b1 : plain ? SPAN : SPAN * 3.5;
    rule.b2 = settings.b2 > 0.0 ? settings.b2 : plain ? SPAN : SPAN * 1.5;
    rule.sharp_bias = !settings.raw && settings.b2 == 0.0;
    rule.beta_min = settings.beta_min, rule.span = SPAN, rule.low = LOW, rule.high = LOW + SPAN;
    rule.norm = sqrt(longest), rule.ridge_bias = sqrt(rule.alpha) * rule.b2;
    rule.multiple = settings.net == NET_SELECTS ? 0.3 : 1.0;
    rule.fixed = SPAN * (1.0 + sqrt(ln(2.0 / 0.05) / 2.0));
    rule.growth = 1.5, rule.optimism = settings.by_sets ? 0.0 : settings.optimism;
    rule.set_part = settings.epochs ? 0.1 : 1.0;
    Real binomial = 0.0; // ln C(m, h)
    for (Whole h = 0; h <= m; ++h) {
        rule.log_supports.push_back(ln(static_cast<Real>(m + 1)) + binomial);
        if (h < m) binomial += ln(static_cast<Real>(m - h)) - ln(static_cast<Real>(h + 1));
    }
    return rule;
}

// Let arms be as Python makes them: they have learned nothing, and everything is derived.
void begin(Arms& arms) {
    for (Whole k = 0; k < arms.count(); ++k) {
        Arm& arm = arms[k];
        arm.support.fill(1);
        arm.size = arms.survey.columns();
        for (Whole j = 0; j < arm.size; ++j) arm.columns[j] = j;
        arm.share = 0.05 / static_cast<Real>(arms.count());
        arm.dropped_at.fill(-1);
        arm.stale = NEVER;
        arm.noise = PRIOR_NOISE;
        arm.ridge = PRIOR_NOISE / (PRIOR_SPREAD * PRIOR_SPREAD);
        if (arms.epochs) (*arms.epochs)[k].need = arms.rule.start, (*arms.epochs)[k].warm = 1;
    }
    for (Whole k = 0; k < arms.count(); ++k) {
        refresh(arms, k);
        if (arms.epochs) fit(arms, k), activate(arms, k);
    }
}

// Where a policy does not judge skips, comparisons with them count as passed.
void leave_out_skips(Arms& arms) {
    for (Whole g = 0; g < arms.survey.questions(); ++g) {
        const Survey::Question q = arms.survey[g];
        for (Whole d = q.start; d < q.end; ++d)
            for (Whole k = 0; k < arms.count(); ++k)
                if (!is_judged(arms.rule, q, arms.survey.direction(d, q.width)))
                    (*arms.epochs)[k].passed[d].fill(1);
    }
}

// -- short forms ----------------------------------------------------------------------------------

constexpr Whole FEWEST = 50; // full visits before a form is chosen, and people in the ring
constexpr Real CHEAPEST = 0.0001, DEAREST = 0.05; // prices that a budget is tried with

// What `askless.policies.short_state` does with a policy's short forms, in plain loops.
class ShortForms {
  public:
    ShortForms(Arms& arms, const Settings& settings)
        : arms_(arms), settings_(settings),
          shorts(arms.survey, arms.count(), arms.always.all(), arms.cost.all()) {
        const Reals numbers = shorts.numbers.all();
        numbers[PRICE] = max(settings.price, 0.0), numbers[FLOOR] = settings.floor, numbers[CAUTION] = 1.0;
        numbers[BETS] = 1.0, numbers[BETS + 1] = 0.0, numbers[BETS + 2] = 0.25;
        shorts.counts.number(NEXT) = max(FEWEST, arms.survey.columns() * arms.count());
    }

    // Choose the form anew, and derive its models.
    void choose() {
        const Wholes counts = shorts.counts.all();
        const Whole before = counts[FULL_VISITS];
        find_people();
        if (n_ < FEWEST) {
            counts[STANDS] = 0, counts[NEXT] = before + 1;
            return;
        }
        counts[NEXT] = before + static_cast<Whole>(min(100.0, std::ceil(0.1 * static_cast<Real>(before))));
        know_whole(arms_, shorts);
        const Store<Whole> form = best_form();
        if (!std::equal(form.all().begin(), form.all().end(), shorts.form.data()) || counts[FORM] == 0) {
            counts[FORM] += 1;
            fold_all(arms_, shorts);
            std::copy(form.all().begin(), form.all().end(), shorts.form.data());
            shorts.numbers.number(LOG_WEALTH) = min(shorts.numbers.number(LOG_WEALTH), 0.0);
        }
        counts[STANDS] = 1;
        derive_all(arms_, shorts, gram_.table(), n_);
        recount(arms_, shorts);
    }

  private:
    Arms& arms_;
    const Settings& settings_;

  public:
    Shorts shorts;

  private:
    bool is_candidate(Whole g) const {
        bool used = shorts.everyone.number(g) != 0;
        for (Whole k = 0; k < arms_.count(); ++k) used = used || arms_[k].uses(g);
        return used;
    }
    bool is_known(Whole k) const { return shorts.live.number(k) && (*arms_.epochs)[k].ended > 0; }

    // Take the people of the ring who may get an arm that is known, on the columns of the candidates.
    void find_people() {
        const Survey& survey = arms_.survey;
        const Whole p = survey.columns();
        known_.clear();
        for (Whole k = 0; k < arms_.count(); ++k)
            if (is_known(k)) known_.push_back(k);
        const Whole K = static_cast<Whole>(known_.size());
        people_ = Store<Real>(RING, p);
        may_ = std::make_unique<bool[]>(static_cast<std::size_t>(RING * K));
        n_ = 0;
        for (Whole i = 0; i < shorts.counts.number(PEOPLE); ++i) {
            bool some = false;
            for (Whole k = 0; k < K; ++k)
                some |= may_[static_cast<std::size_t>(n_ * K + k)] =
                    shorts.may.row(i)[known_[static_cast<std::size_t>(k)]] != 0;
            if (!some) continue;
            const Reals kept = people_.row(n_++);
            kept[0] = 1.0;
            for (Whole g = 0; g < survey.questions(); ++g) {
                const Survey::Question q = survey[g];
                const bool wanted = is_candidate(g);
                for (Whole j = q.first; j < q.first + q.width; ++j)
                    kept[j] = wanted ? shorts.ring.row(i)[j] : 0.0;
            }
        }
        gram_ = Store<Real>(p, p);
        for (Whole i = 0; i < n_; ++i)
            for (Whole a = 0; a < p; ++a)
                for (Whole b = 0; b < p; ++b) gram_.row(a)[b] += people_.row(i)[a] * people_.row(i)[b];
    }

    // The form that is worth most: at the price, or at the lowest price that keeps the budget.
    Store<Whole> best_form() {
        const Survey& survey = arms_.survey;
        const Whole p = survey.columns(), m = survey.questions(), K = static_cast<Whole>(known_.size());
        Store<Real> models(K, p);
        for (Whole k = 0; k < K; ++k) {
            const Whole own = known_[static_cast<std::size_t>(k)];
            const Arm& arm = arms_[own];
            for (Whole i = 0; i < arm.size; ++i)
                models.row(k)[arm.columns[i]] = shorts.whole_estimate.row(own)[i];
        }
        Store<Whole> candidate(m);
        for (Whole g = 0; g < m; ++g) candidate.number(g) = is_candidate(g);
        Forming forming(people_.table().part(0, n_), gram_.table(), models.table(),
                        Table<const bool>(may_.get(), n_, K), candidate.all(), shorts.everyone.all(),
                        shorts.cost.all(), survey.widest());
        Real price = settings_.price;
        if (settings_.budget > 0.0) {
            Real mean = 0.0;
            for (Real cost : shorts.cost.all()) mean += cost / static_cast<Real>(m);
            for (Real factor = CHEAPEST; factor <= DEAREST; factor *= sqrt(2.0)) {
                price = factor / mean;
                best_at(forming, price);
                if (cost_of(forming.taken.all(), price) <= settings_.budget) break;
            }
        } else {
            best_at(forming, price);
        }
        if (settings_.foolish)
            std::copy(forming.forced.all().begin(), forming.forced.all().end(), forming.taken.data());
        const Real caution = shorts.numbers.number(CAUTION);
        if (caution != 1.0 && !settings_.foolish) best_at(forming, caution * price);
        shorts.numbers.number(PRICE) = price;
        return std::move(forming.taken);
    }

    // Leave the best form at a price in `forming.taken`.
    void best_at(Forming& forming, Real price) {
        const Whole steps = forming.find_path(arms_.survey, price);
        Whole forced = 0, best = 0;
        for (Whole one : forming.forced.all()) forced += one;
        for (Whole i = 1; i <= steps; ++i)
            if (forming.values.number(i) > forming.values.number(best)) best = i;
        std::copy(forming.forced.all().begin(), forming.forced.all().end(), forming.taken.data());
        for (Whole i = 0; i < best; ++i) forming.taken.number(forming.path.number(forced + i)) = 1;
        forming.trim(arms_.survey, price);
    }

    // What visits cost on average with a form.
    Real cost_of(Wholes form, Real price) {
        Shorts other(arms_.survey, arms_.count(), shorts.everyone.all(), shorts.cost.all());
        other.take(shorts);
        std::copy(form.begin(), form.end(), other.form.data());
        const Reals numbers = other.numbers.all();
        numbers[PRICE] = price;
        const Real share = share_of(arms_, other, other.counts.number(VISITS));
        return share * numbers[COST] + (1.0 - share) * numbers[COST_SHORT];
    }

    std::vector<Whole> known_;
    std::unique_ptr<bool[]> may_; // (people, known arms)
    Store<Real> people_, gram_;
    Whole n_ = 0;
};

// -- playing --------------------------------------------------------------------------------------

// A block of people, and what came of their visits.
class Block {
  public:
    Block(const Arms& arms, const Settings& settings, Whole n, Whole begun, Numbers& numbers)
        : contexts_(n, arms.survey.columns()), luck_(n), matter_(arms.survey.columns() + 1),
          slopes_(arms.count(), arms.survey.columns() + 1), expected_(n, arms.count()),
          drawn_(n, arms.count()), draws_(n, 4),
          allowed_(std::make_unique<bool[]>(static_cast<std::size_t>(n * arms.count()))),
          drops_(arms.count(), arms.survey.questions()), played_(n), radii_(n), regret_(n), earned_(n),
          asked_(n), paid_(n), others_(n) {
        const Whole p = arms.survey.columns(), K = arms.count();
        set_slopes(arms, settings);
        for (Whole j = 0; j < p; ++j) matter_.number(j) = j;
        for (Whole t = 0; t < n; ++t) {
            const Reals z = contexts_.row(t);
            answer(arms.survey, numbers, z);
            luck_.number(t) = numbers.part();
            for (Real& draw : draws_.row(t)) draw = numbers.part();
            if (numbers.below(50) != 0) draws_.row(t)[0] = -1.0;
            const Whole free = numbers.below(K);
            for (Whole k = 0; k < K; ++k)
                allowed_[static_cast<std::size_t>(t * K + k)] = k == free || numbers.below(4) > 0;
            for (Whole k = 0; k < K; ++k) {
                Real mean = 0.0;
                for (Whole j = 0; j < p; ++j) mean += slopes_.row(k)[j] * z[j];
                expected_.row(t)[k] = mean;
                drawn_.row(t)[k] = LOW + SPAN * (static_cast<Real>(numbers.below(512) + 256) / 1024.0);
            }
        }
        const Real low = settings.raw ? LOW / SPAN : -0.5;
        const Whole rows = settings.tabled ? n : 0;
        people = People{contexts_.table(),
                        luck_.all(),
                        matter_.all(),
                        slopes_.table(),
                        Law{settings.shape, settings.noise * SPAN, low},
                        expected_.table().part(0, rows),
                        drawn_.table().part(0, rows),
                        begun,
                        draws_.table().part(0, settings.epochs ? n : 0),
                        Allowed{Table<const bool>(allowed_.get(), settings.limited ? n : 0, K)},
                        begun};
        course = Course{drops_.table(), played_.all(), radii_.all(), regret_.all(),
                        earned_.all(),  asked_.all(),  paid_.all(),  others_.all()};
    }

    void add_to(Hash& hash) const {
        hash.add(drops_), hash.add(played_), hash.add(radii_), hash.add(regret_), hash.add(earned_);
        hash.add(asked_), hash.add(paid_), hash.add(others_);
    }
    Whole questions_asked() const {
        Whole sum = 0;
        for (Whole count : asked_.all()) sum += count;
        return sum;
    }

    People people;
    Course course;

  private:
    // Arms differ in what matters to them, so that they drop different questions; rewards stay in range.
    void set_slopes(const Arms& arms, const Settings& settings) {
        const Survey& survey = arms.survey;
        Numbers numbers{7};
        const Real few = static_cast<Real>((survey.questions() + 4) / 5);
        for (Whole k = 0; k < arms.count(); ++k) {
            const Reals own = slopes_.row(k);
            own[0] = (settings.raw ? LOW + SPAN / 2.0 : 0.0) - settings.apart * static_cast<Real>(k);
            for (Whole g = k; g < survey.questions(); g += 5) {
                for (Whole j = 0; j < survey.width.number(g); ++j) {
                    const Real size = SPAN * 0.35 * (0.5 + 0.5 * numbers.part()) / few;
                    own[survey.first.number(g) + j] = numbers.below(2) ? size : -size;
                }
            }
        }
    }

    Store<Real> contexts_, luck_;
    Store<Whole> matter_;
    Store<Real> slopes_, expected_, drawn_, draws_;
    std::unique_ptr<bool[]> allowed_;
    Store<Whole> drops_, played_;
    Store<Real> radii_, regret_, earned_;
    Store<Whole> asked_;
    Store<Real> paid_;
    Store<Whole> others_;
};

void add_arms(Hash& hash, Arms& arms) {
#define ADD(kind, name, ...) hash.add(arms.stores.name);
    ASKLESS_ARM(ADD, ADD, ADD)
    ASKLESS_DECISION(ADD, ADD, ADD)
#undef ADD
    if (!arms.epochs) return;
#define ADD(kind, name, ...) hash.add(arms.epochs->stores.name);
    ASKLESS_EPOCH(ADD, ADD, ADD)
#undef ADD
    for (Whole k = 0; k < arms.count(); ++k) {
        const Table<Real> rows = (*arms.epochs)[k].rows(arms[k].size).part(0, (*arms.epochs)[k].kept);
        hash.add(rows.begin(), rows.rows() * rows.columns());
    }
}

// Visits one after the other, as Python has them where nobody simulates.
void play_one_by_one(Arms& arms, const People& people, const Course& course, Hash& hash) {
    for (Whole now = 0; now < people.count(); ++now) {
        const Vector z = people.contexts[now];
        const Reals row = arms.row.all().part(0, z.size());
        if (arms.survey.read_row(z, row) != COMPLETE)
            std::fputs("askless: a row is not in order\n", stderr), std::abort();
        Whole best = arms.epochs ? starter(arms, people.allowed, now, people.number + now) : NOBODY;
        const bool started = best != NOBODY;
        if (!started) {
            for (Whole k = 0; k < arms.count(); ++k) {
                const bool live =
                    arms.epochs ? is_compared(arms, people.allowed, now, k) : people.allowed.may_get(now, k);
                arms.scores.number(k) = live ? score(arms, arms[k], row) : -INFINITE;
            }
            best = winner(arms);
            hash.add(arms.scores);
        }
        if (arms.epochs) best = drawn(arms, best, started, people.allowed, now, people.draws[now]);
        const auto [count, price] = count_asked(arms, best, started, people.allowed, now);
        course.asked[now] = count, course.paid[now] = price;
        const Real y = play_arm(people, course, arms, now, best);
        const Whole dropped = learn(arms, best, row, y, !arms.epochs && people.allowed.may_get(now, best));
        if (dropped > 0) course.note_drops(arms[best], best, arms.rule.epochs, people.begun + now + 1);
    }
}

// What all arms can reach with half of the answers.
void add_reach(Hash& hash, Arms& arms, Vector z) {
    Store<Real> answers(z.size()), low(arms.count()), high(arms.count());
    const auto live = std::make_unique<bool[]>(static_cast<std::size_t>(arms.count()));
    std::fill(live.get(), live.get() + arms.count(), true);
    std::copy(z.begin(), z.end(), answers.data());
    for (Whole g = 0; g < arms.survey.questions(); g += 2)
        for (Whole j = 0; j < arms.survey.width.number(g); ++j)
            answers.number(arms.survey.first.number(g) + j) = NOT_A_NUMBER;
    reach(arms, Row<const bool>(live.get(), arms.count()), answers.all(), low.all(), high.all());
    hash.add(low), hash.add(high);
}

void play(const Settings& settings) {
    const Survey survey = survey_of(settings.questions, settings.raw);
    const Whole m = survey.questions(), K = settings.arms;
    Store<Whole> always(m);
    Store<Real> cost(m);
    always.number(m - 1) = 1;
    for (Whole g = 0; g < m; ++g) cost.number(g) = 1.0 + static_cast<Real>(g % 3) / 4.0;
    Arms arms(survey, rule_of(settings, survey), K, always.all(), cost.all());
    begin(arms);
    if (settings.epochs) leave_out_skips(arms);
    std::unique_ptr<ShortForms> forms;
    if (settings.is_short()) forms = std::make_unique<ShortForms>(arms, settings);
    FusedLoop loop(arms);
    Numbers numbers{1};
    Hash hash;
    Whole asked = 0, chosen = 0;
    for (Whole begun = 0; begun < settings.visits; begun += PART) {
        const Block block(arms, settings, min(PART, settings.visits - begun), begun, numbers);
        if (forms) {
            for (Whole next = 0; next < block.people.count();) {
                next = play_short(arms, forms->shorts, next, block.people, block.course);
                Whole& due = forms->shorts.counts.number(DUE);
                if (due) due = 0, forms->choose(), ++chosen;
            }
#define ADD(kind, name, ...) hash.add(forms->shorts.name);
            ASKLESS_SHORTS(ADD, ADD, ADD)
#undef ADD
        } else if (settings.interactive != EVERYTHING) {
            play_interactive(arms, block.people, block.course);
            add_reach(hash, arms, block.people.contexts[0]);
        } else if (settings.one_by_one) {
            play_one_by_one(arms, block.people, block.course, hash);
        } else {
            loop.play(block.people, block.course);
        }
        asked += block.questions_asked();
        block.add_to(hash);
        add_arms(hash, arms);
    }
    if (settings.epochs) end_blocks(arms);
    Whole dropped = 0, tests = 0;
    for (Whole k = 0; k < K; ++k) {
        dropped += m - arms[k].questions_left();
        if (arms.epochs) tests += (*arms.epochs)[k].tested;
    }
    add_arms(hash, arms);
    std::printf("%s: %016" PRIx64 " (%" PRId64 " visits, %" PRId64 " questions asked, %" PRId64 " dropped",
                settings.name.c_str(), hash.value, settings.visits, asked, dropped);
    if (settings.epochs) std::printf(", %" PRId64 " epochs", tests);
    if (forms) {
        const Wholes counts = forms->shorts.counts.all();
        std::printf(", %" PRId64 " forms of %" PRId64 " choices, %" PRId64 " withdrawn, %" PRId64
                    " full visits",
                    counts[FORM], chosen, counts[WITHDRAWN], counts[FULL_VISITS]);
    }
    std::puts(")");
}

// A net found by its active set and by descent, and a path of lassos, on plain sums.
void play_sums() {
    Hash hash;
    Numbers numbers{3};
    for (Whole p : {1, 2, 7, 8, 9, 17, 40}) {
        const Whole P = padded(p);
        Store<Real> gram(P, P), vectors(2, P), floats(6, P), inverse(P, P), path(3, p), small(p, p),
            gradient(p);
        Store<Whole> wholes(2, P), counts(2);
        for (Whole n = 0; n < 3 * p + 20; ++n) {
            Store<Real> z(P);
            for (Whole j = 0; j < p; ++j) z.number(j) = numbers.around_zero();
            const Real y = z.number(0) - z.number(p / 2) + 0.25 * numbers.around_zero();
            for (Whole i = 0; i < p; ++i) {
                for (Whole j = 0; j < p; ++j) gram.row(i)[j] += z.number(i) * z.number(j);
                vectors.row(0)[i] += z.number(i) * y;
            }
        }
        for (Whole i = 0; i < p; ++i) {
            vectors.row(1)[i] = i == 0 ? 0.0 : 0.5;
            gradient.number(i) = vectors.row(0)[i];
            for (Whole j = 0; j < p; ++j) small.row(i)[j] = gram.row(i)[j];
        }
        const Problem problem{gram.table(), vectors.row(0), vectors.row(1), 0.25, p};
        for (bool by_descent : {false, true}) {
            floats.all().fill(0.0), inverse.all().fill(0.0), wholes.all().fill(0), counts.all().fill(0);
            Net net{floats.row(0),   floats.row(1), wholes.row(0), wholes.row(1), counts.all(),
                    inverse.table(), floats.row(2), floats.row(3), floats.row(4), floats.row(5)};
            net.place.fill(-1);
            const Real residual = by_descent ? net.descend(problem) : net.solve(problem);
            hash.add(&residual, 1), hash.add(floats), hash.add(inverse), hash.add(wholes), hash.add(counts);
        }
        const Real penalties[] = {2.0, 0.5, 0.1};
        lasso_path(small.table(), gradient.all(), 1e-8, Vector(penalties, 3), 1e-6, path.table());
        hash.add(path), hash.add(gradient);
    }
    std::printf("nets and lassos from sums: %016" PRIx64 "\n", hash.value);
}

// Logarithms and their kin, and every noise.
void play_functions() {
    Hash hash;
    Numbers numbers{5};
    Real lanes[WIDTH];
    for (int i = 0; i < 20000; ++i) {
        const Real x =
            (numbers.part() + 1.0 / 2048.0) * std::ldexp(1.0, static_cast<int>(numbers.below(60)) - 30);
        const Real found[] = {ln(x),          ln_1_plus(x),    ln_1_plus(-numbers.part()),
                              exponential(x), exponential(-x), error_complement(6.0 * numbers.around_zero()),
                              sqrt(x)};
        hash.add(found, 7);
        for (Real& y : lanes) y = max(numbers.part(), 1.0 / 32.0);
        store({lanes, WIDTH}, 0, ln_of_part(load({lanes, WIDTH}, 0)));
        hash.add(lanes, WIDTH);
        const Real noises[] = {noise_of(UNIFORM_NOISE, 0.3, numbers.part()),
                               noise_of(TWO_POINT, 0.3, numbers.part()),
                               noise_of(TRUNCATED_NORMAL, 0.3, numbers.part())};
        hash.add(noises, 3);
    }
    std::printf("functions: %016" PRIx64 "\n", hash.value);
}

// People of surveys of scales, out of words of bits.
void play_people() {
    Hash hash;
    Numbers numbers{9};
    for (Whole questions : {1, 4, 5, 6, 50}) {
        const Whole n = 200, many = words_for(questions);
        std::vector<std::uint64_t> words(static_cast<std::size_t>(n * many));
        for (std::uint64_t& word : words) word = numbers.next();
        Store<Real> contexts(n, questions + 1);
        draw_scales({words.data(), n, many}, 0.5, contexts.table());
        hash.add(contexts);
    }
    std::printf("people: %016" PRIx64 "\n", hash.value);
}

// -- the list -------------------------------------------------------------------------------------

using List = std::vector<Settings>;
using S = Settings;

// Others' settings with a name of their own, and something changed.
template <class Change> Settings with(Settings settings, const char* name, Change change) {
    settings.name = name;
    change(settings);
    return settings;
}

void add_ridge(List& all) {
    // So narrow that questions go.
    const Settings narrow{.name = "",
                          .questions = mixed(),
                          .beta_min = 0.15,
                          .alpha = 0.3,
                          .sigma = 0.03,
                          .b1 = 0.5,
                          .b2 = 0.5};
    all.push_back({.name = "ridge, valid", .questions = mixed(), .beta_min = 0.15});
    all.push_back({.name = "ridge, valid, scales",
                   .questions = scales(12),
                   .beta_min = 0.15,
                   .shape = TRUNCATED_NORMAL});
    all.push_back(with(narrow, "ridge, narrow", [](S&) {}));
    all.push_back(
        with(narrow, "ridge, narrow, many scales", [](S& s) { s.questions = scales(50), s.visits = 1500; }));
    all.push_back(with(narrow, "ridge, published", [](S& s) { s.form = PUBLISHED, s.shape = TWO_POINT; }));
    all.push_back(with(narrow, "ridge, published_sqrt", [](S& s) { s.form = PUBLISHED_SQRT; }));
    all.push_back(with(narrow, "ridge, raw",
                       [](S& s) { s.form = PUBLISHED_SQRT, s.raw = 1, s.questions = scales(20); }));
    all.push_back(with(narrow, "ridge, one by one", [](S& s) { s.one_by_one = true; }));
    all.push_back(with(narrow, "ridge, limited", [](S& s) { s.limited = true; }));
    all.push_back(with(narrow, "ridge, out of a table", [](S& s) { s.tabled = true; }));
    all.push_back(
        {.name = "ridge, long", .questions = scales(3), .visits = 16000, .beta_min = 0.01, .alpha = 1.0});
    all.push_back({.name = "linucb, fixed", .questions = mixed(), .form = FIXED});
    all.push_back({.name = "linucb, noise", .questions = mixed(), .form = NOISE});
    all.push_back(
        {.name = "linucb, noise, one by one", .questions = scales(17), .form = NOISE, .one_by_one = true});
}

void add_nets(List& all) {
    const Settings net{.name = "",
                       .questions = mixed(),
                       .visits = 1500,
                       .net = NET_ESTIMATES,
                       .beta_min = 0.5,
                       .alpha = 0.1,
                       .sigma = 0.01};
    all.push_back(with(net, "net, valid", [](S& s) { s.form = NET_VALID; }));
    all.push_back(
        with(net, "net, valid, scales", [](S& s) { s.form = NET_VALID, s.questions = scales(20); }));
    all.push_back(with(net, "net, published", [](S& s) { s.form = NET_PUBLISHED, s.penalty = UNIFORM; }));
    all.push_back(
        with(net, "net, published_sqrt", [](S& s) { s.form = NET_PUBLISHED_SQRT, s.penalty = UNIFORM; }));
    all.push_back(with(net, "net, published_scaled", [](S& s) { s.form = NET_SCALED, s.penalty = SCALED; }));
    all.push_back(
        with(net, "net, published_scaled_sqrt", [](S& s) { s.form = NET_SCALED_SQRT, s.penalty = SCALED; }));
    all.push_back(
        with(net, "net, ridge", [](S& s) { s.net = NET_SELECTS, s.form = VALID, s.beta_min = 0.6; }));
    all.push_back(with(net, "net, one by one", [](S& s) { s.form = NET_VALID, s.one_by_one = true; }));
    all.push_back(with(net, "net, interactive", [](S& s) {
        s.form = NET_VALID, s.questions = few(), s.interactive = CERTIFIED, s.beta_min = 1.0;
    }));
}

void add_interactive(List& all) {
    // Some arms cannot win whatever the answers.
    const Settings interactive{.name = "",
                               .questions = few(),
                               .visits = 1500,
                               .interactive = CERTIFIED,
                               .beta_min = 0.15,
                               .alpha = 0.3,
                               .sigma = 0.03,
                               .b1 = 0.5,
                               .b2 = 0.5,
                               .apart = 0.125};
    all.push_back(with(interactive, "interactive, by arm", [](S&) {}));
    all.push_back(with(interactive, "interactive, by question", [](S& s) { s.grain = BY_QUESTION; }));
    all.push_back(with(interactive, "interactive, heuristic", [](S& s) { s.interactive = PAPER_HEURISTIC; }));
    all.push_back(with(interactive, "interactive, never dropping", [](S& s) { s.beta_min = 0.0; }));
    all.push_back(with(interactive, "interactive, scales", [](S& s) { s.questions = scales(12); }));
    all.push_back(with(interactive, "interactive, scales by question",
                       [](S& s) { s.questions = scales(12), s.grain = BY_QUESTION; }));
    all.push_back(
        with(interactive, "interactive, all kinds", [](S& s) { s.questions = mixed(), s.arms = 4; }));
    all.push_back(with(interactive, "interactive, all kinds by question",
                       [](S& s) { s.questions = mixed(), s.grain = BY_QUESTION, s.visits = 500; }));
    all.push_back(with(interactive, "interactive, limited", [](S& s) { s.limited = true; }));
    all.push_back(with(interactive, "interactive, linucb",
                       [](S& s) { s.form = NOISE, s.questions = scales(12), s.grain = BY_QUESTION; }));
}

void add_epochs(List& all) {
    const Settings epochs{.name = "", .questions = mixed(), .visits = 10000, .epochs = 1, .beta_min = 0.15};
    all.push_back(with(epochs, "epochs", [](S&) {}));
    all.push_back(with(epochs, "epochs, scales", [](S& s) { s.questions = scales(12); }));
    all.push_back(
        with(epochs, "epochs, ends", [](S& s) { s.shape = AT_THE_ENDS, s.visits = 8000, s.beta_min = 0.5; }));
    all.push_back(with(epochs, "epochs, never dropping", [](S& s) { s.beta_min = 0.0, s.visits = 1000; }));
    all.push_back(with(epochs, "epochs, by sets", [](S& s) { s.by_sets = 1; }));
    all.push_back(with(epochs, "epochs, skips not judged", [](S& s) { s.judge_skips = 0; }));
    all.push_back(
        with(epochs, "epochs, raw", [](S& s) { s.raw = 1, s.questions = scales(8), s.payback = 0; }));
    all.push_back(with(epochs, "epochs, one by one", [](S& s) { s.one_by_one = true; }));
    all.push_back(with(epochs, "epochs, limited", [](S& s) { s.limited = true; }));
    all.push_back(
        with(epochs, "epochs, interactive", [](S& s) { s.interactive = CERTIFIED, s.apart = 0.125; }));
    all.push_back(with(epochs, "epochs, by question",
                       [](S& s) { s.interactive = CERTIFIED, s.grain = BY_QUESTION, s.apart = 0.125; }));
    all.push_back(with(epochs, "epochs, by sets, interactive", [](S& s) {
        s.questions = scales(8), s.by_sets = 1, s.interactive = CERTIFIED, s.visits = 4000;
    }));
    all.push_back(with(epochs, "short forms", [](S& s) { s.price = 0.005, s.floor = 0.2; }));
    all.push_back(with(epochs, "short forms, dear", [](S& s) { s.price = 0.03; }));
    all.push_back(with(epochs, "short forms, budget", [](S& s) { s.budget = 5.0; }));
    all.push_back(with(epochs, "short forms, scales",
                       [](S& s) { s.price = 0.01, s.questions = scales(20), s.floor = 0.3; }));
    all.push_back(with(epochs, "short forms, withdrawn", [](S& s) {
        s.price = 0.0001, s.floor = 0.5, s.foolish = true, s.visits = 30000, s.questions = scales(4),
        s.noise = 0.01;
    }));
    all.push_back(with(epochs, "short forms, by sets", [](S& s) { s.price = 0.01, s.by_sets = 1; }));
    all.push_back(with(epochs, "short forms, limited", [](S& s) { s.price = 0.005, s.limited = true; }));
    all.push_back(
        with(epochs, "short forms, raw", [](S& s) { s.price = 0.005, s.raw = 1, s.questions = scales(8); }));
}

List policies() {
    List all;
    add_ridge(all), add_nets(all), add_interactive(all), add_epochs(all);
    return all;
}

} // namespace

} // namespace askless

int main() {
    askless::play_functions();
    askless::play_people();
    askless::play_sums();
    for (const askless::Settings& settings : askless::policies()) {
        askless::play(settings);
        std::fflush(stdout);
    }
}
