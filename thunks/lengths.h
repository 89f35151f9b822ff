// lengths.h: products and sums of lengths, none of which wraps around.
#pragma once

#include "thunks/array.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace thunkvm {

/// `unit` times the product of these lengths; 0 where one of them is 0. Nothing where no array has
/// such a shape: where a length is negative, or `unit` times the product of all lengths but those
/// that are 0 is more than an int64.
///
/// With `unit` the size of an element this is the rule, NumPy's too, that every Array and every
/// TensorType keeps. So products of any of *their* lengths fit, and are multiplied as they are.
/// Lengths from elsewhere (a shape that is an input, an attribute) pass through here first.
inline std::optional<std::int64_t> product_of_lengths(Dims lengths, std::int64_t unit = 1) {
  std::int64_t product = unit;
  bool empty = false, fits = true;
  for (const std::int64_t length : lengths) {
    fits &= length >= 0 && !__builtin_mul_overflow(product, length == 0 ? 1 : length, &product);
    empty |= length == 0;
  }
  if (!fits) return std::nullopt;
  return empty ? 0 : product;
}

/// The sum of two lengths; nothing where it is more than an int64.
inline std::optional<std::int64_t> sum_of_lengths(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// The product of numbers that are not negative, as an estimate of work: the largest int64 where it
/// is more.
inline std::int64_t work_of(std::initializer_list<std::int64_t> numbers) {
  std::int64_t work = 1;
  bool fits = true, none = false;
  for (const std::int64_t number : numbers) {
    fits &= !__builtin_mul_overflow(work, number, &work);
    none |= number == 0;
  }
  if (none) return 0;
  return fits ? work : INT64_MAX;
}

}  // namespace thunkvm
