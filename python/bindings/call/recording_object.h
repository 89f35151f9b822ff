// recording_object.h: recordings of a function's calls, as Python has them.
#pragma once

#include "linkers/recording.h"
#include "python/bindings/python/python.h"

#include <memory>

namespace thunkvm {

class PythonFunction;

/// A new `Recording` object for Python, of `function`, which is owned by `owner`.
PyObject* wrap_recording(std::shared_ptr<Recording> recording, PythonFunction& function,
                         PyObject* owner);

/// Where each node of a program runs, which branches there are, and what emitted code computes
/// together, as a dict.
PyRef program_regions(const Schedule& schedule, const NativeCode* native);

void init_recording(PyObject* module);

}  // namespace thunkvm
