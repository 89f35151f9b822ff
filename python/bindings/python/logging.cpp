#include "python/bindings/python/logging.h"

#include "python/bindings/python/python.h"
#include "thunks/log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <memory>

namespace thunkvm {
namespace {

int python_level(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace: return 5;
    case spdlog::level::debug: return 10;
    case spdlog::level::info: return 20;
    case spdlog::level::warn: return 30;
    case spdlog::level::err: return 40;
    default: return 50;
  }
}

/// Hands messages to a Python logger. It has no state and so needs no lock of its own, which a
/// thread that waits for Python's would otherwise hold.
class PythonSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit PythonSink(PyRef logger)
      : logger_(logger.release()) {}  // for as long as the process lives

 private:
  // noexcept: a thread that Python ends in here stays here (forced_unwind.cpp), not in spdlog's
  // code.
  void sink_it_(const spdlog::details::log_msg& message) noexcept override {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;  // what is logged may be on the way of an exception
    PyErr_Fetch(&type, &value, &traceback);
    // It may name a file, and these may have bytes that are no text.
    PyObject* text = PyUnicode_DecodeUTF8(
        message.payload.data(), static_cast<Py_ssize_t>(message.payload.size()), "replace");
    PyObject* result =
        text == nullptr
            ? nullptr
            : PyObject_CallMethod(logger_, "log", "isO", python_level(message.level), "%s", text);
    Py_XDECREF(text);
    if (result == nullptr) {
      // Some Python code waits for what this thread does, unless it is a thread of the machine's.
      if (PyEval_GetFrame() != nullptr)
        Interruption::keep();
      else
        PyErr_WriteUnraisable(logger_);
    }
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
  }
  void flush_() override {}

  PyObject* logger_;
};

}  // namespace

void init_logging(PyObject*) {
  PyRef logging = PyRef::take(PyImport_ImportModule("logging"));
  PyRef logger = PyRef::take(PyObject_CallMethod(logging.get(), "getLogger", "s", "thunkvm"));
  log().sinks() = {std::make_shared<PythonSink>(std::move(logger))};
  log().set_level(spdlog::level::trace);
}

}  // namespace thunkvm
