// comparison.cpp: comparisons of two tensors, and tests of each element for NaN and infinity. The
// results are bools, and have no gradient.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <utility>

namespace thunkvm {
namespace {

// Complex numbers are ordered by their real parts, then by their imaginary ones. An int64 and a
// uint64 are compared as the integers that they are: their common float64 would round.
struct Equal {
  template <class T>
  static constexpr const char* c() {
    return "{0} == {1}";
  }
  static constexpr MixedCode c_mixed{"({0} >= 0) & ((u64){0} == {1})",
                                     "({1} >= 0) & ({0} == (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    if constexpr (std::is_same_v<A, B>) {
      return a == b;
    } else {
      return std::cmp_equal(a, b);
    }
  }
};
struct Less {
  template <class T>
  static constexpr const char* c() {
    return "{0} < {1}";
  }
  static constexpr MixedCode c_mixed{"({0} < 0) | ((u64){0} < {1})",
                                     "({1} >= 0) & ({0} < (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    if constexpr (std::is_same_v<A, B>) {
      return less(a, b);
    } else {
      return std::cmp_less(a, b);
    }
  }
};
struct LessEqual {
  template <class T>
  static constexpr const char* c() {
    return "{0} <= {1}";
  }
  static constexpr MixedCode c_mixed{"({0} < 0) | ((u64){0} <= {1})",
                                     "({1} >= 0) & ({0} <= (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    if constexpr (std::is_same_v<A, B>) {
      return less_equal(a, b);
    } else {
      return std::cmp_less_equal(a, b);
    }
  }
};
struct NotEqual {
  template <class T>
  static constexpr const char* c() {
    return "{0} != {1}";
  }
  static constexpr MixedCode c_mixed{"({0} < 0) | ((u64){0} != {1})",
                                     "({1} < 0) | ({0} != (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    return !Equal{}(a, b);
  }
};
struct Greater {
  template <class T>
  static constexpr const char* c() {
    return "{0} > {1}";
  }
  static constexpr MixedCode c_mixed{"({0} >= 0) & ((u64){0} > {1})",
                                     "({1} < 0) | ({0} > (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    return Less{}(b, a);
  }
};
struct GreaterEqual {
  template <class T>
  static constexpr const char* c() {
    return "{0} >= {1}";
  }
  static constexpr MixedCode c_mixed{"({0} >= 0) & ((u64){0} >= {1})",
                                     "({1} < 0) | ({0} >= (u64){1})"};
  static constexpr bool kCheap = true;
  template <class A, class B>
  bool operator()(A a, B b) const {
    return LessEqual{}(b, a);
  }
};

template <class F>
Elementwise comparison(const char* name, const char* sign, const char* numpy_name,
                       const char* summary, const char* result) {
  return Elementwise(name, "comparison", {"x", "y"})
      .infix(sign, 5)
      .alias(numpy_name)
      .comment(summary)
      .output("a bool for each element")
      .example("[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]", result)
      .out_of_range(OutOfRange::Widen)
      .functions<F, 2>(AllTypes{})
      .template mixed_loop<F, std::int64_t, std::uint64_t>()
      .template mixed_loop<F, std::uint64_t, std::int64_t>();
}

const DeclaredElementwise eq_declared = comparison<Equal>(
    "eq", "==", "equal", "Whether the elements are equal. NaN is not, not even to itself.",
    "array([False,  True, False])");

const DeclaredElementwise neq_declared = comparison<NotEqual>(
    "neq", "!=", "not_equal", "Whether the elements differ.", "array([ True, False,  True])");

const DeclaredElementwise lt_declared =
    comparison<Less>("lt", "<", "less", "Whether each element of x is less than y's.",
                     "array([ True, False, False])");

const DeclaredElementwise le_declared = comparison<LessEqual>(
    "le", "<=", "less_equal", "Whether each element of x is less than y's or equal to it.",
    "array([ True,  True, False])");

const DeclaredElementwise gt_declared =
    comparison<Greater>("gt", ">", "greater", "Whether each element of x is greater than y's.",
                        "array([False, False,  True])");

const DeclaredElementwise ge_declared = comparison<GreaterEqual>(
    "ge", ">=", "greater_equal", "Whether each element of x is greater than y's or equal to it.",
    "array([False,  True,  True])");

struct IsNaN {
  template <class T>
  static constexpr const char* c() {
    return std::is_integral_v<T> ? "0" : "{0} != {0}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T x) const {
    return is_nan(x);
  }
};
struct IsInfinite {
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return std::isinf(x.real()) || std::isinf(x.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::isinf(x);
    } else {
      return false;
    }
  }
};
struct IsFinite {
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T x) const {
    return !IsNaN{}(x) && !IsInfinite{}(x);
  }
};

template <class F>
Elementwise test_of_elements(const char* name, const char* summary, const char* result) {
  return Elementwise(name, "comparison", {"x"})
      .comment(summary)
      .output("a bool for each element")
      .example("[1.0, np.inf, np.nan]", result)
      .functions<F, 1>(AllTypes{});
}

const DeclaredElementwise isnan_declared = test_of_elements<IsNaN>(
    "isnan", "Whether each element is NaN; of a complex number, either part.",
    "array([False, False,  True])");

const DeclaredElementwise isinf_declared = test_of_elements<IsInfinite>(
    "isinf", "Whether each element is infinite; of a complex number, either part.",
    "array([False,  True, False])");

const DeclaredElementwise isfinite_declared =
    test_of_elements<IsFinite>("isfinite", "Whether each element is neither infinite nor NaN.",
                               "array([ True, False, False])");

}  // namespace
}  // namespace thunkvm
