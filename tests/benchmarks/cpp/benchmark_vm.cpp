// benchmark_vm.cpp: what the machine itself costs, as lines of "name value unit". `benchmark_vm
// [part of a name]`.
//
// Each value is the best of many runs: what the machine can do, not what else the computer was busy
// with.
#include "thunks/demand.h"
#include "vm/interpreter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

using Registers = std::vector<std::uint32_t>;

Status add_one(Activation& a, const Operands& o) {
  a.output(o, 0).set(a.input(o, 0).get<double>() + 1.0);
  return Status::Done;
}
Status cosine(Activation& a, const Operands& o) {
  a.output(o, 0).set(std::cos(a.input(o, 0).get<double>()));
  return Status::Done;
}
Status less_than_zero(Activation& a, const Operands& o) {
  a.output(o, 0).set(a.input(o, 0).get<double>() < 0.0);
  return Status::Done;
}
Status fill(Activation& a, const Operands& o) {
  for (int j = 0; j < o.n_outputs; ++j) a.output(o, j).set(1.0);
  return Status::Done;
}
Status nothing(Activation&, const Operands&) { return Status::Done; }

/// Appends instructions to a program whose operand lists do not move.
class Assembler {
 public:
  Assembler() { program_->registers.reserve(1 << 16); }
  std::uint32_t reg() { return program_->n_registers++; }
  std::uint32_t input() { return program_->inputs.emplace_back(reg()); }
  /// Where the next instruction will be; thunks that follow make a segment of their own.
  Pc pc() {
    open_ = false;
    return program_->code.end_index();
  }
  Pc emit(Opcode op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0) {
    program_->code.push_back({op, 0, 0, a, b, c});
    return pc() - 1;
  }
  Operands operands(const Registers& inputs, const Registers& outputs) {
    Operands operands;
    operands.registers = program_->registers.data() + program_->registers.size();
    operands.n_inputs = static_cast<std::uint16_t>(inputs.size());
    operands.n_outputs = static_cast<std::uint16_t>(outputs.size());
    for (const auto* list : {&inputs, &outputs})
      program_->registers.insert(program_->registers.end(), list->begin(), list->end());
    return operands;
  }
  void thunk(EagerFn run, const Registers& inputs, const Registers& outputs,
             const Registers& retires = {}) {
    Step step;
    step.run = run;
    step.operands = operands(inputs, outputs);
    step.retire_first = static_cast<std::uint32_t>(program_->retires.size());
    step.retire_count = static_cast<std::uint32_t>(retires.size());
    program_->retires.insert(program_->retires.end(), retires.begin(), retires.end());
    if (!open_)
      emit(Opcode::Run, static_cast<std::uint32_t>(program_->steps.size()), 0,
           program_->n_counters++);
    open_ = true;
    ++program_->code.back().b;
    program_->steps.push_back(step);
  }
  std::shared_ptr<Program> finish(const Registers& outputs) {
    emit(Opcode::Halt);
    program_->outputs = outputs;
    return program_;
  }
  Program& program() { return *program_; }

 private:
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  bool open_ = false;
};

std::string wanted;

/// The best time of one call of `work`, in nanoseconds.
double best_time(const std::function<void(int)>& work) {
  using Clock = std::chrono::steady_clock;
  const auto run = [&](int calls) {
    const auto start = Clock::now();
    work(calls);
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  };
  int calls = 1;
  while (run(calls) < 2e6 && calls < 1 << 24) calls *= 2;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 30; ++round) best = std::min(best, run(calls) / calls);
  return best;
}

void report(const char* name, double value, const char* unit) {
  std::printf("%s %.3f %s\n", name, value, unit);
}
bool skipped(const char* name) { return std::string(name).find(wanted) == std::string::npos; }

/// The best time of one call of a program, inputs set to `value` and outputs read included.
double call_time(const std::shared_ptr<const Program>& program, double value = 1.0) {
  Frame frame(program);
  Host host;
  double sink = 0;
  const double time = best_time([&](int calls) {
    for (int i = 0; i < calls; ++i) {
      for (const std::uint32_t input : program->inputs) frame.cell(input).set(value);
      if (frame.run(host) != Status::Done) {
        std::fprintf(stderr, "benchmark_vm: a call failed\n");
        std::exit(1);
      }
      for (const std::uint32_t output : program->outputs) sink += frame.cell(output).get<double>();
      frame.finish();
    }
  });
  volatile double keep = sink;
  (void)keep;
  return time;
}

