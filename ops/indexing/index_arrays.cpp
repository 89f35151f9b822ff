// index_arrays.cpp: finding the elements that an index with arrays means.
#include "ops/indexing/index_arrays.h"

#include "ops/kernels/stretches.h"
#include "thunks/error.h"
#include "thunks/strided.h"

#include <algorithm>
#include <array>

namespace thunkvm {

namespace {

using ItemKind = IndexItem::Kind;

int n_axes(const Variable& array) { return array.dtype() == DType::Bool ? array.ndim() : 1; }

const Variable& input_of(const std::string& op, std::span<const Variable> inputs, std::size_t i) {
  if (i < inputs.size()) return inputs[i];
  throw Error(ErrorKind::Type, "[" + op + "] the index has more '?' and '[]' than inputs: it got " +
                                   std::to_string(inputs.size()));
}

/// The items with a full slice for each axis that an array takes; only integers count as inputs.
IndexItems without_arrays(const std::string& op, const IndexItems& items,
                          std::span<const Variable> inputs) {
  IndexItems basic;
  std::int64_t n_arrays = 0;
  for (IndexItem item : items) {
    if (item.kind == ItemKind::Array) {
      const Variable& array = input_of(op, inputs, item.inputs()[0]);
      basic.resize(basic.size() + static_cast<std::size_t>(n_axes(array)));
      ++n_arrays;
      continue;
    }
    for (IndexNumber* number : {&item.start, &item.stop, &item.step})
      if (number->is_input()) number->value -= n_arrays;
    basic.push_back(item);
  }
  return basic;
}

template <class Length>
std::vector<Length> inserted(std::vector<Length> rest, std::size_t n_before,
                             const std::vector<Length>& picked) {
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(n_before), picked.begin(), picked.end());
  return rest;
}

/// The shape that index arrays have together.
std::vector<std::int64_t> joined_shape(const std::string& op, std::span<const Array> arrays) {
  std::vector<std::int64_t> joined;
  for (const Array& array : arrays) joined.resize(std::max(joined.size(), array.shape().size()), 1);
  for (const Array& array : arrays) {
    std::int64_t* last = joined.data() + (joined.size() - array.shape().size());
    for (const std::int64_t length : array.shape()) {
      if (*last != length && *last != 1 && length != 1) {
        std::string shapes;
        for (const Array& each : arrays) shapes += " " + format_shape(each.shape());
        throw Error(ErrorKind::Index,
                    "[" + op +
                        "] shape mismatch: indexing arrays could not be broadcast together with "
                        "shapes" +
                        shapes);
      }
      if (length != 1) *last = length;
      ++last;
    }
  }
  return joined;
}

/// Where a mask over these axes is true, in C order, as offsets in bytes.
Array true_offsets(Host& host, const Array& mask, const std::int64_t* steps) {
  const Array own = mask.copy();
  const auto* value = own.data_as<std::uint8_t>();
  const auto ndim = static_cast<std::size_t>(own.ndim());
  std::vector<std::int64_t> found, index(ndim, 0);
  std::int64_t offset = 0;
  in_stretches(host, own.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (value[i] != 0) found.push_back(offset);
      for (std::size_t axis = ndim; axis-- > 0;) {
        offset += steps[axis];
        if (++index[axis] < own.length(static_cast<int>(axis))) break;
        offset -= steps[axis] * index[axis];
        index[axis] = 0;
      }
    }
  });
  const auto n = static_cast<std::int64_t>(found.size());
  const Array offsets = Array::allocate(DType::Int64, Dims(&n, 1));
  std::copy(found.begin(), found.end(), offsets.data_as<std::int64_t>());
  return offsets;
}

