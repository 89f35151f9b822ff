// native_services.h: the functions of the machine that emitted code calls.
#pragma once

#include "vm/native.h"

#include <cstdint>

namespace thunkvm {

/// A table of functions, in the order in which emitted modules declare them
/// (linkers/codegen/emit/prelude.cpp). A function that failed returns 1, or kNone. By then it has
/// noted the failure, with all that an error needs.
struct NativeServices {
  /// Runs a fused nest of the emitted code with these numbers; its 0-d results go to `results`.
  using Nest = int (*)(NativeCall* call, std::uint32_t nest, const std::uint64_t* numbers,
                       std::uint64_t* results);

  /// Runs the step of NativeCode::calls with this index.
  int (*run)(NativeCall* call, std::uint32_t index);
  Nest nest;
  /// The arm that a selector's value picks; the value may be one that picks none.
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
  // A profiled program tells its recorder of these: a lap ended; a branch takes an arm; a memo body
  // is run from `pc`, and has returned.
  void (*lap)(NativeCall* call, std::uint32_t site);
  void (*took)(NativeCall* call, std::uint32_t branch, std::uint32_t arm);
  void (*enter_body)(NativeCall* call, std::uint32_t memo, std::uint32_t pc);
  void (*leave_body)(NativeCall* call);
  /// A loop begins.
  void (*begin_loop)(NativeCall* call, std::uint32_t loop);
  /// Asks the host, after so many steps of a loop since the last time, whether to stop: 1.
  int (*poll)(NativeCall* call, std::uint32_t steps);
};

/// The machine's services, and the function that runs nests.
NativeServices native_services(NativeServices::Nest nest);

}  // namespace thunkvm
