#include "ops/gradient.h"

#include "ops/conditional.h"
#include "ops/demand.h"
#include "ops/functions.h"
#include "ops/graph.h"
#include "thunks/error.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

/// A value that exists only where `present` is true; everywhere where it is null. Without a value:
/// nowhere.
struct Partial {
  Variable value;
  Variable present;
  bool nowhere() const { return !value; }
  bool everywhere() const { return value && !present; }
};

/// A part of a gradient, made where control is in `region`.
struct Contribution {
  Region region;
  Variable value;
};

class Backward {
 public:
  Backward(std::span<const Variable> outputs, std::span<const Variable> wrt)
      : order_(topological_order(outputs)) {
    std::uint32_t values = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      index_.emplace(order_[i], static_cast<std::uint32_t>(i));
      first_value_.push_back(values);
      values += order_[i]->n_outputs();
    }
    contributions_.resize(values);
    // Only what lies between the outputs and `wrt` is differentiated. A selector is not a way.
    leads_to_wrt_.assign(order_.size(), false);
    for (const Variable& w : wrt)
      if (const auto found = index_.find(w.node()); found != index_.end())
        leads_to_wrt_[found->second] = true;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const bool lazy = order_[i]->op() != nullptr && order_[i]->op()->conditional() != nullptr;
      for (std::uint32_t k = lazy ? 1 : 0; k < order_[i]->n_inputs() && !leads_to_wrt_[i]; ++k)
        leads_to_wrt_[i] = leads_to_wrt_[index_.at(order_[i]->input(static_cast<int>(k)).node())];
    }
  }

  void add(const Variable& to, Region region, Variable value) {
    const auto found = index_.find(to.node());
    if (found == index_.end() || !leads_to_wrt_[found->second]) return;
    const TensorType* type = to.type().tensor();
    if (type == nullptr || !is_inexact(type->dtype())) return;
    contributions_[first_value_[found->second] + to.index()].push_back(
        {region, cast(value, type->dtype())});
  }

  void run() {
    for (std::size_t i = order_.size(); i-- > 0;) {
      Apply& node = *order_[i];
      if (node.leaf() != Leaf::None || !leads_to_wrt_[i]) continue;
      if (const Conditional* conditional = node.op()->conditional())
        through_conditional(node, *conditional, first_value_[i]);
      else
        through_op(node, first_value_[i]);
    }
  }

  Variable result(const Variable& w) {
    const auto found = index_.find(w.node());
    if (found == index_.end()) return {};
    const Partial sum =
        combine(kRootRegion, contributions_[first_value_[found->second] + w.index()]);
    return sum.nowhere() || sum.everywhere() ? sum.value
                                             : ifelse(sum.present, sum.value, zeros_like(w));
  }

 private:
  Region common_region(std::span<const Contribution> parts) {
    Region common = parts.front().region;
    for (const Contribution& part : parts) common = regions_.lca(common, part.region);
    return common;
  }

  // What comes in goes to each arm, in that arm's region: only the arm that was taken sees it.
  void through_conditional(Apply& node, const Conditional& conditional, std::uint32_t first_value) {
    for (std::uint32_t j = 0; j < conditional.n_outputs; ++j) {
      const std::vector<Contribution>& parts = contributions_[first_value + j];
      if (parts.empty()) continue;
      auto [region, incoming] = settle(parts);
      const std::uint32_t selector = number(node.input(0));
      const std::uint32_t decided =
          regions_.decided(region, selector, conditional.decoding, conditional.n_arms);
      if (decided != kNoIndex) {
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

  void through_op(Apply& node, std::uint32_t first_value) {
    std::vector<Contribution> all;
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
      all.insert(all.end(), contributions_[first_value + j].begin(),
                 contributions_[first_value + j].end());
    if (all.empty()) return;
    std::vector<Variable> incoming(node.n_outputs());
    Region region = kRootRegion;
    if (node.n_outputs() == 1) {
      std::tie(region, incoming[0]) = settle(all);
    } else {
      // One backward pass for all outputs: where any of them has a gradient, the others' are zero.
      const Region common = common_region(all);
      std::vector<Partial> sums;
      Partial any;
      for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
        sums.push_back(combine(common, contributions_[first_value + j]));
        if (sums.back().nowhere() || any.everywhere()) continue;
        const Variable& present = sums.back().present;
        any = {sums.back().value, any.nowhere() ? present
                                  : present     ? lazy_or(any.present, present)
                                                : Variable()};
      }
      region = any.everywhere() ? common : under(common, any.present);
      for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
        incoming[j] = sums[j].nowhere() || sums[j].everywhere()
                          ? sums[j].value
                          : ifelse(sums[j].present, sums[j].value, zeros_like(node.output(j)));
    }
    const std::vector<Variable> outgoing = node.op()->grad(node, incoming);
    if (outgoing.size() != node.n_inputs())
      throw Error(ErrorKind::Value, "[" + node.op()->name() + "] grad returned " +
                                        std::to_string(outgoing.size()) + " gradients for " +
                                        std::to_string(node.n_inputs()) + " inputs");
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i)
      if (outgoing[i]) add(node.input(static_cast<int>(i)), region, outgoing[i]);
  }

  // The region in which a backward pass runs, and what comes in there: the innermost region that
  // all parts share if one of them is certain in it; else an arm under it, opened on the
  // disjunction of their conditions.
  std::pair<Region, Variable> settle(const std::vector<Contribution>& parts) {
    const Region common = common_region(parts);
    const Partial sum = combine(common, parts);
    return {sum.everywhere() ? common : under(common, sum.present), sum.value};
  }

  Region under(Region region, const Variable& condition) {
    return regions_.first_arm(regions_.open_arms(region, number(condition), Decoding::Truth, 2)) +
           1;
  }

  std::uint32_t number(const Variable& selector) {
    const auto [entry, fresh] =
        selector_numbers_.try_emplace(selector, static_cast<std::uint32_t>(selectors_.size()));
    if (fresh) selectors_.push_back(selector);
    return entry->second;
  }

  /// What the arms of one key hold.
  struct Arms {
    std::uint32_t key;
    std::vector<Partial> arms;
  };
  struct Gathered {
    Variable sum;
    std::vector<Arms> keys;
  };

  // The sum of the parts, seen from `region`: parts of inner regions climb out, innermost first.
  Partial combine(Region region, std::span<const Contribution> parts) {
    if (parts.empty()) return {};
    std::map<std::pair<std::uint32_t, Region>, Gathered, std::greater<>> pending;
    for (const Contribution& part : parts) {
      Variable& sum = pending[{regions_.depth(part.region), part.region}].sum;
      sum = sum ? thunkvm::add(sum, part.value) : part.value;
    }
    for (;;) {
      const auto innermost = pending.begin();
      const Region at = innermost->first.second;
      const Partial folded = fold(innermost->second);
      if (at == region) return folded;
      pending.erase(innermost);
      const Region parent = regions_.parent(at);
      std::vector<Arms>& keys = pending[{regions_.depth(parent), parent}].keys;
      const std::uint32_t key = regions_.key(at);
      auto arms =
          std::find_if(keys.begin(), keys.end(), [&](const Arms& a) { return a.key == key; });
      if (arms == keys.end())
        arms = keys.insert(keys.end(), {key, std::vector<Partial>(regions_.n_arms(key))});
      arms->arms[regions_.arm(at)] = folded;
    }
  }

  Partial fold(Gathered& gathered) {
    Partial total{gathered.sum, {}};
    // What is everywhere first: then there is always something to add to.
    std::stable_partition(gathered.keys.begin(), gathered.keys.end(), [](const Arms& a) {
      return std::all_of(a.arms.begin(), a.arms.end(),
                         [](const Partial& p) { return p.everywhere(); });
    });
    for (const Arms& arms : gathered.keys) {
      if (total.everywhere()) {
        std::vector<Variable> values;
        for (const Partial& arm : arms.arms) {
          if (arm.nowhere()) {
            values.push_back(total.value);
            continue;
          }
          const Variable more = thunkvm::add(total.value, arm.value);
          values.push_back(arm.everywhere() ? more : ifelse(arm.present, more, total.value));
        }
        total.value = pick(arms.key, values);
        continue;
      }
      const Partial part = of_arms(arms);
      if (total.nowhere()) {
        total = part;
      } else if (part.everywhere()) {
        total = {ifelse(total.present, thunkvm::add(total.value, part.value), part.value), {}};
      } else {
        const Variable both =
            ifelse(total.present, thunkvm::add(total.value, part.value), part.value);
        total = {ifelse(part.present, both, total.value), lazy_or(total.present, part.present)};
      }
    }
    return total;
  }

  Partial of_arms(const Arms& arms) {
    const auto some = std::find_if(arms.arms.begin(), arms.arms.end(),
                                   [](const Partial& p) { return !p.nowhere(); });
    std::size_t held = 0;
    bool everywhere = true;
    std::vector<Variable> values, presents;
    for (const Partial& arm : arms.arms) {
      held += arm.nowhere() ? 0 : 1;
      everywhere = everywhere && arm.everywhere();
      // Where there is nothing, nobody asks for the value.
      values.push_back(arm.nowhere() ? some->value : arm.value);
      presents.push_back(arm.present ? arm.present : Variable::number(!arm.nowhere()));
    }
    return {held == 1 ? some->value : pick(arms.key, values),
            everywhere ? Variable() : pick(arms.key, presents)};
  }

  Variable pick(std::uint32_t key, const std::vector<Variable>& values) {
    std::vector<std::vector<Variable>> arms;
    for (const Variable& v : values) arms.push_back({v});
    return conditional(selectors_[regions_.selector(key)], regions_.decoding(key), arms).front();
  }

  std::vector<Apply*> order_;
  std::unordered_map<Apply*, std::uint32_t> index_;
  std::vector<std::uint32_t> first_value_;
  std::vector<bool> leads_to_wrt_;
  std::vector<std::vector<Contribution>> contributions_;  // by value
  RegionTree regions_;
  std::vector<Variable> selectors_;
  std::unordered_map<Variable, std::uint32_t, VariableHash> selector_numbers_;
};

}  // namespace

std::vector<Variable> pull_back(std::span<const Variable> outputs,
                                std::span<const Variable> output_gradients,
                                std::span<const Variable> wrt) {
  Backward backward(outputs, wrt);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (output_gradients[i]) backward.add(outputs[i], kRootRegion, output_gradients[i]);
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
