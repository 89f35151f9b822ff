#include "linkers/shape_facts.h"

#include "ops/graph/extents.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

class ShapeFacts::Inference {
 public:
  explicit Inference(ShapeFacts& facts) : facts_(facts) {}

  void add(Apply& node) {
    const std::vector<Extents> inferred = ask_rule(node);
    for (const Variable& output : node.outputs()) {
      Extents extents = extents_of(output);
      for (std::size_t axis = 0; axis < extents.size() && !inferred.empty(); ++axis)
        if (!known_extent(extents[axis]))
          extents[axis] = representative(inferred[output.index()][axis], node);
      note(output, std::move(extents));
    }
  }

 private:
  std::vector<Extents> ask_rule(Apply& node) {
    const auto has_axes = [](const Variable& v) {
      return v.type().tensor() != nullptr && v.ndim() > 0;
    };
    if (!node.op()->registered() || std::ranges::none_of(node.outputs(), has_axes)) return {};
    std::vector<Extents> inputs;
    for (const Variable& input : node.inputs()) inputs.push_back(extents_for(input));
    return node.op()->infer_shape(node, inputs);
  }

  const Extents& extents_for(const Variable& v) {
    const auto found = extents_.find(v);
    return found != extents_.end() ? found->second : note(v, extents_of(v));
  }

  const Extents& note(const Variable& v, Extents extents) {
    std::vector<Length>& shape = facts_.shapes_[{v.node(), v.index()}];
    for (const Variable& each : extents) shape.push_back(number(each));
    return extents_[v] = std::move(extents);
  }

  /// The one Variable that stands for this length: an array's is what that was found to have.
  Variable representative(const Variable& extent, const Apply& node) {
    const AxisOf of = axis_of(extent);
    if (of.array && of.array.node() != &node)
      return extents_for(of.array)[static_cast<std::size_t>(of.axis)];
    return distinct_(extent);
  }

  Length number(const Variable& extent) {
    const auto known = known_extent(extent);
    const auto next = static_cast<Length>(facts_.known_.size());
    const Length found = known ? constants_.try_emplace(*known, next).first->second
                               : computed_.try_emplace(extent, next).first->second;
    if (found == next) facts_.known_.push_back(known.value_or(kUnknownLength));
    return found;
  }

  ShapeFacts& facts_;
  std::unordered_map<Variable, Extents, VariableHash> extents_;
  DistinctExtents distinct_;
  std::unordered_map<std::int64_t, Length> constants_;
  std::unordered_map<Variable, Length, VariableHash> computed_;
};

ShapeFacts::ShapeFacts(const Schedule& schedule) {
  Inference inference(*this);
  for (const Variable& first : schedule.nodes) inference.add(*first.node());
}

std::span<const ShapeFacts::Length> ShapeFacts::shape(const Apply& node,
                                                      std::uint32_t output) const {
  const auto found = shapes_.find({&node, output});
  if (found == shapes_.end()) return {};
  return found->second;
}

ShapeFacts::Verdict ShapeFacts::compare(std::span<const Length> a,
                                        std::span<const Length> b) const {
  if (a.empty() || b.empty()) return Verdict::Unknown;
  if (a.size() != b.size()) return Verdict::Different;
  bool same = true;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    same = false;
    if (known_[a[axis]] != kUnknownLength && known_[b[axis]] != kUnknownLength)
      return Verdict::Different;
  }
  return same ? Verdict::Same : Verdict::Unknown;
}

std::vector<ShapeFacts::Length> ShapeFacts::both(std::span<const Length> a,
                                                 std::span<const Length> b) const {
  if (a.empty()) return {b.begin(), b.end()};
  std::vector<Length> together(a.begin(), a.end());
  for (std::size_t axis = 0; axis < b.size(); ++axis)
    if (known_[b[axis]] != kUnknownLength) together[axis] = b[axis];
  return together;
}

}  // namespace thunkvm
