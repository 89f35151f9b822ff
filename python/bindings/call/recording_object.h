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

}  // namespace thunkvm
