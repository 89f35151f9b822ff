// register_flow.cpp: an abstract run of a program, of all paths at once: each register is the
// conditions under which it is untouched, holds a value or is retired.
#include "vm/verify/register_flow.h"

#include "thunks/error.h"
#include "vm/verify/body_graph.h"
#include "vm/verify/body_summary.h"
#include "vm/verify/condition.h"
#include "vm/verify/decisions.h"
#include "vm/verify/defining_blocks.h"
#include "vm/verify/program_error.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

namespace {

/// What has become of a register at one place of a body: under which conditions it is so. Of what
/// else but a lazy thunk's choice decides, more than one may hold.
struct Fact {
  Condition untouched = kAlways;  ///< since the body was entered
  Condition set = kNever;
  Condition retired = kNever;
  Condition read = kNever;                  ///< the body has read it
  Condition missed = kNever;                ///< the body has read it while it was untouched
  std::uint32_t first_retire = UINT32_MAX;  ///< the number of the first instruction that retires it
  bool noted = false;                       ///< it is among those that are not as they were
};

/// Where nothing can fail of all that runs because an entry is entered: before the instruction of
/// that number, under `when`. It stays so, since registers are only ever written more.
struct Trust {
  std::uint32_t until = 0;
  Condition when = kNever;
};

class RegisterFlow {
 public:
  explicit RegisterFlow(const Program& program)
      : program_(program),
        bodies_(program),
        definitions_(program, bodies_),
        decisions_(program),
        facts_(program.n_registers),
        at_(program.code.size(), kNever),
        ran_(bodies_.n_entries(), kNever),
        trust_(bodies_.n_entries()),
        must_(bodies_.n_entries(), kNever),
        may_(bodies_.n_entries(), kNever),
        summaries_(bodies_.n_bodies()) {}

  void check() {
    const auto order = bodies_.callers_first();
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry)
      if (bodies_.is_body(*entry)) follow(*entry);
    check_end();
  }

 private:
  std::string text(std::uint32_t index) const { return register_text(program_, index); }
  [[noreturn]] void invalid(std::uint32_t pc, const std::string& rule) const {
    throw_invalid(instruction_text(program_, pc), rule);
  }

  /// Skips what cannot fail (`Trust`); where something does, looks again at everything, and fails
  /// if it still does.
  void follow(Entry body) {
    try {
      follow_paths(body, false);
    } catch (const Error&) {
      start_afresh(body);
      follow_paths(body, true);
    }
    sum_up();
    start_afresh(body);
  }

  void follow_paths(Entry body, bool thorough) {
    current_ = body;
    thorough_ = thorough;
    find_retires();
    if (body == 0)
      for (std::uint32_t index = 0; index < program_.n_registers; ++index)
        if (definitions_.given[index]) become(index, &Fact::set, kAlways);
    summaries_.enters.begin(body);
    at_[bodies_.first_pc(body)] = kAlways;
    now_ = 0;
    for (const std::uint32_t pc : bodies_.instructions(body)) {
      ++now_;
      const Condition when = std::exchange(at_[pc], kNever);
      if (when == kNever) continue;  // only by deciding one thing in two ways
      step(pc, when);
      std::uint32_t next;
      const auto targets = bodies_.successors(pc, next);
      const std::uint32_t branch = program_.code[pc].a;
      for (std::uint32_t arm = 0; arm < targets.size(); ++arm) {
        const Condition taken = program_.code[pc].op == Opcode::Branch
                                    ? decisions_.takes(conditions_, branch, arm)
                                    : kAlways;
        Condition& there = at_[targets[arm]];
        there = conditions_.either(there, conditions_.both(when, taken));
      }
    }
    summaries_.enters.end(body);
  }

  /// When each register that others touch is retired first, by the number of the instruction in the
  /// body.
  void find_retires() {
    if (!definitions_.deep[current_]) return;
    const auto nothing = [](std::uint32_t) {};
    std::uint32_t now = 0;
    for (const std::uint32_t pc : bodies_.instructions(current_)) {
      ++now;
      each_touch(program_, bodies_, current_, pc, nothing, nothing, [&](std::uint32_t index) {
        std::uint32_t& first = note(index).first_retire;
        first = std::min(first, now);
      });
    }
  }

