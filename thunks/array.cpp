#include "thunks/array.h"

#include "thunks/error.h"
#include "thunks/lengths.h"
#include "thunks/memory_pool.h"
#include "thunks/strided.h"
#include "thunks/visit_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace thunkvm {
namespace {

// A block of the pool: the buffer's head, the first array on it, and, where the memory is ours, the
// elements.
struct Block {
  template <class... Argument>
  explicit Block(Argument... argument) : buffer(argument...) {}
  Buffer buffer;
  ArrayBody array;
};
static_assert(sizeof(Block) <= kBlockHead);

bool stands_in_block(const ArrayBody* body) {
  return body == &reinterpret_cast<const Block*>(body->buffer)->array;
}

[[noreturn]] void throw_bad_shape(DType dtype, Dims shape) {
  if (shape.size() > kMaxDims)
    throw Error(ErrorKind::Value, "an array has at most " + std::to_string(kMaxDims) +
                                      " dimensions; " + std::to_string(shape.size()) +
                                      " were asked for");
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t length) { return length < 0; }))
    throw Error(ErrorKind::Value,
                "negative dimensions are not allowed: shape " + format_shape(shape));
  throw Error(ErrorKind::Value, "an array of shape " + format_shape(shape) + " and dtype " +
                                    std::string(name(dtype)) + " is larger than the address space");
}

// The size of a C-order array in bytes; throws where there is no array of this shape (lengths.h).
inline std::size_t checked_bytes(DType dtype, Dims shape) {
  constexpr std::uint64_t kSurelyFits = std::uint64_t{1} << 32;  // times the largest element
  if (shape.size() == 1 && static_cast<std::uint64_t>(shape[0]) < kSurelyFits) [[likely]]
    return static_cast<std::size_t>(shape[0]) * item_size(dtype);
  const auto bytes = product_of_lengths(shape, static_cast<std::int64_t>(item_size(dtype)));
  if (shape.size() > kMaxDims || !bytes) [[unlikely]]
    throw_bad_shape(dtype, shape);
  return static_cast<std::size_t>(*bytes);
}

// Room for shape and strides where a body has none.
std::unique_ptr<std::int64_t[]> room_for_dims(std::size_t ndim) {
  if (ndim <= kInlineDims) [[likely]]
    return nullptr;
  return std::make_unique<std::int64_t[]>(2 * ndim);
}

void set_dims(ArrayBody& body, std::size_t ndim, std::unique_ptr<std::int64_t[]> room) {
  body.ndim = static_cast<std::uint8_t>(ndim);
  body.dims = room != nullptr ? room.release() : body.inline_dims;
}

// Makes the body one more look at the buffer.
inline void look_at(ArrayBody& body, Buffer* buffer, DType dtype, Dims shape, Dims strides,
                    void* data) {
  body.dtype = dtype;
  body.buffer = buffer;
  body.data = static_cast<char*>(data);
  body.contiguous = true;
  std::int64_t expected = static_cast<std::int64_t>(item_size(dtype));
  bool empty = false;
  for (std::size_t i = shape.size(); i-- > 0;) {
    body.dims[i] = shape[i];
    body.dims[shape.size() + i] = strides[i];
    if (shape[i] != 1 && strides[i] != expected) body.contiguous = false;
    if (shape[i] == 0)
      empty = true;
    else
      expected *= shape[i];
  }
  body.contiguous |= empty;
}

}  // namespace

