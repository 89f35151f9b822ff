#include "ops/rewrites/inferred_shapes.h"

#include "ops/graph/extents.h"
#include "ops/graph/shape_facts.h"
#include "ops/rewrites/shape_demand.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

/// The shapes of a graph's values, found once each.
class AskedShapes {
 public:
  AskedShapes(std::span<const Variable> roots, const NodeIndex& nodes)
      : nodes_(nodes), demand_(roots, nodes) {}

  /// The lengths of the inputs of a node, and whether one of them is known by other means than by
  /// asking that input.
  struct Inputs {
    std::vector<Extents> shapes;
    bool inferred = false;
  };
  Inputs inputs_of(const Apply& node) {
    Inputs inputs;
    for (const Variable& input : node.inputs())
      if (!shape_of(input).own) inputs.inferred = true;
    inputs.shapes = shapes_for(node);
    return inputs;
  }

  /// What is known of the length of an array's axis; null for what is none.
  Variable length(const Variable& extent) {
    const AxisOf of = axis_of(extent);
    return of.array ? shape_of(of.array).extents[static_cast<std::size_t>(of.axis)] : Variable();
  }

 private:
  struct Shape {
    Extents extents;
    bool own = true;  // they are asked of the value itself
  };

  const Shape& shape_of(const Variable& v) {
    std::vector<Apply*> waiting{v.node()};
    while (!waiting.empty()) {
      Apply& node = *waiting.back();
      if (shapes_.contains(node.output(0))) {
        waiting.pop_back();
        continue;
      }
      const std::size_t before = waiting.size();
      if (asks_rule(node)) {
        for (const Variable& input : node.inputs())
          if (!shapes_.contains(input)) waiting.push_back(input.node());
        if (waiting.size() > before) continue;
        // The lengths that an array was given, as by `full(x.shape, 0.0)`.
        for (const Extents& extents : infer(node))
          for (const Variable& each : extents)
            if (const Variable array = axis_of(each).array; is_other(array, node))
              if (!shapes_.contains(array)) waiting.push_back(array.node());
        if (waiting.size() > before) continue;
      }
      waiting.pop_back();
      find(node);
    }
    return shapes_.at(v);
  }

  static bool is_other(const Variable& array, const Apply& node) {
    return array && array.node() != &node;
  }

  static bool asks_rule(Apply& node) {
    if (node.leaf() != Leaf::None) return false;
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
      if (!has_known_lengths(node.output_type(j))) return true;
    return false;
  }

  /// The shapes by the rule of the node, which is asked once; the inputs have been found.
  const std::vector<Extents>& infer(Apply& node) {
    const auto found = inferred_.find(&node);
    if (found != inferred_.end()) return found->second;
    const OriginOf scope(node);
    std::vector<Extents> inferred = node.op()->infer_shape(node, shapes_for(node));
    return inferred_[&node] = std::move(inferred);
  }

  /// The shapes of a node's inputs, which have been found, as its rule is told them: lengths that
  /// are the same in every call are one.
  std::vector<Extents> shapes_for(const Apply& node) {
    std::vector<Extents> shapes;
    std::unordered_map<ShapeFacts::Length, Variable> met;
    for (const Variable& input : node.inputs()) {
      shapes.push_back(shapes_.at(input).extents);
      const std::span<const ShapeFacts::Length> lengths = inference_.shape(input);
      for (std::size_t axis = 0; axis < lengths.size(); ++axis)
        shapes.back()[axis] = met.try_emplace(lengths[axis], shapes.back()[axis]).first->second;
    }
    return shapes;
  }

  void find(Apply& node) {
    auto entry = inferred_.extract(&node);
    const std::vector<Extents> inferred =
        entry ? std::move(entry.mapped()) : std::vector<Extents>();
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
      const Variable output = node.output(j);
      Shape shape{extents_of(output)};
      if (!inferred.empty() && !has_known_lengths(output.type())) {
        Extents found = inferred[j];
        for (std::size_t axis = 0; axis < found.size(); ++axis) {
          if (known_extent(shape.extents[axis]))
            found[axis] = shape.extents[axis];
          else if (const AxisOf of = axis_of(found[axis]); is_other(of.array, node))
            found[axis] = shapes_.at(of.array).extents[static_cast<std::size_t>(of.axis)];
        }
        // A value that is there answers itself, unless another one answers with no more work.
        const bool better = !is_there(output) || (node.op()->is_plain() && is_one_array(found));
        if (better && !same_extents(found, shape.extents)) shape = {std::move(found), false};
      }
      shapes_.emplace(output, std::move(shape));
    }
    if (asks_rule(node)) inference_.add(node);
  }

  /// Values that only shapes are made of are not.
  bool is_there(const Variable& v) const {
    const std::uint32_t node = nodes_.of(*v.node());
    return node != NodeIndex::kAbsent && demand_.is_there(demand_.first_value(node) + v.index());
  }

  static bool is_one_array(const Extents& extents) {
    return array_with(extents) || std::ranges::all_of(extents, [](const Variable& each) {
             return known_extent(each).has_value();
           });
  }

  const NodeIndex& nodes_;
  const ShapeDemand demand_;
  std::unordered_map<const Apply*, std::vector<Extents>> inferred_;  // of nodes being found
  std::unordered_map<Variable, Shape, VariableHash> shapes_;
  ShapeFacts facts_;
  ShapeInference inference_{facts_};
};

