// vector_math.cpp: which kernels of vector_math.h a machine gets.
#include "ops/kernels/vector_math.h"

#include "thunks/log.h"

#include <dlfcn.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

/// C's names, by VectorFunction.
constexpr std::array<const char*, kVectorFunctions> kNames = {
    "exp",   "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin",   "cos",
    "tan",   "asin", "acos",  "atan", "sinh", "cosh",  "tanh",  "asinh", "acosh",
    "atanh", "erf",  "erfc",  "cbrt", "pow",  "atan2", "hypot"};

template <VectorFunction kFunction, class T>
T of_one(T x, T y) {
  using enum VectorFunction;
  if constexpr (kFunction == Exp) return std::exp(x);
  if constexpr (kFunction == Exp2) return std::exp2(x);
  if constexpr (kFunction == Expm1) return std::expm1(x);
  if constexpr (kFunction == Log) return std::log(x);
  if constexpr (kFunction == Log2) return std::log2(x);
  if constexpr (kFunction == Log10) return std::log10(x);
  if constexpr (kFunction == Log1p) return std::log1p(x);
  if constexpr (kFunction == Sin) return std::sin(x);
  if constexpr (kFunction == Cos) return std::cos(x);
  if constexpr (kFunction == Tan) return std::tan(x);
  if constexpr (kFunction == Arcsin) return std::asin(x);
  if constexpr (kFunction == Arccos) return std::acos(x);
  if constexpr (kFunction == Arctan) return std::atan(x);
  if constexpr (kFunction == Sinh) return std::sinh(x);
  if constexpr (kFunction == Cosh) return std::cosh(x);
  if constexpr (kFunction == Tanh) return std::tanh(x);
  if constexpr (kFunction == Arcsinh) return std::asinh(x);
  if constexpr (kFunction == Arccosh) return std::acosh(x);
  if constexpr (kFunction == Arctanh) return std::atanh(x);
  if constexpr (kFunction == Erf) return std::erf(x);
  if constexpr (kFunction == Erfc) return std::erfc(x);
  if constexpr (kFunction == Cbrt) return std::cbrt(x);
  if constexpr (kFunction == Pow) return std::pow(x, y);
  if constexpr (kFunction == Arctan2) return std::atan2(x, y);
  if constexpr (kFunction == Hypot) return std::hypot(x, y);
}

template <VectorFunction kFunction, class T>
void one_by_one(std::int64_t n, T* out, const T* x, const T* y) {
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = of_one<kFunction, T>(x[i], takes_two(kFunction) ? y[i] : T(0));
}

template <class T>
VectorTable<T> scalar_table() {
  return []<int... I>(std::integer_sequence<int, I...>) {
    return VectorTable<T>{{&one_by_one<static_cast<VectorFunction>(I), T>...}};
  }(std::make_integer_sequence<int, kVectorFunctions>{});
}

void* find_in_libmvec(const char* prefix, VectorFunction f, const char* suffix) {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const std::string name = std::string(prefix) + (takes_two(f) ? "vv_" : "v_") +
                           kNames[static_cast<std::size_t>(f)] + suffix;
  return dlsym(library, name.c_str());
}

struct Tables {
  VectorTable<double> doubles = scalar_table<double>();
  VectorTable<float> floats = scalar_table<float>();

  explicit Tables(VectorUnit unit) {
#ifdef __x86_64__
    if (unit == VectorUnit::Avx512) use_avx512(doubles, floats, &find_in_libmvec);
    if (unit == VectorUnit::Avx2) use_avx2(doubles, floats, &find_in_libmvec);
#endif
  }
  template <class T>
  const VectorTable<T>& of() const {
    if constexpr (sizeof(T) == sizeof(double)) {
      return doubles;
    } else {
      return floats;
    }
  }
};

VectorUnit chosen_unit() {
  const VectorUnit widest = widest_vector_unit();
  const char* const wanted = std::getenv("THUNKVM_VECTORS");
  if (wanted == nullptr) return widest;
  constexpr std::pair<std::string_view, VectorUnit> kUnits[] = {
      {"none", VectorUnit::None}, {"avx2", VectorUnit::Avx2}, {"avx512", VectorUnit::Avx512}};
  for (const auto& [name, unit] : kUnits)
    if (name == wanted) return std::min(unit, widest);
  log().warn("THUNKVM_VECTORS is \"{}\": it takes avx512, avx2 or none, and is ignored", wanted);
  return widest;
}

}  // namespace

VectorUnit widest_vector_unit() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return VectorUnit::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VectorUnit::Avx2;
#endif
  return VectorUnit::None;
}

VectorUnit vector_unit() {
  static const VectorUnit unit = chosen_unit();
  return unit;
}

template <class T>
const VectorTable<T>& vector_table(VectorUnit unit) {
  switch (unit) {
    case VectorUnit::Avx512: {
      static const Tables avx512(VectorUnit::Avx512);
      return avx512.of<T>();
    }
    case VectorUnit::Avx2: {
      static const Tables avx2(VectorUnit::Avx2);
      return avx2.of<T>();
    }
    default: {
      static const Tables none(VectorUnit::None);
      return none.of<T>();
    }
  }
}
template const VectorTable<double>& vector_table(VectorUnit);
template const VectorTable<float>& vector_table(VectorUnit);

template <class T>
VectorKernel<T> vector_kernel(VectorFunction f) {
  static const VectorTable<T>& table = vector_table<T>(vector_unit());
  return table[f];
}
template VectorKernel<double> vector_kernel<double>(VectorFunction);
template VectorKernel<float> vector_kernel<float>(VectorFunction);

}  // namespace thunkvm