  void step(std::uint32_t pc, Condition when) {
    const Instruction& instruction = program_.code[pc];
    each_touch(
        program_, bodies_, current_, pc, [&](std::uint32_t index) { read(pc, when, index); },
        [&](std::uint32_t index) { write(pc, when, index); },
        [&](std::uint32_t index) { become(index, &Fact::retired, when); });
    if (instruction.op == Opcode::Need) {
      summaries_.enters.add({BodyGraph::memo(instruction.a), when});
      enter(pc, BodyGraph::memo(instruction.a), when);
    } else if (instruction.op == Opcode::Lazy) {
      const Entry output = bodies_.output(instruction.a, instruction.b);
      summaries_.enters.add({output, when});
      check_demand(pc, when,
                   program_.lazies[instruction.a].operands.output(static_cast<int>(instruction.b)));
      enter(pc, output, when);
    } else if (instruction.op == Opcode::Halt) {
      for (const std::uint32_t index : program_.outputs)
        if (may(when, facts_[index].untouched) || may(when, facts_[index].retired))
          invalid(pc, text(index) + " is an output, but has no value at the end of some path");
    }
  }

  /// What the body leaves to those that enter it.
  void sum_up() {
    summaries_.reads.begin(current_);
    summaries_.leaves.begin(current_);
    summaries_.retires.begin(current_);
    for (const std::uint32_t index : noted_) {
      const Fact& fact = facts_[index];
      if (definitions_.writer[index] == current_) {
        if (fact.set != kNever) summaries_.leaves.add({index, fact.set, fact.retired});
      } else {
        if (fact.read != kNever) summaries_.reads.add({index, fact.read, fact.missed});
        // Not where a lazy thunk may have set it since.
        if (fact.retired != kNever)
          summaries_.retires.add({index, conditions_.but_not(fact.retired, fact.set)});
      }
    }
    summaries_.reads.end(current_);
    summaries_.leaves.end(current_);
    summaries_.retires.end(current_);
  }
  void start_afresh(Entry body) {
    for (const std::uint32_t index : noted_) facts_[index] = Fact();
    noted_.clear();
    for (const std::uint32_t pc : bodies_.instructions(body)) at_[pc] = kNever;
    for (const Entry entry : ran_entries_) {
      ran_[entry] = kNever;
      trust_[entry] = Trust();
    }
    ran_entries_.clear();
    for (; !queue_.empty(); queue_.pop())
      must_[queue_.top().second] = may_[queue_.top().second] = kNever;
  }

  bool may(Condition a, Condition b) { return is_possible(conditions_.both(a, b)); }
  Fact& note(std::uint32_t index) {
    Fact& fact = facts_[index];
    if (!fact.noted) noted_.push_back(index);
    fact.noted = true;
    return fact;
  }
  void become(std::uint32_t index, Condition Fact::* state, Condition when) {
    Fact& fact = note(index);
    for (Condition Fact::* other : {&Fact::untouched, &Fact::set, &Fact::retired})
      fact.*other = other == state ? conditions_.either(fact.*other, when)
                                   : conditions_.but_not(fact.*other, when);
  }
  void may_become_set(std::uint32_t index, Condition when) {
    Fact& fact = note(index);
    fact.set = conditions_.either(fact.set, when);
  }

  void read(std::uint32_t pc, Condition when, std::uint32_t index) {
    Fact& fact = note(index);
    if (program_.code[pc].op == Opcode::Return && may(when, fact.retired))
      invalid(pc, text(index) + " is retired in " + bodies_.name(current_) +
                      ": its lazy thunk still reads it");
    check_not_retired(pc, when, index);
    const Entry block = definitions_.block[index];
    if (may(when, fact.untouched) && (block == current_ || !bodies_.dominates(block, current_)))
      throw_invalid(
          current_ == 0 ? instruction_text(program_, pc) : bodies_.name(current_),
          text(index) +
              " is read before it is written on some path: write it first on all of them");
    fact.read = conditions_.either(fact.read, when);
    fact.missed = conditions_.either(fact.missed, conditions_.both(when, fact.untouched));
  }
  void check_not_retired(std::uint32_t pc, Condition when, std::uint32_t index) {
    if (may(when, facts_[index].retired))
      invalid(pc, text(index) + " is read after it was retired on some path: retire it later");
  }
  void check_demand(std::uint32_t pc, Condition when, std::uint32_t index) {
    if (may(when, facts_[index].retired))
      invalid(
          pc,
          text(index) +
              " is demanded after it was retired on some path: retire it after its last demand");
  }

