// plan_options.h: the options of emission.
#pragma once

namespace thunkvm {

struct PlanOptions {
  bool fuse = true;
  /// Each node is a function of its own: nests have one member, and all values are in registers.
  bool unfused = false;
  /// The code tells the run's tracer of each step (NativeCode::traced). Needs `unfused`.
  bool traced = false;
  /// The code tells the call's recorder of its work (vm/native_services.h).
  bool profiled = false;
};

}  // namespace thunkvm
