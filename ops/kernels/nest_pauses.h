// nest_pauses.h: the pauses in which a long nest asks the host, and its failure on several threads.
#pragma once

#include "ops/kernels/stretches.h"
#include "thunks/error.h"
#include "thunks/host.h"

#include <atomic>
#include <cstdint>
#include <exception>

namespace thunkvm {

/// The host is left for the nest. Between blocks, once a stretch of work is done, the thread of the
/// call asks it whether to stop. If one thread fails, the others end too.
class NestPauses {
 public:
  /// `cost`: of an element, in units of an addition.
  NestPauses(Host& host, std::int64_t cost) : host_(host), cost_(cost) {}

  /// One thread of the nest.
  class Thread {
   public:
    Thread(NestPauses& pauses, bool asks) : pauses_(pauses), asks_(asks) {}
    /// So many elements were computed. Throws the host's error: Error(Interrupted), mostly.
    void computed(std::int64_t elements) {
      left_ -= elements * pauses_.cost_;
      if (left_ > 0) [[likely]]
        return;
      left_ = kStretch;
      if (asks_) pauses_.ask();
      if (pauses_.failed_.load(std::memory_order_relaxed))
        throw Error(ErrorKind::Interrupted, "another thread of the nest failed");
    }

   private:
    NestPauses& pauses_;
    const bool asks_;
    std::int64_t left_ = kStretch;
  };

  /// Calls `f` on one of several threads, and keeps its exception if it is the first.
  template <class F>
  void guard(F&& f) noexcept {
    try {
      f();
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }
  /// Once all threads are done.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Back with the host, as long as it lives.
  struct Return {
    explicit Return(Host& h) : host(h) { host.enter(); }
    ~Return() { host.leave(); }
    Host& host;
  };

  void ask() {
    const Return returned(host_);
    go_on_unless_interrupted(host_);
  }

  Host& host_;
  const std::int64_t cost_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // of the first thread that failed
};

}  // namespace thunkvm
