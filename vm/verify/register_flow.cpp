// register_flow.cpp: an abstract run of a program, of all paths at once: each register is the
// conditions under which it is untouched, holds a value or is retired.
#include "vm/verify/register_flow.h"

#include "vm/verify/body_graph.h"
#include "vm/verify/conditions.h"
#include "vm/verify/defining_blocks.h"
#include "vm/verify/program_error.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

namespace {

/// The states of a register at one instruction of a body: the conditions of each.
/// More than one may hold where something else than a lazy thunk's choice decides.
struct Fact {
  Condition untouched = kAlways;  ///< since the body was entered
  Condition set = kNever;
  Condition retired = kNever;
  Condition read = kNever;      ///< the body has read it
  Condition missed = kNever;    ///< the body has read it while it was untouched
  Condition demanded = kNever;  ///< the body has demanded it of its lazy thunk
};

/// The facts about a body that those that enter it need.
struct Summary {
  std::map<std::uint32_t, Fact> facts;                 ///< at its end, by register
  std::vector<std::pair<Entry, Condition>> entrances;  ///< what it enters itself
};

class RegisterFlow {
 public:
  explicit RegisterFlow(const Program& program)
      : program_(program),
        bodies_(program),
        conditions_(program),
        definitions_(program, bodies_),
        summaries_(bodies_.n_bodies()) {}

  void check() {
    const std::vector<Entry>& order = bodies_.callers_first();
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry)
      if (bodies_.is_body(*entry)) follow(*entry);
    check_end();
  }

 private:
  std::string text(std::uint32_t index) const { return register_text(program_, index); }

  void follow(Entry body) {
    current_ = body;
    facts_.clear();
    ran_.clear();
    if (body == 0)
      for (std::uint32_t index = 0; index < program_.n_registers; ++index)
        if (definitions_.given[index]) become(index, &Fact::set, kAlways);
    std::map<std::uint32_t, Condition> paths = {{bodies_.instructions(body).front(), kAlways}};
    while (!paths.empty()) {
      const auto [pc, when] = *paths.begin();
      paths.erase(paths.begin());
      if (when == kNever) continue;  // only by deciding one thing in two ways
      step(pc, when);
      std::uint32_t next;
      const auto targets = bodies_.successors(pc, next);
      const bool decides = program_.code[pc].op == Opcode::Branch;
      for (std::uint32_t arm = 0; arm < targets.size(); ++arm) {
        const Condition taken = decides ? conditions_.takes(program_.code[pc].a, arm) : kAlways;
        Condition& there = paths[targets[arm]];
        there = conditions_.either(there, conditions_.both(when, taken));
      }
    }
    std::erase_if(facts_, [&](const auto& entry) {
      const auto& [index, fact] = entry;
      if (definitions_.writer[index] == body) return fact.set == kNever;
      return fact.read == kNever && fact.retired == kNever && fact.demanded == kNever;
    });
    summaries_[body].facts.swap(facts_);
  }

  void step(std::uint32_t pc, Condition when) {
    each_touch(
        program_, bodies_, current_, pc, [&](std::uint32_t index) { read(pc, when, index); },
        [&](std::uint32_t index) { write(pc, when, index); },
        [&](std::uint32_t index) { become(index, &Fact::retired, when); });
    const auto& [op, flag, unused, a, b, c] = program_.code[pc];
    if (op == Opcode::Need) enter(pc, BodyGraph::memo(a), when);
    if (op == Opcode::Lazy) {
      const std::uint32_t output = program_.lazies[a].operands.output(static_cast<int>(b));
      demand(pc, output, when, when);
      facts_[output].demanded = conditions_.either(facts_[output].demanded, when);
      enter(pc, bodies_.lazy(a), when);
    }
    if (op == Opcode::Halt)
      for (const std::uint32_t index : program_.outputs)
        for (const auto state : {&Fact::untouched, &Fact::retired})
          refuse(pc, when, index, state, " is an output, but has no value at the end of some path");
  }

  bool may(Condition a, Condition b) { return is_possible(conditions_.both(a, b)); }
  /// Throws where a register may be in a state in which what is done with it, in a body, is wrong.
  void refuse(std::uint32_t pc, Condition when, std::uint32_t index, Condition Fact::* state,
              const char* rule, Entry body = kNone, const char* rest = "") {
    if (may(when, facts_[index].*state))
      throw_invalid(program_, pc,
                    text(index) + rule + (body == kNone ? "" : bodies_.name(body)) + rest);
  }
  void become(std::uint32_t index, Condition Fact::* state, Condition when) {
    Fact& fact = facts_[index];
    for (Condition Fact::* other : {&Fact::untouched, &Fact::set, &Fact::retired})
      fact.*other = other == state ? conditions_.either(fact.*other, when)
                                   : conditions_.but_not(fact.*other, when);
  }
  void become_set(std::uint32_t index, Condition must, Condition may) {
    facts_[index].set = conditions_.either(facts_[index].set, may);
    become(index, &Fact::set, must);
  }

