#include "python/bindings/raised.h"

#include "python/bindings/release.h"

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

Raised::Raised(PyRef exception) : Error(ErrorKind::Host, ""), exception_(exception.release()) {}
Raised::Raised(const Raised& other) : Error(other), exception_(Py_NewRef(other.exception_)) {}
Raised::~Raised() { release_object(exception_); }

Status fail_thunk(Activation& activation) noexcept {
  try {
    throw;
  } catch (const PythonError&) {
    activation.failure.error = std::make_exception_ptr(Raised(take_exception()));
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
