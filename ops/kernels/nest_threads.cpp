#include "ops/kernels/nest_threads.h"

#include <unistd.h>

#include <atomic>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace thunkvm {
namespace {

std::atomic<NestThreads> threads_of_loops{NestThreads{}};

// The thread sanitizer does not see that gcc's threads wait for each other: it is told.
#ifdef __SANITIZE_THREAD__
void begin_after(char& event) { __tsan_acquire(&event); }
void end_before(char& event) { __tsan_release(&event); }
#else
void begin_after(char&) {}
void end_before(char&) {}
#endif

}  // namespace

NestThreads nest_threads() { return threads_of_loops.load(std::memory_order_relaxed); }

void set_nest_threads(NestThreads threads) {
  threads_of_loops.store(threads, std::memory_order_relaxed);
}

void run_on_threads(int count, const std::function<void(int)>& f) {
  char begun = 0, done = 0;
  end_before(begun);
#ifdef _OPENMP
  // gcc's threads do not come along into a forked process, which would wait for them for ever.
  static const pid_t owner = ::getpid();
#pragma omp parallel for num_threads(count) schedule(static, 1) if (::getpid() == owner)
#endif
  for (int thread = 0; thread < count; ++thread) {
    begin_after(begun);
    f(thread);
    end_before(done);
  }
  begin_after(done);
}

}  // namespace thunkvm