Array Array::allocate(DType dtype, Dims shape) {
  const std::size_t bytes = checked_bytes(dtype, shape);
  if (bytes > SIZE_MAX - kBlockHead - kArrayPadding)
    throw Error(ErrorKind::Memory,
                "out of memory: " + std::to_string(bytes) + " bytes were asked for");
  std::unique_ptr<std::int64_t[]> room = room_for_dims(shape.size());
  std::uint8_t size_class = 0;
  char* memory =
      static_cast<char*>(MemoryPool::allocate(kBlockHead + padded_bytes(bytes), size_class));
  Block* block = new (memory) Block(size_class);
  ArrayBody* body = &block->array;
  set_dims(*body, shape.size(), std::move(room));
  body->dtype = dtype;
  body->buffer = &block->buffer;
  body->data = memory + kBlockHead;
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

Array Array::borrow(void* owner, const ForeignOwner* hooks, bool writable, DType dtype, Dims shape,
                    Dims strides, void* data) {
  checked_bytes(dtype, shape);
  std::unique_ptr<std::int64_t[]> room = room_for_dims(shape.size());
  std::uint8_t size_class = 0;
  void* memory = MemoryPool::allocate(sizeof(Block), size_class);
  Block* block = new (memory) Block(size_class, writable, owner, hooks);
  set_dims(block->array, shape.size(), std::move(room));
  look_at(block->array, &block->buffer, dtype, shape, strides, data);
  return adopt(&block->array);
}

Array Array::view_of(const ArrayBody& from, DType dtype, Dims shape, Dims strides, void* data) {
  checked_bytes(dtype, shape);
  std::unique_ptr<std::int64_t[]> room = room_for_dims(shape.size());
  std::uint8_t size_class = 0;
  ArrayBody* body = new (MemoryPool::allocate(sizeof(ArrayBody), size_class)) ArrayBody;
  set_dims(*body, shape.size(), std::move(room));
  look_at(*body, from.buffer, dtype, shape, strides, data);
  from.buffer->retain();
  return adopt(body);
}

bool Array::gapless(const ArrayBody& body) {
  std::array<int, kMaxDims> axes;
  const int n = body.ndim;
  for (int i = 0; i < n; ++i) axes[static_cast<std::size_t>(i)] = i;
  const auto magnitude = [&](int axis) {
    const std::int64_t stride = body.dims[n + axis];
    return stride < 0 ? -stride : stride;
  };
  std::sort(axes.begin(), axes.begin() + n,
            [&](int a, int b) { return magnitude(a) < magnitude(b); });
  std::int64_t reach = static_cast<std::int64_t>(item_size(body.dtype));
  for (int i = 0; i < n; ++i) {
    const int axis = axes[static_cast<std::size_t>(i)];
    if (body.dims[axis] == 1) continue;
    if (magnitude(axis) < reach) return false;
    reach = magnitude(axis) * body.dims[axis];
  }
  return true;
}

std::span<char> Array::reach(const ArrayBody& body) {
  if (body.size() == 0) return {body.data, std::size_t{0}};
  std::int64_t first = 0, end = static_cast<std::int64_t>(item_size(body.dtype));
  for (int axis = 0; axis < body.ndim; ++axis) {
    const std::int64_t step = (body.dims[axis] - 1) * body.dims[body.ndim + axis];
    (step < 0 ? first : end) += step;
  }
  return {body.data + first, static_cast<std::size_t>(end - first)};
}

bool Array::padded(const ArrayBody& body) {
  return !body.buffer->foreign() &&
         body.data == reinterpret_cast<const char*>(body.buffer) + kBlockHead;
}

Array Array::copy() const {
  Array fresh = allocate(dtype(), shape());
  copy_elements(*this, fresh);
  return fresh;
}

inline void Buffer::give_back() {
  void* owner = owner_;
  const ForeignOwner* hooks = hooks_;
  const std::uint8_t size_class = size_class_;
  this->~Buffer();
  MemoryPool::release(this, size_class);
  if (hooks != nullptr) hooks->drop(owner);
}

void Buffer::destroy() { give_back(); }

void Array::destroy(ArrayBody* body) {
  Buffer* buffer = body->buffer;
  if (body->dims != body->inline_dims) [[unlikely]]
    delete[] body->dims;
  const bool in_block = stands_in_block(body);
  body->~ArrayBody();
  if (!in_block) [[unlikely]]
    MemoryPool::release(body, size_classes::kOfLines[(sizeof(ArrayBody) + 63) / 64]);
  if (buffer->drop_reference()) buffer->give_back();
}

void copy_elements(const Array& from, const Array& to) {
  const std::size_t item = item_size(from.dtype());
  if (from.contiguous() && to.contiguous()) {
    if (from.bytes() != 0) std::memcpy(to.data(), from.data(), from.bytes());
    return;
  }
  const std::array<StridedWalk::Operand, 2> operands = {operand(from), operand(to)};
  visit_bytes(static_cast<std::int64_t>(item), [&]<class T>(T) {
    StridedWalk(to.shape(), operands)
        .run([](char* const* p, const std::int64_t* s, std::int64_t n) {
          const char* source = p[0];
          char* target = p[1];
          for (std::int64_t i = 0; i < n; ++i, source += s[0], target += s[1])
            std::memcpy(target, source, sizeof(T));
        });
  });
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
