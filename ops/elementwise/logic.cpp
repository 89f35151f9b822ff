// logic.cpp: truth values and bits, element by element. Nothing here has a gradient.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <climits>

namespace thunkvm {
namespace {

struct LogicalAnd {
  template <class T>
  static constexpr const char* c() {
    return "({0} != 0) & ({1} != 0)";
  }
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T a, T b) const {
    return truth(a) & truth(b);
  }
};
struct LogicalOr {
  template <class T>
  static constexpr const char* c() {
    return "({0} != 0) | ({1} != 0)";
  }
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T a, T b) const {
    return truth(a) | truth(b);
  }
};
struct LogicalXor {
  template <class T>
  static constexpr const char* c() {
    return "({0} != 0) != ({1} != 0)";
  }
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T a, T b) const {
    return truth(a) != truth(b);
  }
};
struct LogicalNot {
  template <class T>
  static constexpr const char* c() {
    return "{0} == 0";
  }
  static constexpr bool kCheap = true;
  template <class T>
  bool operator()(T x) const {
    return !truth(x);
  }
};

template <class F>
Elementwise logical(const char* name, const char* summary, const char* result) {
  return Elementwise(name, "logic", {"x", "y"})
      .comment(std::string(summary) +
               " Anything but zero is true, NaN too. Both are computed: "
               "`and_` and `or_` are the ones that stop early.")
      .output("a bool for each element")
      .example("[0.0, 0.0, 1.0, 2.0], [0.0, 3.0, 0.0, 3.0]", result)
      .out_of_range(OutOfRange::Widen)
      .functions<F, 2>(AllTypes{});
}

const DeclaredElementwise logical_and_declared = logical<LogicalAnd>(
    "logical_and", "Whether both elements are true.", "array([False, False, False,  True])");

const DeclaredElementwise logical_or_declared = logical<LogicalOr>(
    "logical_or", "Whether either element is true.", "array([False,  True,  True,  True])");

const DeclaredElementwise logical_xor_declared =
    logical<LogicalXor>("logical_xor", "Whether just one of the elements is true.",
                        "array([False,  True,  True, False])");

DECLARE_ELEMENTWISE(logical_not, "logic", {"x"})
    .algebra({.is_involution = true})
    .comment("Whether each element is false: zero.")
    .output("a bool for each element")
    .example("[0.0, 2.0]", "array([ True, False])")
    .functions<LogicalNot, 1>(AllTypes{});

struct BitwiseAnd {
  template <class T>
  static constexpr const char* c() {
    return "({T})({0} & {1})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr {
  template <class T>
  static constexpr const char* c() {
    return "({T})({0} | {1})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor {
  template <class T>
  static constexpr const char* c() {
    return "({T})({0} ^ {1})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Invert {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, bool> ? "{0} == 0" : "({T})~{0}";
  }
  static constexpr bool kCheap = true;
  bool operator()(bool x) const { return !x; }
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

template <class F>
Elementwise bitwise(const char* name, const char* sign, int binds, const char* summary,
                    const char* result) {
  return Elementwise(name, "logic", {"x", "y"})
      .infix(sign, binds)
      .comment(summary)
      .example("[12, 10], [10, 10]", result, {"int64"})
      .functions<F, 2>(Bools{} + Ints{});
}

const DeclaredElementwise bitwise_and_declared = bitwise<BitwiseAnd>(
    "bitwise_and", "&", 8, "The bits that are set in both integers; of bools: logical and.",
    "array([ 8, 10])");

const DeclaredElementwise bitwise_or_declared = bitwise<BitwiseOr>(
    "bitwise_or", "|", 6, "The bits that are set in either integer; of bools: logical or.",
    "array([14, 10])");

const DeclaredElementwise bitwise_xor_declared = bitwise<BitwiseXor>(
    "bitwise_xor", "^", 7, "The bits that differ; of bools: exclusive or.", "array([6, 0])");

DECLARE_ELEMENTWISE(invert, "logic", {"x"})
    .prefix("~", 12)
    .algebra({.is_involution = true})
    .comment("Each integer with all its bits flipped; of bools: not.")
    .example("[0, 5]", "array([-1, -6])", {"int64"})
    .functions<Invert, 1>(Bools{} + Ints{});

template <class T>
bool shifts_everything_out(T by) {
  return static_cast<std::make_unsigned_t<T>>(by) >= sizeof(T) * CHAR_BIT;  // a negative one too
}
struct LeftShift {
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T by) const {
    return shifts_everything_out(by) ? T(0) : static_cast<T>(wrapping(a) << by);
  }
};
struct RightShift {
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T by) const {
    if (shifts_everything_out(by)) return a < 0 ? static_cast<T>(-1) : T(0);
    return static_cast<T>(a >> by);
  }
};

DECLARE_ELEMENTWISE(left_shift, "logic", {"x", "y"})
    .infix("<<", 9)
    .comment(
        "Each integer with its bits moved up by y positions. What is moved out is lost; by the "
        "dtype's width or more, or by a negative number, that is all.")
    .example("[1, 3], [4, 1]", "array([16,  6])", {"int64"})
    .functions<LeftShift, 2>(Ints{});

DECLARE_ELEMENTWISE(right_shift, "logic", {"x", "y"})
    .infix(">>", 9)
    .comment(
        "Each integer with its bits moved down by y positions; negative numbers stay negative. "
        "By the dtype's width or more, or by a negative number, only the sign is left.")
    .example("[16, -6], [4, 1]", "array([ 1, -3])", {"int64"})
    .functions<RightShift, 2>(Ints{});

}  // namespace
}  // namespace thunkvm
