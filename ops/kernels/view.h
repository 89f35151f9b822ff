// view.h: the layout of an array, or of a part of it, without an array being made.
#pragma once

#include "ops/kernels/array_kernel.h"

#include <cstdint>

namespace thunkvm {

/// The address of the first element, and pointers to lengths and byte strides.
struct Layout {
  char* data;
  int ndim;
  const std::int64_t* lengths;
  const std::int64_t* strides;

  static Layout of(const ArrayBody& body) {
    return {body.data, body.ndim, body.dims, body.dims + body.ndim};
  }
  static Layout of(const Cell& cell) {
    return cell.is_scalar() ? of_number(cell.address()) : of(*cell.body());
  }
  /// A number.
  static Layout of_number(const void* address) {
    return {static_cast<char*>(const_cast<void*>(address)), 0, nullptr, nullptr};
  }
  Dims shape() const { return {lengths, static_cast<std::size_t>(ndim)}; }
};

/// A part of an array: with lengths and strides of its own. Axes are appended one by one, at most
/// kMaxDims; the others are uninitialised.
struct View {
  char* data = nullptr;
  int ndim = 0;
  std::int64_t lengths[kMaxDims];
  std::int64_t strides[kMaxDims];

  void append(std::int64_t length, std::int64_t stride) {
    lengths[ndim] = length;
    strides[ndim++] = stride;
  }
  Dims shape() const { return {lengths, static_cast<std::size_t>(ndim)}; }
  Dims steps() const { return {strides, static_cast<std::size_t>(ndim)}; }
  Layout layout() const { return {data, ndim, lengths, strides}; }
};

/// A function that finds a part: appends its axes to `part`, which is empty, and sets its address.
/// Throws in the words of the Op if x has no such part.
using FindView = void (*)(const Activation&, const Operands&, const Layout& x, View& part);

/// The kernel of an Op with a view of input 0 as its output.
template <FindView kFind>
void run_view(Activation& activation, const Operands& operands) {
  const Cell& cell = activation.input(operands, 0);
  const Array number = cell.is_scalar() ? cell.to_array() : Array();
  const ArrayBody& x = number ? *number.body() : *cell.body();
  View part;
  kFind(activation, operands, Layout::of(x), part);
  store(activation, operands, 0, Array::view_of(x, part.shape(), part.steps(), part.data));
}

}  // namespace thunkvm
