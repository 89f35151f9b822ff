// many_threads.h: loops of any size on several threads, for as long as a test wants it.
#pragma once

#include "ops/kernels/nest_threads.h"

#include <cstdint>

namespace thunkvm {

struct Threads {
  explicit Threads(std::int32_t count) { set_nest_threads({count, 1}); }
  ~Threads() { set_nest_threads({}); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

}  // namespace thunkvm
