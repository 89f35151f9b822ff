#include "thunks/dtype.h"

#include "thunks/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace thunkvm {
namespace {

struct Row {
  std::string_view name;
  Kind kind;
};

constexpr std::array<Row, 15> kRows = {{
    {"bool", Kind::Bool},
    {"int8", Kind::Signed},
    {"int16", Kind::Signed},
    {"int32", Kind::Signed},
    {"int64", Kind::Signed},
    {"uint8", Kind::Unsigned},
    {"uint16", Kind::Unsigned},
    {"uint32", Kind::Unsigned},
    {"uint64", Kind::Unsigned},
    {"float16", Kind::Float},
    {"float32", Kind::Float},
    {"float64", Kind::Float},
    {"complex64", Kind::Complex},
    {"complex128", Kind::Complex},
    {"object", Kind::Object},
}};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

DType of_kind(Kind kind, std::size_t size) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (const DType dtype = static_cast<DType>(i);
        kRows[i].kind == kind && item_size(dtype) == size)
      return dtype;
  return DType::Object;
}

// The float that holds every integer of this many bytes, as NumPy sees it (int64 counts as held by
// float64).
std::size_t float_size_for_integer(std::size_t bytes) {
  return bytes == 1 ? 2 : bytes == 2 ? 4 : 8;
}

}  // namespace

std::string_view name(DType dtype) { return row(dtype).name; }
Kind kind(DType dtype) { return row(dtype).kind; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

void throw_object_dtype(std::string_view what) {
  throw Error(
      ErrorKind::Type,
      std::string(what) + ": values of dtype object are opaque; no arithmetic is defined on them");
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const Kind ka = kind(a), kb = kind(b);
  if (ka == Kind::Object || kb == Kind::Object)
    throw Error(ErrorKind::Type,
                "no common dtype for " + std::string(name(a)) + " and " + std::string(name(b)));
  if (ka == Kind::Bool) return b;
  if (kb == Kind::Bool) return a;
  std::size_t sa = item_size(a), sb = item_size(b);
  if (ka == kb) return sa >= sb ? a : b;
  if (ka > kb) return promote(b, a);
  // From here on ka is the lesser kind.
  if (ka == Kind::Signed && kb == Kind::Unsigned) {
    if (sa > sb) return a;
    return sb == 8 ? DType::Float64 : of_kind(Kind::Signed, 2 * sb);
  }
  if (kb == Kind::Float) return of_kind(Kind::Float, std::max(sb, float_size_for_integer(sa)));
  const std::size_t part = ka == Kind::Float ? sa : float_size_for_integer(sa);
  return std::max(sb / 2, part) <= 4 ? DType::Complex64 : DType::Complex128;
}

DType promote_weak(DType strong, Kind weak) {
  const Kind k = kind(strong);
  if (k == Kind::Object) throw_object_dtype("promotion");
  switch (weak) {
    case Kind::Bool: return strong;
    case Kind::Signed:
    case Kind::Unsigned: return k == Kind::Bool ? DType::Int64 : strong;
    case Kind::Float: return k <= Kind::Unsigned ? DType::Float64 : strong;
    case Kind::Complex:
      if (k == Kind::Complex) return strong;
      return strong == DType::Float16 || strong == DType::Float32 ? DType::Complex64
                                                                  : DType::Complex128;
    case Kind::Object: break;
  }
  throw_object_dtype("promotion");
}

bool can_cast_safely(DType from, DType to) {
  if (from == to) return true;
  const Kind kf = kind(from), kt = kind(to);
  if (kf == Kind::Object || kt == Kind::Object) return false;
  return promote(from, to) == to;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  if (dtype == DType::Complex128) return DType::Float64;
  return dtype;
}

// IEEE 754 binary16 and binary32, rounding to nearest even; NaN keeps its sign and stays a NaN.
Half::Half(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (f >> 16) & 0x8000u;
  const std::uint32_t magnitude = f & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    bits = static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  } else if (magnitude >= 0x477ff000u) {  // rounds to 2^16 or more
    bits = static_cast<std::uint16_t>(sign | 0x7c00u);
  } else if (magnitude >= 0x38800000u) {  // normal
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    bits = static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  } else if (magnitude > 0x33000000u) {  // subnormal: above half of the smallest
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t shift = 126 - exponent;
    const std::uint32_t kept = mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1u << shift) - 1);
    const std::uint32_t half = 1u << (shift - 1);
    bits = static_cast<std::uint16_t>(
        sign | (kept + (rest > half || (rest == half && (kept & 1u)) ? 1 : 0)));
  } else {
    bits = static_cast<std::uint16_t>(sign);
  }
}

Half::operator float() const {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  std::uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int leading = std::countl_zero(mantissa) - 21;  // bits to shift until bit 10 is set
  mantissa = (mantissa << leading) & 0x3ffu;
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(113 - leading) << 23 |
                              (mantissa << 13));
}

}  // namespace thunkvm
