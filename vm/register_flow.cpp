// register_flow.cpp: an abstract run of a program: each register is a set of what may have become of it.
#include "vm/register_flow.h"

#include "thunks/error.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace thunkvm {

namespace {

// What a register, or a memo body, may be at one place. In a body, `kUntouched` means: as its caller left it.
constexpr std::uint8_t kUntouched = 1;
constexpr std::uint8_t kSet = 2;      ///< of a memo body: it ran
constexpr std::uint8_t kRetired = 4;

/// The registers, and the memo bodies after them, that are not just untouched.
using State = std::unordered_map<std::uint32_t, std::uint8_t>;

std::uint8_t look_up(const State& state, std::uint32_t key) {
  const auto entry = state.find(key);
  return entry == state.end() ? kUntouched : entry->second;
}

void join(State& into, const State& other) {
  for (auto& [key, bits] : into) bits |= look_up(other, key);
  for (const auto& [key, bits] : other)
    if (!into.contains(key)) into[key] = bits | kUntouched;
}

/// A piece of code with one way in: the main program, a memo's body or the body of a lazy thunk's input.
struct Body {
  Body(std::string name, std::uint32_t entry, Opcode end) : name(std::move(name)), entry(entry), end(end) {}

  std::string name;
  std::uint32_t entry;
  Opcode end;
  std::vector<std::uint32_t> order;      ///< its instructions, each before those that it leads to
  std::vector<std::uint32_t> callees;    ///< bodies
  std::unordered_set<std::uint32_t> wants;  ///< registers that the caller must have set
  State leaves;                          ///< what it does to its caller's registers and memos
};

class RegisterFlow {
 public:
  explicit RegisterFlow(const Program& program) : program_(program), writer_(program.n_registers, kNone) {
    bodies_.emplace_back("the program", 0, Opcode::Halt);
    for (const Memo& memo : program.memos)
      bodies_.emplace_back("memo body " + std::to_string(bodies_.size() - 1), memo.pc, Opcode::Return);
    for (std::size_t l = 0; l < program.lazies.size(); ++l) {
      first_input_body_.push_back(static_cast<std::uint32_t>(bodies_.size()));
      for (std::size_t i = 0; i < program.lazies[l].input_pcs.size(); ++i)
        bodies_.emplace_back("the body of input " + std::to_string(i) + " of lazy thunk " + std::to_string(l),
                             program.lazies[l].input_pcs[i], Opcode::Return);
    }
    const auto given = [&](std::uint32_t index) {
      start_[index] = kSet;
      writer_[index] = kCaller;
      stays_.insert(index);
    };
    for (const auto& [index, value] : program.constants) given(index);
    for (const std::uint32_t index : program.inputs) given(index);
    for (const std::uint32_t index : program.shared) given(index);
    stays_.insert(program.outputs.begin(), program.outputs.end());
    stays_.insert(program.updates.begin(), program.updates.end());
    for (std::size_t l = 0; l < program.lazies.size(); ++l) {
      const Operands& operands = program.lazies[l].operands;
      for (int j = 0; j < operands.n_outputs; ++j) {
        claim(operands.output(j), static_cast<std::uint32_t>(bodies_.size() + l), "lazy thunk " + std::to_string(l));
        stays_.insert(operands.output(j));
      }
    }
  }

  void check() {
    for (std::uint32_t body = 0; body < bodies_.size(); ++body) arrange(body);
    for (const std::uint32_t body : callees_first()) {
      follow(body);
      if (work_ > kMaxWork) return;
    }
  }

 private:
  static constexpr std::uint32_t kCaller = kNone - 1;
  static constexpr std::size_t kMaxWork = 4'000'000;

  [[noreturn]] void invalid(std::uint32_t pc, const std::string& rule) const {
    throw_invalid(instruction_text(program_, pc), rule);
  }

