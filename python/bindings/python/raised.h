// raised.h: Python exceptions carried through the machine, and notes added to them.
#pragma once

#include "python/bindings/python/python.h"
#include "thunks/thunk.h"

#include <string>

namespace thunkvm {

/// Takes the pending exception, which there has to be, normalized and with its traceback.
PyRef take_exception();
/// Makes an exception the pending one again.
void set_exception(PyRef exception);

/// For as long as it lives no exception is pending; then the one that was is again. For what runs
/// Python while an exception is on its way.
class PendingAside {
 public:
  PendingAside() noexcept { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~PendingAside() { PyErr_Restore(type_, value_, traceback_); }
  PendingAside(const PendingAside&) = delete;
  PendingAside& operator=(const PendingAside&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

/// A Python exception as a C++ one. While the machine winds a failed call down nothing is pending,
/// so that the destructors that then run in Python see no exception and lose none.
class Raised : public Error {
 public:
  /// The kind is Host, or, for one that no thunk may be told of, Interrupted.
  Raised(ErrorKind kind, PyRef exception);
  Raised(const Raised& other);
  Raised& operator=(const Raised&) = delete;
  ~Raised() override;

  PyRef exception() const { return PyRef::borrow(exception_); }

 private:
  PyObject* exception_;
};

/// For the catch block of a thunk: the exception in flight, Python's or C++'s, becomes the failure
/// of the call. One that is no Exception (Ctrl-C, exit) ends the call, whoever waits.
Status fail_thunk(Activation& activation) noexcept;

/// Whether the failure is an exception that Python code raised, or C by its name, not an error of
/// the machine.
bool is_raised(const Failure& failure) noexcept;
/// Makes what a call failed with the pending Python exception.
void set_failure(const Failure& failure) noexcept;
/// The same, as an object; an error of the machine becomes a new one each time.
PyRef exception_of(const Failure& failure) noexcept;

/// Puts "[op] " before the message of the pending exception, in place of the "op: " that some of
/// NumPy's functions begin with, unless it is there. What is no Exception (Ctrl-C), and what has
/// more to it than a message (NumPy's MemoryError), stays as it is.
void name_op(const std::string& op);
/// Puts `prefix` before the message of the pending exception, unless the message says so already;
/// one whose arguments are not a message alone gets it as a note. What is no Exception (Ctrl-C)
/// stays as it is.
void prefix_message(const std::string& prefix);

/// Adds a note (PEP 678) to the pending exception, unless it has that note already.
void add_note(const std::string& note);

}  // namespace thunkvm
