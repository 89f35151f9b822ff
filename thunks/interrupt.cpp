#include "thunks/interrupt.h"

#include "thunks/limits.h"

#include <atomic>
#include <cstdint>

namespace thunkvm {
namespace {

constinit std::atomic<void (*)()> asked{nullptr};
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint32_t polls = 0;

}  // namespace

void set_interrupt_hook(void (*hook)()) { asked.store(hook); }

void poll_interrupt() {
  if (++polls % kPollsPerQuestion != 0) return;
  if (void (*const hook)() = asked.load(std::memory_order_relaxed)) hook();
}

}  // namespace thunkvm
