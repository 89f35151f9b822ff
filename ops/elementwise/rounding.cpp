// rounding.cpp: floats rounded to whole numbers, element by element. Integers are whole: they come
// back as they are. The gradient of all of these is zero.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

namespace thunkvm {
namespace {

struct Floor {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "__builtin_floor({0})" : "__builtin_floorf({0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
DECLARE_ELEMENTWISE(floor, "rounding", {"x"})
    .algebra({.is_idempotent = true})
    .comment("The largest whole number that is not above each element.")
    .example("[1.7, -1.2]", "array([ 1., -2.])")
    .functions<Floor, 1>(Floats{})
    .identity(Bools{} + Ints{});

struct Ceil {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "__builtin_ceil({0})" : "__builtin_ceilf({0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
DECLARE_ELEMENTWISE(ceil, "rounding", {"x"})
    .algebra({.is_idempotent = true})
    .comment("The smallest whole number that is not below each element.")
    .example("[1.2, -1.7]", "array([ 2., -1.])")
    .functions<Ceil, 1>(Floats{})
    .identity(Bools{} + Ints{});

struct Trunc {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "__builtin_trunc({0})" : "__builtin_truncf({0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return std::trunc(x);
  }
};
DECLARE_ELEMENTWISE(trunc, "rounding", {"x"})
    .algebra({.is_idempotent = true})
    .comment("Each element without its fraction: rounded towards 0.")
    .example("[1.7, -1.7]", "array([ 1., -1.])")
    .functions<Trunc, 1>(Floats{})
    .identity(Bools{} + Ints{});

struct Round {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "__builtin_rint({0})" : "__builtin_rintf({0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return {std::rint(x.real()), std::rint(x.imag())};
    } else {
      return std::rint(x);
    }
  }
};
DECLARE_ELEMENTWISE(round, "rounding", {"x"})
    .wrapped()
    .algebra({.is_idempotent = true})
    .comment(
        "The whole number nearest to each element; the even one where two are (1.5 and 2.5 "
        "both give 2). Complex numbers part by part.")
    .example("[1.5, 2.5, -0.7]", "array([ 2.,  2., -1.])")
    .functions<Round, 1>(Inexacts{})
    .identity(Ints{});

}  // namespace
}  // namespace thunkvm
