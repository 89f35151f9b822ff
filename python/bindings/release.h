// release.h: letting go of Python objects from any thread.
#pragma once

namespace thunkvm {

/// Gives up one reference to a Python object: at once where the calling thread holds the GIL, else
/// the object is queued and dropped when a thread of ours takes the GIL again, or by the Python
/// interpreter, whichever comes first.
void release_object(void* object) noexcept;

/// Drops what was queued. Needs the GIL; one atomic load where nothing was.
void drain_released() noexcept;

}  // namespace thunkvm
