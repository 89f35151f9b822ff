// loop_pauses.h: where a long loop looks whether the host ends its call.
#pragma once

#include "ops/kernels/stretches.h"
#include "thunks/error.h"
#include "thunks/host.h"

#include <atomic>
#include <cstdint>
#include <exception>

namespace thunkvm {

/// Between blocks, once a stretch of work is done, the thread of the call asks the host, which was
/// left for the loop, whether to stop; the loop's other threads see that it did.
class LoopPauses {
 public:
  /// `cost`: of an element, in units of an addition.
  LoopPauses(Host& host, std::int64_t cost) : host_(host), cost_(cost) {}

  /// One thread of the loop.
  class Thread {
   public:
    Thread(LoopPauses& pauses, bool asks) : pauses_(pauses), asks_(asks) {}
    /// So many elements were computed. Throws what the host says: Error(Interrupted), mostly.
    void computed(std::int64_t elements) {
      left_ -= elements * pauses_.cost_;
      if (left_ > 0) [[likely]]
        return;
      left_ = kStretch;
      if (asks_) pauses_.ask();
      if (pauses_.ended_.load(std::memory_order_relaxed))
        throw Error(ErrorKind::Interrupted, "the call was interrupted");
    }

   private:
    LoopPauses& pauses_;
    const bool asks_;
    std::int64_t left_ = kStretch;
  };

  /// What the host said; null: the loop goes on.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  /// Back with the host, as long as it lives.
  struct Return {
    explicit Return(Host& h) : host(h) { host.enter(); }
    ~Return() { host.leave(); }
    Host& host;
  };

  void ask() {
    const Return returned(host_);
    try {
      go_on_unless_interrupted(host_);
    } catch (...) {
      failure_ = std::current_exception();
      ended_ = true;
      throw;
    }
  }

  Host& host_;
  const std::int64_t cost_;
  std::atomic<bool> ended_{false};
  std::exception_ptr failure_;  // of the thread that asks
};

}  // namespace thunkvm