  std::span<const std::uint32_t> successors(std::uint32_t pc, std::uint32_t& next) const {
    const Instruction& instruction = program_.code[pc];
    switch (instruction.op) {
      case Opcode::Branch: {
        const Branch& branch = program_.branches[instruction.a];
        return {program_.targets.data() + branch.first_target, branch.n_arms};
      }
      case Opcode::Return:
      case Opcode::Halt: return {};
      case Opcode::Jump: next = instruction.a; break;
      default: next = pc + 1; break;
    }
    return {&next, 1};
  }

  /// Finds the instructions of a body, in an order in which each comes before those that it leads to.
  void arrange(std::uint32_t index) {
    Body& body = bodies_[index];
    enum Mark : std::uint8_t { kOpen, kDone };
    std::unordered_map<std::uint32_t, Mark> marks;
    struct Visit {
      std::uint32_t pc, arm;
    };
    std::vector<Visit> path = {{body.entry, 0}};
    marks[body.entry] = kOpen;
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::uint32_t pc = visit.pc;
      std::uint32_t next;
      const auto targets = successors(pc, next);
      if (visit.arm == targets.size()) {
        if (targets.empty() && program_.code[pc].op != body.end)
          invalid(pc, "ends " + body.name + ", which has to end in " + std::string(name(body.end)));
        marks[pc] = kDone;
        body.order.push_back(pc);
        path.pop_back();
        continue;
      }
      const std::uint32_t target = targets[visit.arm++];
      if (target >= program_.code.size()) invalid(pc, "the path runs past the end of the code: end it in Halt or Return");
      const auto [mark, is_new] = marks.emplace(target, kOpen);
      if (is_new) path.push_back({target, 0});
      else if (mark->second == kOpen) invalid(pc, "the path comes back to itself: a body runs each instruction once");
    }
    std::reverse(body.order.begin(), body.order.end());
    for (const std::uint32_t pc : body.order) {
      const Instruction& instruction = program_.code[pc];
      if (instruction.op == Opcode::Need) body.callees.push_back(1 + instruction.a);
      if (instruction.op == Opcode::Lazy)
        for (std::size_t i = 0; i < program_.lazies[instruction.a].input_pcs.size(); ++i)
          body.callees.push_back(first_input_body_[instruction.a] + static_cast<std::uint32_t>(i));
    }
  }

  std::vector<std::uint32_t> callees_first() const {
    std::vector<std::uint32_t> order;
    std::vector<std::uint8_t> mark(bodies_.size(), 0);  // 1: on the path, 2: done
    struct Visit {
      std::uint32_t body, callee;
    };
    for (std::uint32_t root = 0; root < bodies_.size(); ++root) {
      if (mark[root] != 0) continue;
      std::vector<Visit> path = {{root, 0}};
      mark[root] = 1;
      while (!path.empty()) {
        Visit& visit = path.back();
        const Body& body = bodies_[visit.body];
        if (visit.callee == body.callees.size()) {
          mark[visit.body] = 2;
          order.push_back(visit.body);
          path.pop_back();
          continue;
        }
        const std::uint32_t callee = body.callees[visit.callee++];
        if (mark[callee] == 1) throw_invalid(bodies_[callee].name, "needs itself: bodies may not be recursive");
        if (mark[callee] == 0) {
          mark[callee] = 1;
          path.push_back({callee, 0});
        }
      }
    }
    return order;
  }

  void follow(std::uint32_t index) {
    Body& body = bodies_[index];
    current_ = index;
    std::unordered_map<std::uint32_t, State> waiting;  // states at instructions that are still to come
    waiting[body.entry] = index == 0 ? start_ : State{};
    State end;
    bool ended = false;
    const auto arrive = [](auto& states, std::uint32_t pc, State&& state) {
      const auto [entry, is_new] = states.try_emplace(pc);
      if (is_new) entry->second = std::move(state);
      else join(entry->second, state);
    };
    for (const std::uint32_t pc : body.order) {
      State state = std::move(waiting.extract(pc).mapped());
      step(pc, state);
      if (work_ > kMaxWork) return;
      std::uint32_t next;
      const auto targets = successors(pc, next);
      if (targets.empty()) {
        if (index == 0) check_halt(pc, state);
        if (ended) join(end, state);
        else end = std::move(state);
        ended = true;
      } else {
        work_ += (targets.size() - 1) * 2 * state.size();
        for (std::size_t arm = 0; arm + 1 < targets.size(); ++arm) arrive(waiting, targets[arm], State(state));
        arrive(waiting, targets.back(), std::move(state));
      }
    }
    for (const std::uint32_t wanted : body.wants)
      if (writer_[wanted] == index)
        throw_invalid(body.name, register_text(program_, wanted) +
                                     " is read before it is written on some path: write it first on all of them");
    body.leaves = std::move(end);
  }

