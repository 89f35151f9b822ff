// failure_report.h: the report of a failing call beside its exception: the node, the Op, its
// inputs, where it was made.
#pragma once

#include "linkers/linker.h"
#include "python/bindings/python/python.h"
#include "vm/frame.h"

#include <string>
#include <vector>

namespace thunkvm {

/// Writes the report of a call of a linked function when it fails; costs nothing before.
class FailureReport final : public FailureObserver {
 public:
  FailureReport(const Linked& linked, const std::string& function)
      : linked_(linked), function_(function) {}

  /// Reads the failing thunk's inputs from the registers. Takes the GIL for it.
  void failed(Frame& frame) noexcept override;
  /// A failure of a call that goes on, as an exception with the report.
  PyRef exception(Frame& frame, const Failure& failure);
  /// Makes the failure the pending exception, of the type that it has, with the report as a note.
  /// The message of a built-in Op begins with the Op's name in brackets. A failure that no node
  /// caused (Ctrl-C) has no note.
  void raise(const Failure& failure);

 private:
  void read(Frame& frame, const Failure& failure) noexcept;
  std::string text_of(Frame& frame, const Failure& failure);
  const char* hint(const Failure& failure, PyObject* exception) const;

  const Linked& linked_;
  const std::string& function_;
  std::string text_;
  bool shapes_differ_ = false;
  std::vector<PyRef> told_;  ///< exceptions of this call that have their report
};

}  // namespace thunkvm
