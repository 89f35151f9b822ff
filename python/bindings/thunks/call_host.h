// call_host.h: the host of a function's call, which lazy thunks ask what their inputs failed with.
#pragma once

#include "python/bindings/python/host.h"
#include "python/bindings/thunks/failure_report.h"

namespace thunkvm {

/// The host of one call of a function. Wherever a lazy thunk in Python runs, its host is one.
class CallHost final : public PythonHost {
 public:
  /// For a call in `frame`, of whose failures `report` tells; `runs_python`: some of its thunks
  /// need the GIL.
  CallHost(FailureReport& report, Frame& frame, bool runs_python)
      : PythonHost(frame, !runs_python), report_(report), frame_(frame) {}

  /// The exception of a node of the call, for Python code of the same call: with a report of the
  /// node, whose inputs are still there.
  PyRef exception(const Failure& failure) { return report_.exception(frame_, failure); }

 private:
  FailureReport& report_;
  Frame& frame_;
};

}  // namespace thunkvm
