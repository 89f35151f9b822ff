// assembler.h: programs written by hand, instruction by instruction, and a machine to call them
// with numbers.
//
//   ProgramBuilder b;
//   auto x = b.input("x"), y = b.output("y");
//   b.thunk("square", {x, x}, {y}, product);
//   b.halt();
//   Machine machine(b.build());
//   CHECK(machine.call({3.0}) == Values{9.0});
#pragma once

#include "tests/cpp/body_notes.h"
#include "tests/cpp/kernels.h"
#include "thunks/error.h"
#include "vm/frame.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm::testing {

using Index = std::uint32_t;
using Registers = std::vector<Index>;

/// Appends instructions; `build` resolves labels and operand lists. Thunks that follow each other
/// make one segment. Each thunk, lazy thunk and branch is a node of its own, named as it is given,
/// and every segment has a counter.
class ProgramBuilder {
 public:
  /// A mutable one.
  Index input(const std::string& name) {
    program_.mutable_inputs.push_back(static_cast<Index>(program_.inputs.size()));
    return listed(program_.inputs, name);
  }
  Index shared(const std::string& name) { return listed(program_.shared, name); }
  Index output(const std::string& name) { return listed(program_.outputs, name); }
  Index update(const std::string& name) { return listed(program_.updates, name); }
  Index constant(const std::string& name, Cell value) {
    const Index index = reg(name);
    program_.constants.emplace_back(index, std::move(value));
    return index;
  }
  Index reg(const std::string& name) {
    register_names_.push_back(name);
    return program_.n_registers++;
  }

  /// An eager thunk; `retires` are emptied after it.
  void thunk(const std::string& name, Registers inputs, Registers outputs, Kernel kernel,
             Registers retires = {}) {
    auto state = std::make_shared<const Kernel>(std::move(kernel));
    program_.states.push_back(state);
    step(name, inputs, outputs, call_kernel, state.get(), retires);
  }
  void step(const std::string& name, const Registers& inputs, const Registers& outputs, EagerFn run,
            const void* state, const Registers& retires = {}) {
    Step step;
    step.run = run;
    step.operands = operand_list(inputs, outputs);
    step.operands.state = state;
    step.retire_first = static_cast<Index>(program_.retires.size());
    step.retire_count = static_cast<Index>(retires.size());
    step.node = node(name);
    for (const Index output : outputs) notes_.write(output);
    program_.retires.insert(program_.retires.end(), retires.begin(), retires.end());
    if (!segment_open_) {
      emit(
          {Opcode::Run, 0, 0, static_cast<Index>(program_.steps.size()), 0, program_.n_counters++});
      segment_open_ = true;
    }
    ++program_.code.back().b;
    program_.node_counters.push_back({step.node, program_.code.back().c});
    program_.steps.push_back(step);
  }
  /// An eager thunk that belongs to the frame.
  void bound_thunk(const std::string& name, Registers inputs, Registers outputs,
                   std::function<std::unique_ptr<BoundThunk>()> make, Registers retires = {}) {
    step(name, inputs, outputs, run_bound, nullptr, retires);
    ThunkCode code;
    code.make = std::move(make);
    code.form = ThunkForm::Thunk;
    program_.steps.back().operands.bound = bind(std::move(code));
  }

  Index label() {
    label_pcs_.emplace_back();
    return static_cast<Index>(label_pcs_.size() - 1);
  }
  void place(Index label) { label_pcs_[label] = pc(); }

  /// Arms by label; returns the branch's first counter.
  Index branch(const std::string& name, Index selector, Registers arms,
               Decoding decoding = Decoding::Truth) {
    Branch branch;
    branch.selector = selector;
    branch.decoding = decoding;
    branch.n_arms = static_cast<Index>(arms.size());
    branch.first_target = static_cast<Index>(program_.targets.size());
    branch.first_counter = program_.n_counters;
    branch.node = node(name);
    program_.n_counters += branch.n_arms;
    for (const Index label : arms) program_.targets.push_back(Pc(label));
    emit({Opcode::Branch, 0, 0, static_cast<Index>(program_.branches.size())});
    program_.branches.push_back(branch);
    return branch.first_counter;
  }
  void jump(Index label) { emit({Opcode::Jump, 0, 0, label}); }
  void move(Index to, Index from, bool take = false) {
    notes_.write(to);
    emit({Opcode::Move, take ? kTake : std::uint8_t{0}, 0, to, from, program_.n_counters++});
  }
  void retire(Registers registers) {
    const auto first = static_cast<Index>(program_.retires.size());
    program_.retires.insert(program_.retires.end(), registers.begin(), registers.end());
    emit({Opcode::Retire, 0, 0, first, static_cast<Index>(registers.size())});
  }

