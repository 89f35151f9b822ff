#include "thunks/cast.h"

#include "thunks/error.h"
#include "thunks/strided.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace thunkvm {
namespace {

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// A float as an integer: truncated; what does not fit goes through int64 where that holds it, as
// the machine's own conversion does, and is the "indefinite" value otherwise.
template <class To, class From>
To integer_of(From value) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    if (value >= static_cast<From>(9223372036854775808.0) &&
        value < static_cast<From>(18446744073709551616.0))
      return static_cast<std::uint64_t>(value);
  }
  if constexpr (sizeof(To) == 4 && std::is_signed_v<To>) {
    if (value > static_cast<From>(-2147483649.0) && value < static_cast<From>(2147483648.0))
      return static_cast<To>(value);
    return std::numeric_limits<To>::min();
  }
  if (value >= static_cast<From>(-9223372036854775808.0) &&
      value < static_cast<From>(9223372036854775808.0))
    return static_cast<To>(static_cast<std::int64_t>(value));
  return static_cast<To>(std::numeric_limits<std::int64_t>::min());
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (is_complex_type<From>) {
    if constexpr (is_complex_type<To>)
      return To(static_cast<typename To::value_type>(value.real()),
                static_cast<typename To::value_type>(value.imag()));
    else if constexpr (std::is_same_v<To, bool>)
      return value.real() != 0 || value.imag() != 0;
    else
      return convert<To>(value.real());
  } else if constexpr (is_complex_type<To>) {
    return To(convert<typename To::value_type>(value), 0);
  } else if constexpr (std::is_same_v<To, Half>) {
    if constexpr (std::is_same_v<From, double>) {
      // One rounding, not two: the float on the way is rounded to odd, which keeps what decides.
      float narrow = static_cast<float>(value);
      if (std::isfinite(narrow) && static_cast<double>(narrow) != value) {
        const float other = std::nextafter(narrow, static_cast<double>(narrow) < value
                                                       ? std::numeric_limits<float>::infinity()
                                                       : -std::numeric_limits<float>::infinity());
        if ((std::bit_cast<std::uint32_t>(narrow) & 1u) == 0) narrow = other;
      }
      return Half(narrow);
    } else {
      if constexpr (sizeof(From) == 8) return convert<Half>(static_cast<double>(value));
      return Half(static_cast<float>(value));
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return integer_of<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void function(const char* from, std::int64_t from_stride, char* to, std::int64_t to_stride,
              std::int64_t n) {
  if (from_stride == sizeof(From) && to_stride == sizeof(To)) {
    const From* source = reinterpret_cast<const From*>(from);
    To* target = reinterpret_cast<To*>(to);
    for (std::int64_t i = 0; i < n; ++i) target[i] = convert<To>(source[i]);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i, from += from_stride, to += to_stride)
    *reinterpret_cast<To*>(to) = convert<To>(*reinterpret_cast<const From*>(from));
}

template <class From>
CastFunction loop_from(DType to) {
  return visit_dtype(to, "cast", []<class To>(std::type_identity<To>) -> CastFunction {
    return &function<From, To>;
  });
}

}  // namespace

CastFunction cast_function(DType from, DType to) {
  return visit_dtype(from, "cast",
                     [to]<class From>(std::type_identity<From>) { return loop_from<From>(to); });
}

Array cast_array(const Array& from, DType to) {
  Array result = Array::allocate(to, from.shape());
  const CastFunction convert_run = cast_function(from.dtype(), to);
  const std::array<StridedWalk::Operand, 2> operands = {operand(from), operand(result)};
  StridedWalk(result.shape(), operands)
      .run([&](char* const* p, const std::int64_t* s, std::int64_t n) {
        convert_run(p[0], s[0], p[1], s[1], n);
      });
  return result;
}

Cell cast_cell(const Cell& from, DType to) {
  if (from.dtype() == to) return from;
  if (from.is_array()) return Cell::of_array(cast_array(from.array(), to));
  if (to == DType::Complex128) return Cell::of_array(cast_array(from.to_array(), to));
  Array result = Array::allocate(to, {});
  cast_function(from.dtype(), to)(static_cast<const char*>(from.address()), 0, result.data(), 0, 1);
  return Cell::of_array(std::move(result));
}

bool values_survive(const Array& from, const Array& to) {
  if (is_complex(from.dtype()) && !is_complex(to.dtype())) return false;
  const Array before = cast_array(from, DType::Complex128),
              after = cast_array(to, DType::Complex128);
  const Complex128* a = before.data_as<Complex128>();
  const Complex128* b = after.data_as<Complex128>();
  // Integers that wrap around move by 2^8 at least, which float64 tells apart wherever it is looked
  // at.
  const bool exact = !is_inexact(to.dtype());
  for (std::int64_t i = 0, n = before.size(); i < n; ++i) {
    if (exact ? a[i].real() != b[i].real()
              : std::isfinite(a[i].real()) != std::isfinite(b[i].real()) ||
                    std::isfinite(a[i].imag()) != std::isfinite(b[i].imag()))
      return false;
  }
  return true;
}

Cell cast_weak(const Cell& number, DType dtype) {
  if (number.dtype() == DType::Int64 && kind(dtype) <= Kind::Unsigned &&
      kind(dtype) != Kind::Bool) {
    const std::int64_t value = number.get<std::int64_t>();
    const Cell narrow = cast_cell(number, dtype);
    const bool fits = visit_dtype(dtype, "cast", [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return std::in_range<T>(value);
      else
        return true;
    });
    if (!fits)
      throw Error(ErrorKind::Overflow, "Python integer " + std::to_string(value) +
                                           " out of bounds for " + std::string(name(dtype)));
    return narrow;
  }
  return cast_cell(number, dtype);
}

}  // namespace thunkvm
