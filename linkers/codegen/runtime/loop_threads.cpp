#include "linkers/codegen/runtime/loop_threads.h"

#include <unistd.h>

#include <atomic>

namespace thunkvm {
namespace {

std::atomic<LoopThreads> threads_of_loops{LoopThreads{}};

}  // namespace

LoopThreads loop_threads() { return threads_of_loops.load(std::memory_order_relaxed); }

void set_loop_threads(LoopThreads threads) {
  threads_of_loops.store(threads, std::memory_order_relaxed);
}

void run_on_threads(int count, const std::function<void(int)>& f) {
#ifdef _OPENMP
  // gcc's threads do not come along into a forked process, which would wait for them for ever.
  static const pid_t owner = ::getpid();
#pragma omp parallel for num_threads(count) schedule(static, 1) if (::getpid() == owner)
#endif
  for (int thread = 0; thread < count; ++thread) f(thread);
}

}  // namespace thunkvm
