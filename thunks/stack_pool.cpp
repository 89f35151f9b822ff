// stack_pool.cpp: maps stacks with their guard pages, and keeps some.
#include "thunks/stack_pool.h"

#include "thunks/error.h"
#include "thunks/limits.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace thunkvm {

// Never destroyed: a thread that outlives main may still give a stack back.
StackPool& StackPool::instance() {
  static StackPool* pool = new StackPool;
  return *pool;
}

StackPool::StackPool() : page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  idle_.reserve(kIdleStacks);  // so that `release` cannot fail
}

boost::context::stack_context StackPool::allocate() {
  {
    const std::lock_guard lock(mutex_);
    if (in_use_ >= kMaxFibers)
      throw Error(ErrorKind::Runtime, std::to_string(kMaxFibers) +
                                          " lazy thunks wait for an input at once, and each needs "
                                          "a stack of its own: that is the limit. "
                                          "Nest them less deeply, or write them with the "
                                          "re-entrant protocol, which needs no stack");
    ++in_use_;
    if (!idle_.empty()) {
      const boost::context::stack_context stack = idle_.back();
      idle_.pop_back();
      return stack;
    }
  }
  // The guard page is the lowest: stacks grow downwards.
  const std::size_t bytes = kFiberStackBytes + page_bytes_;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, page_bytes_, PROT_NONE) != 0) {
    if (memory != MAP_FAILED) munmap(memory, bytes);
    const std::lock_guard lock(mutex_);
    --in_use_;
    throw Error(ErrorKind::Memory, "the system gives no memory for the stack of a lazy thunk (" +
                                       std::to_string(bytes) + " bytes, " +
                                       std::to_string(in_use_) +
                                       " such stacks are in use): nest lazy thunks less deeply");
  }
  boost::context::stack_context stack;
  stack.size = bytes;
  stack.sp = static_cast<char*>(memory) + bytes;
  return stack;
}

void StackPool::release(const boost::context::stack_context& stack) noexcept {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (idle_.size() < kIdleStacks) {
      idle_.push_back(stack);
      return;
    }
  }
  munmap(static_cast<char*>(stack.sp) - stack.size, stack.size);
}

int StackPool::in_use() {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

int StackPool::idle() {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(idle_.size());
}

}  // namespace thunkvm
