#include "thunks/cell.h"

#include "thunks/error.h"
#include "thunks/limits.h"

#include <array>
#include <atomic>
#include <mutex>

namespace thunkvm {
namespace {

// Chunks that never move, so that reading a kind's hooks needs no lock.
std::array<std::atomic<ObjectHooks*>, 65'536 / kKindsTogether> chunks;
std::mutex registration;
std::size_t n_kinds = 0;

}  // namespace

std::uint16_t register_object_kind(ObjectHooks hooks) {
  std::lock_guard lock(registration);
  if (n_kinds == kKindsTogether * chunks.size())
    throw Error(ErrorKind::Runtime,
                "65,536 kinds of opaque objects are registered already; register a kind once");
  std::atomic<ObjectHooks*>& chunk = chunks[n_kinds / kKindsTogether];
  if (chunk.load() == nullptr)
    chunk.store(new ObjectHooks[kKindsTogether], std::memory_order_release);
  chunk.load()[n_kinds % kKindsTogether] = hooks;
  return static_cast<std::uint16_t>(n_kinds++);
}

const ObjectHooks& object_hooks(std::uint16_t kind) {
  return chunks[kind / kKindsTogether].load(std::memory_order_acquire)[kind % kKindsTogether];
}

void Cell::retain_reference() const {
  if (is_array())
    body()->references.fetch_add(1, std::memory_order_relaxed);
  else
    object_hooks(meta_.object_kind).retain(object());
}

void Cell::release_reference() noexcept {
  if (is_array())
    Array::release(body());
  else
    object_hooks(meta_.object_kind).release(object());
}

void Cell::set_array_0d(Array array) {
  if (array.dtype() != DType::Complex128 && array.dtype() != DType::Object) {
    // Read before releasing: the array may be a view of what this cell holds.
    std::uint64_t bits = 0;
    std::memcpy(&bits, array.data(), item_size(array.dtype()));
    const DType dtype = array.dtype();
    array = Array();
    clear();
    bits_ = bits;
    meta_ = Meta{Tag::Scalar, dtype, 0, 0};
    return;
  }
  clear();
  meta_ = Meta{Tag::Array, array.dtype(), 0, 0};
  bits_ = std::bit_cast<std::uint64_t>(array.detach());
}

Array Cell::to_array() const {
  if (is_array()) return array();
  if (!is_scalar())
    throw Error(ErrorKind::Type,
                empty() ? "the register is empty" : "the value is opaque, not a number");
  Array a = Array::allocate(dtype(), {});
  std::memcpy(a.data(), &bits_, item_size(dtype()));
  return a;
}

}  // namespace thunkvm
