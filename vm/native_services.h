// native_services.h: what emitted code calls for all that it does not do itself.
#pragma once

#include "vm/native.h"

#include <cstdint>

namespace thunkvm {

/// A table of functions, in the order in which emitted modules declare them
/// (linkers/codegen/emit/prelude.cpp). Where a function may fail it says so by 1, or kNone; the
/// failure has been noted by then, with all that an error needs.
struct NativeServices {
  /// Runs a fused nest of the emitted code with these numbers; its results that are 0-d go to
  /// `results`.
  using Nest = int (*)(NativeCall* call, std::uint32_t nest, const std::uint64_t* numbers,
                       std::uint64_t* results);

  /// Runs the step of NativeCode::calls with this index.
  int (*run)(NativeCall* call, std::uint32_t index);
  Nest nest;
  /// The arm that a branch takes by its selector, which may be none that it could take.
  std::uint32_t (*arm)(NativeCall* call, std::uint32_t branch, const Cell* selector);
  /// Marks a memo body as run, as Need does.
  int (*begin_memo)(NativeCall* call, std::uint32_t memo);
  /// Notes that a memo body failed; kNone.
  std::uint32_t (*fail_memo)(NativeCall* call, std::uint32_t memo);
  void (*move)(Cell* to, Cell* from, int take);
  void (*clear)(Cell* cell);
  /// Tell the tracer of a step, before it and after it ran.
  int (*before)(NativeCall* call, std::uint32_t step);
  int (*after)(NativeCall* call, std::uint32_t step);
  // What a profiled program tells its recorder: a lap ended; a branch takes an arm; a memo body is
  // run from `pc`, and has returned.
  void (*lap)(NativeCall* call, std::uint32_t site);
  void (*took)(NativeCall* call, std::uint32_t branch, std::uint32_t arm);
  void (*enter_body)(NativeCall* call, std::uint32_t memo, std::uint32_t pc);
  void (*leave_body)(NativeCall* call);
  /// A loop is run.
  void (*begin_loop)(NativeCall* call, std::uint32_t loop);
  /// Asks the host, after so many steps of a loop since the last time, whether to stop: 1.
  int (*poll)(NativeCall* call, std::uint32_t steps);
};

/// The machine's services, and who runs nests.
NativeServices native_services(NativeServices::Nest nest);

}  // namespace thunkvm
