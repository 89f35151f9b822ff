// Gradients of the elementwise Ops: against central differences where they are smooth, and by hand
// at the points where they are not.
#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace thunkvm;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Variable scalar(DType dtype = DType::Float64) { return Variable::input(TensorType::scalar(dtype)); }

double number(const Cell& cell) { return cell.get<double>(); }

/// d op / d input i at the point (x, y); y is not there for Ops of one input.
struct Derivative {
  std::string op;
  std::vector<double> at;

  Variable call(const std::vector<Variable>& inputs) const {
    return call_op(op, std::span<const Variable>(inputs));
  }
  double value(const std::vector<double>& point) const {
    std::vector<Variable> inputs;
    for (double x : point) inputs.push_back(Variable::number(x));
    return number(evaluate(call(inputs)));
  }
  double by_difference(std::size_t i) const {
    const double h = 1e-6 * std::max(1.0, std::fabs(at[i]));
    std::vector<double> above = at;
    std::vector<double> below = at;
    above[i] += h;
    below[i] -= h;
    return (value(above) - value(below)) / (2 * h);
  }
  double by_rule(std::size_t i) const {
    const Variable x = scalar();
    std::vector<Variable> inputs;
    for (double fixed : at) inputs.push_back(Variable::number(fixed));
    inputs[i] = x;
    const Variable slope = gradients(call(inputs), std::vector<Variable>{x})[0];
    return slope ? number(evaluate(slope, {{x, Cell::of(at[i])}})) : 0.0;
  }
};

}  // namespace

TEST_CASE("gradients agree with central differences") {
  const std::vector<Derivative> derivatives = {
      {"add", {1.3, -0.7}},
      {"sub", {1.3, -0.7}},
      {"mul", {1.3, -0.7}},
      {"true_div", {1.3, -0.7}},
      {"mod", {7.3, 2.1}},
      {"mod", {-7.3, 2.1}},

      {"pow", {1.7, 2.6}},

      {"maximum", {1.0, 2.0}},
      {"maximum", {2.0, 1.0}},
      {"minimum", {1.0, 2.0}},
      {"arctan2", {0.4, -1.2}},
      {"hypot", {3.0, -4.0}},
      {"neg", {0.3}},
      {"abs", {-0.3}},
      {"sign", {-0.3}},
      {"reciprocal", {0.7}},
      {"square", {-1.5}},
      {"exp", {0.3}},
      {"exp2", {0.3}},
      {"expm1", {0.3}},
      {"log", {1.7}},
      {"log2", {1.7}},
      {"log10", {1.7}},
      {"log1p", {0.7}},
      {"sqrt", {1.7}},
      {"cbrt", {-1.7}},
      {"sin", {0.8}},
      {"cos", {0.8}},
      {"tan", {0.8}},
      {"arcsin", {0.4}},
      {"arccos", {0.4}},
      {"arctan", {0.4}},
      {"sinh", {0.8}},
      {"cosh", {0.8}},
      {"tanh", {0.8}},
      {"arcsinh", {0.8}},
      {"arccosh", {1.8}},
      {"arctanh", {0.4}},
      {"erf", {0.4}},
      {"erfc", {0.4}},
      {"gammaln", {2.3}},
      {"gammaln", {-0.6}},
      {"digamma", {2.3}},
      {"sigmoid", {-0.7}},
      {"softplus", {-0.7}},
      {"floor", {1.3}},
      {"round", {1.3}},
      {"clip", {0.5, 0.0, 1.0}},
      {"clip", {-0.5, 0.0, 1.0}},
      {"clip", {1.5, 0.0, 1.0}},
  };
  for (const Derivative& derivative : derivatives) {
    for (std::size_t i = 0; i < derivative.at.size(); ++i) {
      CAPTURE(derivative.op);
      CAPTURE(i);
      CHECK(derivative.by_rule(i) == doctest::Approx(derivative.by_difference(i)).epsilon(1e-6));
    }
  }
}

TEST_CASE("second derivatives go on through digamma and polygamma") {
  const Variable x = scalar();
  const Variable first = gradients(call_op("gammaln", {x}), std::vector<Variable>{x})[0];
  const Variable second = gradients(first, std::vector<Variable>{x})[0];
  const Variable third = gradients(second, std::vector<Variable>{x})[0];
  CHECK(number(evaluate(second, {{x, Cell::of(1.0)}})) == doctest::Approx(1.6449340668482264));
  CHECK(number(evaluate(third, {{x, Cell::of(1.0)}})) == doctest::Approx(-2.4041138063191886));
}

TEST_CASE("the gradient of what goes in steps is zero, and that of what is cut off is none") {
  const Variable x = scalar();
  const auto slope = [&](const Variable& cost) {
    return gradients(cost, std::vector<Variable>{x})[0];
  };
  for (const char* op : {"floor", "ceil", "trunc", "round", "sign"})
    CHECK(number(evaluate(slope(call_op(op, {x})))) == 0.0);
  CHECK(number(evaluate(slope(call_op("floor_div", {x, x})))) == 0.0);
  CHECK(number(evaluate(slope(cast(gt(x, weak_number(0.0)), DType::Float64)))) == 0.0);
  CHECK_FALSE(slope(call_op("stop_gradient", {x})));
  CHECK_FALSE(slope(sqrt(scalar())));
}

