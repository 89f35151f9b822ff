// plan_options.h: the options of emission.
#pragma once

namespace thunkvm {

struct PlanOptions {
  bool fuse = true;
  /// Each node is a function of its own: nests have one member, and all values are in registers.
  bool unfused = false;
  /// Each step is told of to the run's tracer (NativeCode::traced). Needs `unfused`.
  bool traced = false;
  /// The code tells the recorder of the call what it does (vm/native_services.h).
  bool profiled = false;
};

}  // namespace thunkvm
