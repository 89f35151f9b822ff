#include "ops/gradient/gradient.h"

#include "ops/control/conditional.h"
#include "ops/gradient/loops.h"
#include "ops/gradient/region_sums.h"
#include "ops/graph/connection.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace thunkvm {
namespace {

class Backward {
 public:
  Backward(std::span<const Variable> outputs, std::span<const Variable> wrt)
      : order_(topological_order(outputs)) {
    std::uint32_t values = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      first_value_.push_back(values);
      values += order_[i]->n_outputs();
    }
    contributions_.resize(values);
    // Only what lies between the outputs and `wrt` is differentiated. A selector is not a way.
    leads_to_wrt_.assign(order_.size(), false);
    for (const Variable& w : wrt)
      if (const std::uint32_t i = order_.of(*w.node()); i != NodeIndex::kAbsent)
        leads_to_wrt_[i] = true;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const bool lazy = conditional_of(*order_[i]) != nullptr;
      for (std::uint32_t k = lazy ? 1 : 0; k < order_[i]->n_inputs() && !leads_to_wrt_[i]; ++k)
        leads_to_wrt_[i] = leads_to_wrt_[order_.of(*order_[i]->input(static_cast<int>(k)).node())];
    }
  }

  /// One of the outputs, and the gradient that comes in there.
  void start(const Variable& output, Variable value) {
    started_.push_back(output);
    add(output, kRootRegion, std::move(value));
  }

  void add(const Variable& to, Region region, Variable value) {
    const std::uint32_t i = order_.of(*to.node());
    if (i == NodeIndex::kAbsent || !leads_to_wrt_[i]) return;
    const TensorType* type = to.type().tensor();
    if (type != nullptr && !is_inexact(type->dtype())) return;
    // The gradient of an opaque value is what its Ops take for one.
    if (type != nullptr) value = cast(value, type->dtype());
    contributions_[first_value_[i] + to.index()].push_back({region, std::move(value)});
  }

  void run() {
    for (std::size_t i = order_.size(); i-- > 0;) {
      Apply& node = *order_[i];
      if (node.leaf() != Leaf::None || !leads_to_wrt_[i]) continue;
      poll_interrupt();
      if (const Conditional* conditional = node.op()->conditional())
        through_conditional(node, *conditional, first_value_[i]);
      else
        through_op(node, first_value_[i]);
    }
  }

  Variable result(const Variable& w) {
    const std::uint32_t i = order_.of(*w.node());
    if (i == NodeIndex::kAbsent) return {};
    const std::vector<Contribution>& parts = contributions_[first_value_[i] + w.index()];
    const TensorType* type = w.type().tensor();
    if (parts.empty() && type != nullptr && is_inexact(type->dtype()) && connected(w))
      return zeros_like(w);
    return sums_.total(parts, w);
  }

 private:
  bool connected(const Variable& w) {
    if (!connection_) connection_.emplace(started_, answers_);
    return connection_->to(w);
  }

  // What comes in goes to each arm, in that arm's region: only the arm that was taken sees it.
  void through_conditional(Apply& node, const Conditional& conditional, std::uint32_t first_value) {
    for (std::uint32_t j = 0; j < conditional.n_outputs; ++j) {
      const std::vector<Contribution>& parts = contributions_[first_value + j];
      if (parts.empty()) continue;
      auto [region, incoming] = summed(parts);
      const std::uint32_t selector = sums_.number(node.input(0));
      const std::uint32_t decided =
          regions_.decided(region, selector, conditional.decoding, conditional.n_arms);
      if (decided != kNone) {
        add(node.input(static_cast<int>(conditional.arm_input(decided, j))), region, incoming);
        continue;
      }
      const std::uint32_t key =
          regions_.open_arms(region, selector, conditional.decoding, conditional.n_arms);
      for (std::uint32_t a = 0; a < conditional.n_arms; ++a)
        add(node.input(static_cast<int>(conditional.arm_input(a, j))), regions_.first_arm(key) + a,
            incoming);
    }
  }

  // One backward pass for the outputs that have a gradient in the same region. One that may be
  // there without the others has a pass of its own: a zero instead would be computed, and so
  // would what multiplies it.
  void through_op(Apply& node, std::uint32_t first_value) {
    if (node.n_outputs() == 1) {
      if (contributions_[first_value].empty()) return;
      const auto [region, incoming] = summed(contributions_[first_value]);
      pass(node, region, std::span(&incoming, 1));
      return;
    }
    std::map<std::vector<Region>, Region> region_of;  // by where the parts are
    std::map<Region, std::vector<Variable>> passes;
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
      const std::vector<Contribution>& parts = contributions_[first_value + j];
      if (parts.empty()) continue;
      const auto [region, incoming] = summed(parts);
      std::vector<Variable>& all =
          passes[region_of.try_emplace(regions_of(parts), region).first->second];
      all.resize(node.n_outputs());
      all[j] = incoming;
    }
    for (const auto& [region, incoming] : passes) pass(node, region, incoming);
  }

  void pass(Apply& node, Region region, std::span<const Variable> incoming) {
    const LoopOp* const loop = closed_loop(node);
    const std::vector<Variable> outgoing =
        loop != nullptr ? loop_gradients(node, *loop, incoming, wanted_inputs(node))
                        : node.op()->grad(node, incoming);
    if (outgoing.size() != node.n_inputs())
      throw Error(ErrorKind::Value, "[" + node.op()->name() + "] grad returned " +
                                        std::to_string(outgoing.size()) + " gradients for " +
                                        std::to_string(node.n_inputs()) + " inputs");
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
      if (outgoing[i]) add(node.input(static_cast<int>(i)), region, outgoing[i]);
      // A user's Op says by None that nothing depends on an input.
      if (!node.op()->is_plain()) answers_[{&node, i}] |= static_cast<bool>(outgoing[i]);
    }
  }

  std::vector<bool> wanted_inputs(const Apply& node) const {
    std::vector<bool> wanted;
    for (const Variable& input : node.inputs())
      wanted.push_back(leads_to_wrt_[order_.of(*input.node())]);
    return wanted;
  }

  static std::vector<Region> regions_of(std::span<const Contribution> parts) {
    std::vector<Region> regions;
    for (const Contribution& part : parts) regions.push_back(part.region);
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    return regions;
  }

  // The region in which a backward pass runs, and what comes in there: the innermost region that
  // all parts share if one of them is certain in it; else an arm under it, opened on the
  // disjunction of their conditions.
  std::pair<Region, Variable> summed(const std::vector<Contribution>& parts) {
    const Region common = sums_.common_region(parts);
    const Partial sum = sums_.sum(common, parts);
    return {sum.everywhere() ? common : sums_.under(common, sum.present), sum.value};
  }

  const NodeIndex order_;
  std::vector<std::uint32_t> first_value_;
  std::vector<bool> leads_to_wrt_;
  std::vector<std::vector<Contribution>> contributions_;  // by value
  std::vector<Variable> started_;
  GradientAnswers answers_;
  std::optional<Connection> connection_;  // once somebody asks
  RegionSums sums_;
  RegionTree& regions_ = sums_.regions();
};

}  // namespace

std::vector<Variable> pull_back(std::span<const Variable> outputs,
                                std::span<const Variable> output_gradients,
                                std::span<const Variable> wrt) {
  Backward backward(outputs, wrt);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (output_gradients[i]) backward.start(outputs[i], output_gradients[i]);
  backward.run();
  std::vector<Variable> results;
  for (const Variable& w : wrt) results.push_back(backward.result(w));
  return results;
}

std::vector<Variable> gradients(const Variable& cost, std::span<const Variable> wrt) {
  if (is_complex(cost.dtype()))
    throw Error(ErrorKind::Type, "[grad] the cost has to be real, but " + cost.text() + " is " +
                                     cost.type().text() +
                                     "; take its real part, or the square of its abs");
  if (cost.ndim() != 0 || !is_inexact(cost.dtype()))
    throw Error(ErrorKind::Type, "[grad] the cost has to be a scalar of a floating dtype, but " +
                                     cost.text() + " is " + cost.type().text() +
                                     "; reduce it with .sum() or cast it");
  const Variable one = ones_like(cost);
  return pull_back(std::span(&cost, 1), std::span(&one, 1), wrt);
}

}  // namespace thunkvm
