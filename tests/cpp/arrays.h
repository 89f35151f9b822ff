// arrays.h: arrays and errors as tests write and read them.
#pragma once

#include "ops/graph/variable.h"
#include "thunks/array.h"
#include "thunks/cell.h"
#include "thunks/error.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace thunkvm {

using Lengths = std::vector<std::int64_t>;

/// An array in C order with these elements.
template <class T>
Array array_of(const Lengths& shape, const std::vector<T>& elements) {
  Array a = Array::allocate(dtype_of<T>, shape);
  if (a.size() != static_cast<std::int64_t>(elements.size()))
    throw std::logic_error("the elements do not fill the shape");
  std::copy(elements.begin(), elements.end(), a.data_as<T>());
  return a;
}
template <class T>
Array vector_of(const std::vector<T>& elements) {
  return array_of<T>({static_cast<std::int64_t>(elements.size())}, elements);
}

/// 0, 1, 2, ... in this shape.
inline Array counted(const Lengths& shape) {
  Array a = Array::allocate(DType::Float64, shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a.data_as<double>()[i] = static_cast<double>(i);
  return a;
}

/// The elements in C order, whatever the strides.
template <class T>
std::vector<T> elements_of(const Cell& cell) {
  const Array a = cell.to_array().as_contiguous();
  if (a.dtype() != dtype_of<T>) throw std::logic_error("the result is of another dtype");
  return std::vector<T>(a.data_as<T>(), a.data_as<T>() + a.size());  // of bool too
}
inline Lengths shape_of(const Cell& cell) {
  const Array a = cell.to_array();
  return {a.shape().begin(), a.shape().end()};
}

inline Variable tensor(DType dtype, int ndim) {
  return Variable::input(TensorType::of_ndim(dtype, ndim));
}

/// The message of the Error that `f` throws.
std::string error_of(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace thunkvm
