// complex.cpp: the parts of complex numbers, element by element.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

namespace thunkvm {
namespace {

Variable imaginary_unit() { return Variable::constant(Cell::of(Complex128(0.0, 1.0)), true); }

struct Conjugate {
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return {x.real(), -x.imag()};
    } else {
      return x;
    }
  }
};
// The int8 function is there for bools, which NumPy conjugates as int8.
DECLARE_ELEMENTWISE(conj, "complex", {"x"})
    .alias("conjugate")
    .method()
    .algebra({.is_involution = true})
    .comment("Each element with the sign of its imaginary part changed; a real tensor itself.")
    .example("[1 + 2j]", "array([1.-2.j])", {"complex128"})
    .functions<Conjugate, 1>(Types<std::int8_t>{} + Complexes{})
    .identity(Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials { return {conjugate(d.g)}; });

struct RealPart {
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(std::complex<T> x) const {
    return x.real();
  }
};
DECLARE_ELEMENTWISE(real, "complex", {"x"})
    .attribute()
    .comment("The real part of each element; a real tensor itself.")
    .example("[1 + 2j]", "array([1.])", {"complex128"})
    .functions<RealPart, 1>(Complexes{})
    .identity(Bools{} + Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g}; });

struct ImaginaryPart {
  static constexpr bool kCheap = true;
  template <class T>
  auto operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return x.imag();
    } else {
      return T(0);
    }
  }
};
DECLARE_ELEMENTWISE(imag, "complex", {"x"})
    .attribute()
    .comment("The imaginary part of each element; zeros for a real tensor.")
    .example("[1 + 2j]", "array([2.])", {"complex128"})
    .functions<ImaginaryPart, 1>(AllTypes{})
    .gradient([](const Differential& d) -> Partials {
      if (!is_complex(d.x.dtype())) return {};
      return {d.g * imaginary_unit()};
    });

struct Angle {
  template <class T>
  auto operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return std::atan2(x.imag(), x.real());
    } else {
      return std::atan2(T(0), x);
    }
  }
};
DECLARE_ELEMENTWISE(angle, "complex", {"x"})
    .comment(
        "The angle of each element in the complex plane, in radians between -pi and pi. Its "
        "gradient at 0 is 0.")
    .example("[1j, -1]", "array([1.57079633, 3.14159265])", {"complex128"})
    .functions<Angle, 1>(Inexacts{})
    .computes(DType::Bool, DType::Float64)
    .gradient([](const Differential& d) -> Partials {
      if (!is_complex(d.x.dtype())) return {};
      const Variable length = call_op("abs", {d.x});
      const Variable safe = where(eq(length, weak_number(0.0)), weak_number(1.0), length);
      return {d.g * imaginary_unit() * (d.x / safe) / safe};
    });

}  // namespace
}  // namespace thunkvm