TEST_CASE("at the edges a gradient is what JAX and PyTensor have, not NaN") {
  CHECK(Derivative{"pow", {0.0, 2.0}}.by_rule(0) == 0.0);
  CHECK(Derivative{"pow", {0.0, 1.0}}.by_rule(0) == 1.0);
  CHECK(Derivative{"pow", {0.0, 0.0}}.by_rule(0) == 0.0);
  CHECK(Derivative{"pow", {0.0, 2.0}}.by_rule(1) == 0.0);
  CHECK(Derivative{"pow", {-2.0, 3.0}}.by_rule(0) == 12.0);
  CHECK(Derivative{"abs", {0.0}}.by_rule(0) == 0.0);
  CHECK(Derivative{"hypot", {0.0, 0.0}}.by_rule(0) == 0.0);
  CHECK(Derivative{"sqrt", {0.0}}.by_rule(0) == kInf);
  CHECK(Derivative{"sigmoid", {-1000.0}}.by_rule(0) == 0.0);
  CHECK(Derivative{"softplus", {1000.0}}.by_rule(0) == 1.0);
}

TEST_CASE("where two are equal, the first gets the whole gradient") {
  CHECK(Derivative{"maximum", {2.0, 2.0}}.by_rule(0) == 1.0);
  CHECK(Derivative{"maximum", {2.0, 2.0}}.by_rule(1) == 0.0);
  CHECK(Derivative{"minimum", {2.0, 2.0}}.by_rule(0) == 1.0);
  CHECK(Derivative{"minimum", {2.0, 2.0}}.by_rule(1) == 0.0);
  CHECK(Derivative{"clip", {1.0, 0.0, 1.0}}.by_rule(0) == 1.0);
  CHECK(Derivative{"clip", {1.0, 0.0, 1.0}}.by_rule(2) == 0.0);
}

TEST_CASE("what `where` did not pick sends nothing back, not even NaN") {
  const Variable x = scalar();
  const Variable safe = where(gt(x, weak_number(0.0)), sqrt(x), x * 0.0);
  const Variable slope = gradients(safe, std::vector<Variable>{x})[0];
  CHECK(number(evaluate(slope, {{x, Cell::of(4.0)}})) == 0.25);
  const Variable picked = where(Variable::number(false), Variable::number(kInf), x);
  CHECK(number(evaluate(gradients(picked, std::vector<Variable>{x})[0], {{x, Cell::of(1.0)}})) ==
        1.0);
}

TEST_CASE("the gradient of a real cost at a complex point is d/d Re + i d/d Im") {
  const Variable z = scalar(DType::Complex128);
  const Cell at = Cell::of(Complex128(0.3, -1.2));
  const auto cost_at = [&](const Variable& cost, Complex128 point) {
    return number(evaluate(cost, {{z, Cell::of(point)}}));
  };
  for (const char* op : {"exp", "log", "sqrt", "sin", "tanh", "reciprocal", "square", "sign",
                         "conj", "expm1", "log1p", "arctan"}) {
    for (const char* part : {"real", "imag", "abs", "angle"}) {
      const Variable cost =
          call_op(part, {call_op(op, {z}) + Variable::number(Complex128(0.5, 0.25))});
      const Complex128 slope =
          evaluate(gradients(cost, std::vector<Variable>{z})[0], {{z, at}}).get<Complex128>();
      const double h = 1e-6;
      const Complex128 p = at.get<Complex128>();
      const double along_real = (cost_at(cost, p + h) - cost_at(cost, p - h)) / (2 * h);
      const Complex128 ih(0, h);
      const double along_imag = (cost_at(cost, p + ih) - cost_at(cost, p - ih)) / (2 * h);
      CAPTURE(std::string(op));
      CAPTURE(std::string(part));
      CHECK(slope.real() == doctest::Approx(along_real).epsilon(1e-6));
      CHECK(slope.imag() == doctest::Approx(along_imag).epsilon(1e-6));
    }
  }
}

TEST_CASE("a batch of one input beside one that is not batched") {
  const Variable x = scalar();
  const Variable y = scalar();
  const Variable xs = Variable::input(TensorType::of_ndim(DType::Float64, 1));
  const Batched batched = vectorize(std::vector<Variable>{x * y + 1.0}, std::vector<Variable>{x},
                                    std::vector<Variable>{xs});
  REQUIRE(batched.batched[0]);
  const std::int64_t n = 3;
  Array values = Array::allocate(DType::Float64, {&n, 1});
  for (int i = 0; i < 3; ++i) values.data_as<double>()[i] = i;
  const Array result =
      evaluate(batched.roots[0], {{xs, Cell::of_array(values)}, {y, Cell::of(2.0)}}).array();
  CHECK(result.data_as<double>()[0] == 1.0);
  CHECK(result.data_as<double>()[2] == 5.0);
}

TEST_CASE("a gradient asks for a shape only where broadcasting may have enlarged the input") {
  const Variable x = Variable::input(TensorType::of_ndim(DType::Float64, 1));
  const Variable y = Variable::input(TensorType::of_ndim(DType::Float64, 1));
  const auto asks_for_shape = [&](const Variable& output) {
    const Variable slope = pull_back(std::vector<Variable>{output}, std::vector<Variable>{y},
                                     std::vector<Variable>{x})[0];
    for (Apply* node : topological_order({&slope, 1}))
      if (node->op() != nullptr && node->op()->name() == "shape") return true;
    return false;
  };
  CHECK_FALSE(asks_for_shape(exp(x)));
  CHECK_FALSE(asks_for_shape(2.0 * x));
  CHECK_FALSE(asks_for_shape(x * x));
  CHECK(asks_for_shape(x * y));
}
