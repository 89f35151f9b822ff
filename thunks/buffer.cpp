#include "thunks/buffer.h"

#include "thunks/error.h"
#include "thunks/memory_pool.h"

#include <new>
#include <string>

namespace thunkvm {
namespace {
constexpr std::size_t kHeader = 64;  // keeps the data as aligned as the block
static_assert(sizeof(Buffer) <= kHeader);
}  // namespace

Buffer* Buffer::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX - kHeader)
    throw Error(ErrorKind::Memory,
                "out of memory: " + std::to_string(bytes) + " bytes were asked for");
  std::uint8_t size_class = 0;
  char* block = static_cast<char*>(MemoryPool::allocate(bytes + kHeader, size_class));
  Buffer* buffer = new (block) Buffer();
  buffer->size_class_ = size_class;
  buffer->data_ = block + kHeader;
  buffer->bytes_ = bytes;
  return buffer;
}

Buffer* Buffer::borrow(void* data, std::size_t bytes, bool writable, void* owner,
                       const ForeignOwner* hooks) {
  std::uint8_t size_class = 0;
  Buffer* buffer = new (MemoryPool::allocate(sizeof(Buffer), size_class)) Buffer();
  buffer->size_class_ = size_class;
  buffer->data_ = data;
  buffer->bytes_ = bytes;
  buffer->writable_ = writable;
  buffer->owner_ = owner;
  buffer->hooks_ = hooks;
  return buffer;
}

void Buffer::destroy() {
  void* owner = owner_;
  const ForeignOwner* hooks = hooks_;
  const std::uint8_t size_class = size_class_;
  this->~Buffer();
  MemoryPool::release(this, size_class);
  if (hooks != nullptr) hooks->drop(owner);
}

}  // namespace thunkvm
