// register_flow.cpp: an abstract run of a program, of all paths at once: each register is the
// conditions under which it is untouched, holds a value or is retired.
#include "vm/verify/register_flow.h"

#include "vm/verify/body_graph.h"
#include "vm/verify/conditions.h"
#include "vm/verify/program_error.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// What the program lists a register as. One that is given is there when the call begins.
/// One that is lent is there when the call has ended, too.
enum Role : std::uint8_t { kGiven = 1, kConstant = 2, kOutput = 4, kUpdate = 8, kLent = 16 };

/// The states of a register at one instruction of a body: the conditions of each. More than one may
/// hold where something else than a lazy thunk's choice decides.
struct Fact {
  Condition untouched = kAlways;  ///< since the body was entered
  Condition set = kNever;         ///< of an output of a lazy thunk: for certain
  Condition retired = kNever;
  Condition read = kNever;    ///< the body has read it, or demanded it of its lazy thunk
  Condition missed = kNever;  ///< the body has read it while it was untouched
};

class RegisterFlow {
  using Touch = BodyGraph::Touch;

 public:
  explicit RegisterFlow(const Program& program)
      : program_(program),
        bodies_(program),
        conditions_(program),
        roles_(program.n_registers),
        writer_(program.n_registers, kNone),
        block_(program.n_registers, kNone),
        deep_(bodies_.n_entries()),
        left_(bodies_.n_bodies()),
        entrances_(bodies_.n_bodies()) {}

