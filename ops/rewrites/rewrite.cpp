#include "ops/rewrites/rewrite.h"

#include "ops/graph/node_index.h"
#include "ops/rewrites/limits.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace thunkvm {
namespace {

constexpr NamedRewrite kRewrites[] = {
    {"merge", "equal nodes become one", merge_rewrite},
    {"inverses", "what undoes itself goes, and what changes nothing: -(-x), x.T.T, x * 1",
     inverses_rewrite},
    {"idempotents", "what is done already is not done again: abs(abs(x)), floor(floor(x))",
     idempotents_rewrite},
    {"factors", "one Cholesky factor serves the determinant and the inverse of its matrix", nullptr,
     share_factors},
};

constexpr std::uint8_t kNobody = 0;  // else the rewrite's number, from 1

class Walk {
 public:
  Walk(const FunctionGraph& graph, std::vector<std::unique_ptr<Rewrite>> rewrites)
      : graph_(graph), rewrites_(std::move(rewrites)) {
    for (const Variable& output : graph.outputs) roots_.push_back(output);
    for (const Update& update : graph.updates)
      if (!waits(update)) roots_.push_back(update.value);
    order_ = topological_order(roots_);
    stands_for_.resize(order_.size());
    changed_by_.resize(order_.size(), kNobody);
    pinned_.resize(order_.size(), false);
    for (const Update& update : graph.updates)
      if (waits(update) && is_known(*update.value.node())) {
        pinned_[index(*update.value.node())] = true;
        std::erase_if(rewrites_, [](const auto& rewrite) { return rewrite->drops_demand(); });
      }
  }

  void run() {
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (order_[i]->leaf() != Leaf::None) continue;
      poll_interrupt();
      visit(i);
    }
  }

  FunctionGraph result() const {
    FunctionGraph rewritten = graph_;
    for (Variable& output : rewritten.outputs) output = resolve(output);
    for (Update& update : rewritten.updates)
      if (is_known(*update.value.node())) update.value = resolve(update.value);
    return rewritten;
  }