/// What a call and its n nodes cost above a call of nothing, by node.
double node_time(const std::shared_ptr<const Program>& program, int nodes, double value = 1.0) {
  Assembler empty;
  const std::uint32_t x = empty.input();
  return (call_time(program, value) - call_time(empty.finish({x}), value)) / nodes;
}

void empty_call() {
  if (!skipped("vm_empty_call")) {
    Assembler a;
    const std::uint32_t x = a.input();
    report("vm_empty_call", call_time(a.finish({x})), "ns");
  }
  if (!skipped("vm_empty_call_with_pool")) {
    Assembler a;
    const std::uint32_t x = a.input();
    FramePool pool(a.finish({x}));
    Host host;
    report("vm_empty_call_with_pool", best_time([&](int calls) {
             for (int i = 0; i < calls; ++i) {
               Frame* frame = pool.acquire();
               frame->cell(x).set(1.0);
               frame->run(host);
               frame->finish();
               pool.release(frame);
             }
           }),
           "ns");
  }
}

constexpr int kChain = 1000;

/// A chain of nodes that each end the one before, with and without the machine.
void chain(const std::string& name, EagerFn run, double value) {
  if (skipped((name + "_per_node").c_str())) return;
  Assembler a;
  std::uint32_t last = a.input();
  for (int i = 0; i < kChain; ++i) {
    const std::uint32_t next = a.reg();
    a.thunk(run, {last}, {next}, {last});
    last = next;
  }
  const double node = node_time(a.finish({last}), kChain, value);

  // The kernels alone: the same calls through the same pointers on the same cells, without the
  // machine.
  std::vector<Cell> cells(kChain + 1);
  const Program& program = a.program();
  Activation activation;
  activation.cells = cells.data();
  const double kernel = best_time([&](int calls) {
                          for (int c = 0; c < calls; ++c) {
                            cells[0].set(value);
                            for (const Step& step : program.steps)
                              step.run(activation, step.operands);
                          }
                        }) /
                        kChain;
  report((name + "_per_node").c_str(), node, "ns");
  report((name + "_kernel_alone").c_str(), kernel, "ns");
  report((name + "_above_kernel").c_str(), node - kernel, "ns");
}

void chains() {
  chain("chain", add_one, 1.0);
  chain("cos_chain", cosine, 0.5);
  if (!skipped("independent_per_node")) {
    Assembler a;
    const std::uint32_t x = a.input();
    std::uint32_t next = x;
    for (int i = 0; i < kChain; ++i) a.thunk(nothing, {x}, {next = a.reg()}, {next});
    report("independent_per_node", node_time(a.finish({x}), kChain), "ns");
  }
}

/// Nodes with n outputs, and values that n nodes read: the cost of one output, or reader, must not
/// grow with n.
void flatness() {
  for (const int n : {1, 16, 256}) {
    const std::string outputs = "per_output_of_" + std::to_string(n);
    if (!skipped(outputs.c_str())) {
      Assembler a;
      const std::uint32_t x = a.input();
      Registers made;
      for (int j = 0; j < n; ++j) made.push_back(a.reg());
      a.thunk(fill, {x}, made, made);
      report(outputs.c_str(), node_time(a.finish({x}), n), "ns");
    }
    const std::string readers = "per_reader_of_" + std::to_string(n);
    if (!skipped(readers.c_str())) {
      Assembler a;
      const std::uint32_t x = a.input(), shared = a.reg();
      a.thunk(add_one, {x}, {shared});
      for (int i = 0; i < n; ++i) {
        const std::uint32_t y = a.reg();
        if (i + 1 == n)
          a.thunk(add_one, {shared}, {y}, {y, shared});
        else
          a.thunk(add_one, {shared}, {y}, {y});
      }
      report(readers.c_str(), node_time(a.finish({x}), n + 1), "ns");
    }
  }
}

