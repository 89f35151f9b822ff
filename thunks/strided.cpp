#include "thunks/strided.h"

#include "thunks/error.h"

#include <algorithm>
#include <string>

namespace thunkvm {

std::vector<std::int64_t> broadcast_shapes(std::span<const Dims> shapes, const char* op) {
  std::size_t ndim = 0;
  for (Dims shape : shapes) ndim = std::max(ndim, shape.size());
  std::vector<std::int64_t> result(ndim, 1);
  for (Dims shape : shapes) {
    const std::size_t offset = ndim - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& length = result[offset + i];
      if (shape[i] == length || shape[i] == 1) continue;
      if (length != 1) {
        std::string message =
            std::string("[") + op + "] operands could not be broadcast together with shapes";
        for (Dims s : shapes) message += " " + format_shape(s);
        throw Error(ErrorKind::Value, message);
      }
      length = shape[i];
    }
  }
  return result;
}

StridedWalk::StridedWalk(Dims shape, std::span<const Operand> operands)
    : n_operands_(operands.size()) {
  for (const Operand& o : operands) pointers_.push_back(o.data);
  const std::size_t ndim = shape.size();
  const auto stride_of = [&](std::size_t k, std::size_t axis) -> std::int64_t {
    const Operand& o = operands[k];
    const std::size_t offset = ndim - o.shape.size();
    if (axis < offset || o.shape[axis - offset] == 1) return 0;
    return o.strides[axis - offset];
  };
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    if (shape[axis] == 0) empty_ = true;
    if (shape[axis] == 1) continue;
    // Merge with the axis before, if for every operand one step there is `length` steps here.
    bool merge = !lengths_.empty();
    for (std::size_t k = 0; merge && k < n_operands_; ++k) {
      std::int64_t here = 0;
      merge = !__builtin_mul_overflow(stride_of(k, axis), shape[axis], &here) &&
              strides_[(lengths_.size() - 1) * n_operands_ + k] == here;
    }
    if (!merge) {
      lengths_.push_back(shape[axis]);
      strides_.resize(lengths_.size() * n_operands_);
    } else {
      lengths_.back() *= shape[axis];
    }
    for (std::size_t k = 0; k < n_operands_; ++k)
      strides_[(lengths_.size() - 1) * n_operands_ + k] = stride_of(k, axis);
  }
  if (lengths_.empty()) {
    lengths_.push_back(1);
    strides_.assign(n_operands_, 0);
  }
  outer_ = lengths_.size() - 1;
}

bool StridedWalk::advance(std::vector<std::int64_t>& index, std::vector<char*>& pointers) const {
  for (std::size_t axis = outer_; axis-- > 0;) {
    const std::int64_t* steps = strides_.data() + axis * n_operands_;
    if (++index[axis] < lengths_[axis]) {
      for (std::size_t k = 0; k < n_operands_; ++k) pointers[k] += steps[k];
      return true;
    }
    index[axis] = 0;
    for (std::size_t k = 0; k < n_operands_; ++k) pointers[k] -= steps[k] * (lengths_[axis] - 1);
  }
  return false;
}

}  // namespace thunkvm