  void write(std::uint32_t pc, Condition when, std::uint32_t index) {
    if (may(when, facts_[index].set) || may(when, facts_[index].retired))
      invalid(pc, text(index) +
                      " is written twice on some path: every value has a register of its own");
    become(index, &Fact::set, when);
  }

  void expect(Entry entry, Condition must, Condition may) {
    if (may == kNever || trusted(entry, may)) return;
    if (may_[entry] == kNever) queue_.push({bodies_.rank(entry), entry});
    must_[entry] = conditions_.either(must_[entry], must);
    may_[entry] = conditions_.either(may_[entry], may);
  }

  bool trusted(Entry entry, Condition may) {
    return !thorough_ && now_ < trust_[entry].until &&
           conditions_.but_not(may, trust_[entry].when) == kNever;
  }
  void find_trust(Entry entry) {
    Trust trust{UINT32_MAX, kAlways};
    const auto touches = [&](std::uint32_t index) {
      trust.until = std::min(trust.until, facts_[index].first_retire);
    };
    const auto enters = [&](Entry to, Condition when) {
      const Condition runs = conditions_.but_not(when, ran_[to]);
      if (runs == kNever) return;
      const bool known = now_ < trust_[to].until;
      if (known) trust.until = std::min(trust.until, trust_[to].until);
      trust.when = conditions_.but_not(trust.when,
                                       known ? conditions_.but_not(runs, trust_[to].when) : runs);
    };
    if (bodies_.is_body(entry)) {
      for (const BodySummaries::Read& read : summaries_.reads[entry]) {
        touches(read.index);
        if (definitions_.block[read.index] == current_)
          trust.when = conditions_.but_not(
              trust.when, conditions_.both(read.missed, facts_[read.index].untouched));
      }
      for (const BodySummaries::Left& left : summaries_.leaves[entry]) touches(left.index);
      for (const BodySummaries::Entrance& next : summaries_.enters[entry])
        enters(next.entry, next.when);
    } else {
      const Operands& operands = program_.lazies[bodies_.lazy_of(entry)].operands;
      for (int k = 0; k < operands.n_inputs; ++k) touches(operands.input(k));
      for (int k = 0; k < operands.n_outputs; ++k) touches(operands.output(k));
      Entry to;
      for (std::size_t i = 0; (to = bodies_.callee(entry, i)) != kNone; ++i) enters(to, kAlways);
    }
    trust_[entry] = trust;
  }

  /// Holds all that runs because the current body needs `first` against what the registers are
  /// here, and adds what it leaves. What ran for certain does not run again.
  void enter(std::uint32_t pc, Entry first, Condition when) {
    const std::size_t n_ran = ran_entries_.size();
    must_[first] = may_[first] = when;
    queue_.push({bodies_.rank(first), first});
    while (!queue_.empty()) {
      const Entry entry = queue_.top().second;
      queue_.pop();
      const Condition must = conditions_.but_not(std::exchange(must_[entry], kNever), ran_[entry]);
      const Condition may = conditions_.but_not(std::exchange(may_[entry], kNever), ran_[entry]);
      if (may == kNever) continue;
      ran_entries_.push_back(entry);
      ran_[entry] = conditions_.either(ran_[entry], must);
      if (bodies_.is_lazy(entry))
        enter_lazy(pc, bodies_.lazy_of(entry), may);
      else if (bodies_.is_body(entry))
        enter_body(pc, entry, must, may);
      else
        enter_output(pc, entry, must, may);
    }
    if (definitions_.deep[current_])
      for (std::size_t i = ran_entries_.size(); i-- > n_ran;) find_trust(ran_entries_[i]);
  }

  void enter_body(std::uint32_t pc, Entry body, Condition must, Condition may) {
    for (const BodySummaries::Read& read : summaries_.reads[body]) {
      check_not_retired(pc, conditions_.both(may, read.when), read.index);
      if (definitions_.block[read.index] == current_ &&
          this->may(conditions_.both(may, read.missed), facts_[read.index].untouched))
        invalid(pc, text(read.index) + " is read before it is written on some path, in " +
                        bodies_.name(body) + ": write it first on all of them");
    }
    for (const BodySummaries::Left& left : summaries_.leaves[body]) {
      const Condition set = conditions_.both(may, left.set);
      if (this->may(set, facts_[left.index].retired))
        invalid(pc, text(left.index) + " is written in " + bodies_.name(body) +
                        " after it was retired on some path: "
                        "retire it later");
      may_become_set(left.index, set);
      become(left.index, &Fact::set, conditions_.both(must, left.set));
      become(left.index, &Fact::retired, conditions_.both(must, left.retired));
    }
    if (!definitions_.deep[current_]) return;
    for (const BodySummaries::Entrance& next : summaries_.enters[body])
      expect(next.entry, conditions_.both(must, next.when), conditions_.both(may, next.when));
  }

