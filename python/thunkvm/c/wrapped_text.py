"""The C around a plain C function: see `wrap_c`."""

from __future__ import annotations

#: The declarations that a user's source may count on, and NumPy's names of numbers in prototypes.
BEFORE = """\
#include <errno.h>
#include <exception>
#include <new>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef ptrdiff_t npy_intp;
typedef uint8_t npy_bool;
typedef int8_t npy_int8; typedef int16_t npy_int16; typedef int32_t npy_int32;
typedef int64_t npy_int64; typedef uint8_t npy_uint8; typedef uint16_t npy_uint16;
typedef uint32_t npy_uint32; typedef uint64_t npy_uint64;
typedef float npy_float32; typedef double npy_float64;
#define restrict __restrict__
"""

SUPPORT = """
#undef restrict
namespace {
// An integer of a length in brackets, or none, where it does not fit 64 bits.
struct thunkvm_length {
  long long value;
  bool fits = true;
  template <class T>
  thunkvm_length(T number)
      : value((long long)number), fits(number < 1 || (unsigned long long)number <= LLONG_MAX) {}
#define THUNKVM_LENGTH(sign, name) \\
  friend thunkvm_length operator sign(thunkvm_length a, thunkvm_length b) { \\
    a.fits = !__builtin_##name##_overflow(a.value, b.value, &a.value) && a.fits && b.fits; \\
    return a; \\
  }
  THUNKVM_LENGTH(+, add)
  THUNKVM_LENGTH(-, sub)
  THUNKVM_LENGTH(*, mul)
#undef THUNKVM_LENGTH
  friend thunkvm_length operator-(thunkvm_length a) { return thunkvm_length(0) - a; }
  friend thunkvm_length operator+(thunkvm_length a) { return a; }
};
// The elements of an input side by side, copied where they are not.
struct thunkvm_held_array {
  const char* data;
  char* copy;
  thunkvm_held_array(const tv_array& given, size_t item) : data(given.data), copy(NULL) {
    if (given.contiguous) return;
    copy = (char*)malloc(given.size == 0 ? 1 : (size_t)given.size * item);
    char* to = copy;
    if (copy != NULL) take(given, item, 0, given.data, &to);
    data = copy;
  }
  ~thunkvm_held_array() { free(copy); }
  thunkvm_held_array(const thunkvm_held_array&) = delete;

  static void take(const tv_array& from, size_t item, int axis, const char* at, char** to) {
    if (axis == from.ndim) {
      memcpy(*to, at, item);
      *to += item;
      return;
    }
    for (int64_t i = 0; i < from.shape[axis]; ++i)
      take(from, item, axis + 1, at + i * from.strides[axis], to);
  }
};
}
"""

#: Around the statements of the function that is called.
HEAD = """
extern "C" int %s(tv_call* call, const tv_array* in, tv_array* out) {
try {
"""
TAIL = """
return 0;
} catch (const std::bad_alloc&) {
return tv_fail(call, "MemoryError", "there is not enough memory");
} catch (const std::exception& error) {
return tv_fail(call, "RuntimeError", "the C++ code threw an exception: %s", error.what());
}
}
"""
