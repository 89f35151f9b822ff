#include "ops/graph/extents.h"

#include "ops/graph/array_op.h"
#include "ops/graph/functions.h"
#include "ops/graph/limits.h"
#include "thunks/cast.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <string_view>

namespace thunkvm {
namespace {

const Op& broadcast_length_op() {
  static const Ref<const Op> op = OpRegistry::create("broadcast_length", {});
  return *op;
}

bool same(const Variable& a, const Variable& b, int depth) {
  if (a == b) return true;
  if (const auto known = known_extent(a)) return known == known_extent(b);
  const Op *f = a.node()->op(), *g = b.node()->op();
  if (depth == 0 || f == nullptr || g == nullptr || a.index() != b.index()) return false;
  if (f != g && !(f->is_plain() && f->proto() == g->proto() && f->attributes() == g->attributes()))
    return false;
  const auto same_input = [depth](const Variable& x, const Variable& y) {
    return same(x, y, depth - 1);
  };
  const auto &inputs = a.node()->inputs(), &others = b.node()->inputs();
  return f == &broadcast_length_op() ? std::ranges::is_permutation(inputs, others, same_input)
                                     : std::ranges::equal(inputs, others, same_input);
}

/// Lengths are at most 2^63 - 1 elements, so what overflows is no length: left to the run.
Variable combined(std::string_view op, const Variable& a, const Variable& b,
                  std::optional<std::int64_t> known) {
  return known ? extent(*known) : call_op(op, {a, b});
}

/// Adds the arrays whose lengths `extent` is broadcast from; false where it is made of others too.
bool collect_arrays(const Variable& extent, std::vector<Variable>& arrays) {
  if (known_extent(extent)) return true;
  if (extent.node()->op() == &broadcast_length_op())
    return std::ranges::all_of(extent.node()->inputs(),
                               [&](const Variable& each) { return collect_arrays(each, arrays); });
  const Variable array = axis_of(extent).array;
  if (!array) return false;
  if (std::ranges::find(arrays, array) == arrays.end()) arrays.push_back(array);
  return arrays.size() <= kMostArrays;
}

Variable broadcast_extent(std::span<const Variable> lengths) {
  std::vector<Variable> met;
  std::optional<std::int64_t> known;
  bool clash = false;
  const auto meet = [&](const Variable& length) {
    if (const auto value = known_extent(length)) {
      if (*value == 1) return;
      clash = clash || (known && *known != *value);
      known = value;
    }
    if (std::ranges::none_of(met, [&](const Variable& other) { return same_value(other, length); }))
      met.push_back(length);
  };
  for (const Variable& length : lengths) {
    const Apply& node = *length.node();
    if (node.op() == &broadcast_length_op() && met.size() + node.n_inputs() <= kMostLengths)
      std::ranges::for_each(node.inputs(), meet);
    else
      meet(length);
  }
  if (known && !clash) return extent(*known);
  if (met.empty()) return extent(1);
  return met.size() == 1 ? met[0] : call_op("broadcast_length", met);
}

Variable element_at(const Variable& integers, std::int64_t i, int depth) {
  if (integers.is_constant())
    return extent(
        cast_array(integers.constant_value().to_array(), DType::Int64).data_as<std::int64_t>()[i]);
  const Apply& node = *integers.node();
  if (node.op() != nullptr && depth > 0) {
    if (const auto sources = node.op()->integers(node)) {
      const IntegerSource& source = (*sources)[static_cast<std::size_t>(i)];
      if (source.kind == IntegerSource::Kind::Number) return extent(source.at);
      const Variable& input = node.input(static_cast<int>(source.input));
      switch (source.kind) {
        case IntegerSource::Kind::Length: return length_of(input, static_cast<int>(source.at));
        case IntegerSource::Kind::Size: return product_of(extents_of(input));
        default: return element_at(input, source.at, depth - 1);
      }
    }
  }
  const Variable one = integers.ndim() == 0 ? integers : subtensor(integers, {std::to_string(i)});
  return cast(one, DType::Int64);
}

/// Equal for equal extents of the same inputs, which may be in another order.
std::size_t hash_of(const Variable& extent) {
  const Op& op = *extent.node()->op();
  std::size_t hash =
      op.is_plain() ? std::hash<std::string>{}(op.text()) : std::hash<const void*>{}(&op);
  for (const Variable& input : extent.node()->inputs()) {
    const auto known = known_extent(input);
    hash += known ? std::hash<std::int64_t>{}(*known) : VariableHash{}(input);
  }
  return hash;
}

}  // namespace

std::optional<std::int64_t> known_extent(const Variable& extent) {
  if (!extent.is_constant() || extent.ndim() != 0 || extent.dtype() != DType::Int64)
    return std::nullopt;
  return extent.constant_value().get<std::int64_t>();
}

bool has_known_lengths(const Type& type) {
  return type.tensor() == nullptr ||
         std::ranges::find(type.tensor()->shape(), kUnknownLength) == type.tensor()->shape().end();
}

bool same_value(const Variable& a, const Variable& b) { return same(a, b, kComparedExtents); }

bool same_extents(const Extents& a, const Extents& b) {
  return std::ranges::equal(a, b, same_value);
}

Variable DistinctExtents::operator()(const Variable& extent) {
  if (extent.is_leaf()) return extent;
  std::vector<Variable>& others = by_hash_[hash_of(extent)];
  for (const Variable& other : others)
    if (same_value(other, extent)) return other;
  others.push_back(extent);
  return extent;
}

Extents extents_of(const Variable& x) {
  Extents extents;
  const TensorType* type = x.type().tensor();
  for (int axis = 0; type != nullptr && axis < type->ndim(); ++axis)
    extents.push_back(length_of(x, axis));
  return extents;
}

bool is_inferred(const Variable& output, const Extents& lengths) {
  if (output.type().tensor() == nullptr) return false;
  const auto is_known = [](const Variable& each) { return known_extent(each).has_value(); };
  const Extents own = extents_of(output);
  return std::ranges::all_of(own, is_known) || !same_extents(lengths, own);
}

Variable sum_of(const Variable& a, const Variable& b) {
  const auto x = known_extent(a), y = known_extent(b);
  if (x == 0) return b;
  if (y == 0) return a;
  return combined("add", a, b, x && y ? sum_of_lengths(*x, *y) : std::nullopt);
}

Variable difference_of(const Variable& a, const Variable& b) {
  const auto x = known_extent(a), y = known_extent(b);
  if (y == 0) return a;
  const bool fits = x && y && *x >= 0 && *y >= 0;
  return combined("sub", a, b, fits ? std::optional(*x - *y) : std::nullopt);
}

Variable smaller_of(const Variable& a, const Variable& b) {
  if (same_value(a, b)) return a;
  const auto x = known_extent(a), y = known_extent(b);
  return combined("minimum", a, b, x && y ? std::optional(std::min(*x, *y)) : std::nullopt);
}

Variable larger_of(const Variable& a, const Variable& b) {
  if (same_value(a, b)) return a;
  const auto x = known_extent(a), y = known_extent(b);
  return combined("maximum", a, b, x && y ? std::optional(std::max(*x, *y)) : std::nullopt);
}

Variable product_of(std::span<const Variable> extents) {
  Variable product = extent(1);
  for (const Variable& each : extents) {
    const auto x = known_extent(product), y = known_extent(each);
    if (x == 1) {
      product = each;
    } else if (y != 1) {
      const std::int64_t both[] = {x.value_or(0), y.value_or(0)};
      product = combined("mul", product, each, x && y ? product_of_lengths(both) : std::nullopt);
    }
  }
  return product;
}

Extents broadcast_extents(std::span<const Extents> shapes) {
  std::size_t ndim = 0;
  for (const Extents& shape : shapes) ndim = std::max(ndim, shape.size());
  Extents together;
  std::vector<Variable> meeting;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    meeting.clear();
    for (const Extents& shape : shapes)
      if (axis + shape.size() >= ndim) meeting.push_back(shape[axis + shape.size() - ndim]);
    together.push_back(broadcast_extent(meeting));
  }
  return together;
}