  void enter_output(std::uint32_t pc, Entry entry, Condition must, Condition may) {
    const std::uint32_t lazy = bodies_.lazy_of(entry);
    const std::uint32_t index =
        program_.lazies[lazy].operands.output(static_cast<int>(entry - bodies_.output(lazy, 0)));
    check_demand(pc, may, index);
    may_become_set(index, may);
    become(index, &Fact::set, must);
    expect(bodies_.lazy(lazy), kNever, may);
  }

  /// The thunk may ask for each input or not, compute any of its outputs, and reads again what it
  /// got before.
  void enter_lazy(std::uint32_t pc, std::uint32_t lazy, Condition may) {
    const Operands& operands = program_.lazies[lazy].operands;
    for (std::uint32_t i = 0; i < operands.n_inputs; ++i) {
      check_not_retired(pc, may, operands.input(static_cast<int>(i)));
      expect(bodies_.input(lazy, i), kNever, may);
    }
    for (int j = 0; j < operands.n_outputs; ++j) may_become_set(operands.output(j), may);
  }

  /// What was set in bodies that ran and not retired in them or around them is left over.
  void check_end() {
    if (program_.keep) return;
    std::vector<Condition> entered(bodies_.n_entries(), kNever), left(program_.n_registers, kNever);
    entered[0] = kAlways;
    for (const Entry entry : bodies_.callers_first()) {
      const auto enter = [&](Entry to, Condition when) {
        entered[to] = conditions_.either(entered[to], conditions_.both(entered[entry], when));
      };
      if (bodies_.is_body(entry)) {
        for (const BodySummaries::Entrance& next : summaries_.enters[entry])
          enter(next.entry, next.when);
        for (const BodySummaries::Left& value : summaries_.leaves[entry])
          left[value.index] = conditions_.both(entered[entry], value.set);
        continue;
      }
      Entry to;
      for (std::size_t i = 0; (to = bodies_.callee(entry, i)) != kNone; ++i) enter(to, kAlways);
    }
    for (Entry body = 0; body < bodies_.n_bodies(); ++body)
      for (const BodySummaries::Retired& retire : summaries_.retires[body])
        left[retire.index] =
            conditions_.but_not(left[retire.index], conditions_.both(entered[body], retire.when));
    for (std::uint32_t index = 0; index < program_.n_registers; ++index)
      if (!definitions_.stays[index] && is_possible(left[index]))
        throw_invalid(
            bodies_.name(definitions_.writer[index]),
            text(index) + " may hold a value at the end of the call: retire it on every path");
  }

  const Program& program_;
  const BodyGraph bodies_;
  Conditions conditions_;
  const DefiningBlocks definitions_;
  const Decisions decisions_;

  // The body that is followed, and how far it has come.
  Entry current_ = 0;
  std::vector<Fact> facts_;  ///< by register
  std::vector<std::uint32_t> noted_;
  std::vector<Condition> at_;  ///< by pc: the paths that lead there
  std::uint32_t now_ = 0;      ///< the number of the instruction in the body
  bool thorough_ = false;
  std::vector<Condition> ran_;      ///< by entry: it ran since the body was entered
  std::vector<Trust> trust_;        ///< by entry
  std::vector<Entry> ran_entries_;  ///< the entries that may have run, in order

  // What is about to be entered, callers first.
  std::vector<Condition> must_, may_;  ///< by entry: it is entered for certain, or perhaps
  std::priority_queue<std::pair<std::uint32_t, Entry>, std::vector<std::pair<std::uint32_t, Entry>>,
                      std::greater<>>
      queue_;

  BodySummaries summaries_;  ///< of the bodies that have been followed
};

}  // namespace

void check_register_flow(const Program& program) { RegisterFlow(program).check(); }

}  // namespace thunkvm
