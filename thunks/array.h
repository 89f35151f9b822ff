// array.h: n-dimensional strided arrays over reference-counted buffers.
#pragma once

#include "thunks/buffer.h"
#include "thunks/dtype.h"
#include "thunks/limits.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace thunkvm {

using Dims = std::span<const std::int64_t>;

/// The bytes of an array's elements with the padding behind them.
constexpr std::size_t padded_bytes(std::size_t bytes) {
  return (bytes + kArrayPadding - 1) / kArrayPadding * kArrayPadding;
}

/// The object that an Array points to: dtype, shape, strides in bytes, the first element's address
/// and the Buffer it lives in. Shape and strides are inline up to four dimensions. Immutable once
/// built, but for the elements. The first one on a buffer stands in the buffer's own block, so that
/// an array is one block; those of views have blocks of their own.
class ArrayBody {
 public:
  std::atomic<std::uint32_t> references{1};
  DType dtype = DType::Float64;
  std::uint8_t ndim = 0;
  bool contiguous = true;  ///< C order without gaps (or fewer than two elements)
  bool is_owner_itself =
      false;  ///< the foreign owner of the buffer is an array object that looks just like this one
  char* data = nullptr;
  Buffer* buffer = nullptr;
  std::int64_t* dims =
      nullptr;  ///< ndim lengths, then ndim strides; inline_dims or a block of its own
  std::int64_t inline_dims[2 * kInlineDims];

  std::int64_t size() const {
    std::int64_t n = 1;
    for (int axis = 0; axis < ndim; ++axis) n *= dims[axis];
    return n;
  }
};

/// A handle on an ArrayBody: one pointer, an intrusive reference count. An empty handle is allowed.
class Array {
 public:
  Array() = default;
  Array(const Array& other) : body_(other.body_) {
    if (body_ != nullptr) body_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Array(Array&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Array& operator=(Array other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~Array() { release(body_); }

  /// Uninitialised elements in C order. Throws Error(Value) for a negative length, more than 32
  /// dimensions or a size that does not fit, Error(Memory) when there is no memory.
  static Array allocate(DType dtype, Dims shape);
  /// Zero-filled elements in C order.
  static Array zeros(DType dtype, Dims shape);
  /// A 0-d array of one element.
  template <class T>
  static Array scalar(T value) {
    Array a = allocate(dtype_of<T>, {});
    *reinterpret_cast<T*>(a.data()) = value;
    return a;
  }
  /// Elements in foreign memory at `data`; takes over one hold on `owner`.
  static Array borrow(void* owner, const ForeignOwner* hooks, bool writable, DType dtype,
                      Dims shape, Dims strides, void* data);
  /// Another look at this array's buffer. Throws as `allocate` where no array has such a shape.
  Array view(Dims shape, Dims strides, void* data) const {
    return view_of(*body_, shape, strides, data);
  }
  static Array view_of(const ArrayBody& body, Dims shape, Dims strides, void* data) {
    return view_of(body, body.dtype, shape, strides, data);
  }

  explicit operator bool() const { return body_ != nullptr; }
  DType dtype() const { return body_->dtype; }
  int ndim() const { return body_->ndim; }
  Dims shape() const { return {body_->dims, body_->ndim}; }
  Dims strides() const { return {body_->dims + body_->ndim, body_->ndim}; }
  std::int64_t length(int axis) const { return body_->dims[axis]; }
  std::int64_t stride(int axis) const { return body_->dims[body_->ndim + axis]; }
  char* data() const { return body_->data; }
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(body_->data);
  }
  std::int64_t size() const { return body_->size(); }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * item_size(dtype()); }
  bool contiguous() const { return body_->contiguous; }
  Buffer* buffer() const { return body_->buffer; }

  /// True if nobody else can see these elements and they may be written: one handle, one array on
  /// the buffer, the memory ours (or an exclusively held foreign owner's), and no two elements at
  /// one address.
  bool exclusive() const { return exclusive(*body_); }
  /// The same of the array that the caller has the one handle on.
  static bool exclusive(const ArrayBody& body) {
    return body.references.load(std::memory_order_acquire) == 1 && body.buffer->exclusive() &&
           (body.contiguous || gapless(body));
  }
  /// The bytes from its first element to its last, with all that lies between them.
  static std::span<char> reach(const ArrayBody& body);
  /// True if the memory behind its elements goes on up to a multiple of kArrayPadding bytes.
  static bool padded(const ArrayBody& body);
  /// A fresh array in C order with the same elements.
  Array copy() const;
  /// This array if it is in C order, else a copy.
  Array as_contiguous() const { return contiguous() ? *this : copy(); }

  ArrayBody* body() const { return body_; }
  /// Gives the reference away: the caller owes a release.
  ArrayBody* detach() { return std::exchange(body_, nullptr); }
  /// A handle that takes over the caller's reference.
  static Array adopt(ArrayBody* body) {
    Array a;
    a.body_ = body;
    return a;
  }
  static void release(ArrayBody* body) {
    if (body == nullptr) return;
    if (body->references.load(std::memory_order_acquire) == 1 ||
        body->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy(body);
  }

 private:
  static Array view_of(const ArrayBody& body, DType dtype, Dims shape, Dims strides, void* data);
  static void destroy(ArrayBody* body);
  /// True if the elements lie side by side in some order of the axes.
  static bool gapless(const ArrayBody& body);
  ArrayBody* body_ = nullptr;
};

/// Copies the elements of `from` to `to`, which has the same shape and dtype; strides may differ,
/// memory may not overlap.
void copy_elements(const Array& from, const Array& to);

/// "(2, 3)" or "(4,)", as Python prints a tuple.
std::string format_shape(Dims shape);

}  // namespace thunkvm
