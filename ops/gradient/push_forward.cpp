#include "ops/gradient/push_forward.h"

#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/gradient/region_sums.h"
#include "ops/graph/connection.h"
#include "ops/graph/cut_gradient.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

/// Opaque values may have a tangent: it is what their Ops take for one.
bool may_change(const Variable& v) {
  const TensorType* const type = v.type().tensor();
  return type == nullptr || is_inexact(type->dtype());
}

void check_count(const Apply& node, const char* rule, std::size_t found, std::size_t expected) {
  if (found != expected)
    throw Error(ErrorKind::Value, "[" + node.op()->name() + "] " + rule + " returned " +
                                      std::to_string(found) + " tangents for " +
                                      std::to_string(expected) + " outputs");
}

/// What is linear in a leaf without that leaf, of which the lengths are asked at most.
Variable at_zeros(const Variable& value, const Variable& leaf, const Variable& like) {
  const std::pair<Variable, Variable> to_zeros[] = {{leaf, zeros_like(like)}};
  return substitute(std::span(&value, 1), to_zeros).front();
}

/// The values of which a function with an infinite slope is computed, element by element.
VariableSet before_infinite_slopes(const NodeIndex& order) {
  VariableSet before;
  for (std::size_t i = order.size(); i-- > 0;) {
    Apply& node = *order[i];
    if (node.leaf() != Leaf::None || node.op()->element_code(node) == nullptr) continue;
    const OpProto* const proto = node.op()->proto();
    if ((proto != nullptr && proto->is_singular) || before.contains(node.output(0)))
      before.insert(node.inputs().begin(), node.inputs().end());
  }
  return before;
}

/// True for each element of an output that one of the tangents of the inputs says something of.
Variable where_told(Apply& node, std::span<const Variable> tangents) {
  std::vector<Variable> inputs(node.inputs().begin(), node.inputs().end());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (is_inexact(inputs[i].dtype()))
      inputs[i] = tangents[i] ? full(shape(inputs[i]), Variable::constant(Cell::of(true)),
                                     inputs[i].ndim(), DType::Bool)
                              : nothing_taken(inputs[i]);
  return node.op()->call(inputs).front();
}

class Forward {
 public:
  explicit Forward(std::span<const Variable> outputs)
      : order_(topological_order(outputs)), on_way_(ways_to(outputs)) {}

  void start(const Variable& w, const Variable& tangent) {
    started_.push_back(w);
    add(w, kRootRegion, tangent);
  }

  void run() {
    for (Apply* node : order_) {
      if (node->leaf() != Leaf::None) continue;
      poll_interrupt();
      if (const Conditional* const conditional = node->op()->conditional())
        through_conditional(*node, *conditional);
      else
        through_op(*node);
    }
  }

  Variable result(const Variable& output) {
    const auto found = parts_.find(output);
    if (found != parts_.end()) return sums_.total(found->second, output);
    return may_change(output) && output.type().tensor() != nullptr && is_connected(output)
               ? zeros_like(output)
               : Variable();
  }

 private:
  void add(const Variable& to, Region region, Variable tangent) {
    if (!on_way_.contains(to)) return;
    if (const TensorType* const type = to.type().tensor()) tangent = cast(tangent, type->dtype());
    parts_[to].push_back({region, std::move(tangent)});
    sums_of_.erase(to);
  }

  /// The tangent of a value; nowhere where it does not change.
  Partial tangent(const Variable& v) {
    const auto parts = parts_.find(v);
    if (parts == parts_.end()) return {};
    const auto [sum, fresh] = sums_of_.try_emplace(v);
    if (fresh) sum->second = sums_.sum(kRootRegion, parts->second);
    return sum->second;
  }
  Region where_present(Region region, const Variable& present) {
    return present ? sums_.under(region, present) : region;
  }

  /// The tangent of each arm, in that arm.
  void through_conditional(Apply& node, const Conditional& conditional) {
    for (std::uint32_t j = 0; j < conditional.n_outputs; ++j) {
      if (!on_way_.contains(node.output(j))) continue;
      for (std::uint32_t arm = 0; arm < conditional.n_arms; ++arm) {
        const Partial part = tangent(node.input(static_cast<int>(conditional.arm_input(arm, j))));
        if (part.nowhere()) continue;
        const std::uint32_t key = sums_.regions().open_arms(
            kRootRegion, sums_.number(node.input(0)), conditional.decoding, conditional.n_arms);
        add(node.output(j), where_present(sums_.regions().first_arm(key) + arm, part.present),
            part.value);
      }
    }
  }

