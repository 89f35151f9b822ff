// release.h: letting go of Python objects from any thread.
#pragma once

#include <atomic>

namespace thunkvm {

/// Gives up one reference to a Python object: at once where the calling thread holds the GIL, else
/// the object is queued and dropped when a thread of ours takes the GIL again, or by the Python
/// interpreter, whichever comes first.
void release_object(void* object) noexcept;

extern std::atomic<bool> releases_waiting;
void drain_queue() noexcept;

/// Drops what was queued. Needs the GIL; one load where nothing was.
inline void drain_released() noexcept {
  if (releases_waiting.load(std::memory_order_relaxed)) [[unlikely]]
    drain_queue();
}

}  // namespace thunkvm
