#include "linkers/value_check.h"

#include "thunks/error.h"

namespace thunkvm {
namespace {

std::string text_of(const Cell& value) {
  if (value.empty()) return "no value";
  if (value.is_object()) return "an object of the host's";
  const std::string dtype(name(value.dtype()));
  return dtype +
         (value.is_scalar() ? " scalar" : " array of shape " + format_shape(value.array().shape()));
}

}  // namespace

bool fits(const Cell& value, const TensorType& type) {
  if (value.is_scalar()) return value.dtype() == type.dtype() && type.ndim() == 0;
  if (!value.is_array() || value.dtype() != type.dtype() || value.body()->ndim != type.ndim())
    return false;
  for (int axis = 0; axis < type.ndim(); ++axis) {
    const std::int64_t wanted = type.shape()[static_cast<std::size_t>(axis)];
    if (wanted != kUnknownLength && wanted != value.body()->dims[axis]) return false;
  }
  return true;
}

void throw_misfit(const Cell& value, const TensorType& type, const std::string& what) {
  if (value.is_array() && value.dtype() == type.dtype() && value.body()->ndim == type.ndim())
    check_lengths(value, type, what);
  throw Error(ErrorKind::Type, what + " is " + text_of(value) + ", but " + type.text() +
                                   " is wanted: convert it, or declare the input otherwise.");
}

void check_lengths(const Cell& value, const TensorType& type, std::string_view what) {
  const StaticShape& wanted = type.shape();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == kUnknownLength || wanted[i] == value.body()->dims[i]) continue;
    throw Error(ErrorKind::Value,
                std::string(what) + " has shape " + format_shape(value.array().shape()) + ", but " +
                    format_static_shape(wanted) + " is wanted: axis " + std::to_string(i) +
                    " has length " + std::to_string(value.body()->dims[i]) + " instead of " +
                    std::to_string(wanted[i]) + ".");
  }
}

}  // namespace thunkvm