  void read(std::uint32_t pc, Condition when, std::uint32_t index) {
    Fact& fact = facts_[index];
    if (program_.code[pc].op == Opcode::Return)
      refuse(pc, when, index, &Fact::retired, " is retired in ", current_,
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
    refuse(pc, when, index, &Fact::retired,
           " is read after it was retired on some path: retire it later");
  }
  void demand(std::uint32_t pc, std::uint32_t index, Condition must, Condition may) {
    refuse(pc, may, index, &Fact::retired,
           " is demanded after it was retired on some path: retire it after its last demand");
    become_set(index, must, may);
  }
  void write(std::uint32_t pc, Condition when, std::uint32_t index) {
    for (const auto state : {&Fact::set, &Fact::retired})
      refuse(pc, when, index, state,
             " is written twice on some path: every value has a register of its own");
    become(index, &Fact::set, when);
  }

  void expect(Entry entry, Condition must, Condition may) {
    if (may == kNever) return;
    auto& [surely, perhaps] = waiting_[{bodies_.rank(entry), entry}];
    if (bodies_.is_body(entry)) surely = conditions_.either(surely, must);
    perhaps = conditions_.either(perhaps, may);
  }

  /// Holds all that runs because the current body needs `first` against what the registers are
  /// here, and adds what it leaves. What ran for certain does not run again, but lazy thunks do.
  void enter(std::uint32_t pc, Entry first, Condition when) {
    summaries_[current_].entrances.emplace_back(first, when);
    for (expect(first, when, when); !waiting_.empty();) {
      const Entry entry = waiting_.begin()->first.second;
      const auto [surely, perhaps] = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      Condition& ran = ran_[entry];
      const Condition must = conditions_.but_not(surely, ran);
      const Condition may = conditions_.but_not(perhaps, ran);
      if (may == kNever) continue;
      ran = conditions_.either(ran, must);
      if (bodies_.is_body(entry))
        enter_body(pc, entry, must, may);
      else
        enter_lazy(pc, bodies_.lazy_of(entry), may);
    }
  }

  void enter_body(std::uint32_t pc, Entry body, Condition must, Condition may) {
    for (const auto& [index, fact] : summaries_[body].facts) {
      if (definitions_.writer[index] == body) {
        take_over(pc, body, index, fact, must, may);
        continue;
      }
      if (fact.demanded != kNever && definitions_.deep[current_])  // as of what it enters
        demand(pc, index, conditions_.both(must, fact.demanded),
               conditions_.both(may, fact.demanded));
      if (fact.read != kNever) check_reads(pc, body, index, fact, may);
    }
    if (!definitions_.deep[current_]) return;
    for (const auto& [next, when] : summaries_[body].entrances)
      expect(next, conditions_.both(must, when), conditions_.both(may, when));
  }

  /// A register that `body` reads has to be there where it is entered.
  void check_reads(std::uint32_t pc, Entry body, std::uint32_t index, const Fact& there,
                   Condition may) {
    check_not_retired(pc, conditions_.both(may, there.read), index);
    if (definitions_.block[index] == current_)
      refuse(pc, conditions_.both(may, there.missed), index, &Fact::untouched,
             " is read before it is written on some path, in ", body,
             ": write it first on all of them");
  }

  /// A register that `body` wrote is as it left it.
  void take_over(std::uint32_t pc, Entry body, std::uint32_t index, const Fact& there,
                 Condition must, Condition may) {
    const Condition set = conditions_.both(may, there.set);
    refuse(pc, set, index, &Fact::retired, " is written in ", body,
           " after it was retired on some path: retire it later");
    become_set(index, conditions_.both(must, there.set), set);
    become(index, &Fact::retired, conditions_.both(must, there.retired));
  }

  /// The thunk may ask for each input or not, compute any of its outputs, and reads again what it
  /// got before.
  void enter_lazy(std::uint32_t pc, std::uint32_t lazy, Condition may) {
    const Operands& operands = program_.lazies[lazy].operands;
    for (std::uint32_t i = 0; i < operands.n_inputs; ++i) {
      check_not_retired(pc, may, operands.input(static_cast<int>(i)));
      expect(bodies_.input(lazy, i), kNever, may);
    }
    for (int j = 0; j < operands.n_outputs; ++j) become_set(operands.output(j), kNever, may);
  }

  /// No value is left over that a body set and neither it nor one around it retired.
  void check_end() {
    if (program_.retain_intermediates) return;
    std::vector<Condition> entered(bodies_.n_entries(), kNever), left(program_.n_registers, kNever);
    entered[0] = kAlways;
    for (const Entry entry : bodies_.callers_first()) {
      const auto enter = [&](Entry to, Condition when) {
        entered[to] = conditions_.either(entered[to], conditions_.both(entered[entry], when));
      };
      if (!bodies_.is_body(entry)) {
        for (const Entry to : bodies_.callees(entry)) enter(to, kAlways);
        continue;
      }
      for (const auto& [to, when] : summaries_[entry].entrances) enter(to, when);
      for (const auto& [index, fact] : summaries_[entry].facts)
        if (definitions_.writer[index] == entry)
          left[index] = conditions_.both(entered[entry], fact.set);
    }
    for (Entry body = 0; body < bodies_.n_bodies(); ++body)
      for (const auto& [index, fact] : summaries_[body].facts)
        if (definitions_.writer[index] != body)  // not where a lazy thunk may have set it since
          left[index] = conditions_.but_not(
              left[index],
              conditions_.both(entered[body], conditions_.but_not(fact.retired, fact.set)));
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

  // The body that is followed: where it has come to, and what ran since it was entered.
  Entry current_ = 0;
  std::map<std::uint32_t, Fact> facts_;  ///< by register; untouched are those that are not there
  std::map<Entry, Condition> ran_;
  /// The entries that are entered next, for certain and perhaps; by rank, callers first.
  std::map<std::pair<std::uint32_t, Entry>, std::pair<Condition, Condition>> waiting_;

  std::vector<Summary> summaries_;  ///< of the bodies that have been followed
};

}  // namespace

void check_register_flow(const Program& program) { RegisterFlow(program).check(); }

}  // namespace thunkvm
