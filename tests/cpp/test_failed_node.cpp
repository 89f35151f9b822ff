// test_failed_node.cpp: what is told of the node of a failed call.
#include "linkers/failed_node.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// Notes what is told of the node that failed.
class Noting final : public FailureObserver {
 public:
  explicit Noting(const Linked& linked) : linked_(linked) {}
  void failed(Frame& frame) noexcept override {
    const Failure& failure = frame.failure();
    text = failed_node_text("f", linked_.failed_node(failure));
    const std::vector<FailedInput> inputs =
        failed_inputs(linked_, frame, ProgramNode(failure.node));
    differ = shapes_differ(inputs);
    for (const FailedInput& input : inputs)
      text += ", " + input.variable.get().text() + (input.value.get().empty() ? " empty" : "");
  }
  std::string text;
  bool differ = false;

 private:
  const Linked& linked_;
};

/// What is told of the failure of a call with these arguments.
Noting told(std::vector<Variable> inputs, const Variable& output, std::vector<Cell> arguments) {
  const Linked linked = link({.inputs = std::move(inputs), .outputs = {output}}, {});
  Frame frame(linked.program);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    frame.cell(linked.program->inputs[i]) = std::move(arguments[i]);
  Noting noting(linked);
  Host host;
  REQUIRE(frame.run(host, nullptr, &noting) == Status::Failed);
  frame.abandon();
  return noting;
}

Variable vector(const char* name) {
  return Variable::input(TensorType::of_ndim(DType::Float64, 1), name);
}

TEST_CASE("an Op's inputs are told, and that their shapes differ") {
  const Variable x = vector("x"), y = vector("y");
  const Noting noting = told(
      {x, y}, x + y,
      {Cell::of_array(vector_of<double>({1, 2})), Cell::of_array(vector_of<double>({1, 2, 3}))});
  CHECK(noting.text == "In f: node add.0, Op add, x, y");
  CHECK(noting.differ);
}

TEST_CASE("numbers have no shape that differs") {
  const Variable x = vector("x"), i = Variable::input(TensorType::scalar(DType::Int64), "i");
  const Noting noting =
      told({x, i}, call_op("take", {x, i}, {{"axis", std::int64_t{0}}}),
           {Cell::of_array(vector_of<double>({1, 2})), Cell::of(std::int64_t{9})});
  CHECK(noting.text == "In f: node take.0, Op take{axis=0, leading=0}, x, i");
  CHECK_FALSE(noting.differ);
}

TEST_CASE("a conditional's selector is told") {
  const Variable x = vector("x"), i = Variable::input(TensorType::scalar(DType::Int64), "i");
  const Variable picked =
      conditional(i, Decoding::Index, std::vector<std::vector<Variable>>{{x}, {exp(x)}}, false)[0];
  const Noting noting =
      told({x, i}, picked, {Cell::of_array(vector_of<double>({1, 2})), Cell::of(std::int64_t{2})});
  CHECK(noting.text == "In f: node switch.0, Op switch{arms=2, outputs=1}, i");
}

}  // namespace
}  // namespace thunkvm
