// error.h: the errors of the machine, as values with a kind that each host language maps to its own
// exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace thunkvm {

/// The exception that a host should raise. The names are Python's, which users see.
enum class ErrorKind {
  Type,   ///< a value or a result of the wrong type
  Value,  ///< the right type, but a value that cannot be used (shapes that do not fit, NaN as a
          ///< condition)
  Index,  ///< an index or a selector out of range
  Key,    ///< a name that does not exist
  ZeroDivision,
  Overflow,  ///< a number too large, or too small, for its type
  LinAlg,    ///< a matrix that cannot be factored or solved
  NotImplemented,
  Runtime,  ///< a broken contract of a thunk
  Memory,
  Interrupted,  ///< the host asked to stop (Ctrl-C); the host has its own exception pending
  Host,         ///< an exception of the host language is pending or carried; the message is empty
};

/// An error with its kind. The message names the thing, the value, the rule and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace thunkvm
