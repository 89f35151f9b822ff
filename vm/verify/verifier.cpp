// verifier.cpp: indices, counts and lists of a program; where registers stand on each path is
// register_flow.cpp's.
#include "vm/verify/verifier.h"

#include "vm/verify/program_error.h"
#include "vm/verify/register_flow.h"

#include <algorithm>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : p_(program) {}

  void check() {
    check_registers();
    each("step ", p_.steps, [this](const Step& step) { check_step(step); });
    each("branch ", p_.branches, [this](const Branch& branch) { check_branch(branch); });
    each("body ", p_.bodies, [this](const Body& body) { check_body(body); });
    each("lazy thunk ", p_.lazies, [this](const Lazy& lazy) { check_lazy(lazy); });
    each("loop ", p_.loops, [this](const ProgramLoop& loop) { check_loop(loop); });
    each("bound thunk ", p_.bound,
         [this](const ThunkCode& code) { require(code.make != nullptr, "has no maker"); });
    where_ = "the node counters";
    require(std::ranges::is_sorted(p_.node_counters, {}, &NodeCounter::node),
            "are not sorted by node");
    for (const NodeCounter& entry : p_.node_counters) {
      in_range(entry.node, p_.n_nodes, "node");
      in_range(entry.counter, p_.n_counters, "counter");
    }
    where_ = "the code";
    require(!p_.code.empty(), "is empty: it has to end in Halt");
    for (const Pc pc : p_.code.indices()) {
      where_ = instruction_text(p_, pc);
      check_instruction(p_.code[pc]);
    }
  }

 private:
  template <class List, class Check>
  void each(const char* what, const List& list, const Check& check) {
    for (std::size_t i = 0; const auto& item : list) {
      where_ = what + std::to_string(i++);
      check(item);
    }
  }
  void require(bool holds, const std::string& rule) const {
    if (!holds) throw_invalid(where_, rule);
  }
  void in_range(std::uint64_t index, std::uint64_t size, const std::string& what) const {
    if (index >= size)
      throw_invalid(where_, what + " " + std::to_string(index) + " does not exist, there are " +
                                std::to_string(size));
  }
  void range_in(std::uint64_t first, std::uint64_t count, std::uint64_t size,
                const std::string& what) const {
    if (count != 0 && first + count > size)
      throw_invalid(where_, what + " " + std::to_string(first) + " to " +
                                std::to_string(first + count - 1) +
                                " do not all exist, there are " + std::to_string(size));
  }
  void check_node(ProgramNode node) const {
    if (node != kNone) in_range(node, p_.n_nodes, "node");
  }

  void check_registers() {
    const auto list = [&](const char* name, const std::vector<std::uint32_t>& registers) {
      where_ = name;
      for (const std::uint32_t index : registers) in_range(index, p_.n_registers, "register");
    };
    list("the operand lists", p_.registers);
    list("the retire lists", p_.retires);
    list("the inputs", p_.inputs);
    list("the shared variables", p_.shared);
    list("the outputs", p_.outputs);
    list("the updates", p_.updates);
    where_ = "the mutable inputs";
    for (const std::uint32_t i : p_.mutable_inputs) in_range(i, p_.inputs.size(), "input");
    where_ = "the constants";
    for (const auto& [index, value] : p_.constants) {
      in_range(index, p_.n_registers, "register");
      require(!value.empty(), register_text(p_, index) + " has no value");
    }
  }

  void check_operands(const Operands& operands) const {
    const std::size_t count = std::size_t{operands.n_inputs} + operands.n_outputs;
    const std::uint32_t* begin = p_.registers.data();
    const std::uint32_t* end = begin + p_.registers.size();
    const std::less_equal<> before;
    require(count == 0 ||
                (before(begin, operands.registers) && before(operands.registers + count, end)),
            "its operand list is not a part of Program::registers");
    for (int j = 0; j < operands.n_outputs; ++j)
      for (int k = 0; k < j; ++k)
        require(operands.output(j) != operands.output(k),
                register_text(p_, operands.output(j)) + " is two of its outputs");
  }

  void check_step(const Step& step) const {
    require(step.run != nullptr, "has no code");
    check_operands(step.operands);
    check_node(step.node);
    if (step.run == run_bound) in_range(step.operands.bound, p_.bound.size(), "bound thunk");
    range_in(step.retire_first, step.retire_count, p_.retires.size(), "retire list entries");
    const auto first = p_.retires.begin() + step.retire_first, last = first + step.retire_count;
    for (int i = 0; i < std::min<int>(step.operands.n_inputs, Operands::kDyingInputs); ++i)
      if (step.operands.dies(i) && std::find(first, last, step.operands.input(i)) == last)
        throw_invalid(where_, register_text(p_, step.operands.input(i)) +
                                  " dies here, but the step does not retire it");
  }

  void check_branch(const Branch& branch) const {
    in_range(branch.selector, p_.n_registers, "register");
    require(branch.decoding != Decoding::Truth || branch.n_arms == 2,
            "a truth value picks one of two arms");
    require(branch.n_arms > 0, "has no arms");
    range_in(branch.first_target, branch.n_arms, p_.targets.size(), "targets");
    range_in(branch.first_counter, branch.n_arms, p_.n_counters, "counters");
    for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm)
      in_range(p_.targets[branch.first_target + arm], p_.code.size(), "instruction");
    check_node(branch.node);
  }

  void check_body(const Body& body) const {
    in_range(body.pc, p_.code.size(), "instruction");
    check_node(body.node);
    const bool is_input = body.kind == Body::Kind::Input;
    require(is_input == (body.owner != kNone), "an input has an owner, and a memo body none");
    if (body.loop != kNone) in_range(body.loop, p_.loops.size(), "loop");
    if (body.kind == Body::Kind::Memo)
      check_begins_anew(body.loop, &ProgramLoop::bodies, &body - p_.bodies.data());
    if (body.kind == Body::Kind::Loop) {
      in_range(body.number, p_.loops.size(), "loop");
      require(p_.loops[body.number].body == &body - p_.bodies.data(), "is no step of its loop");
      require(body.loop == kNone || body.loop < body.number,
              "its loop is no later one than that around it");
    }
    if (!is_input) return;
    in_range(body.owner, p_.lazies.size(), "lazy thunk");
    const Lazy& lazy = p_.lazies[body.owner];
    in_range(body.number, lazy.operands.n_inputs, "input");
    require(lazy.first_body + body.number == &body - p_.bodies.data(),
            "is no input of its lazy thunk");
  }

  /// `index` is in the list of its loop, if it has one.
  void check_begins_anew(std::uint32_t loop, std::vector<std::uint32_t> ProgramLoop::* list,
                         std::ptrdiff_t index) const {
    require(loop == kNone || std::ranges::count(p_.loops[loop].*list, index) == 1,
            "its loop does not begin it anew in each step");
  }

  void check_loop(const ProgramLoop& loop) const {
    check_node(loop.node);
    in_range(loop.body, p_.bodies.size(), "body");
    in_range(loop.branch, p_.branches.size(), "branch");
    in_range(loop.counter, p_.n_counters, "counter");
    require(p_.bodies[loop.body].kind == Body::Kind::Loop, "its body is no step");
    for (const auto* list : {&loop.states, &loop.left})
      for (const std::uint32_t index : *list) in_range(index, p_.n_registers, "register");
    const auto number = static_cast<std::uint32_t>(&loop - p_.loops.data());
    for (const std::uint32_t body : loop.bodies) {
      in_range(body, p_.bodies.size(), "body");
      require(p_.bodies[body].loop == number, "a body that it begins anew belongs to another loop");
    }
    for (const std::uint32_t lazy : loop.lazies) {
      in_range(lazy, p_.lazies.size(), "lazy thunk");
      require(p_.lazies[lazy].loop == number,
              "a lazy thunk that it begins anew belongs to another loop");
    }
  }

  void check_lazy(const Lazy& lazy) const {
    check_operands(lazy.operands);
    check_node(lazy.node);
    in_range(lazy.operands.bound, p_.bound.size(), "bound thunk");
    require(p_.bound[lazy.operands.bound].lazy, "its thunk is not lazy");
    range_in(lazy.first_body, lazy.operands.n_inputs, p_.bodies.size(), "bodies");
    const auto index = static_cast<std::uint32_t>(&lazy - p_.lazies.data());
    if (lazy.loop != kNone) in_range(lazy.loop, p_.loops.size(), "loop");
    check_begins_anew(lazy.loop, &ProgramLoop::lazies, index);
    for (std::uint32_t i = 0; i < lazy.operands.n_inputs; ++i) {
      const Body& body = p_.bodies[lazy.first_body + i];
      require(body.kind == Body::Kind::Input && body.owner == index && body.number == i,
              "needs one input body for each input, in order");
    }
    range_in(lazy.counter, 2, p_.n_counters, "counters");
  }

  void check_instruction(const Instruction& instruction) const {
    const auto& [op, flag, unused, a, b, c] = instruction;
    switch (op) {
      case Opcode::Run:
        require(b > 0, "runs no step");
        range_in(a, b, p_.steps.size(), "steps");
        return in_range(c, p_.n_counters, "counter");
      case Opcode::Branch: return in_range(a, p_.branches.size(), "branch");
      case Opcode::Jump: return in_range(a, p_.code.size(), "instruction");
      case Opcode::Move:
        in_range(a, p_.n_registers, "register");
        in_range(b, p_.n_registers, "register");
        return in_range(c, p_.n_counters, "counter");
      case Opcode::Need:
        in_range(a, p_.bodies.size(), "body");
        return require(p_.bodies[a].kind == Body::Kind::Memo,
                       "body " + std::to_string(a) +
                           " is no memo body: a lazy thunk requests it, or a loop runs it");
      case Opcode::Lazy:
        in_range(a, p_.lazies.size(), "lazy thunk");
        return in_range(b, p_.lazies[a].operands.n_outputs, "output");
      case Opcode::Loop:
      case Opcode::Again:
        in_range(a, p_.loops.size(), "loop");
        return in_range(b, p_.n_counters, "counter");
      case Opcode::Release: return in_range(a, p_.lazies.size(), "lazy thunk");
      case Opcode::Retire: return range_in(a, b, p_.retires.size(), "retire list entries");
      case Opcode::Native:
        require(false, "stands for emitted code, which is laid over a program, not in it");
        return;
      case Opcode::Return:
      case Opcode::Halt: return;
    }
    require(false, "opcode " + std::to_string(static_cast<int>(op)) + " does not exist");
  }

  const Program& p_;
  std::string where_;  ///< what is looked at
};

}  // namespace

void verify(const Program& program) {
  Verifier(program).check();
  check_register_flow(program);
}

}  // namespace thunkvm
