#include "python/bindings/python/raised.h"

#include "linkers/user_code/kernel_run.h"
#include "python/bindings/python/release.h"

#include <cctype>

namespace thunkvm {

PyRef take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return PyRef::adopt(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return PyRef::adopt(value);
#endif
}

void set_exception(PyRef exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject* value = exception.release();
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), value,
                PyException_GetTraceback(value));
#endif
}

namespace {

// One exception object may be raised by many calls, and gets each note once.
bool has_note(PyObject* exception, const std::string& note) {
  PyObject* notes = PyObject_GetAttrString(exception, "__notes__");
  PyObject* text =
      notes == nullptr
          ? nullptr
          : PyUnicode_DecodeUTF8(note.data(), static_cast<Py_ssize_t>(note.size()), nullptr);
  const bool found =
      text != nullptr && PyList_Check(notes) && PySequence_Contains(notes, text) == 1;
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(notes);
  return found;
}

}  // namespace

Raised::Raised(ErrorKind kind, PyRef exception)
    : Error(kind, ""), exception_(exception.release()) {}
Raised::Raised(const Raised& other) : Error(other), exception_(Py_NewRef(other.exception_)) {}
Raised::~Raised() { release_object(exception_); }

Status fail_thunk(Activation& activation) noexcept {
  try {
    throw;
  } catch (const PythonError&) {
    PyRef exception = take_exception();
    const ErrorKind kind = PyErr_GivenExceptionMatches(exception.get(), PyExc_Exception) != 0
                               ? ErrorKind::Host
                               : ErrorKind::Interrupted;
    activation.failure.error = std::make_exception_ptr(Raised(kind, std::move(exception)));
    return Status::Failed;
  } catch (...) {
    return activation.fail_current();
  }
}

void set_failure(const Failure& failure) noexcept {
  try {
    std::rethrow_exception(failure.error);
  } catch (const Raised& raised) {
    set_exception(raised.exception());
  } catch (...) {
    set_python_error_from_current();
  }
}

PyRef exception_of(const Failure& failure) noexcept {
  const PendingAside aside;
  set_failure(failure);
  return take_exception();
}

bool is_raised(const Failure& failure) noexcept {
  try {
    std::rethrow_exception(failure.error);
  } catch (const Raised&) {
    return true;
  } catch (const KernelFailure&) {
    return true;
  } catch (...) {
    return false;
  }
}

namespace {

// Whether a message begins with "[name] ": it says itself which function the user called.
bool names_a_function(std::string_view message) {
  if (!message.starts_with('[')) return false;
  std::size_t end = 1;
  while (end < message.size() &&
         (std::isalnum(static_cast<unsigned char>(message[end])) != 0 || message[end] == '_'))
    ++end;
  return end > 1 && std::isdigit(static_cast<unsigned char>(message[1])) == 0 &&
         message.substr(end).starts_with("] ");
}

// False where there is more to the exception than a message.
bool put_before_message(const std::string& prefix, const std::string& instead_of) {
  PyRef exception = take_exception();
  if (PyErr_GivenExceptionMatches(exception.get(), PyExc_Exception) == 0) {
    set_exception(std::move(exception));
    return true;
  }
  PyRef args = PyRef::take(PyObject_GetAttrString(exception.get(), "args"));
  const bool plain =
      PyTuple_GET_SIZE(args.get()) == 1 && PyUnicode_Check(PyTuple_GET_ITEM(args.get(), 0));
  if (plain) {
    std::string_view message = text_of(PyTuple_GET_ITEM(args.get(), 0));
    const bool is_named = !instead_of.empty() && names_a_function(message);
    if (!message.starts_with(prefix) && !is_named) {
      if (!instead_of.empty() && message.starts_with(instead_of))
        message.remove_prefix(instead_of.size());
      PyRef longer = to_text(prefix + std::string(message));
      PyRef tuple = PyRef::take(PyTuple_Pack(1, longer.get()));
      check(PyObject_SetAttrString(exception.get(), "args", tuple.get()));
    }
  }
  set_exception(std::move(exception));
  return plain;
}

}  // namespace

void prefix_message(const std::string& prefix) {
  if (!put_before_message(prefix, {})) add_note(prefix);
}

void name_op(const std::string& op) { put_before_message("[" + op + "] ", op + ": "); }

void add_note(const std::string& note) {
  PyRef exception = take_exception();
  if (has_note(exception.get(), note)) {
    set_exception(std::move(exception));
    return;
  }
  PyObject* done = PyObject_CallMethod(exception.get(), "add_note", "s#", note.data(),
                                       static_cast<Py_ssize_t>(note.size()));
  if (done == nullptr) PyErr_Clear();  // the exception itself matters more than its note
  Py_XDECREF(done);
  set_exception(std::move(exception));
}

}  // namespace thunkvm
