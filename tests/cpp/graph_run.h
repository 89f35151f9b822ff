// graph_run.h: runs a graph node by node, each kernel directly over cells, for the tests of Ops.
#pragma once

#include "ops/graph.h"
#include "ops/op.h"
#include "thunks/thunk.h"

#include <initializer_list>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace thunkvm {

using Given = std::vector<std::pair<Variable, Cell>>;

/// An array of T in C order with these elements.
template <class T>
Array array_of(std::vector<std::int64_t> shape, std::vector<T> elements) {
  Array a = Array::allocate(dtype_of<T>, shape);
  std::copy(elements.begin(), elements.end(), a.data_as<T>());
  return a;
}
template <class T>
Array vector_of(std::vector<T> elements) {
  const auto n = static_cast<std::int64_t>(elements.size());
  return array_of<T>({n}, std::move(elements));
}

/// The elements in C order, whatever the strides.
template <class T>
std::vector<T> elements_of(const Cell& cell) {
  const Array a = cell.to_array().as_contiguous();
  if (a.dtype() != dtype_of<T>) throw std::logic_error("the result is of another dtype");
  return {a.data_as<T>(), a.data_as<T>() + a.size()};
}
inline std::vector<std::int64_t> shape_of(const Cell& cell) {
  const Array a = cell.to_array();
  return {a.shape().begin(), a.shape().end()};
}

/// The values of `outputs`. Checks that every value is of the dtype and shape that its variable promises.
inline std::vector<Cell> run_graph(std::span<const Variable> outputs, const Given& given) {
  Host host;
  std::map<std::pair<Apply*, std::uint32_t>, Cell> values;
  for (const auto& [variable, value] : given) values[{variable.node(), variable.index()}] = value;
  for (Apply* node : topological_order(outputs)) {
    if (node->leaf() == Leaf::Constant) values[{node, 0}] = node->output(0).constant_value();
    if (node->leaf() != Leaf::None || values.contains({node, 0})) continue;
    const std::uint32_t n = node->n_inputs() + node->n_outputs();
    std::vector<Cell> cells(n);
    std::vector<std::uint32_t> registers(n);
    for (std::uint32_t i = 0; i < n; ++i) registers[i] = i;
    for (std::uint32_t i = 0; i < node->n_inputs(); ++i) {
      const Variable& input = node->inputs()[i];
      cells[i] = values.at({input.node(), input.index()});
    }
    const ThunkCode code = node->op()->kernel(*node);
    if (code.eager == nullptr) throw std::logic_error(node->op()->text() + " has no kernel");
    Operands operands;
    operands.registers = registers.data();
    operands.n_inputs = static_cast<std::uint16_t>(node->n_inputs());
    operands.n_outputs = static_cast<std::uint16_t>(node->n_outputs());
    operands.state = code.state.get();
    Activation activation;
    activation.cells = cells.data();
    activation.host = &host;
    if (code.eager(activation, operands) == Status::Failed)
      std::rethrow_exception(activation.failure.error);
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j) {
      const Cell& value = cells[node->n_inputs() + j];
      if (const TensorType* type = node->output_type(j).tensor()) {
        const std::vector<std::int64_t> shape = shape_of(value);
        bool kept = value.dtype() == type->dtype() && shape.size() == type->shape().size();
        for (std::size_t axis = 0; kept && axis < shape.size(); ++axis)
          kept = type->shape()[axis] < 0 || type->shape()[axis] == shape[axis];
        if (!kept)
          throw std::logic_error(node->op()->text() + " promised " + type->text() + " and gave " +
                                 format_shape(shape) + " of " + std::string(name(value.dtype())));
      }
      values[{node, j}] = value;
    }
  }
  std::vector<Cell> results;
  for (const Variable& output : outputs) results.push_back(values.at({output.node(), output.index()}));
  return results;
}

inline Cell run_graph(const Variable& output, const Given& given) {
  return run_graph(std::span(&output, 1), given)[0];
}

}  // namespace thunkvm