/// Copies what is above the answers.
class Answering {
 public:
  Answering(std::span<const Variable> roots, const NodeIndex& nodes) : facts_(roots, nodes) {}

  Variable operator()(const Variable& root) {
    std::vector<Variable> waiting{root};
    while (!waiting.empty()) {
      poll_interrupt();
      const Variable v = waiting.back();
      Apply& node = *v.node();
      if (done_.contains(&node)) {
        waiting.pop_back();
        continue;
      }
      const std::size_t before = waiting.size();
      if (const Variable& answer = answer_of(node)) {
        if (!done_.contains(answer.node())) waiting.push_back(answer);
      } else {
        for (const Variable& input : node.inputs())
          if (!done_.contains(input.node())) waiting.push_back(input);
      }
      if (waiting.size() > before) continue;
      waiting.pop_back();
      finish(node);
    }
    return now(root);
  }

 private:
  Variable now(const Variable& v) const {
    const Variable& form = done_.at(v.node());
    return form ? Variable(form.node(), form.index() + v.index()) : v;
  }

  /// The replacement of a node that asks for lengths; null where it stays, and for all others.
  const Variable& answer_of(Apply& node) {
    static const Variable none;
    if (node.op() == nullptr) return none;
    const bool asks = node.op()->shape_query() != nullptr;
    if (!asks && !may_be_length(node)) return none;
    const auto [entry, is_new] = answers_.try_emplace(node.output(0));
    if (!is_new) return entry->second;
    const OriginOf scope(node);
    Variable answer = asks ? answer_to(node) : facts_.length(element_of(node.output(0), 0));
    if (!answer || same_value(answer, node.output(0))) return none;
    if (!node.output(0).name().empty() && !answer.is_leaf() && answer.name().empty())
      answer.set_name(node.output(0).name());
    return answers_[node.output(0)] = std::move(answer);
  }

  Variable answer_to(Apply& node) {
    const AskedShapes::Inputs inputs = facts_.inputs_of(node);
    return inputs.inferred ? node.op()->shape_query()->answer(node, inputs.shapes) : Variable();
  }

  /// One of several lengths, as `x.shape[0]` is: it asks for no other.
  static bool may_be_length(const Apply& node) {
    const TensorType* type = node.output_type(0).tensor();
    return type != nullptr && type->ndim() == 0 && type->dtype() == DType::Int64 &&
           node.op()->integers(node).has_value();
  }

  void finish(Apply& node) {
    Variable form;
    if (const Variable& answer = answer_of(node)) {
      form = distinct_(now(answer));
    } else {
      const auto changed = [&](const Variable& v) { return bool(done_.at(v.node())); };
      if (std::ranges::any_of(node.inputs(), changed)) {
        std::vector<Variable> inputs;
        for (const Variable& input : node.inputs()) inputs.push_back(now(input));
        form = {Apply::copy(node, inputs), 0};
      }
    }
    if (node.op() != nullptr && node.op()->shape_query() != nullptr)
      distinct_(form ? form : node.output(0));
    kept_.push_back(node.output(0));
    done_.emplace(&node, std::move(form));
  }

  AskedShapes facts_;
  DistinctExtents distinct_;
  std::unordered_map<Variable, Variable, VariableHash> answers_;
  std::unordered_map<const Apply*, Variable> done_;  // output 0 of what it is now; null: itself
  std::vector<Variable> kept_;                       // nodes are known by address
};

}  // namespace

FunctionGraph with_inferred_shapes(const FunctionGraph& graph) {
  std::vector<Variable> roots = graph.outputs;
  for (const Update& update : graph.updates)
    if (!update.if_computed || update.value.is_leaf()) roots.push_back(update.value);
  const NodeIndex nodes = topological_order(roots);
  if (std::ranges::none_of(nodes, [](const Apply* node) {
        return node->op() != nullptr && node->op()->shape_query() != nullptr;
      }))
    return graph;
  Answering answered(roots, nodes);
  FunctionGraph result = graph;
  for (Variable& output : result.outputs) output = answered(output);
  for (Update& update : result.updates) update.value = answered(update.value);
  return result;
}

}  // namespace thunkvm
