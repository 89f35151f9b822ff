// test_user_op.cpp: a C++ program's own Ops, from make_node to a linked call, without Python.
#include "linkers/linker.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"
#include "thunks/demand.h"
#include "thunks/error.h"
#include "vm/frame.h"
#include "vm/verify/verifier.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace thunkvm;

namespace {

/// Counts its runs and passes its input on.
class Counting final : public Op {
 public:
  static inline int runs = 0;
  std::string name() const override { return "counting"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  ThunkCode kernel(const Apply&) const override {
    ThunkCode code;
    code.eager = [](Activation& activation, const Operands& operands) {
      ++runs;
      activation.output(operands, 0).set(activation.input(operands, 0).get<double>());
      return Status::Done;
    };
    return code;
  }
};

/// The first input that is not NaN, in straight-line code: what comes after it is never computed.
class FirstNumber final : public Op {
 public:
  explicit FirstNumber(ForceBy force) : force_(force) {}
  std::string name() const override { return "first_number"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  ThunkCode kernel(const Apply&) const override {
    return straight_line(
        [](Demand& demand) {
          for (int i = 0; i < demand.n_inputs(); ++i) {
            const double value = demand.force(i).get<double>();
            if (std::isnan(value)) continue;
            demand.set_output(0, Cell::of(value));
            return;
          }
          throw Error(ErrorKind::Value, "all inputs are NaN");
        },
        force_);
  }

 private:
  ForceBy force_;
};

Variable apply(Ref<const Op> op, std::vector<Variable> inputs) { return op->call(inputs).front(); }
Variable counting(const Variable& x) { return apply(new Counting, {x}); }

/// A function of scalars, linked and called once.
class Linked1 {
 public:
  Linked1(std::vector<Variable> inputs, const Variable& output, bool placed)
      : linked_(link({.inputs = std::move(inputs), .outputs = {output}}, {.placed = placed})),
        frame_(linked_.program) {
    verify(*linked_.program);
  }
  double operator()(std::vector<double> arguments) {
    Counting::runs = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      frame_.cell(linked_.program->inputs[i]).set(arguments[i]);
    Host host;
    if (frame_.run(host) == Status::Failed) std::rethrow_exception(frame_.failure().error);
    const double result = frame_.cell(linked_.program->outputs[0]).get<double>();
    frame_.finish();
    CHECK(frame_.empty());
    return result;
  }

 private:
  Linked linked_;
  Frame frame_;
};

}  // namespace

TEST_CASE("an arm that is not taken never runs, even where its value is shared with a later one") {
  const Variable c = real("c"), x = real("x");
  const Variable costly = counting(x);
  const Variable picked =
      ifelse(c, Variable::number(1.0), costly) + ifelse(c, Variable::number(2.0), costly);
  for (const bool placed : {true, false}) {
    CAPTURE(placed);
    Linked1 f({c, x}, picked, placed);
    CHECK(f({1.0, 3.0}) == 3.0);
    CHECK(Counting::runs == 0);
    CHECK(f({0.0, 3.0}) == 6.0);
    CHECK(Counting::runs == 1);
  }
}

TEST_CASE("a straight-line lazy Op computes no input that it does not force") {
  const Variable a = real("a"), b = real("b");
  for (const ForceBy force : {default_force(), ForceBy::Nested}) {
    for (const bool placed : {true, false}) {
      CAPTURE(placed);
      Linked1 f({a, b}, apply(new FirstNumber(force), {a, counting(b)}), placed);
      CHECK(f({4.0, 5.0}) == 4.0);
      CHECK(Counting::runs == 0);
      CHECK(f({std::nan(""), 5.0}) == 5.0);
      CHECK(Counting::runs == 1);
    }
  }
}

TEST_CASE("what a lazy Op throws reaches the caller, and the next call works") {
  const Variable a = real("a");
  Linked1 f({a}, apply(new FirstNumber(default_force()), {a}), true);
  CHECK_THROWS_WITH_AS(f({std::nan("")}), "all inputs are NaN", Error);
  CHECK(f({2.0}) == 2.0);
}

TEST_CASE("twelve nested conditionals cost twelve, not two to the twelfth") {
  const Variable x = real("x");
  Variable y = x;
  for (int i = 0; i < 12; ++i) y = ifelse(y, counting(y), y);
  Linked1 f({x}, y, true);
  CHECK(f({1.0}) == 1.0);
  CHECK(Counting::runs == 12);
}

TEST_CASE("an input that the output needs has to be given") {
  const Variable x = real("x"), y = real("y");
  CHECK_THROWS_WITH_AS((void)link({.inputs = {x}, .outputs = {x + y}}, {}),
                       "the function needs the input y, which is not among its inputs; add it, or "
                       "give it a value with "
                       "givens",
                       Error);
}

TEST_CASE("an Op without native code is refused by a linker that has nothing else, by name") {
  class Plain final : public Op {
    std::string name() const override { return "plain"; }
    std::vector<Variable> call(std::span<const Variable> inputs) const override {
      return {Apply::make1(*this, inputs, inputs[0].type_ref())};
    }
  };
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS((void)link({.inputs = {x}, .outputs = {apply(new Plain, {x})}}, {}),
                       "[plain] has no thunk that this mode can run (node plain.0); give the Op a "
                       "perform, or choose another mode",
                       Error);
}