/// y = (x < 0) ? x + 1 : x + 1, a hundred times: a comparison, a branch, one node in each arm.
void branches() {
  constexpr int kLength = 100;
  const auto build = [](bool with_moves) {
    Assembler a;
    std::uint32_t last = a.input();
    for (int i = 0; i < kLength; ++i) {
      const std::uint32_t condition = a.reg(), next = a.reg();
      a.thunk(less_than_zero, {last}, {condition});
      Branch branch;
      branch.selector = condition;
      branch.first_target = static_cast<std::uint32_t>(a.program().targets.size());
      branch.first_counter = a.program().n_counters;
      a.program().n_counters += 2;
      a.emit(Opcode::Branch, static_cast<std::uint32_t>(a.program().branches.size()));
      a.program().branches.push_back(branch);
      const auto arm = [&] {
        a.program().targets.push_back(a.pc());
        const std::uint32_t result = with_moves ? a.reg() : next;
        a.thunk(add_one, {last}, {result}, {condition, last});
        if (with_moves) {
          a.emit(Opcode::Move, next, result, a.program().n_counters++);
          a.program().code.back().flag = kTake;
        }
      };
      arm();
      const Pc jump = a.emit(Opcode::Jump);
      arm();
      a.program().code[jump].a = a.pc();
      last = next;
    }
    return a.finish({last});
  };
  if (!skipped("ifelse_two_arms"))
    report("ifelse_two_arms", node_time(build(false), kLength), "ns");
  if (!skipped("ifelse_two_arms_with_moves"))
    report("ifelse_two_arms_with_moves", node_time(build(true), kLength), "ns");
}

/// A hundred memo bodies of one node each, needed once (the node and its retire included), and once
/// more.
void needs() {
  constexpr int kLength = 100;
  const auto time = [](int times) {
    Assembler a;
    const std::uint32_t x = a.input();
    Registers values;
    for (int i = 0; i < kLength; ++i) values.push_back(a.reg());
    for (int t = 0; t < times; ++t)
      for (int i = 0; i < kLength; ++i) a.emit(Opcode::Need, static_cast<std::uint32_t>(i));
    const auto retire = static_cast<std::uint32_t>(a.program().retires.size());
    a.program().retires.insert(a.program().retires.end(), values.begin(), values.end());
    a.emit(Opcode::Retire, retire, kLength);
    const auto program = a.finish({x});
    for (int i = 0; i < kLength; ++i) {
      program->bodies.push_back({.pc = a.pc()});
      a.thunk(add_one, {x}, {values[i]});
      a.emit(Opcode::Return);
    }
    return node_time(program, kLength);
  };
  if (skipped("need_first") && skipped("need_again")) return;
  const double first = time(1);
  report("need_first", first, "ns");
  report("need_again", time(2) - first, "ns");
}

class PassOn final : public BoundThunk {
 public:
  Status enter(LazyCall& call) override {
    if (!call.available(0))
      call.request(0);
    else
      call.set_output(0, call.input(0));
    return Status::Done;
  }
};

/// A hundred lazy thunks that force one input each.
void lazies() {
  constexpr int kLength = 100;
  const auto time = [](const ThunkCode& code) {
    Assembler a;
    const std::uint32_t x = a.input();
    for (int i = 0; i < kLength; ++i) {
      Lazy lazy;
      lazy.operands = a.operands({x}, {a.reg()});
      lazy.operands.bound = static_cast<std::uint32_t>(i);
      lazy.counter = a.program().n_counters;
      a.program().n_counters += 2;
      a.program().bound.push_back(code);
      a.emit(Opcode::Lazy, static_cast<std::uint32_t>(i));
      a.program().lazies.push_back(lazy);
    }
    const auto program = a.finish({x});
    for (std::uint32_t l = 0; l < kLength; ++l) {
      program->lazies[l].first_body = l;
      program->bodies.push_back({.kind = Body::Kind::Input, .pc = a.pc(), .owner = l});
    }
    a.emit(Opcode::Return);
    return node_time(program, kLength);
  };
  const LazyBody body = [](Demand& demand) { demand.set_output(0, demand.force(0)); };
  if (!skipped("lazy_reentrant")) {
    ThunkCode code;
    code.lazy = true;
    code.make = [] { return std::make_unique<PassOn>(); };
    report("lazy_reentrant", time(code), "ns");
  }
  if (!skipped("lazy_fiber")) report("lazy_fiber", time(straight_line(body, ForceBy::Fiber)), "ns");
  if (!skipped("lazy_nested"))
    report("lazy_nested", time(straight_line(body, ForceBy::Nested)), "ns");
}

}  // namespace
}  // namespace thunkvm

int main(int argc, char** argv) {
  if (argc > 1) thunkvm::wanted = argv[1];
  thunkvm::empty_call();
  thunkvm::chains();
  thunkvm::flatness();
  thunkvm::branches();
  thunkvm::needs();
  thunkvm::lazies();
}