  void check() {
    find_roles();
    find_writers();
    find_deep();
    const std::vector<Entry>& order = bodies_.callers_first();
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry)
      if (bodies_.is_body(*entry)) follow(*entry);
  }

 private:
  std::string text(std::uint32_t index) const { return register_text(program_, index); }

  void find_roles() {
    const auto give = [&](std::uint32_t index, std::uint8_t role, const char* list) {
      if (roles_[index] != 0)
        throw_invalid(list, text(index) + " is given twice: what is given has one of its own");
      roles_[index] = role;
    };
    for (const auto& [index, value] : program_.constants)
      give(index, kGiven | kConstant, "the constants");
    for (const std::uint32_t index : program_.inputs) give(index, kGiven | kLent, "the inputs");
    for (const std::uint32_t i : program_.mutable_inputs) roles_[program_.inputs[i]] &= ~kLent;
    for (const std::uint32_t index : program_.shared)
      give(index, kGiven | kLent, "the shared variables");
    for (const std::uint32_t index : program_.outputs) roles_[index] |= kOutput;
    for (const std::uint32_t index : program_.updates) roles_[index] |= kUpdate;
  }

  /// `pc`: of the instruction that writes; none: a lazy thunk does.
  void claim(std::uint32_t index, Entry entry, Pc pc) {
    const auto refuse = [&](const char* why) {
      throw_invalid(pc == kNone ? bodies_.name(entry) : instruction_text(program_, pc),
                    text(index) + " is written" + why);
    };
    if ((roles_[index] & kGiven) != 0) refuse(", but it is a constant or given by the caller");
    if (writer_[index] != kNone && writer_[index] != entry)
      refuse(" in two bodies: every value has one defining block");
    writer_[index] = entry;
  }

  void find_writers() {
    for (std::uint32_t l = 0; l < program_.lazies.size(); ++l) {
      const Operands& operands = program_.lazies[l].operands;
      for (int j = 0; j < operands.n_outputs; ++j) claim(operands.output(j), bodies_.lazy(l), Pc());
    }
    for (Entry body = 0; body < bodies_.n_bodies(); ++body)
      for (const Pc pc : bodies_.instructions(body))
        for (const auto& [touch, index] : bodies_.touches(body, pc))
          if (touch == Touch::Write) {
            claim(index, body, pc);
          } else if (touch == Touch::Demand) {
            Entry& around = block_[index];
            around = around == kNone ? body : bodies_.common_dominator(around, body);
          }
    std::ranges::replace(writer_, kNone, Entry{0});
    for (std::uint32_t index = 0; index < program_.n_registers; ++index)
      if (block_[index] == kNone)
        block_[index] = bodies_.is_body(writer_[index]) ? writer_[index] : 0;
  }

  /// Checks what is retired, too.
  void find_deep() {
    deep_[0] = true;
    std::vector<Entry> entered_by(bodies_.n_entries(), kNone);
    for (Entry body = 0; body < bodies_.n_bodies(); ++body) {
      for (const Entry to : bodies_.callees(body)) entered_by[to] = body;
      for (const Pc pc : bodies_.instructions(body))
        for (const auto& [touch, index] : bodies_.touches(body, pc)) {
          const Entry from = block_[index];
          if (touch == Touch::Read && from != body && entered_by[from] != body)
            deep_[bodies_.dominates(from, body) ? from : body] = true;
          if (touch != Touch::Retire) continue;
          check_retire(body, pc, index);
          if (writer_[index] != body) deep_[body] = true;
        }
    }
  }

  void check_retire(Entry body, Pc pc, std::uint32_t index) {
    const auto refuse = [&](const std::string& why) {
      const char* what = (program_.code[pc].flag & kTake) != 0 ? " is taken" : " is retired";
      throw_invalid(instruction_text(program_, pc), text(index) + what + why);
    };
    if ((roles_[index] & kConstant) != 0) refuse(", but it is a constant");
    if ((roles_[index] & kLent) != 0)
      refuse(", but it is a shared variable's value, or an input that is not mutable");
    if (program_.retain_intermediates) refuse(" in a program that keeps its values");
    if ((roles_[index] & kUpdate) != 0) refuse(" on some path, but it is an update");
    if (!bodies_.dominates(body, writer_[index]))
      refuse(" in " + bodies_.name(body) + ", which does not have the value from " +
             bodies_.name(writer_[index]) + " for itself: retire it there, or in a body around it");
  }

  void follow(Entry body) {
    current_ = body;
    facts_.clear();
    ran_.clear();
    if (body == 0)
      for (std::uint32_t index = 0; index < program_.n_registers; ++index)
        if ((roles_[index] & kGiven) != 0) become(index, &Fact::set, kAlways);
    const std::vector<Pc>& pcs = bodies_.instructions(body);
    std::map<Pc, Condition> paths = {{pcs.front(), kAlways}};  // that come to each pc
    for (const Pc pc : pcs) {
      const Condition when = paths[pc];
      if (when == kNever) continue;  // only by deciding one thing in two ways
      step(pc, when);
      const std::vector<Pc> targets = bodies_.successors(pc);
      const bool decides = program_.code[pc].op == Opcode::Branch;
      for (std::uint32_t arm = 0; arm < targets.size(); ++arm) {
        const Condition taken = decides ? conditions_.takes(program_.code[pc].a, arm) : kAlways;
        Condition& there = paths[targets[arm]];
        there = conditions_.either(there, conditions_.both(when, taken));
      }
    }
    if (bodies_.is_step(body)) end_steps(paths);
    std::erase_if(facts_, [&](const auto& entry) {
      const auto& [index, fact] = entry;
      if (writer_[index] == body) return fact.set == kNever;
      return fact.read == kNever && fact.missed == kNever && fact.retired == kNever;
    });
    left_[body].swap(facts_);
  }

  /// A loop has ended by its last step: what holds then holds behind it, whatever it decided.
  void end_steps(const std::map<Pc, Condition>& paths) {
    Condition ended = kNever;
    for (const auto& [pc, when] : paths)
      if (program_.code[pc].op == Opcode::Return) ended = conditions_.either(ended, when);
    const auto behind = [&](Condition c) {
      if (conditions_.both(ended, c) == kNever) return kNever;
      return conditions_.but_not(ended, c) == kNever ? kAlways : kUnknown;
    };
    for (auto& [index, fact] : facts_)
      for (Condition Fact::* state : {&Fact::untouched, &Fact::set, &Fact::retired})
        fact.*state = behind(fact.*state);
    for (auto& [entry, when] : entrances_[current_])
      if (conditions_.but_not(ended, when) == kNever) when = kAlways;
  }

  /// Where a step ends, nothing that belongs to it is left but the states.
  void check_step_end(Pc pc, std::uint32_t loop, Condition when) {
    if (program_.retain_intermediates) return;
    for (const auto& [index, fact] : facts_)
      if (bodies_.is_body(writer_[index]) && bodies_.loop_of(writer_[index]) == loop &&
          may(when, fact.set))
        throw_invalid(instruction_text(program_, pc),
                      text(index) + " may hold a value where the step ends: retire it");
  }

  void step(Pc pc, Condition when) {
    for (const auto& [touch, index] : bodies_.touches(current_, pc)) {
      if (touch == Touch::Read) read(pc, when, index);
      if (touch == Touch::Write) write(pc, when, index);
      if (touch == Touch::Demand) demand(pc, when, index);
      if (touch == Touch::Retire) become(index, &Fact::retired, when);
    }
    const Opcode op = program_.code[pc].op;
    if (const Entry next = bodies_.entered(pc); bodies_.is_body(next)) enter(pc, next, when);
    const bool is_last = op == Opcode::Return && bodies_.is_step(current_);
    if (op == Opcode::Again || is_last) check_step_end(pc, bodies_.loop_of(current_), when);
    if (op == Opcode::Halt) check_end(pc, when);
  }

  bool may(Condition a, Condition b) { return is_possible(conditions_.both(a, b)); }
  /// Throws where a register may be in a state in which what is done with it, in a body, is wrong.
  void refuse(Pc pc, Condition when, std::uint32_t index, Condition Fact::* state, const char* rule,
              Entry body = kNone, const char* rest = "") {
    if (may(when, facts_[index].*state))
      throw_invalid(instruction_text(program_, pc),
                    text(index) + rule + (body == kNone ? "" : bodies_.name(body)) + rest);
  }
  void become(std::uint32_t index, Condition Fact::* state, Condition when) {
    Fact& fact = facts_[index];
    for (Condition Fact::* other : {&Fact::untouched, &Fact::set, &Fact::retired})
      fact.*other = other == state ? conditions_.either(fact.*other, when)
                                   : conditions_.but_not(fact.*other, when);
  }

  void read(Pc pc, Condition when, std::uint32_t index) {
    Fact& fact = facts_[index];
    if (program_.code[pc].op == Opcode::Return)
      refuse(pc, when, index, &Fact::retired, " is retired in ", current_,
             ": its lazy thunk still reads it");
    check_not_retired(pc, when, index);
    const Entry from = block_[index];
    if (may(when, fact.untouched) && (from == current_ || !bodies_.dominates(from, current_)))
      throw_invalid(
          current_ == 0 ? instruction_text(program_, pc) : bodies_.name(current_),
          text(index) + " is read before it is written on some path: write it on all first");
    fact.read = conditions_.either(fact.read, when);
    miss(index, when);
  }
  void miss(std::uint32_t index, Condition when) {
    Fact& fact = facts_[index];
    fact.missed = conditions_.either(fact.missed, conditions_.both(when, fact.untouched));
  }
  void check_not_retired(Pc pc, Condition when, std::uint32_t index) {
    refuse(pc, when, index, &Fact::retired,
           " is read after it was retired on some path: retire it later");
  }
  void write(Pc pc, Condition when, std::uint32_t index) {
    for (const auto state : {&Fact::set, &Fact::retired})
      refuse(pc, when, index, state,
             " is written twice on some path: every value has a register of its own");
    become(index, &Fact::set, when);
  }

  void demand(Pc pc, Condition when, std::uint32_t output) {
    refuse(pc, when, output, &Fact::retired,
           " is demanded after it was retired on some path: retire it after its last demand");
    enter(pc, writer_[output], when);
    become(output, &Fact::set, when);
    facts_[output].read = conditions_.either(facts_[output].read, when);
  }

  void expect(Entry entry, Condition must, Condition may) {
    if (may == kNever) return;
    auto& [surely, perhaps] = waiting_[bodies_.rank(entry)];
    if (bodies_.is_body(entry)) surely = conditions_.either(surely, must);
    perhaps = conditions_.either(perhaps, may);
  }

  /// Holds all that runs because the current body needs `first` against what the registers are
  /// here, and adds what it leaves. What ran for certain does not run again, but lazy thunks do.
  void enter(Pc pc, Entry first, Condition when) {
    entrances_[current_].emplace_back(first, when);
    const std::uint32_t lazy = bodies_.lazy_of(first);
    std::vector<std::tuple<Entry, Condition, Condition>> entered;
    for (expect(first, when, when); !waiting_.empty();) {
      const auto next = waiting_.extract(waiting_.begin());
      const Entry entry = bodies_.callers_first()[next.key()];
      const auto [surely, perhaps] = next.mapped();
      Condition& ran = ran_[entry];
      const Condition must = conditions_.but_not(surely, ran);
      const Condition may = conditions_.but_not(perhaps, ran);
      if (may == kNever) continue;
      ran = conditions_.either(ran, must);
      if (bodies_.is_body(entry)) {
        const bool is_input = lazy != kNone && bodies_.lazy_of(entry) == lazy;
        enter_body(pc, entry, must, may, entry == first || is_input);
        entered.emplace_back(entry, must, may);
      } else {
        enter_lazy(pc, bodies_.lazy_of(entry), may);
      }
    }
    for (const auto& [body, must, may] : entered) leave_body(body, must, may);
  }

  /// Whether what a body writes is gone when the current body goes on: it belongs to the steps of a
  /// loop that is not around that.
  bool ends_with_step(Entry body) const {
    return !bodies_.is_around(program_.bodies[body - 1].loop, bodies_.loop_of(current_));
  }

  /// `is_direct`: the instruction that is looked at enters it, or the lazy thunk whose input it is.
  void enter_body(Pc pc, Entry body, Condition must, Condition may, bool is_direct) {
    for (const auto& [index, fact] : left_[body]) {
      if (writer_[index] == body) {  // it is as the body left it
        if (ends_with_step(body)) continue;
        const Condition set = conditions_.both(may, fact.set);
        refuse(pc, set, index, &Fact::retired, " is written in ", body,
               " after it was retired on some path: retire it later");
        facts_[index].set = conditions_.either(facts_[index].set, set);
        become(index, &Fact::set, conditions_.both(must, fact.set));
        become(index, &Fact::retired, conditions_.both(must, fact.retired));
        continue;
      }
      check_not_retired(pc, conditions_.both(may, fact.read), index);
      // Who demands a lazy thunk's output before it is read, each body knows of those it enters.
      const bool is_lazy = !bodies_.is_body(writer_[index]);
      if (is_lazy && !is_direct) continue;
      const Condition missed = conditions_.both(may, fact.missed);
      if (block_[index] == current_)
        refuse(pc, missed, index, &Fact::untouched,
               " is read before it is written on some path, in ", body, ": write it on all first");
      if (is_lazy) miss(index, missed);
    }
    if (!deep_[current_]) return;
    for (const auto& [next, when] : entrances_[body])
      expect(next, conditions_.both(must, when), conditions_.both(may, when));
  }

  /// What a body demanded for certain is there, what it retired of what bodies within it wrote is
  /// not.
  void leave_body(Entry body, Condition must, Condition may) {
    for (const auto& [index, fact] : left_[body]) {
      if (writer_[index] == body) continue;
      Condition& set = facts_[index].set;
      if (bodies_.is_body(writer_[index]))
        set = conditions_.but_not(set, conditions_.both(may, fact.retired));
      else
        become(index, &Fact::set,
               conditions_.but_not(must, conditions_.either(fact.untouched, fact.retired)));
    }
  }

  /// The thunk may request each input or not, and reads again what is available.
  void enter_lazy(Pc pc, std::uint32_t lazy, Condition may) {
    const Operands& operands = program_.lazies[lazy].operands;
    for (std::uint32_t i = 0; i < operands.n_inputs; ++i) {
      check_not_retired(pc, may, operands.input(static_cast<int>(i)));
      expect(BodyGraph::body(program_.lazies[lazy].first_body + i), kNever, may);
    }
  }

  /// When the call ends outputs are there, and nothing else that a body wrote but updates.
  void check_end(Pc pc, Condition when) {
    for (const std::uint32_t index : program_.outputs)
      for (const auto state : {&Fact::untouched, &Fact::retired})
        refuse(pc, when, index, state, " is an output, but has no value at the end of some path");
    if (program_.retain_intermediates) return;
    for (const auto& [index, fact] : facts_)
      if (roles_[index] == 0 && bodies_.is_body(writer_[index]) && may(when, fact.set))
        throw_invalid(
            bodies_.name(writer_[index]),
            text(index) + " may hold a value at the end of the call: retire it on every path");
  }

  const Program& program_;
  const BodyGraph bodies_;
  Conditions conditions_;

  std::vector<std::uint8_t> roles_;  ///< by register: some of Role
  std::vector<Entry> writer_;  ///< by register: a body, or the lazy thunk whose output it is; the
                               ///< program's body if it is given or nobody's
  /// By register, its defining block: bodies that it dominates may read it. It is the writer, or
  /// for an output of a lazy thunk the innermost body around all that demand it.
  std::vector<Entry> block_;
  /// By entry: whether checks of a body follow also what the bodies that it enters enter in turn.
  /// They have to where bodies within it read what it wrote, where it retires what they wrote,
  /// where it reads what bodies wrote that it does not enter itself, and in the program's body,
  /// which looks at what is left. In other bodies a look at what they enter themselves will do, so
  /// that a chain of bodies takes linear time.
  std::vector<bool> deep_;

  // The body that is followed: where it has come to, and what ran since it was entered.
  Entry current_ = 0;
  std::map<std::uint32_t, Fact> facts_;  ///< by register; untouched are those that are not there
  std::map<Entry, Condition> ran_;
  /// By rank, callers first: the entries that are entered next, for certain and perhaps.
  std::map<std::uint32_t, std::pair<Condition, Condition>> waiting_;

  std::vector<std::map<std::uint32_t, Fact>> left_;  ///< by followed body: its facts at the end
  std::vector<std::vector<std::pair<Entry, Condition>>> entrances_;  ///< likewise: what it enters
};

}  // namespace

void check_register_flow(const Program& program) { RegisterFlow(program).check(); }

}  // namespace thunkvm
