#include "thunks/array.h"

#include "thunks/error.h"
#include "thunks/memory_pool.h"
#include "thunks/strided.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>

namespace thunkvm {
namespace {

// The size of a C-order array in bytes; throws where a length is negative or the product does not
// fit.
std::size_t checked_bytes(DType dtype, Dims shape) {
  if (shape.size() > kMaxDims)
    throw Error(ErrorKind::Value, "an array has at most " + std::to_string(kMaxDims) +
                                      " dimensions; " + std::to_string(shape.size()) +
                                      " were asked for");
  std::int64_t bytes = static_cast<std::int64_t>(item_size(dtype));
  bool empty = false;
  for (std::int64_t length : shape) {
    if (length < 0)
      throw Error(ErrorKind::Value,
                  "negative dimensions are not allowed: shape " + format_shape(shape));
    if (length == 0) empty = true;
  }
  if (empty) return 0;
  for (std::int64_t length : shape)
    if (__builtin_mul_overflow(bytes, length, &bytes))
      throw Error(ErrorKind::Value, "an array of shape " + format_shape(shape) + " and dtype " +
                                        std::string(name(dtype)) +
                                        " is larger than the address space");
  return static_cast<std::size_t>(bytes);
}

ArrayBody* new_body(DType dtype, int ndim) {
  std::uint8_t size_class = 0;
  ArrayBody* body = new (MemoryPool::allocate(sizeof(ArrayBody), size_class)) ArrayBody;
  body->dtype = dtype;
  body->ndim = static_cast<std::uint8_t>(ndim);
  body->dims = ndim <= kInlineDims ? body->inline_dims
                                   : new std::int64_t[2 * static_cast<std::size_t>(ndim)];
  return body;
}

// The size class of every ArrayBody.
std::uint8_t body_class() {
  static const std::uint8_t size_class = [] {
    std::uint8_t found = 0;
    void* const block = MemoryPool::allocate(sizeof(ArrayBody), found);
    MemoryPool::release(block, found);
    return found;
  }();
  return size_class;
}

bool c_order(DType dtype, Dims shape, Dims strides) {
  std::int64_t expected = static_cast<std::int64_t>(item_size(dtype));
  for (std::int64_t length : shape)
    if (length == 0) return true;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

Array Array::allocate(DType dtype, Dims shape) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  Buffer* buffer = Buffer::allocate(bytes);
  ArrayBody* body = new_body(dtype, static_cast<int>(shape.size()));
  body->buffer = buffer;
  body->data = static_cast<char*>(buffer->data());
  std::int64_t stride = static_cast<std::int64_t>(item_size(dtype));
  for (std::size_t i = shape.size(); i-- > 0;) {
    body->dims[i] = shape[i];
    body->dims[shape.size() + i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return adopt(body);
}

Array Array::zeros(DType dtype, Dims shape) {
  Array a = allocate(dtype, shape);
  std::memset(a.data(), 0, a.bytes());
  return a;
}

Array Array::over(Buffer* buffer, DType dtype, Dims shape, Dims strides, void* data) {
  ArrayBody* body = new_body(dtype, static_cast<int>(shape.size()));
  body->buffer = buffer;
  body->data = static_cast<char*>(data);
  std::copy(shape.begin(), shape.end(), body->dims);
  std::copy(strides.begin(), strides.end(), body->dims + shape.size());
  body->contiguous = c_order(dtype, shape, strides);
  return adopt(body);
}

Array Array::view(Dims shape, Dims strides, void* data) const {
  return view_as(dtype(), shape, strides, data);
}

Array Array::view_as(DType dtype, Dims shape, Dims strides, void* data) const {
  body_->buffer->retain();
  return over(body_->buffer, dtype, shape, strides, data);
}

std::int64_t Array::size() const {
  std::int64_t n = 1;
  for (std::int64_t length : shape()) n *= length;
  return n;
}

bool Array::exclusive() const {
  if (body_->references.load(std::memory_order_acquire) != 1 || !body_->buffer->exclusive())
    return false;
  if (body_->contiguous) return true;
  // Gapless in some order of the axes, so that no two elements share an address.
  std::array<int, kMaxDims> axes;
  const int n = ndim();
  for (int i = 0; i < n; ++i) axes[static_cast<std::size_t>(i)] = i;
  const auto magnitude = [&](int axis) { return stride(axis) < 0 ? -stride(axis) : stride(axis); };
  std::sort(axes.begin(), axes.begin() + n,
            [&](int a, int b) { return magnitude(a) < magnitude(b); });
  std::int64_t reach = static_cast<std::int64_t>(item_size(dtype()));
  for (int i = 0; i < n; ++i) {
    const int axis = axes[static_cast<std::size_t>(i)];
    if (length(axis) == 1) continue;
    if (magnitude(axis) < reach) return false;
    reach = magnitude(axis) * length(axis);
  }
  return true;
}

Array Array::copy() const {
  Array fresh = allocate(dtype(), shape());
  copy_elements(*this, fresh);
  return fresh;
}

void Array::destroy(ArrayBody* body) {
  Buffer* buffer = body->buffer;
  if (body->dims != body->inline_dims) delete[] body->dims;
  body->~ArrayBody();
  MemoryPool::release(body, body_class());
  buffer->release();
}

void copy_elements(const Array& from, const Array& to) {
  const std::size_t item = item_size(from.dtype());
  if (from.contiguous() && to.contiguous()) {
    if (from.bytes() != 0) std::memcpy(to.data(), from.data(), from.bytes());
    return;
  }
  const std::array<StridedWalk::Operand, 2> operands = {operand(from), operand(to)};
  const auto copy_run = [&]<class T>(T) {
    StridedWalk(to.shape(), operands)
        .run([](char* const* p, const std::int64_t* s, std::int64_t n) {
          const char* source = p[0];
          char* target = p[1];
          for (std::int64_t i = 0; i < n; ++i, source += s[0], target += s[1])
            std::memcpy(target, source, sizeof(T));
        });
  };
  struct Sixteen {
    std::uint64_t parts[2];
  };
  switch (item) {
    case 1: return copy_run(std::uint8_t{});
    case 2: return copy_run(std::uint16_t{});
    case 4: return copy_run(std::uint32_t{});
    case 8: return copy_run(std::uint64_t{});
    default: return copy_run(Sixteen{});
  }
}

std::string format_shape(Dims shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace thunkvm
