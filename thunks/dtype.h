// dtype.h: the element types that arrays and scalars have, and NumPy 2's rules for mixing them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace thunkvm {

/// The element types, in the order in which promotion tables list them. `Object` stands for values
/// that are opaque to the machine (any Python object); it has no kernels and takes part in no
/// promotion.
enum class DType : std::uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Object,
};

inline constexpr int kNumericDTypes = 14;

/// A float16 as it is stored. Arithmetic widens it to float32 and rounds back once, to nearest
/// even.
struct Half {
  std::uint16_t bits;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
  friend bool operator==(Half, Half) = default;
};

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

/// The kinds of numbers, in the order of promotion.
enum class Kind : std::uint8_t { Bool, Signed, Unsigned, Float, Complex, Object };

inline constexpr std::uint8_t kItemSizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, 8};
/// The size of an element in bytes; that of a pointer for Object.
constexpr std::size_t item_size(DType dtype) { return kItemSizes[static_cast<std::size_t>(dtype)]; }
/// NumPy's name: "float64", "bool", "object".
std::string_view name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
Kind kind(DType dtype);
inline bool is_integral(DType d) { return d <= DType::UInt64; }  // bool included
inline bool is_inexact(DType d) { return d >= DType::Float16 && d <= DType::Complex128; }
inline bool is_complex(DType d) { return d == DType::Complex64 || d == DType::Complex128; }
inline bool is_float(DType d) { return d >= DType::Float16 && d <= DType::Float64; }

/// The dtype that both fit in, as `numpy.promote_types` has it (int64 with uint64 gives float64).
/// `Object` with anything but itself is an Error (TypeError).
DType promote(DType a, DType b);

/// NEP 50: the dtype of a Python number of `weak` kind (Bool, Signed, Float, Complex) beside a
/// strong dtype.
DType promote_weak(DType strong, Kind weak);

/// `numpy.can_cast(from, to, "safe")`.
bool can_cast_safely(DType from, DType to);

/// The dtype of the real and imaginary parts; a real dtype is its own.
DType real_dtype(DType dtype);

template <class T>
struct DTypeOf;
#define THUNKVM_DTYPE_OF(type, dtype)            \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType value = DType::dtype; \
  };
THUNKVM_DTYPE_OF(bool, Bool)
THUNKVM_DTYPE_OF(std::int8_t, Int8)
THUNKVM_DTYPE_OF(std::int16_t, Int16)
THUNKVM_DTYPE_OF(std::int32_t, Int32)
THUNKVM_DTYPE_OF(std::int64_t, Int64)
THUNKVM_DTYPE_OF(std::uint8_t, UInt8)
THUNKVM_DTYPE_OF(std::uint16_t, UInt16)
THUNKVM_DTYPE_OF(std::uint32_t, UInt32)
THUNKVM_DTYPE_OF(std::uint64_t, UInt64)
THUNKVM_DTYPE_OF(Half, Float16)
THUNKVM_DTYPE_OF(float, Float32)
THUNKVM_DTYPE_OF(double, Float64)
THUNKVM_DTYPE_OF(Complex64, Complex64)
THUNKVM_DTYPE_OF(Complex128, Complex128)
#undef THUNKVM_DTYPE_OF
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

[[noreturn]] void throw_object_dtype(std::string_view what);

/// Calls `f(std::type_identity<T>{})` with the C++ type of a numeric dtype; `Object` throws a
/// TypeError naming `what`.
template <class F>
decltype(auto) visit_dtype(DType dtype, std::string_view what, F&& f) {
  switch (dtype) {
    case DType::Bool: return f(std::type_identity<bool>{});
    case DType::Int8: return f(std::type_identity<std::int8_t>{});
    case DType::Int16: return f(std::type_identity<std::int16_t>{});
    case DType::Int32: return f(std::type_identity<std::int32_t>{});
    case DType::Int64: return f(std::type_identity<std::int64_t>{});
    case DType::UInt8: return f(std::type_identity<std::uint8_t>{});
    case DType::UInt16: return f(std::type_identity<std::uint16_t>{});
    case DType::UInt32: return f(std::type_identity<std::uint32_t>{});
    case DType::UInt64: return f(std::type_identity<std::uint64_t>{});
    case DType::Float16: return f(std::type_identity<Half>{});
    case DType::Float32: return f(std::type_identity<float>{});
    case DType::Float64: return f(std::type_identity<double>{});
    case DType::Complex64: return f(std::type_identity<Complex64>{});
    case DType::Complex128: return f(std::type_identity<Complex128>{});
    case DType::Object: break;
  }
  throw_object_dtype(what);
}

}  // namespace thunkvm
