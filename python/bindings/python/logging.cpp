// logging.cpp: the C++ logger, forwarded to Python's logging, whose levels and handlers decide.
#include "python/bindings/python/python.h"
#include "python/bindings/python/topics.h"
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

/// Hands messages to a Python logger. Its state is Python's lock's to protect; it needs none of its
/// own, which a thread that waits for Python's would otherwise hold.
class PythonSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 private:
  // noexcept: a thread that Python ends in here stays here (forced_unwind.cpp), not in spdlog's
  // code.
  void sink_it_(const spdlog::details::log_msg& message) noexcept override {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;  // what is logged may be on the way of an exception
    PyErr_Fetch(&type, &value, &traceback);
    if (message.level >= spdlog::level::warn || somebody_listens()) write(message);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
  }
  void flush_() override {}

  /// Whether messages that Python's logging leaves out by default may be wanted: where nobody has
  /// imported it, nobody has asked for them, and importing the package does not pay for it.
  bool somebody_listens() const {
    if (logger_ != nullptr) return true;
    PyObject* modules = PyImport_GetModuleDict();
    return PyDict_GetItemString(modules, "logging") != nullptr;
  }

  void write(const spdlog::details::log_msg& message) {
    // It may name a file, and these may have bytes that are no text.
    PyObject* text = PyUnicode_DecodeUTF8(
        message.payload.data(), static_cast<Py_ssize_t>(message.payload.size()), "replace");
    PyObject* result =
        text == nullptr || logger() == nullptr
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
  }

  /// The logger, borrowed, which lives as long as the process; null with an exception set where it
  /// cannot be had.
  PyObject* logger() {
    if (logger_ != nullptr) return logger_;
    PyObject* logging = PyImport_ImportModule("logging");
    PyObject* found =
        logging == nullptr ? nullptr : PyObject_CallMethod(logging, "getLogger", "s", "thunkvm");
    Py_XDECREF(logging);
    if (found == nullptr) return nullptr;
    if (logger_ == nullptr) return logger_ = found;
    Py_DECREF(found);  // another thread had it meanwhile
    return logger_;
  }

  PyObject* logger_ = nullptr;
};

}  // namespace

void init_logging(PyObject*) {
  log().sinks() = {std::make_shared<PythonSink>()};
  log().set_level(spdlog::level::trace);
}

}  // namespace thunkvm