  Index memo(const std::string& name) {
    program_.bodies.push_back({.pc = kNone, .node = node(name)});
    return static_cast<Index>(program_.bodies.size() - 1);
  }
  void need(Index memo) {
    notes_.need(memo);
    emit({Opcode::Need, 0, 0, memo});
  }
  /// The memo body begins here, and ends in the next `ret`.
  void memo_body(Index memo) {
    notes_.begin({.index = memo});
    program_.bodies[memo].pc = pc();
  }

  /// A loop, which belongs to the steps of loop `around` if there is one.
  Index loop(const std::string& name, Registers states, Registers left, Index around = kNone) {
    const Index body = memo(name), index = static_cast<Index>(program_.loops.size());
    const ProgramNode node = program_.bodies[body].node;
    program_.bodies[body] = {Body::Kind::Loop, kNone, node, kNone, index, around};
    program_.loops.push_back({node, body, kNone, program_.n_counters++, states, left});
    return index;
  }
  /// A memo body that may run in each step of the loop.
  Index memo_in(Index loop, const std::string& name) {
    const Index index = memo(name);
    program_.bodies[index].loop = loop;
    program_.loops[loop].bodies.push_back(index);
    return index;
  }
  void run_loop(Index loop) {
    notes_.need(program_.loops[loop].body);
    emit({Opcode::Loop, 0, 0, loop, program_.n_counters++});
  }
  /// The step of the loop begins here, and ends in the next `ret`.
  void step_body(Index loop) { memo_body(program_.loops[loop].body); }
  /// The branch that every step of the loop ends in.
  void leave_or_go_on(Index loop, Index test, Index leave, Index go_on) {
    program_.loops[loop].branch = static_cast<Index>(program_.branches.size());
    branch("goes on", test, {leave, go_on});
  }
  void again(Index loop) { emit({Opcode::Again, 0, 0, loop, program_.loops[loop].counter}); }

  Index lazy(const std::string& name, Registers inputs, Registers outputs, ThunkCode code) {
    Lazy lazy;
    lazy.operands = operand_list(inputs, outputs);
    lazy.operands.bound = bind(std::move(code));
    input_pcs_.emplace_back(inputs.size());
    lazy.counter = program_.n_counters;
    lazy.node = node(name);
    program_.n_counters += 2;
    program_.node_counters.push_back({lazy.node, lazy.counter});
    program_.lazies.push_back(lazy);
    const auto index = static_cast<Index>(program_.lazies.size() - 1);
    for (const Index output : outputs) notes_.compute(output, index);
    return index;
  }
  void release(Index lazy) { emit({Opcode::Release, 0, 0, lazy}); }
  void demand(Index lazy, Index output) {
    notes_.demand(lazy);
    emit({Opcode::Lazy, 0, 0, lazy, output});
  }
  /// The input body that computes the lazy thunk's input begins here, and ends in the next `ret`.
  void input_body(Index lazy, Index input) {
    notes_.begin({lazy, input});
    input_pcs_[lazy][input] = pc();
  }

  void ret() {
    emit({Opcode::Return});
    notes_.end();
  }
  void halt() { emit({Opcode::Halt}); }
  void retain_intermediates() { program_.retain_intermediates = true; }

  std::shared_ptr<Program> build() {
    auto program = std::make_shared<Program>(program_);
    for (Instruction& instruction : program->code)
      if (instruction.op == Opcode::Jump) instruction.a = label_pcs_[instruction.a];
    for (Pc& target : program->targets) target = label_pcs_[target];
    const auto point = [&](Operands& operands) {
      operands.registers =
          program->registers.data() + reinterpret_cast<std::uintptr_t>(operands.registers);
    };
    for (Step& step : program->steps) point(step.operands);
    for (Index l = 0; l < program->lazies.size(); ++l) {
      point(program->lazies[l].operands);
      program->lazies[l].first_body = static_cast<Index>(program->bodies.size());
      for (Index i = 0; i < input_pcs_[l].size(); ++i)
        program->bodies.push_back(
            {.kind = Body::Kind::Input, .pc = input_pcs_[l][i], .owner = l, .number = i});
    }
    program->n_nodes = static_cast<Index>(node_names_.size());
    program->text = std::make_shared<Names>(node_names_, register_names_);
    BodyNotes notes = notes_;
    for (const auto* list :
         {&program->inputs, &program->shared, &program->outputs, &program->updates})
      for (const Index index : *list) notes.stay(index);
    program->contents = std::make_shared<NotedContents>(std::move(notes), program->bodies);
    return program;
  }