  void step(std::uint32_t pc, State& state) {
    const Instruction& instruction = program_.code[pc];
    switch (instruction.op) {
      case Opcode::Run:
        for (std::uint32_t i = instruction.a; i < instruction.a + instruction.b; ++i) {
          const Step& step = program_.steps[i];
          for (int k = 0; k < step.operands.n_inputs; ++k) read(pc, state, step.operands.input(k));
          for (int k = 0; k < step.operands.n_outputs; ++k) write(pc, state, step.operands.output(k));
          for (std::uint32_t k = 0; k < step.retire_count; ++k) state[program_.retires[step.retire_first + k]] = kRetired;
        }
        break;
      case Opcode::Branch:
        read(pc, state, program_.branches[instruction.a].selector);
        if ((instruction.flag & kTake) != 0) state[program_.branches[instruction.a].selector] = kRetired;
        break;
      case Opcode::Move:
        read(pc, state, instruction.b);
        if ((instruction.flag & kTake) != 0) state[instruction.b] = kRetired;
        write(pc, state, instruction.a);
        break;
      case Opcode::Need: need(pc, state, instruction.a); break;
      case Opcode::Lazy: demand(pc, state, instruction.a, instruction.b); break;
      case Opcode::Retire:
        for (std::uint32_t k = 0; k < instruction.b; ++k) state[program_.retires[instruction.a + k]] = kRetired;
        break;
      case Opcode::Jump:
      case Opcode::Return:
      case Opcode::Halt: break;
    }
  }

  void read(std::uint32_t pc, const State& state, std::uint32_t index) {
    const std::uint8_t bits = look_up(state, index);
    if ((bits & kRetired) != 0)
      invalid(pc, register_text(program_, index) + " is read after it was retired on some path: retire it later");
    if ((bits & kUntouched) == 0) return;
    if (current_ == 0)
      invalid(pc, register_text(program_, index) + " is read before it is written on some path: write it first on all "
                                                   "of them");
    bodies_[current_].wants.insert(index);
  }

  void write(std::uint32_t pc, State& state, std::uint32_t index) {
    claim(index, current_, instruction_text(program_, pc));
    if (look_up(state, index) != kUntouched)
      invalid(pc, register_text(program_, index) + " is written twice on some path: every value has a register of its own");
    state[index] = kSet;
  }

  /// Notes who writes a register: one body, or the lazy thunk whose output it is.
  void claim(std::uint32_t index, std::uint32_t writer, const std::string& place) {
    if (writer_[index] == kNone) writer_[index] = writer;
    if (writer_[index] == kCaller)
      throw_invalid(place, register_text(program_, index) + " is written, but it is a constant or given by the caller");
    if (writer_[index] != writer)
      throw_invalid(place, register_text(program_, index) + " is written in two bodies: every value has a home of its own");
  }

  void need(std::uint32_t pc, State& state, std::uint32_t memo) {
    const std::uint32_t done = program_.n_registers + memo;
    if (look_up(state, done) == kSet) return;
    const Body& body = bodies_[1 + memo];
    work_ += body.wants.size() + body.leaves.size();
    for (const std::uint32_t index : body.wants) read(pc, state, index);
    // Where it ran before, it left the same.
    for (const auto& [key, bits] : body.leaves) {
      const std::uint8_t before = look_up(state, key);
      state[key] = static_cast<std::uint8_t>((bits & ~kUntouched) | (before & kRetired) |
                                             ((bits & kUntouched) != 0 ? before : 0));
    }
    state[done] = kSet;
  }

