#include "ops/gradient/gradient.h"
#include "ops/gradient/loops.h"
#include "ops/graph/array_op.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"

#include <utility>

namespace thunkvm {
namespace {

Variable flat(const Variable& x) {
  const Variable all[] = {Variable::number(std::int64_t{-1})};
  return reshape(x, call_op("stack", all), 1);
}

}  // namespace

std::vector<Variable> fixed_point_gradients(Apply& node, const LoopOp& op,
                                            std::span<const Variable> incoming) {
  const LoopBody& body = op.body();
  const LoopOutputs place = op.outputs();
  const Variable& gradient = incoming[place.last(0)];
  for (std::uint32_t j = 1; j < incoming.size(); ++j)
    if (incoming[j])
      throw Error(ErrorKind::NotImplemented,
                  "[" + body.name +
                      "] is differentiated as a fixed point, whose steps make no difference: what "
                      "the steps were has no gradient; give implicit=False");
  // At the fixed point, over leaves.
  const Variable z = Variable::input(body.states[0].type_ref());
  const Variable adjoint = Variable::input(body.states[0].type_ref());
  const std::pair<Variable, Variable> at_z[] = {{body.states[0], z}};
  const Variable f = substitute(std::span(&body.nexts[0], 1), at_z).front();
  std::vector<Variable> parts = pull_back(std::span(&f, 1), std::span(&adjoint, 1), body.captures);
  Variable slope = jacobian(f, z);

  // (I - df/dz)^T adjoint = gradient.
  const Variable last = node.output(place.last(0));
  std::vector<std::pair<Variable, Variable>> outside = {{z, last}};
  for (std::size_t j = 0; j < body.captures.size(); ++j)
    outside.emplace_back(body.captures[j], node.input(static_cast<int>(place.n_states + j)));
  slope = substitute(std::span(&slope, 1), outside).front();
  Variable solved;
  if (last.ndim() == 0) {
    solved = true_div(gradient, 1.0 - slope);
  } else {
    const Variable n = length_of(flat(last), 0);
    const Variable square[] = {n, n};
    const Variable matrix = reshape(slope, call_op("stack", square), 2);
    const Variable identity = call_op("eye", {n}, {{"dtype", last.dtype()}});
    const Variable system = transpose(identity - matrix, {1, 0});
    solved = reshape(call_op("solve", {system, flat(gradient)}), shape(last), last.ndim());
  }
  outside.emplace_back(adjoint, cast(solved, last.dtype()));
  std::vector<Variable> result(node.n_inputs());
  for (std::size_t j = 0; j < parts.size(); ++j)
    if (parts[j]) result[place.n_states + j] = substitute(std::span(&parts[j], 1), outside).front();
  return result;
}

}  // namespace thunkvm
