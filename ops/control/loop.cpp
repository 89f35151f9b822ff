#include "ops/control/loop.h"

#include "ops/control/conditional.h"
#include "ops/control/loop_attributes.h"
#include "ops/control/loop_opening.h"
#include "ops/control/loop_tape.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "thunks/error.h"

#include <atomic>
#include <unordered_set>
#include <utility>

namespace thunkvm {
namespace {

std::atomic<bool> is_any_made{false};

/// Whether a variable of one type may stand where one of the other is declared: lengths that are
/// known may be forgotten.
bool fits(const Type& value, const Type& declared) {
  const TensorType *a = value.tensor(), *b = declared.tensor();
  if (a == nullptr || b == nullptr) return a == b && value.equals(declared);
  if (a->dtype() != b->dtype() || a->ndim() != b->ndim()) return false;
  for (std::size_t i = 0; i < a->shape().size(); ++i)
    if (b->shape()[i] != kUnknownLength && a->shape()[i] != b->shape()[i]) return false;
  return true;
}

void check_fits(const std::string& loop, const char* what, std::size_t i, const Variable& value,
                const Variable& leaf) {
  if (fits(value.type(), leaf.type())) return;
  throw Error(ErrorKind::Type, "[" + loop + "] " + what + " " + std::to_string(i) + " is " +
                                   value.text() + ", a " + value.type().text() +
                                   ", and the loop's is a " + leaf.type().text() +
                                   ": it has to be of one type from step to step");
}

TypeRef type_of_tape(const Variable& value) {
  const TensorType* const type = value.type().tensor();
  if (type == nullptr) return GenericType::instance();
  StaticShape shape = {kUnknownLength};
  shape.insert(shape.end(), type->shape().begin(), type->shape().end());
  return TensorType::of(type->dtype(), shape);
}

/// By node: whether it changes from step to step of a loop.
std::vector<bool> changing(const NodeIndex& order, const LoopBody& body) {
  std::vector<bool> changes(order.size());
  for (const Variable& state : body.states)
    if (order.contains(*state.node())) changes[order.of(*state.node())] = true;
  for (std::size_t n = 0; n < order.size(); ++n)
    for (const Variable& input : order[n]->inputs())
      changes[n] = changes[n] || changes[order.of(*input.node())];
  return changes;
}

/// What a step computes, in order, and by node whether it changes from step to step.
struct StepNodes {
  StepNodes(std::vector<Variable> computed, const LoopBody& body)
      : roots(std::move(computed)),
        order(topological_order(roots)),
        changes(changing(order, body)) {}