 private:
  struct Names final : ProgramText {
    Names(std::vector<std::string> nodes, std::vector<std::string> registers)
        : nodes(std::move(nodes)), registers(std::move(registers)) {}
    std::string node(ProgramNode index) const override { return nodes[index]; }
    std::string register_name(std::uint32_t index) const override { return registers[index]; }
    std::vector<std::string> nodes, registers;
  };

  static Status call_kernel(Activation& activation, const Operands& operands) {
    try {
      (*static_cast<const Kernel*>(operands.state))(activation, operands);
      return Status::Done;
    } catch (...) {
      return activation.fail_current();
    }
  }

  Index listed(std::vector<std::uint32_t>& list, const std::string& name) {
    list.push_back(reg(name));
    return list.back();
  }
  Pc pc() {
    segment_open_ = false;
    return program_.code.end_index();
  }
  void emit(Instruction instruction) {
    segment_open_ = false;
    program_.code.push_back(instruction);
  }
  ProgramNode node(const std::string& name) {
    node_names_.push_back(name);
    return ProgramNode(node_names_.size() - 1);
  }
  Index bind(ThunkCode code) {
    program_.bound.push_back(std::move(code));
    return static_cast<Index>(program_.bound.size() - 1);
  }
  /// Where the list starts, until `build` knows where the lists are.
  Operands operand_list(const Registers& inputs, const Registers& outputs) {
    Operands operands;
    operands.registers = reinterpret_cast<const std::uint32_t*>(program_.registers.size());
    operands.n_inputs = static_cast<std::uint16_t>(inputs.size());
    operands.n_outputs = static_cast<std::uint16_t>(outputs.size());
    program_.registers.insert(program_.registers.end(), inputs.begin(), inputs.end());
    program_.registers.insert(program_.registers.end(), outputs.begin(), outputs.end());
    return operands;
  }

  Program program_;
  BodyNotes notes_;
  std::vector<std::string> node_names_, register_names_;
  std::vector<Pc> label_pcs_;
  std::vector<std::vector<Pc>> input_pcs_;  ///< by lazy thunk
  bool segment_open_ = false;
};

/// Outputs of a call; none where it failed.
using Values = std::vector<double>;

/// A frame that is called with numbers, for the outputs as numbers.
class Machine {
 public:
  explicit Machine(std::shared_ptr<const Program> program) : frame(std::move(program)) {}

  Values call(const Values& inputs) {
    std::vector<Cell> cells;
    for (const double value : inputs) cells.push_back(Cell::of(value));
    return call_with(cells);
  }
  /// With inputs that are no float64.
  Values call_with(const std::vector<Cell>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      frame.cell(frame.program().inputs[i]) = inputs[i];
    error.clear();
    node.clear();
    if (frame.run(host, tracer) == Status::Failed) {
      read_failure();
      return {};
    }
    Values values;
    for (const std::uint32_t index : frame.program().outputs) {
      values.push_back(frame.cell(index).get<double>());
      frame.cell(index).clear();
    }
    frame.finish();
    return values;
  }
  /// How often the node ran, over all calls.
  std::uint64_t runs(const std::string& name) const {
    std::vector<std::uint64_t> runs(frame.program().n_nodes);
    frame.add_node_runs(runs);
    for (ProgramNode i(0); i < runs.size(); ++i)
      if (frame.program().text->node(i) == name) return runs[i];
    throw std::out_of_range("no node " + name);
  }

  Host own_host;
  Frame frame;
  Host& host = own_host;
  Tracer* tracer = nullptr;
  std::string error;  ///< of the last call: the message
  ErrorKind kind{};   ///< and what kind it was
  std::string node;   ///< and the node that failed, or "none"

 private:
  void read_failure() {
    const Failure& failure = frame.failure();
    node = failure.node == kNone ? "none" : frame.program().text->node(ProgramNode(failure.node));
    try {
      std::rethrow_exception(failure.error);
    } catch (const Error& e) {
      error = e.what();
      kind = e.kind();
    } catch (const std::exception& e) {
      error = e.what();
    }
  }
};

/// True if `text` has `part` in it; for messages.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace thunkvm::testing

template <>
struct doctest::StringMaker<thunkvm::testing::Values> {
  static String convert(const thunkvm::testing::Values& values) {
    std::string text = "{";
    for (const double value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
    return (text + "}").c_str();
  }
};
