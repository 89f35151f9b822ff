// cell.h: the 16-byte register cell that every thunk reads and writes.
//
//   bytes  0..7    8        9        10..11        12..15
//        +--------+--------+--------+-------------+---------+
//        | payload| tag    | dtype  | object kind | unused  |
//        +--------+--------+--------+-------------+---------+
//   tag Empty   no value
//   tag Scalar  payload is the number itself, up to 8 bytes, of `dtype`
//   tag Array   payload is a counted reference to an ArrayBody
//   tag Object  payload is an opaque pointer; `object kind` says how it is retained and released
//
// One representation for each value: a 0-d number of up to 8 bytes is always a Scalar, never an
// Array; a complex128 0-d value, which does not fit, is always a 0-d Array. Kernels are picked by
// static type and rely on this.
#pragma once

#include "thunks/array.h"
#include "thunks/dtype.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace thunkvm {

enum class Tag : std::uint8_t { Empty, Scalar, Array, Object };

/// How a kind of opaque object is held. Registered once by its owner with `register_object_kind`.
struct ObjectHooks {
  void (*retain)(void* object) noexcept;
  /// May be called on any thread: a host that needs a lock for it queues the object.
  void (*release)(void* object) noexcept;
};

/// Makes a kind of opaque objects known. At most 65,535 kinds a process; the hooks live as long as
/// the process.
std::uint16_t register_object_kind(ObjectHooks hooks);
const ObjectHooks& object_hooks(std::uint16_t kind);

template <class T>
inline constexpr bool fits_cell = sizeof(T) <= 8;

/// One register. Copying retains, destroying releases.
class Cell {
 public:
  Cell() = default;
  Cell(const Cell& other) : bits_(other.bits_), meta_(other.meta_) { retain(); }
  Cell(Cell&& other) noexcept : bits_(other.bits_), meta_(std::exchange(other.meta_, Meta{})) {}
  Cell& operator=(const Cell& other) {
    if (this != &other) {
      Cell copy(other);
      *this = std::move(copy);
    }
    return *this;
  }
  Cell& operator=(Cell&& other) noexcept {
    if (this != &other) {
      release();
      bits_ = other.bits_;
      meta_ = std::exchange(other.meta_, Meta{});
    }
    return *this;
  }
  ~Cell() { release(); }

  /// A number; a complex128 becomes a 0-d Array.
  template <class T>
  static Cell of(T value) {
    Cell cell;
    cell.set(value);
    return cell;
  }
  /// An array; a 0-d one of a dtype that fits becomes a Scalar.
  static Cell of_array(Array array) {
    Cell cell;
    cell.set_array(std::move(array));
    return cell;
  }
  /// Takes over one hold on `object`.
  static Cell of_object(void* object, std::uint16_t kind) {
    Cell cell;
    cell.bits_ = std::bit_cast<std::uint64_t>(object);
    cell.meta_ = Meta{Tag::Object, DType::Object, kind, 0};
    return cell;
  }

  Tag tag() const { return meta_.tag; }
  DType dtype() const { return meta_.tag == Tag::Array ? body()->dtype : meta_.dtype; }
  bool empty() const { return meta_.tag == Tag::Empty; }
  bool is_scalar() const { return meta_.tag == Tag::Scalar; }
  bool is_array() const { return meta_.tag == Tag::Array; }
  bool is_object() const { return meta_.tag == Tag::Object; }
  bool holds_reference() const { return meta_.tag >= Tag::Array; }

  /// The number in a Scalar cell of T's dtype (unchecked); of a complex128, the element of its 0-d
  /// array.
  template <class T>
  T get() const {
    if constexpr (fits_cell<T>) {
      T value;
      std::memcpy(static_cast<void*>(&value), &bits_, sizeof(T));
      return value;
    } else {
      return *reinterpret_cast<const T*>(body()->data);
    }
  }
  template <class T>
  void set(T value) {
    if constexpr (fits_cell<T>) {
      if (holds_reference()) [[unlikely]]
        release();
      bits_ = 0;
      std::memcpy(&bits_, static_cast<const void*>(&value), sizeof(T));
      meta_ = Meta{Tag::Scalar, dtype_of<T>, 0, 0};
    } else {
      set_array(Array::scalar(value));
    }
  }
  void set_array(Array array) {
    if (array.ndim() == 0) [[unlikely]] {
      set_array_0d(std::move(array));
    } else {
      clear();
      meta_ = Meta{Tag::Array, array.dtype(), 0, 0};
      bits_ = std::bit_cast<std::uint64_t>(array.detach());
    }
  }
  /// The array in an Array cell, without taking a reference.
  ArrayBody* body() const { return std::bit_cast<ArrayBody*>(bits_); }
  /// The array in an Array cell, as a handle of its own.
  Array array() const {
    body()->references.fetch_add(1, std::memory_order_relaxed);
    return Array::adopt(body());
  }
  /// Moves the array out; the cell is empty afterwards.
  Array take_array() {
    meta_ = Meta{};
    return Array::adopt(body());
  }
  /// Any numeric cell as an array: a Scalar is copied into a fresh 0-d one.
  Array to_array() const;

  void* object() const { return std::bit_cast<void*>(bits_); }
  std::uint16_t object_kind() const { return meta_.object_kind; }
  /// The address of the number in a Scalar cell, or of the first element of an Array.
  const void* address() const {
    return is_scalar() ? static_cast<const void*>(&bits_) : body()->data;
  }

  /// Empties the cell; an empty one is left alone.
  void clear() {
    if (holds_reference()) release();
    meta_ = Meta{};
  }

 private:
  struct Meta {
    Tag tag = Tag::Empty;
    DType dtype = DType::Object;
    std::uint16_t object_kind = 0;
    std::uint32_t unused = 0;
  };
  void retain() const {
    if (holds_reference()) [[unlikely]]
      retain_reference();
  }
  void release() noexcept {
    if (holds_reference()) [[unlikely]]
      release_reference();
  }
  void set_array_0d(Array array);
  void retain_reference() const;
  void release_reference() noexcept;

  std::uint64_t bits_ = 0;
  Meta meta_;
};

static_assert(sizeof(Cell) == 16, "a register is 16 bytes");

}  // namespace thunkvm
