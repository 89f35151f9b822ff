// evaluate.h: the values of a graph of eager Ops, computed by the kernels alone, node by node. It
// knows no linker and no machine: what it shows of an Op is the Op's own doing.
#pragma once

#include "ops/graph/graph.h"
#include "ops/graph/op.h"
#include "thunks/thunk.h"

#include <exception>
#include <initializer_list>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// Runs the kernel of one node over cells of its own: inputs in, outputs out. Every input whose bit
/// is set in `dying` may be taken over.
inline std::vector<Cell> run_kernel(Apply& node, std::vector<Cell> inputs,
                                    std::uint32_t dying = 0) {
  const ThunkCode code = node.op()->kernel(node);
  std::vector<Cell> cells = std::move(inputs);
  cells.resize(node.n_inputs() + node.n_outputs());
  std::vector<std::uint32_t> registers;
  for (std::uint32_t i = 0; i < cells.size(); ++i) registers.push_back(i);
  Operands operands;
  operands.registers = registers.data();
  operands.n_inputs = static_cast<std::uint16_t>(node.n_inputs());
  operands.n_outputs = static_cast<std::uint16_t>(node.n_outputs());
  operands.dying = dying;
  operands.state = code.state.get();
  Host host;
  Activation activation;
  activation.cells = cells.data();
  activation.host = &host;
  if (code.eager(activation, operands) == Status::Failed)
    std::rethrow_exception(activation.failure.error);
  return {std::make_move_iterator(cells.begin() + node.n_inputs()),
          std::make_move_iterator(cells.end())};
}

/// Throws where a value is not of the dtype and shape that its variable promises.
inline void expect_promised(const Variable& variable, const Cell& value) {
  const TensorType* type = variable.type().tensor();
  if (type == nullptr) return;
  const Array array = value.to_array();
  bool kept = value.dtype() == type->dtype() && array.ndim() == type->ndim();
  for (int axis = 0; kept && axis < array.ndim(); ++axis) {
    const std::int64_t promised = type->shape()[static_cast<std::size_t>(axis)];
    kept = promised < 0 || promised == array.length(axis);
  }
  if (!kept)
    throw std::logic_error(variable.text() + " promised " + type->text() + " and gave " +
                           std::string(name(value.dtype())) + " " + format_shape(array.shape()));
}

/// The value of `output`, given those of the free variables.
inline Cell evaluate(const Variable& output, std::span<const std::pair<Variable, Cell>> given) {
  const auto less = [](const Variable& a, const Variable& b) {
    return std::pair(a.node(), a.index()) < std::pair(b.node(), b.index());
  };
  std::map<Variable, Cell, decltype(less)> values(less);
  for (const auto& [variable, value] : given) values[variable] = value;
  for (Apply* node : topological_order({&output, 1})) {
    if (node->leaf() == Leaf::Constant) values[node->output(0)] = node->output(0).constant_value();
    if (node->leaf() != Leaf::None || values.contains(node->output(0))) continue;
    std::vector<Cell> inputs;
    for (const Variable& input : node->inputs()) inputs.push_back(values.at(input));
    const std::vector<Cell> outputs = run_kernel(*node, std::move(inputs));
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j) {
      expect_promised(node->output(j), outputs[j]);
      values[node->output(j)] = outputs[j];
    }
  }
  return values.at(output);
}
inline Cell evaluate(const Variable& output,
                     std::initializer_list<std::pair<Variable, Cell>> given = {}) {
  return evaluate(output, std::span(given.begin(), given.size()));
}

}  // namespace thunkvm
