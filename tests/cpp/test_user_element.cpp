// test_user_element.cpp: Ops whose element is an expression of C, without Python.
#include "evaluate.h"
#include "linkers/compiler/compile_error.h"
#include "linkers/function.h"
#include "linkers/user_code/user_element.h"
#include "ops/graph/functions.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// An Op that is an expression of C of its inputs; of the type of the last one.
class Expression final : public Op {
 public:
  explicit Expression(std::string text) : text_(std::move(text)) {}
  std::string name() const override { return "expression"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs.back().type_ref())};
  }
  ThunkCode kernel(const Apply& node) const override {
    Host host;
    return elements_->kernel(node, text_, host);
  }
  const ElementCode* element_code(const Apply& node) const override {
    return elements_->code(node);
  }

 private:
  std::string text_;
  std::unique_ptr<UserElements> elements_ = std::make_unique<UserElements>();
};

Variable expression(const std::string& text, const std::vector<Variable>& inputs) {
  const Ref<const Op> op(new Expression(text));
  return op->call(inputs).front();
}
Variable input(int ndim, DType dtype = DType::Float64) {
  return Variable::input(TensorType::of_ndim(dtype, ndim), "x");
}
Array array(const std::vector<double>& values) {
  Array result =
      Array::zeros(DType::Float64, std::vector{static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.data_as<double>());
  return result;
}

TEST_CASE("numbers, arrays and a broadcast number give the expression's values") {
  const Variable x = input(1), y = input(0), z = input(0);
  const Variable of_arrays = expression("{0} * {0} + {1}", {y, x});
  const Variable of_numbers = expression("{0} * {0} + {1}", {y, z});

  const Cell both =
      run_kernel(*of_arrays.node(), {Cell::of(3.0), Cell::of_array(array({1, 2, 4}))})[0];
  CHECK(both.array().data_as<double>()[0] == 10.0);
  CHECK(both.array().data_as<double>()[2] == 13.0);
  CHECK(run_kernel(*of_numbers.node(), {Cell::of(2.0), Cell::of(1.0)})[0].get<double>() == 5.0);
}

TEST_CASE("the interpreter and emitted loops give the same bits") {
  const Variable x = input(1);
  const FunctionGraph graph{.inputs = {x}, .outputs = {expression("{0} / 3 + 1e-9", {exp(x)})}};
  std::vector<double> found;
  for (const char* mode : {"cvm", "c"}) {
    Function f(graph, Mode::named(mode));
    const std::vector<Cell> values = f({Cell::of_array(array({0.1, 0.7}))});
    found.push_back(values[0].array().data_as<double>()[1]);
  }
  CHECK(found[0] == found[1]);
}

TEST_CASE("a truth value is 0 or 1 whatever the expression gives") {
  const Variable flag = input(0, DType::Bool);
  const Variable x = expression("{0} + 4", {flag});
  CHECK(run_kernel(*x.node(), {Cell::of(true)})[0].get<bool>() == true);
}

TEST_CASE("a text that is no template is refused") {
  Host host;
  UserElements elements;
  const Variable x = expression("{0}", {input(0)});
  const auto kernel = [&](const char* text) { elements.kernel(*x.node(), text, host); };
  CHECK_THROWS_WITH_AS(kernel("{1} + 1"),
                       "[expression] c_element returned \"{1} + 1\", in which braces stand for "
                       "something else than an input, {0} to {0}, or the output's type, {T}.",
                       Error);
  CHECK_THROWS_WITH_AS(
      kernel("{0};"),
      "[expression] c_element returned \"{0};\"; it has to be one expression of C, "
      "without a semicolon.",
      Error);
}

TEST_CASE("a node that is not elementwise is refused") {
  const Variable x = expression("{0} + {1}", {input(1), input(0)});  // the output has no axis
  CHECK_THROWS_AS(x.node()->op()->kernel(*x.node()), Error);
}

TEST_CASE("an expression that does not compile is the node's") {
  const Variable x = expression("nothing({0})", {input(0)});
  try {
    x.node()->op()->kernel(*x.node());
    FAIL("it compiled");
  } catch (const CompileError& error) {
    CHECK(std::string(error.what()).starts_with("[expression] c_element does not compile: "));
  }
}

TEST_CASE("a node's code is there as long as a thunk has it") {
  UserElements elements;
  Host host;
  const Variable x = expression("{0} + 1", {input(0)});
  ThunkCode thunk = elements.kernel(*x.node(), "{0} + 1", host);
  CHECK(elements.code(*x.node()) == thunk.state.get());
  thunk = {};
  CHECK(elements.code(*x.node()) == nullptr);
}

}  // namespace
}  // namespace thunkvm