  // Every node of the result stands for the node of the given graph whose index it has, so what is
  // not in the result is counted by walking the given graph from its outputs down.
  std::vector<std::uint32_t> removed() const {
    std::vector<std::uint32_t> removed(rewrites_.size() + 1, 0);
    std::vector<std::uint8_t> used(order_.size(), 0), last_use_went_by(order_.size(), kNobody);
    for (const Variable& root : roots_) used[index(*resolve(root).node())] = 1;
    for (std::size_t i = order_.size(); i-- > 0;) {
      if (order_[i]->leaf() != Leaf::None) continue;
      const Apply& form = stands_for_[i] ? *stands_for_[i].node() : *order_[i];
      const bool stays = used[i] != 0 && index(form) == i;
      if (stays)
        for (const Variable& input : form.inputs()) used[index(*input.node())] = 1;
      const std::uint8_t by = changed_by_[i] != kNobody ? changed_by_[i] : last_use_went_by[i];
      if (!stays) ++removed[by];
      if (stays && changed_by_[i] == kNobody) continue;
      for (const Variable& input : order_[i]->inputs())
        if (std::uint8_t& went_by = last_use_went_by[index(*input.node())]; went_by == kNobody)
          went_by = by;
    }
    removed.erase(removed.begin());
    return removed;
  }
  std::vector<Rewritten::Replaced> replaced() const {
    std::vector<Rewritten::Replaced> replaced;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (changed_by_[i] == kNobody) continue;
      const std::string_view by = rewrites_[changed_by_[i] - 1u]->name();
      for (const Variable& before : order_[i]->outputs())
        replaced.push_back({by, before, resolve(before)});
    }
    return replaced;
  }
  const std::vector<std::unique_ptr<Rewrite>>& rewrites() const { return rewrites_; }

 private:
  static bool waits(const Update& update) { return update.if_computed && !update.value.is_leaf(); }

  // A form that stands for a node has its index; one that stands for several, that of the first.
  std::uint32_t index(const Apply& node) const { return order_.of(node); }
  bool is_known(const Apply& node) const { return order_.contains(node); }

  Variable resolve(const Variable& v) const {
    const Variable& form = stands_for_[index(*v.node())];
    return form ? Variable(form.node(), form.index() + v.index()) : v;
  }

  std::span<const Variable> rewritten_inputs(const Apply& node) {
    const std::span<const Variable> inputs = node.inputs();
    if (std::ranges::none_of(
            inputs, [&](const Variable& v) { return bool(stands_for_[index(*v.node())]); }))
      return inputs;
    inputs_.clear();
    for (const Variable& input : inputs) inputs_.push_back(resolve(input));
    return inputs_;
  }

  // A weak number would count for less than the strong one that it stands for.
  static bool fits(const Candidate& candidate, const Variable& form) {
    const Apply& node = candidate.node;
    if (form.weak()) return false;
    if (node.n_outputs() == 1) return &form.type() == &node.output_type(0);
    if (form.index() != 0 || form.node()->n_outputs() != node.n_outputs()) return false;
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
      if (&form.node()->output_type(j) != &node.output_type(j)) return false;
    return true;
  }

  // The first form that a rewrite has of the candidate; null if there is none.
  Variable better_form(const Candidate& candidate, std::uint32_t i) {
    for (std::size_t k = 0; k < rewrites_.size(); ++k) {
      Variable form = rewrites_[k]->replacement(candidate);
      if (!form || !fits(candidate, form)) continue;
      changed_by_[i] = static_cast<std::uint8_t>(k + 1);
      return form;
    }
    return {};
  }

  void visit(std::uint32_t i) {
    Apply& node = *order_[i];
    const std::span<const Variable> inputs = rewritten_inputs(node);
    Variable form;  // of this node, made by a rewrite
    if (!pinned_[i]) {
      const OriginOf scope(node);
      for (int forms = 0; forms < kMostForms; ++forms) {
        Variable better = better_form(
            form ? Candidate{*form.node(), form.node()->inputs()} : Candidate{node, inputs}, i);
        if (!better) break;
        if (form) outdated_.push_back(std::move(form));
        if (is_known(*better.node())) {
          stands_for_[i] = std::move(better);
          return;
        }
        form = std::move(better);
      }
    }
    if (!form && inputs.data() != node.inputs().data()) form = {Apply::copy(node, inputs), 0};
    Apply& kept = form ? *form.node() : node;
    if (form) {
      order_.add(kept, i);
      stands_for_[i] = std::move(form);
    }
    if (pinned_[i]) return;
    for (const auto& rewrite : rewrites_) rewrite->kept(kept);
  }

  const FunctionGraph& graph_;
  std::vector<std::unique_ptr<Rewrite>> rewrites_;
  std::vector<Variable> roots_;
  NodeIndex order_;
  std::vector<Variable> stands_for_;      // by index: output 0's, null where the node stays
  std::vector<std::uint8_t> changed_by_;  // by index
  std::vector<bool> pinned_;              // by index: an if_computed update waits for it
  std::vector<Variable> outdated_;        // forms that were offered; rewrites know nodes by address
  std::vector<Variable> inputs_;          // scratch
};

[[noreturn]] void throw_no_rewrite(const std::string& name) {
  std::string names;
  for (const NamedRewrite& known : kRewrites) {
    if (!names.empty()) names += &known == std::end(kRewrites) - 1 ? " and " : ", ";
    names += "'" + std::string(known.name) + "'";
  }
  throw Error(ErrorKind::Value, "there is no rewrite '" + name + "'; there are " + names);
}

}  // namespace

std::span<const NamedRewrite> named_rewrites() { return kRewrites; }

Rewritten rewrite(const FunctionGraph& graph, std::span<const std::string> names) {
  for (const std::string& name : names)
    if (std::ranges::find(kRewrites, name, &NamedRewrite::name) == std::end(kRewrites))
      throw_no_rewrite(name);
  const auto is_named = [&](const NamedRewrite& known) {
    return std::ranges::find(names, known.name) != names.end();
  };
  std::vector<std::unique_ptr<Rewrite>> rewrites;
  for (const NamedRewrite& known : kRewrites)
    if (known.make != nullptr && is_named(known)) rewrites.push_back(known.make());
  Walk walk(graph, std::move(rewrites));
  walk.run();
  Rewritten rewritten{walk.result(), {}, walk.replaced()};
  const std::vector<std::uint32_t> removed = walk.removed();
  for (std::size_t k = 0; k < removed.size(); ++k)
    rewritten.removed.emplace_back(walk.rewrites()[k]->name(), removed[k]);
  for (const NamedRewrite& known : kRewrites) {
    if (known.whole == nullptr || !is_named(known)) continue;
    known.whole(rewritten);
    rewritten.removed.emplace_back(known.name, 0);
  }
  return rewritten;
}

}  // namespace thunkvm
