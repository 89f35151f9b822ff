// vector_math.h: exp, log, sin and the like of many numbers at once.
//
// The result for an element depends on its value alone: not on its index, its neighbours, its
// alignment or their number. It is within 4 units in the last place of the true value, and right
// for zeros, infinities, NaN, denormal numbers and overflow. The bits may differ from those of the
// C library's functions of one number, and between machines with different vector units.
//
// Our own are exp, and log of doubles for AVX-512; the others are those of glibc's libmvec. If
// libmvec lacks a function, or the processor has no vector unit that we know, it is the C library's
// function of one number.
#pragma once

#include <cstdint>

namespace thunkvm {

enum class VectorFunction : std::uint8_t {
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Arcsin,
  Arccos,
  Arctan,
  Sinh,
  Cosh,
  Tanh,
  Arcsinh,
  Arccosh,
  Arctanh,
  Erf,
  Erfc,
  Cbrt,
  Pow,
  Arctan2,
  Hypot,
};
inline constexpr int kVectorFunctions = static_cast<int>(VectorFunction::Hypot) + 1;
constexpr bool takes_two(VectorFunction f) { return f >= VectorFunction::Pow; }

/// out[i] = f(x[i]) or f(x[i], y[i]) for i < n. `out` may be `x` or `y` itself, but not overlap
/// them otherwise; `y` is null for functions of one number.
template <class T>
using VectorKernel = void (*)(std::int64_t n, T* out, const T* x, const T* y);

/// A kernel for each VectorFunction.
template <class T>
struct VectorTable {
  VectorKernel<T> kernels[kVectorFunctions];
  VectorKernel<T> operator[](VectorFunction f) const { return kernels[static_cast<int>(f)]; }
};

/// The vector units of processors, the widest last.
enum class VectorUnit : std::uint8_t { None, Avx2, Avx512 };

/// The widest unit that this processor has and that we know.
VectorUnit widest_vector_unit();
/// The unit that all kernels use, chosen once: the widest one, or that of the environment variable
/// THUNKVM_VECTORS (`avx512`, `avx2`, `none`) if it is narrower.
VectorUnit vector_unit();

/// The kernels for one unit, which the processor must have. T is double or float.
template <class T>
const VectorTable<T>& vector_table(VectorUnit unit);

/// The kernel that all kernels use.
template <class T>
VectorKernel<T> vector_kernel(VectorFunction f);

/// Finds the function of libmvec with the name prefix + C's name of f + suffix; null if there is
/// none.
using VectorSymbol = void* (*)(const char* prefix, VectorFunction f, const char* suffix);

// One file for each unit puts the kernels that it has into the tables.
void use_avx2(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find);
void use_avx512(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find);

}  // namespace thunkvm
