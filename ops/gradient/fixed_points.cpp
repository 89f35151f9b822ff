// fixed_points.cpp: derivatives of loops that end at a fixed point.
#include "ops/gradient/gradient.h"
#include "ops/gradient/loops.h"
#include "ops/gradient/push_forward.h"
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

[[noreturn]] void refuse_steps(const LoopBody& body) {
  throw Error(ErrorKind::NotImplemented,
              "[" + body.name +
                  "] is differentiated as a fixed point, whose steps make no difference: what "
                  "the steps were has no gradient; give implicit=False");
}

/// The equation z = f(z, c) of a loop, at its last value.
class FixedPoint {
 public:
  FixedPoint(Apply& node, const LoopOp& op) : body_(op.body()), last_(node.output(0)) {
    const std::pair<Variable, Variable> at_z[] = {{body_.states[0], z_}};
    f_ = substitute(std::span(&body_.nexts[0], 1), at_z).front();
    outside_.emplace_back(z_, last_);
    const LoopOutputs place = op.outputs();
    for (std::size_t j = 0; j < body_.captures.size(); ++j)
      outside_.emplace_back(body_.captures[j], node.input(static_cast<int>(place.n_states + j)));
  }

  const Variable& f() const { return f_; }

  /// What is computed of the leaves of the body, `leaf` too, in the graph outside.
  Variable outside(const Variable& value, const Variable& leaf = {},
                   const Variable& stands_for = {}) const {
    auto pairs = outside_;
    if (leaf) pairs.emplace_back(leaf, stands_for);
    return substitute(std::span(&value, 1), pairs).front();
  }

  /// The x of (I - df/dz) x = b; of the transposed matrix if `transposed`.
  Variable solve(const Variable& b, bool transposed) const {
    const Variable slope = outside(jacobian(f_, z_));
    if (last_.ndim() == 0) return cast(true_div(b, 1.0 - slope), last_.dtype());
    const Variable n = length_of(flat(last_), 0);
    const Variable square[] = {n, n};
    const Variable matrix = reshape(slope, call_op("stack", square), 2);
    const Variable identity = call_op("eye", {n}, {{"dtype", last_.dtype()}});
    const Variable difference = identity - matrix;
    const Variable system = transposed ? transpose(difference, {1, 0}) : difference;
    const Variable solved = call_op("solve", {system, flat(b)});
    return cast(reshape(solved, shape(last_), last_.ndim()), last_.dtype());
  }

 private:
  const LoopBody& body_;
  const Variable last_;
  const Variable z_ = Variable::input(body_.states[0].type_ref());
  Variable f_;
  std::vector<std::pair<Variable, Variable>> outside_;
};

}  // namespace

std::vector<Variable> fixed_point_gradients(Apply& node, const LoopOp& op,
                                            std::span<const Variable> incoming) {
  const LoopBody& body = op.body();
  const LoopOutputs place = op.outputs();
  for (std::uint32_t j = 1; j < incoming.size(); ++j)
    if (incoming[j]) refuse_steps(body);
  const FixedPoint point(node, op);
  const Variable adjoint = Variable::input(body.states[0].type_ref());
  const std::vector<Variable> parts =
      pull_back(std::span(&point.f(), 1), std::span(&adjoint, 1), body.captures);
  const Variable solved = point.solve(incoming[place.last(0)], true);
  std::vector<Variable> result(node.n_inputs());
  for (std::size_t j = 0; j < parts.size(); ++j)
    if (parts[j]) result[place.n_states + j] = point.outside(parts[j], adjoint, solved);
  return result;
}

std::vector<Variable> fixed_point_tangents(Apply& node, const LoopOp& op,
                                           std::span<const Variable> tangents,
                                           const std::vector<bool>& wanted) {
  const LoopOutputs place = op.outputs();
  for (std::uint32_t j = 1; j < wanted.size(); ++j)
    if (wanted[j]) refuse_steps(op.body());
  std::vector<Variable> result(node.n_outputs());
  const FixedPoint point(node, op);
  const Variable pushed =
      push_forward(std::span(&point.f(), 1), op.body().captures, tangents.subspan(place.n_states))
          .front();
  if (pushed) result[place.last(0)] = point.solve(point.outside(pushed), false);
  return result;
}

}  // namespace thunkvm
