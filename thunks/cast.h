// cast.h: conversion of numbers between dtypes, as NumPy's astype does it.
#pragma once

#include "thunks/array.h"
#include "thunks/cell.h"

#include <cstdint>

namespace thunkvm {

/// Converts `n` elements; strides in bytes. Float to integer truncates; out of range wraps as C on
/// this machine does, without undefined behaviour. Complex to real drops the imaginary part.
using CastFunction = void (*)(const char* from, std::int64_t from_stride, char* to,
                              std::int64_t to_stride, std::int64_t n);
CastFunction cast_function(DType from, DType to);

/// A fresh C-order array with the elements converted.
Array cast_array(const Array& from, DType to);
/// A number or an array, converted; the same cell where the dtype is right already.
Cell cast_cell(const Cell& from, DType to);

/// True if a conversion from `from` to `to` lost digits at most: each element is the same, or, in
/// an inexact dtype, finite if it was finite. False from a complex array to a real one.
bool values_survive(const Array& from, const Array& to);

/// A python-number-like cell (bool, int64, float64, complex128) as `dtype`. Throws Error(Value)
/// with NumPy's words where an integer does not fit ("Python integer 300 out of bounds for uint8").
Cell cast_weak(const Cell& number, DType dtype);

}  // namespace thunkvm
