// test_loop_threads.cpp: a function with a loop, called from many threads, and from its own steps.
#include "linkers/function.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"
#include "tests/cpp/loops.h"
#include "tests/cpp/many_threads.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace thunkvm;

namespace {

/// Calls a function of one number that is there before the first call; its first output.
class Again final : public Op {
 public:
  std::string name() const override { return "again"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, TensorType::scalar(DType::Float64))};
  }
  ThunkCode kernel(const Apply&) const override {
    ThunkCode code;
    code.eager = guarded<run>;
    code.state = function;
    return code;
  }
  const std::shared_ptr<Function*> function = std::make_shared<Function*>(nullptr);

 private:
  static void run(Activation& call, const Operands& operands) {
    Function& function = **static_cast<Function* const*>(operands.state);
    call.output(operands, 0) = function({call.input(operands, 0)})[0];
  }
};

using Values = std::vector<double>;

/// Of f(n): the total of a 1 in each step k, and of f(k) in the odd ones; the sum of four numbers
/// that each grow by 1 in each step; the sum of all k.
struct Totals {
  Totals() { *again->function = &f; }
  Values operator()(double n) {
    Values values;
    for (const Cell& output : f({Cell::of(n)})) values.push_back(output.get<double>());
    return values;
  }

  static FunctionGraph graph(const Ref<const Again>& again) {
    const Variable n = real("n"), k = real("k"), total = real("total"), v = vector("v");
    const Variable zero = Variable::number(0.0), half = k * 0.5;
    const Variable inner = again->call(std::span(&k, 1))[0];
    const Variable next =
        ifelse(eq(half, call_op("floor", {half})), total + 1.0, total + 1.0 + inner);
    const std::vector<Variable> outputs =
        while_loop({k, total, v}, {zero, zero, Variable::constant(zeros())}, lt(k, n),
                   {k + 1.0, next, v + 1.0});
    return {.inputs = {n}, .outputs = {outputs[1], sum(outputs[2]), sum(outputs[3])}};
  }
  static Cell zeros() {
    return Cell::of_array(Array::zeros(DType::Float64, std::vector{std::int64_t{4}}));
  }

  const Ref<const Again> again{new Again};
  Function f{graph(again)};
};

const Values kTotals[] = {{0, 0, 0},  {1, 4, 0},    {3, 8, 1},   {4, 12, 3},
                          {9, 16, 6}, {10, 20, 10}, {21, 24, 15}};

}  // namespace

TEST_CASE("a loop is called from many threads and from its own steps while it is compiled") {
  const Threads of_nests(2);
  Totals totals;
  std::atomic<int> wrong{0};
  std::atomic<bool> is_compiled{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0, more = 70; more > 0; ++i) {
        const int n = (t + i) % 7;
        if (totals(n) != kTotals[n]) ++wrong;
        if (is_compiled) --more;
      }
    });
  threads.emplace_back([&] {
    totals.f.compile();
    is_compiled = true;
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(totals.f.compiled() == Compilation::State::Ready);
  for (int n = 0; n < 7; ++n) CHECK(totals(n) == kTotals[n]);
  CHECK(totals.f.frames().registers_empty());
}