  std::vector<Variable> roots;
  NodeIndex order;
  std::vector<bool> changes;
};

/// A step with conditionals of one output each: which states are demanded, and which values change
/// from step to step, is then known of each output by itself.
StepNodes with_outputs_alone(const LoopBody& body) {
  StepNodes step(body.values(), body);
  std::vector<std::pair<Variable, Variable>> parted;
  for (std::size_t n = 0; n < step.order.size(); ++n) {
    Apply& node = *step.order[n];
    const Conditional* const found = conditional_of(node);
    if (!step.changes[n] || found == nullptr || found->n_outputs == 1) continue;
    for (const Variable& output : node.outputs())
      parted.emplace_back(output, output_alone(*found, output));
  }
  if (parted.empty()) return step;
  return StepNodes(substitute(step.roots, parted), body);
}

}  // namespace

std::vector<Variable> LoopBody::leaves() const {
  std::vector<Variable> leaves = states;
  leaves.insert(leaves.end(), captures.begin(), captures.end());
  return leaves;
}

std::vector<Variable> LoopBody::values() const {
  std::vector<Variable> all;
  if (limit) all.push_back(limit);
  all.push_back(test);
  all.insert(all.end(), nexts.begin(), nexts.end());
  all.insert(all.end(), collected.begin(), collected.end());
  return all;
}

void LoopBody::set_values(std::span<const Variable> values) {
  auto value = values.begin();
  if (limit) limit = *value++;
  test = *value++;
  for (Variable& next : nexts) next = *value++;
  for (Variable& each : collected) each = *value++;
}

bool has_loops() { return is_any_made.load(std::memory_order_relaxed); }

LoopOp::LoopOp(const Attributes& attributes) {
  const Ref<const LoopBody> body = body_of(attributes);
  set_attributes(attributes_of(*body));
  body_ = body.get();
  is_any_made.store(true, std::memory_order_relaxed);
  if (body_->nexts.size() != body_->states.size())
    throw Error(ErrorKind::Value, "[" + name() + "] has " + std::to_string(body_->states.size()) +
                                      " states and " + std::to_string(body_->nexts.size()) +
                                      " next values");
  for (std::size_t i = 0; i < body_->states.size(); ++i)
    check_fits(name(), "the next value of state", i, body_->nexts[i], body_->states[i]);
}

std::vector<Variable> LoopOp::call(std::span<const Variable> inputs) const {
  const std::size_t n_states = body_->states.size();
  if (inputs.size() != n_states + body_->captures.size())
    throw Error(ErrorKind::Type, "[" + name() + "] takes " + std::to_string(n_states) +
                                     " first values and " + std::to_string(body_->captures.size()) +
                                     " captures; got " + std::to_string(inputs.size()) + " inputs");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (i < n_states)
      check_fits(name(), "the first value of state", i, inputs[i], body_->states[i]);
    else
      check_fits(name(), "capture", i - n_states, inputs[i], body_->captures[i - n_states]);
  std::vector<TypeRef> types;
  for (const Variable& state : body_->states) types.push_back(state.type_ref());
  for (const Variable& state : body_->states) types.push_back(type_of_tape(state));
  for (const Variable& value : body_->collected) types.push_back(type_of_tape(value));
  types.push_back(TensorType::scalar(DType::Int64));
  types.push_back(TensorType::scalar(DType::Bool));
  return Apply::make(Ref<const Op>(this), inputs, types)->outputs();
}

std::vector<Variable> OpenLoopOp::call(std::span<const Variable> inputs) const {
  std::vector<TypeRef> types;
  for (std::uint32_t j = 0; j < n_left_; ++j) types.push_back(inputs[left(j)].type_ref());
  return Apply::make(Ref<const Op>(this), inputs, types)->outputs();
}

const LoopOp* closed_loop(const Apply& node) {
  return has_loops() && node.op() != nullptr ? dynamic_cast<const LoopOp*>(node.op()) : nullptr;
}

std::vector<Variable> make_loop(LoopBody& body, std::span<const Variable> firsts) {
  const StepNodes step = with_outputs_alone(body);
  std::vector<Variable> inputs(firsts.begin(), firsts.end());
  std::vector<std::pair<Variable, Variable>> captured;
  std::unordered_set<Variable, VariableHash> known;
  const auto use = [&](const Variable& v) {
    if (step.changes[step.order.of(*v.node())] || v.is_constant() || !known.insert(v).second)
      return;
    captured.emplace_back(v, leaf_like(v));
    body.captures.push_back(captured.back().second);
    inputs.push_back(v);
  };
  for (std::size_t n = 0; n < step.order.size(); ++n) {
    if (!step.changes[n]) continue;
    for (const Variable& input : step.order[n]->inputs()) use(input);
  }
  for (const Variable& root : step.roots) use(root);
  body.set_values(substitute_equals(step.roots, captured));
  return loop_op(body)->call(inputs);
}

void collect_for_gradients(LoopBody& body) {
  const StepNodes step = with_outputs_alone(body);
  body.set_values(step.roots);
  const std::size_t n = body.collected.size();
  for (std::size_t i = 0; i < body.states.size(); ++i)
    if (!(body.nexts[i] == body.states[i]) && !has_known_lengths(body.states[i].type()))
      body.collected.push_back(shape(body.states[i]));
  for (const Variable& selector : certain_selectors(step.roots))
    if (step.changes[step.order.of(*selector.node())]) body.collected.push_back(selector);
  body.n_for_gradients = static_cast<std::uint32_t>(body.collected.size() - n);
}

std::vector<Variable> certain_selectors(std::span<const Variable> values) {
  std::vector<Variable> selectors, waiting(values.begin(), values.end());
  std::unordered_set<const Apply*> met;
  std::unordered_set<Variable, VariableHash> known;
  while (!waiting.empty()) {
    const Variable v = waiting.back();
    waiting.pop_back();
    Apply& node = *v.node();
    if (node.leaf() != Leaf::None || !met.insert(&node).second) continue;
    const bool decides = node.op()->conditional() != nullptr;
    if (!decides && !node.op()->is_plain()) continue;  // perhaps it asks by need
    for (const Variable& input : node.inputs().first(decides ? 1 : node.n_inputs()))
      waiting.push_back(input);
    if (!decides || node.input(0).is_leaf()) continue;
    const TensorType* const type = node.input(0).type().tensor();
    if (type != nullptr && type->ndim() == 0 && !is_inexact(type->dtype()) &&
        known.insert(node.input(0)).second)
      selectors.push_back(node.input(0));
  }
  return selectors;
}

const OpenLoopOp* open_loop(const Apply& node) {
  return has_loops() && node.op() != nullptr ? dynamic_cast<const OpenLoopOp*>(node.op()) : nullptr;
}

}  // namespace thunkvm
