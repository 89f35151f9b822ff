// stack_pool.h: the stacks that fibers run on, recycled.
#pragma once

#include <boost/context/stack_context.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

namespace thunkvm {

/// The process's stacks for fibers: kFiberStackBytes each (thunks/limits.h), with a guard page
/// below, so that an overflow ends the process at once instead of writing over a neighbour.
///
/// At most kMaxFibers are handed out at a time. Up to kIdleStacks that came back wait to be used
/// again; the others go back to the system, since an idle stack keeps the pages that it touched.
/// Thread-safe.
class StackPool {
 public:
  static StackPool& instance();

  /// Throws Error(Runtime) beyond kMaxFibers, Error(Memory) where the system gives no memory.
  boost::context::stack_context allocate();
  void release(const boost::context::stack_context& stack) noexcept;

  int in_use();
  int idle();

 private:
  StackPool();

  std::mutex mutex_;
  std::vector<boost::context::stack_context> idle_;
  int in_use_ = 0;
  const std::size_t page_bytes_;
};

}  // namespace thunkvm