/// The sums of offsets, broadcast together.
Array added_up(Dims shape, std::span<const Array> offsets) {
  const Array total = Array::zeros(DType::Int64, shape);
  for (const Array& more : offsets)
    StridedWalk(shape, std::array{operand(total), operand(more)})
        .run([](char* const* p, const std::int64_t* s, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i)
            *reinterpret_cast<std::int64_t*>(p[0] + i * s[0]) +=
                *reinterpret_cast<const std::int64_t*>(p[1] + i * s[1]);
        });
  return total;
}

}  // namespace

std::vector<std::int64_t> PickedElements::shape() const { return inserted(rest, n_before, picked); }

ArrayIndex::ArrayIndex(const std::string& op, const IndexItems& items, int ndim,
                       std::span<const Variable> inputs)
    : basic_(op, without_arrays(op, items, inputs), ndim) {
  int axis = 0, of_x = 0, left = ndim;
  for (const IndexItem& item : items) {
    if (item.kind == ItemKind::Array)
      left -= n_axes(inputs[item.inputs()[0]]);
    else if (item.kind == ItemKind::Integer || item.kind == ItemKind::Slice)
      --left;
  }
  const auto keep = [&](int n, bool has_axis) {
    for (; n > 0; --n, of_x += has_axis) rest_.push_back(axis++);
  };
  std::size_t n_inputs = 0;
  bool met = false, apart = false, ellipsis = false;
  for (const IndexItem& item : items) {
    const bool picks = item.kind == ItemKind::Array || item.kind == ItemKind::Integer;
    n_inputs += item.inputs().size();
    if (picks) {
      if (!met) n_before_ = static_cast<int>(rest_.size());
      separated_ = separated_ || apart;
      met = true;
    } else {
      apart = met;
    }
    if (item.kind == ItemKind::Array) {
      const std::size_t input = item.inputs()[0];
      const Variable& array = inputs[input];
      const bool is_mask = array.dtype() == DType::Bool;
      arrays_.push_back({static_cast<int>(input), axis, of_x, n_axes(array), is_mask});
      n_picked_ = std::max(n_picked_, is_mask ? 1 : array.ndim());
      axis += arrays_.back().n_axes;
      of_x += arrays_.back().n_axes;
      continue;
    }
    for (const std::size_t input : item.inputs()) {
      input_of(op, inputs, input);
      integers_.push_back(static_cast<int>(input));
    }
    if (picks) {
      ++of_x;
    } else if (item.kind == ItemKind::Ellipsis) {
      keep(left, true);
      ellipsis = true;
    } else {
      keep(1, item.kind != ItemKind::NewAxis);
    }
  }
  if (!ellipsis) keep(left, true);
  if (separated_) n_before_ = 0;
  if (n_inputs != inputs.size())
    throw Error(ErrorKind::Type, "[" + op + "] the index takes " + std::to_string(n_inputs) +
                                     " inputs, one for each '?' and '[]', but got " +
                                     std::to_string(inputs.size()));
}

bool ArrayIndex::may_repeat() const {
  return std::any_of(arrays_.begin(), arrays_.end(),
                     [](const IndexArray& array) { return !array.is_mask; });
}

/// A copy of an array of integers; of a mask, the offsets of where it is true.
Array ArrayIndex::positions(Host& host, const IndexArray& array, const Array& given,
                            const View& part) const {
  if (!array.is_mask) return given.copy();
  for (int axis = 0; axis < array.n_axes; ++axis) {
    const std::int64_t length = part.lengths[array.axis + axis];
    if (given.length(axis) != length)
      throw Error(ErrorKind::Index,
                  "[" + op() + "] boolean index did not match indexed array along axis " +
                      std::to_string(array.of_x + axis) + "; size of axis is " +
                      std::to_string(length) + " but size of corresponding boolean axis is " +
                      std::to_string(given.length(axis)));
  }
  return true_offsets(host, given, part.strides + array.axis);
}

