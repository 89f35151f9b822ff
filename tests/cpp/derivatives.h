// derivatives.h: holds the gradients and the batching rules of an Op against what they stand for:
// differences of its values, and the Op applied to one example after the other.
#pragma once

#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// A function of float64 arrays, and where it is looked at.
class Differentiated {
 public:
  using Function = std::function<Variable(const std::vector<Variable>&)>;

  /// With `known_shapes` the variables know their lengths while the graph is built.
  Differentiated(std::string name, Function f, std::vector<Array> at, bool known_shapes)
      : name_(std::move(name)), at_(std::move(at)) {
    for (const Array& a : at_) {
      const StaticShape shape =
          known_shapes ? StaticShape(a.shape().begin(), a.shape().end())
                       : StaticShape(static_cast<std::size_t>(a.ndim()), kUnknownLength);
      inputs_.push_back(Variable::input(TensorType::of(DType::Float64, shape)));
    }
    output_ = f(inputs_);
  }

  void check_all() const {
    check_first_and_second_order();
    check_jacobians("jacobian", jacobian);
    check_jacobians("forward jacobian", forward_jacobian);
    check_batches();
  }

  void check_first_and_second_order() const {
    const Variable cost = weighted(output_, 1);
    const std::vector<Variable> first = gradients(cost, inputs_);
    check_slopes("gradient", cost, first);
    Variable next;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (!first[i]) continue;
      const Variable part = weighted(first[i], 2 + i);
      next = next ? add(next, part) : part;
    }
    if (next) check_slopes("second gradient", next, gradients(next, inputs_));
  }

  void check_jacobians(const char* what,
                       Variable (*derivative)(const Variable&, const Variable&)) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      CAPTURE(name_);
      CAPTURE(i);
      const std::vector<double> found =
          elements_of<double>(value(derivative(output_, inputs_[i]), at_));
      const auto columns = static_cast<std::size_t>(at_[i].size());
      for (std::size_t column = 0; column < columns; ++column) {
        const std::vector<double> above =
            elements_of<double>(value(output_, moved(i, column, kStep)));
        const std::vector<double> below =
            elements_of<double>(value(output_, moved(i, column, -kStep)));
        REQUIRE(found.size() == above.size() * columns);
        for (std::size_t row = 0; row < above.size(); ++row)
          check_close(what, found[row * columns + column], (above[row] - below[row]) / (2 * kStep));
      }
    }
  }

  /// Batches each input alone, and all of them together.
  void check_batches() const {
    for (std::size_t which = 0; which <= inputs_.size(); ++which) {
      std::vector<Variable> from, to;
      std::vector<std::pair<Variable, Cell>> given;
      std::vector<std::vector<Array>> examples(kExamples, at_);
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (which != inputs_.size() && which != i) {
          given.emplace_back(inputs_[i], Cell::of_array(at_[i]));
          continue;
        }
        Lengths shape(at_[i].shape().begin(), at_[i].shape().end());
        shape.insert(shape.begin(), kExamples);
        const Array batch = Array::allocate(DType::Float64, shape);
        const std::int64_t size = at_[i].size();
        for (std::int64_t e = 0; e < kExamples; ++e) {
          Array example = at_[i].copy();
          for (std::int64_t k = 0; k < size; ++k) {
            example.data_as<double>()[k] *= 1.0 + 0.125 * static_cast<double>(e);
            batch.data_as<double>()[e * size + k] = example.data_as<double>()[k];
          }
          examples[static_cast<std::size_t>(e)][i] = example;
        }
        from.push_back(inputs_[i]);
        to.push_back(tensor(DType::Float64, at_[i].ndim() + 1));
        given.emplace_back(to.back(), Cell::of_array(batch));
      }
      CAPTURE(name_);
      CAPTURE(which);
      const Batched batched = vectorize(std::span(&output_, 1), from, to);
      REQUIRE(batched.batched[0]);
      const Cell whole = evaluate(batched.roots[0], given);
      const std::vector<double> found = elements_of<double>(whole);
      std::vector<double> expected;
      for (const std::vector<Array>& example : examples) {
        const std::vector<double> one = elements_of<double>(value(output_, example));
        expected.insert(expected.end(), one.begin(), one.end());
      }
      REQUIRE(found.size() == expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) check_close("batch", found[k], expected[k]);
    }
  }

 private:
  static constexpr double kStep = 1e-5;
  static constexpr int kExamples = 3;

  Cell value(const Variable& v, const std::vector<Array>& at) const {
    std::vector<std::pair<Variable, Cell>> given;
    for (std::size_t i = 0; i < at.size(); ++i)
      given.emplace_back(inputs_[i], Cell::of_array(at[i]));
    return evaluate(v, given);
  }
  std::vector<Array> moved(std::size_t i, std::size_t element, double by) const {
    std::vector<Array> at = at_;
    at[i] = at[i].copy();
    at[i].data_as<double>()[element] += by;
    return at;
  }
  /// The sum of the elements of `v` with weights that no two elements share.
  Variable weighted(const Variable& v, std::size_t seed) const {
    const Cell now = value(v, at_);
    Array weights = Array::allocate(DType::Float64, shape_of(now));
    for (std::int64_t k = 0; k < weights.size(); ++k)
      weights.data_as<double>()[k] =
          std::sin(1.0 + 1.7 * static_cast<double>(k) + static_cast<double>(seed));
    return sum(mul(v, Variable::constant(Cell::of_array(weights))));
  }
  void check_slopes(const char* what, const Variable& cost,
                    const std::vector<Variable>& slopes) const {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      CAPTURE(name_);
      CAPTURE(i);
      std::vector<double> found(static_cast<std::size_t>(at_[i].size()), 0.0);
      if (slopes[i]) {
        const Cell slope = value(slopes[i], at_);
        REQUIRE(shape_of(slope) == shape_of(Cell::of_array(at_[i])));
        found = elements_of<double>(slope);
      }
      for (std::size_t k = 0; k < found.size(); ++k)
        check_close(what, found[k],
                    (value(cost, moved(i, k, kStep)).get<double>() -
                     value(cost, moved(i, k, -kStep)).get<double>()) /
                        (2 * kStep));
    }
  }
  static void check_close(const char* what, double found, double expected) {
    CAPTURE(what);
    CHECK(std::fabs(found - expected) <= 2e-6 * std::max(1.0, std::fabs(expected)));
  }

  std::string name_;
  std::vector<Array> at_;
  std::vector<Variable> inputs_;
  Variable output_;
};

/// All checks, with shapes that are known and with shapes that are not.
inline void check_derivatives(const std::string& name, const Differentiated::Function& f,
                              const std::vector<Array>& at) {
  Differentiated(name + ", shapes unknown", f, at, false).check_all();
  Differentiated(name + ", shapes known", f, at, true).check_all();
}

/// Numbers between -1 and 1 that follow no pattern, the same every time.
inline Array scattered(const Lengths& shape) {
  Array a = Array::allocate(DType::Float64, shape);
  for (std::int64_t i = 0; i < a.size(); ++i)
    a.data_as<double>()[i] = std::sin(12.9898 * static_cast<double>(i + 1) + 4.1);
  return a;
}

}  // namespace thunkvm
