// nest_threads.h: the number of threads that large nests run on.
#pragma once

#include "ops/kernels/limits.h"

#include <cstdint>
#include <functional>

namespace thunkvm {

/// Nests of `from` elements and more are computed on `count` OpenMP threads. Results are the same
/// with any number of threads. For the whole process; nests that run meanwhile may see either. A
/// process that is forked after one of them runs its own on one thread.
struct NestThreads {
  std::int32_t count = 1;
  std::uint32_t from = kThreadedFrom;
};
NestThreads nest_threads();
void set_nest_threads(NestThreads threads);

/// Calls f(0) ... f(count - 1) on threads of their own, the calling one among them, and waits. On
/// one thread, one after the other, if there is no OpenMP, or if a parent process used it. `f`
/// throws nothing.
void run_on_threads(int count, const std::function<void(int)>& f);

}  // namespace thunkvm