Variable element_of(const Variable& integers, std::int64_t i) {
  return element_at(integers, i, kFollowedElement);
}

Extents elements_of(const Variable& integers, std::int64_t count) {
  Extents elements;
  for (std::int64_t i = 0; i < count; ++i) elements.push_back(element_of(integers, i));
  return elements;
}

AxisOf axis_of(const Variable& extent) {
  const Apply& node = *extent.node();
  if (node.op() == nullptr || extent.ndim() != 0) return {};
  const auto sources = node.op()->integers(node);
  if (!sources || sources->front().kind != IntegerSource::Kind::Length) return {};
  return {node.input(static_cast<int>(sources->front().input)),
          static_cast<int>(sources->front().at)};
}

Variable array_with(const Extents& extents) {
  Variable array;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (known_extent(extents[axis])) continue;
    const AxisOf found = axis_of(extents[axis]);
    if (!found.array || found.axis != static_cast<int>(axis) || (array && array != found.array))
      return {};
    array = found.array;
  }
  if (!array || array.ndim() != static_cast<int>(extents.size())) return {};
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (const auto known = known_extent(extents[axis]))
      if (array.static_shape()[axis] != *known) return {};
  return array;
}

Variable size_of(const Extents& extents) {
  const Variable array = extents.size() > 1 ? array_with(extents) : Variable();
  return array ? call_op("size", {array}) : product_of(extents);
}

Variable shape_vector(const Extents& extents) {
  std::vector<std::int64_t> known;
  for (const Variable& each : extents)
    if (const auto length = known_extent(each)) known.push_back(*length);
  if (known.size() == extents.size()) return constant_vector(known);
  if (const Variable array = array_with(extents)) return shape(array);
  std::vector<Variable> arrays;
  if (std::ranges::all_of(extents, [&](const Variable& e) { return collect_arrays(e, arrays); })) {
    std::vector<Extents> shapes;
    for (const Variable& array : arrays) shapes.push_back(extents_of(array));
    if (arrays.size() > 1 && same_extents(broadcast_extents(shapes), extents))
      return call_op("broadcast_shape", arrays);
  }
  return call_op("stack", extents, {{"axis", std::int64_t{0}}});
}

Variable zeros_of(const Extents& lengths, DType dtype) {
  return full(shape_vector(lengths), Variable::number(false),
              static_cast<std::int64_t>(lengths.size()), dtype);
}

std::optional<std::vector<IntegerSource>> elements_of_input(const Apply& node) {
  const Variable& integers = node.input(0);
  if (integers.ndim() > 1 || !is_integral(integers.dtype())) return std::nullopt;
  const std::int64_t count = integers.ndim() == 0 ? 1 : integers.static_shape()[0];
  if (count < 0 || count > kMostIntegers) return std::nullopt;
  std::vector<IntegerSource> elements;
  for (std::int64_t i = 0; i < count; ++i)
    elements.push_back({.kind = IntegerSource::Kind::Element, .input = 0, .at = i});
  return elements;
}

}  // namespace thunkvm