  /// Tangents that are there under one condition.
  struct Group {
    Variable present;
    std::vector<Variable> tangents;
  };
  /// The tangents of a node's inputs. A loop gets all at once, with zeros where one is not there:
  /// it would take its steps anew for each group.
  std::vector<Group> groups(Apply& node) {
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
      const Variable& input = node.input(static_cast<int>(i));
      const Partial part = tangent(input);
      if (part.nowhere() || !on_way_.contains(input)) continue;
      auto group = std::ranges::find(groups, part.present, &Group::present);
      if (group == groups.end())
        group = groups.insert(group, {part.present, std::vector<Variable>(node.n_inputs())});
      group->tangents[i] = part.value;
    }
    if (groups.size() < 2 || closed_loop(node) == nullptr) return groups;
    Group all{{}, std::vector<Variable>(node.n_inputs())};
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
      const Variable& input = node.input(static_cast<int>(i));
      if (const auto parts = parts_.find(input); parts != parts_.end() && on_way_.contains(input))
        all.tangents[i] = sums_.total(parts->second, input);
    }
    return {all};
  }

  void through_op(Apply& node) {
    std::vector<bool> wanted;
    for (const Variable& output : node.outputs()) wanted.push_back(on_way_.contains(output));
    if (std::ranges::none_of(wanted, [](bool each) { return each; })) return;
    for (const auto& [present, tangents] : groups(node)) {
      const std::vector<Variable> pushed = push(node, tangents, wanted);
      bool any = false;
      for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
        if (!pushed[j] || !wanted[j]) continue;
        any = true;
        add(node.output(j), where_present(kRootRegion, present),
            has_holes(node, tangents, j) ? cut_to(pushed[j], where_told(node, tangents))
                                         : pushed[j]);
      }
      // A user's Op says by None that nothing depends on an input.
      for (std::uint32_t i = 0; i < node.n_inputs() && !node.op()->is_plain(); ++i)
        if (tangents[i]) answers_[{&node, i}] |= any;
    }
  }

  /// Whether zeros stand for what does not change, and would be multiplied by an infinite slope.
  bool has_holes(Apply& node, std::span<const Variable> tangents, std::uint32_t output) {
    if (node.op()->linearity() != Linearity::Together || output != 0) return false;
    bool all = true;
    for (std::size_t i = 0; i < tangents.size(); ++i)
      all = all && (tangents[i] || !may_change(node.inputs()[i]));
    if (all) return false;
    if (!before_slopes_) before_slopes_ = before_infinite_slopes(order_);
    return before_slopes_->contains(node.output(output));
  }

  static std::vector<Variable> push(Apply& node, std::span<const Variable> tangents,
                                    const std::vector<bool>& wanted) {
    if (const LoopOp* const loop = closed_loop(node))
      return loop_tangents(node, *loop, tangents, wanted);
    const auto pushed = node.op()->push_forward(node, tangents);
    if (!pushed) return pull_back_twice(node, tangents, wanted);
    check_count(node, "push_forward", pushed->size(), node.n_outputs());
    return *pushed;
  }

  bool is_connected(const Variable& output) const {
    const Connection connection(std::span(&output, 1), answers_);
    return std::ranges::any_of(started_, [&](const Variable& w) { return connection.to(w); });
  }

  const NodeIndex order_;
  const VariableSet on_way_;
  std::optional<VariableSet> before_slopes_;  // once somebody asks
  std::unordered_map<Variable, std::vector<Contribution>, VariableHash> parts_;
  std::unordered_map<Variable, Partial, VariableHash> sums_of_;
  std::vector<Variable> started_;
  GradientAnswers answers_;
  RegionSums sums_;
};

}  // namespace

std::vector<Variable> push_forward(std::span<const Variable> outputs, std::span<const Variable> wrt,
                                   std::span<const Variable> tangents) {
  Forward forward(outputs);
  for (std::size_t i = 0; i < wrt.size(); ++i)
    if (tangents[i]) forward.start(wrt[i], tangents[i]);
  forward.run();
  std::vector<Variable> results;
  for (const Variable& output : outputs) results.push_back(forward.result(output));
  return results;
}

std::vector<Variable> pull_back_twice(Apply& node, std::span<const Variable> tangents,
                                      const std::vector<bool>& wanted) {
  std::vector<Variable> result(node.n_outputs());
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
    const Variable& output = node.output(j);
    if (!wanted[j] || !may_change(output)) continue;
    std::vector<Variable> incoming(node.n_outputs());
    incoming[j] = Variable::input(output.type_ref());
    const std::vector<Variable> outgoing = node.op()->grad(node, incoming);
    check_count(node, "grad", outgoing.size(), node.n_inputs());
    std::vector<Variable> reached, along;
    for (std::size_t i = 0; i < outgoing.size(); ++i) {
      if (!tangents[i] || !outgoing[i]) continue;
      reached.push_back(outgoing[i]);
      along.push_back(tangents[i]);
    }
    if (reached.empty()) continue;
    const Variable found = pull_back(reached, along, std::span(&incoming[j], 1)).front();
    if (!found) continue;
    result[j] = output.type().tensor() == nullptr ? found : at_zeros(found, incoming[j], output);
  }
  return result;
}

VariableSet ways_to(std::span<const Variable> outputs) {
  VariableSet ways;
  std::vector<Variable> pending(outputs.begin(), outputs.end());
  while (!pending.empty()) {
    const Variable v = std::move(pending.back());
    pending.pop_back();
    if (!may_change(v) || !ways.insert(v).second || v.node()->leaf() != Leaf::None) continue;
    const Apply& node = *v.node();
    if (const Conditional* const conditional = node.op()->conditional()) {
      for (std::uint32_t arm = 0; arm < conditional->n_arms; ++arm)
        pending.push_back(node.input(static_cast<int>(conditional->arm_input(arm, v.index()))));
      continue;
    }
    const auto* const partly = dynamic_cast<const PartlyConnected*>(node.op());
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i)
      if (partly == nullptr || partly->connects(static_cast<int>(i)))
        pending.push_back(node.input(static_cast<int>(i)));
  }
  return ways;
}

}  // namespace thunkvm
