// shape_facts.h: the shapes of a graph's values, as far as they are known before it runs.
#pragma once

#include "ops/graph/extents.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// Lengths by numbers, from the Ops' rules (`Op::infer_shape`): axes of the same number have the
/// same length in every call in which the nodes of both succeed. Lengths that no rule relates have
/// numbers of their own. A replacement of a node has to check all that the node checks: a fact that
/// holds because a node succeeds is worth nothing if that node does not run.
///
/// Finding them asks rules, which make graph: only a thread that may make functions does that. Any
/// thread may read them. Linear in nodes and axes.
class ShapeFacts {
 public:
  using Length = std::uint32_t;
  enum class Verdict : std::uint8_t { Different, Unknown, Same };

  /// Knows nothing.
  ShapeFacts() = default;
  /// The facts of the nodes of these first outputs, each node behind those that it depends on.
  explicit ShapeFacts(std::span<const Variable> nodes);
  ShapeFacts(const ShapeFacts&) = delete;
  ShapeFacts& operator=(const ShapeFacts&) = delete;

  /// The lengths of a node's or a leaf's output, by axis; empty for a 0-d one, and if nothing is
  /// known.
  std::span<const Length> shape(const Apply& node, std::uint32_t output = 0) const;
  /// The lengths that a node is given as a vector, to broadcast to or to have (IndexMap::lengths),
  /// even if it does not fit them. Empty if that vector may have another number of elements than
  /// the output has axes.
  std::span<const Length> given(const Apply& node) const;

  /// Whether values of these lengths have the same shape in every call, or in none.
  Verdict compare(std::span<const Length> a, std::span<const Length> b) const;
  bool are_same(std::span<const Length> a, std::span<const Length> b) const {
    return compare(a, b) == Verdict::Same;
  }
  /// The lengths of values that have the same shape: those that are known, else those of `a`.
  std::vector<Length> both(std::span<const Length> a, std::span<const Length> b) const;

 private:
  friend class ShapeInference;
  using Shape = std::vector<Length>;
  struct Key {
    const Apply* node;
    std::uint32_t output;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>{}(key.node) * 31 + key.output;
    }
  };

  std::deque<Shape> shapes_;  // each of one value, or of several
  std::unordered_map<Key, const Shape*, Hash> shape_of_;
  std::unordered_map<const Apply*, Shape> given_;
  std::vector<std::int64_t> known_;  // by Length; kUnknownLength: only when the function runs
};

/// Finds facts, node by node.
class ShapeInference {
 public:
  /// Adds to `facts`, which outlive it.
  explicit ShapeInference(ShapeFacts& facts) : facts_(facts) {}

  /// A node that is no leaf; those that it depends on were added before.
  void add(Apply& node);
  /// The lengths of a value; numbers of its own if its node was not added.
  std::span<const ShapeFacts::Length> shape(const Variable& v) { return shape_for(v); }

 private:
  using Length = ShapeFacts::Length;
  using Shape = ShapeFacts::Shape;

  std::vector<Extents> ask_rule(Apply& node);
  void note_given(Apply& node);
  const Shape* shape_of_all_operands(const Apply& node);
  const Shape& shape_for(const Variable& v);
  Extents extents_for(const Variable& v);
  const Shape& note(const Variable& v, const Extents& extents);
  Variable representative(const Variable& extent, const Apply& node);
  Length number(const Variable& extent);

  ShapeFacts& facts_;
  Extents extents_;  // by number
  DistinctExtents distinct_;
  std::unordered_map<std::int64_t, Length> constants_;
  std::unordered_map<Variable, Length, VariableHash> computed_;
};

}  // namespace thunkvm