void ArrayIndex::turn_into_offsets(Host& host, const IndexArray& array, const Array& positions,
                                   const View& part) const {
  const std::int64_t length = part.lengths[array.axis], stride = part.strides[array.axis];
  auto* position = positions.data_as<std::int64_t>();
  in_stretches(host, positions.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t p = position[i];
      if (p < -length || p >= length)
        throw Error(ErrorKind::Index,
                    "[" + op() + "] index " + std::to_string(p) + " is out of bounds for axis " +
                        std::to_string(array.of_x) + " with size " + std::to_string(length));
      position[i] = (p < 0 ? p + length : p) * stride;
    }
  });
}

PickedElements ArrayIndex::find(const Activation& activation, const Operands& operands, int first,
                                const Layout& x) const {
  PickedElements found;
  std::vector<std::int64_t> integers;
  for (const int input : integers_)
    integers.push_back(read_integer(activation, operands, first + input));
  basic_.find(x, integers, found.part);
  for (const int axis : rest_) {
    found.rest.push_back(found.part.lengths[axis]);
    found.steps.push_back(found.part.strides[axis]);
  }
  found.n_before = static_cast<std::size_t>(n_before_);

  Host& host = *activation.host;
  // From here on only copies are looked at: another thread may write to what was given.
  std::vector<Array> offsets;
  for (const IndexArray& array : arrays_)
    offsets.push_back(
        positions(host, array, input_array(activation, operands, first + array.input), found.part));
  found.picked = joined_shape(op(), offsets);
  // What is broadcast away is not looked at, as in NumPy.
  if (std::find(found.picked.begin(), found.picked.end(), 0) == found.picked.end())
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      if (!arrays_[i].is_mask) turn_into_offsets(host, arrays_[i], offsets[i], found.part);
  found.offsets = offsets.size() == 1 ? offsets[0] : added_up(found.picked, offsets);
  return found;
}

Extents ArrayIndex::extents(const Extents& x, std::span<const Variable> inputs,
                            std::span<const Extents> input_shapes) const {
  std::vector<Variable> integers;
  for (const int input : integers_) integers.push_back(inputs[static_cast<std::size_t>(input)]);
  const Extents part = basic_.extents(x, integers);
  Extents rest;
  for (const int axis : rest_) rest.push_back(part[static_cast<std::size_t>(axis)]);
  std::vector<Extents> arrays;
  for (const IndexArray& array : arrays_) {
    const auto input = static_cast<std::size_t>(array.input);
    arrays.push_back(array.is_mask ? Extents{sum(cast(inputs[input], DType::Int64))}
                                   : input_shapes[input]);
  }
  return inserted(rest, static_cast<std::size_t>(n_before_), broadcast_extents(arrays));
}

StaticShape ArrayIndex::known_shape(const StaticShape& x, std::span<const Variable> inputs) const {
  std::vector<KnownInteger> integers;
  for (const int input : integers_)
    integers.push_back(known_integers(inputs[static_cast<std::size_t>(input)])->front());
  const StaticShape part = basic_.known_lengths(x, integers);
  StaticShape rest, picked;
  for (const int axis : rest_) rest.push_back(part[static_cast<std::size_t>(axis)]);
  for (const IndexArray& array : arrays_) {
    const Variable& input = inputs[static_cast<std::size_t>(array.input)];
    picked = broadcast_static(op(), picked,
                              array.is_mask ? StaticShape{kUnknownLength} : input.static_shape());
    for (int axis = 0; array.is_mask && axis < array.n_axes; ++axis) {
      const std::int64_t has = part[static_cast<std::size_t>(array.axis + axis)];
      const std::int64_t wants = input.static_shape()[static_cast<std::size_t>(axis)];
      if (has >= 0 && wants >= 0 && has != wants)
        throw Error(ErrorKind::Index,
                    "[" + op() + "] boolean index did not match indexed array along axis " +
                        std::to_string(array.of_x + axis) + "; size of axis is " +
                        std::to_string(has) + " but size of corresponding boolean axis is " +
                        std::to_string(wants));
    }
  }
  return inserted(rest, static_cast<std::size_t>(n_before_), picked);
}

}  // namespace thunkvm
