// extents.h: lengths as values of the graph, for the rules of `Op::infer_shape`.
//
// An extent is a 0-d int64. A known one is a constant, and arithmetic of constants is done at once,
// unless it would fail. Then it fails when the function runs, and only if it is needed.
#pragma once

#include "ops/graph/op.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace thunkvm {

inline Variable extent(std::int64_t length) { return Variable::number(length); }
/// The value of an extent that is a constant.
std::optional<std::int64_t> known_extent(const Variable& extent);
/// Whether a type says all lengths of its values; of what is no tensor there are none.
bool has_known_lengths(const Type& type);
/// True if two extents (or shape vectors) are computed in the same way from the same variables.
bool same_value(const Variable& a, const Variable& b);
bool same_extents(const Extents& a, const Extents& b);

/// One Variable for all extents (or shape vectors) that are computed in the same way from the same
/// inputs.
class DistinctExtents {
 public:
  /// The extent itself, or an equal one that was given before.
  Variable operator()(const Variable& extent);

 private:
  std::unordered_map<std::size_t, std::vector<Variable>> by_hash_;
};

/// The lengths of `x`: constants if the type knows them, else `length` nodes. Empty if `x` is no
/// tensor.
Extents extents_of(const Variable& x);

/// True if a rule gave lengths of an output that need not be asked of its value: all are known, or
/// they are other extents than the value's own. False if the output is no tensor.
bool is_inferred(const Variable& output, const Extents& lengths);

Variable sum_of(const Variable& a, const Variable& b);
Variable difference_of(const Variable& a, const Variable& b);
Variable smaller_of(const Variable& a, const Variable& b);
Variable larger_of(const Variable& a, const Variable& b);
/// 1 for none.
Variable product_of(std::span<const Variable> extents);

/// The lengths that arrays of these shapes have together, by NumPy's broadcasting. Unknown lengths
/// are compared when the function runs. If they do not fit, that is the ValueError of a node that
/// broadcasts them.
Extents broadcast_extents(std::span<const Extents> shapes);

/// Element `i` of a vector of integers (or the one of a 0-d integer): its source, if `Op::integers`
/// knows it, else an index of the vector.
Variable element_of(const Variable& integers, std::int64_t i);
/// The first `count` elements.
Extents elements_of(const Variable& integers, std::int64_t count);
/// The array and the axis that have this length; a null array if it is computed otherwise.
struct AxisOf {
  Variable array;
  int axis = 0;
};
AxisOf axis_of(const Variable& extent);
/// The array that has these lengths, in their order; null if there is none.
Variable array_with(const Extents& extents);
/// The number of elements: the `size` of an array with these lengths, else the product.
Variable size_of(const Extents& extents);
/// The extents as an int64 vector: the `shape` of an array with these lengths, or the
/// `broadcast_shape` of several; else joined one by one.
Variable shape_vector(const Extents& extents);
/// Zeros of these lengths.
Variable zeros_of(const Extents& lengths, DType dtype);

/// For `Op::integers`: the elements of input 0, in their order; nothing if it is neither 0-d nor a
/// vector of a known, small length.
std::optional<std::vector<IntegerSource>> elements_of_input(const Apply& node);

}  // namespace thunkvm