  void demand(std::uint32_t pc, State& state, std::uint32_t index, std::uint32_t output) {
    const Lazy& lazy = program_.lazies[index];
    // Each input's body may run here, and no other one has run before it for certain: all are held against the state
    // before, and what they leave is added to it.
    for (std::uint32_t i = 0; i < lazy.operands.n_inputs; ++i) {
      const Body& body = bodies_[first_input_body_[index] + i];
      work_ += body.wants.size() + body.leaves.size();
      for (const std::uint32_t wanted : body.wants) read(pc, state, wanted);
      const std::uint32_t input = lazy.operands.input(static_cast<int>(i));
      const std::uint8_t left = look_up(body.leaves, input);
      if ((left & kRetired) != 0)
        invalid(pc, register_text(program_, input) + " is retired in " + body.name + ": its lazy thunk still reads it");
      if ((left & kUntouched) != 0) read(pc, state, input);
    }
    for (std::uint32_t i = 0; i < lazy.operands.n_inputs; ++i) {
      for (const auto& [key, bits] : bodies_[first_input_body_[index] + i].leaves)
        state[key] = static_cast<std::uint8_t>(look_up(state, key) | (bits & ~kUntouched));
    }
    for (std::uint32_t j = 0; j < lazy.operands.n_outputs; ++j) {
      std::uint8_t& bits = state.try_emplace(lazy.operands.output(static_cast<int>(j)), kUntouched).first->second;
      if (j != output) {
        bits |= kSet;
        continue;
      }
      if ((bits & kRetired) != 0)
        invalid(pc, register_text(program_, lazy.operands.output(static_cast<int>(j))) +
                        " is demanded after it was retired on some path: retire it after its last demand");
      bits = kSet;
    }
  }

  void check_halt(std::uint32_t pc, const State& state) const {
    for (const std::uint32_t index : program_.outputs)
      if (look_up(state, index) != kSet)
        invalid(pc, register_text(program_, index) + " is an output, but has no value at the end of some path");
    for (const std::uint32_t index : program_.updates)
      if ((look_up(state, index) & kRetired) != 0)
        invalid(pc, register_text(program_, index) + " is an update, but is retired on some path");
    if (program_.keep) return;
    std::uint32_t left = kNone;
    for (const auto& [key, bits] : state)
      if (key < program_.n_registers && (bits & kSet) != 0 && !stays_.contains(key)) left = std::min(left, key);
    if (left != kNone)
      invalid(pc, register_text(program_, left) + " may hold a value at the end of the call: retire it on every path");
  }

  const Program& program_;
  std::vector<Body> bodies_;                      ///< the program, memo bodies, then lazy thunks' inputs
  std::vector<std::uint32_t> first_input_body_;   ///< by lazy thunk
  std::vector<std::uint32_t> writer_;             ///< by register: a body, bodies + lazy thunk, kCaller or none
  State start_;
  std::unordered_set<std::uint32_t> stays_;       ///< registers that may hold a value at Halt
  std::uint32_t current_ = 0;                     ///< the body that is followed
  std::size_t work_ = 0;                          ///< entries of states that were copied
};

}  // namespace

std::string instruction_text(const Program& program, std::uint32_t pc) {
  return "instruction " + std::to_string(pc) + " (" + std::string(name(program.code[pc].op)) + ")";
}

std::string register_text(const Program& program, std::uint32_t index) {
  std::string text = "register " + std::to_string(index);
  if (program.text == nullptr || index >= program.n_registers) return text;
  const std::string name = program.text->register_name(index);
  return name.empty() ? text : text + " (" + name + ")";
}

void throw_invalid(const std::string& place, const std::string& rule) {
  throw Error(ErrorKind::Runtime, "invalid program: " + place + ": " + rule);
}

void check_register_flow(const Program& program) { RegisterFlow(program).check(); }

}  // namespace thunkvm
