// elementwise.h: Ops that compute each element of the output from one element of each input, with
// broadcasting.
//
// An Op is declared by a table: its names and texts, a functor (element_functions.h) with the
// dtypes that it has functions for, and its gradient. Everything else (dtype resolution, kernels,
// batching) is here.
//
//   struct Square {
//     static constexpr bool kCheap = true;
//     template <class T>
//     T operator()(T x) const { return x * x; }
//   };
//   DECLARE_ELEMENTWISE(square, "arithmetic", {"x"})
//       .comment("The square of each element.")
//       .functions<Square, 1>(Floats{})
//       .gradient([](const Differential& d) -> Partials { return {d.g * 2.0 * d.x}; });
#pragma once

#include "ops/elementwise/element_functions.h"
#include "ops/graph/conjugate.h"
#include "ops/graph/connection.h"
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "ops/graph/work.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

/// Lists of C++ element types.
template <class... T>
struct Types {};
template <class... A, class... B>
Types<A..., B...> operator+(Types<A...>, Types<B...>) {
  return {};
}
using Bools = Types<bool>;
using SignedInts = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using UnsignedInts = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Ints = decltype(SignedInts{} + UnsignedInts{});
using Floats = Types<Half, float, double>;
using Complexes = Types<Complex64, Complex128>;
using Inexacts = decltype(Floats{} + Complexes{});
using Numbers = decltype(Ints{} + Inexacts{});
using AllTypes = decltype(Bools{} + Numbers{});

/// The arguments of a gradient rule: the node's inputs (null beyond the last), its output, and the
/// gradient with respect to it.
struct Differential {
  Variable x, y, z;
  Variable out;
  Variable g;
};
/// The gradient with respect to each input, null for none. They may still have the output's shape
/// and dtype.
using Partials = std::array<Variable, kMaxElementwiseInputs>;
using GradientRule = Partials (*)(const Differential&);

/// The treatment of a Python integer that the dtype beside it cannot hold.
enum class OutOfRange : std::uint8_t {
  Error,     ///< NumPy's OverflowError
  Widen,     ///< it counts as an int64, for Ops whose result dtype does not depend on it
  Saturate,  ///< the nearest value that the dtype has
};

/// The declaration of an elementwise Op: a builder, and afterwards the table that the Op works
/// from.
class Elementwise {
 public:
  Elementwise(const char* name, const char* family, std::initializer_list<const char*> inputs);

  Elementwise& comment(std::string text) { return proto_.comment = std::move(text), *this; }
  Elementwise& output(std::string comment) {
    return proto_.outputs[0].comment = std::move(comment), *this;
  }
  /// A doctest of the Op on vectors: its arguments and its result as Python shows them. `dtypes`:
  /// one for each input, or one for all.
  Elementwise& example(std::string arguments, std::string result,
                       std::vector<std::string> dtypes = {"float64"});
  /// Another name in the package, NumPy's.
  Elementwise& alias(const char* name) { return proto_.aliases.emplace_back(name), *this; }
  /// The package wraps the function in NumPy's signature instead of showing it.
  Elementwise& wrapped() { return proto_.exposure = Exposure::Ops, *this; }
  /// Variables have it as a method too.
  Elementwise& method() { return proto_.exposure = Exposure::Method, *this; }
  /// See `Declaration` of these.
  Elementwise& numpy(const char* path) { return proto_.numpy.emplace_back(path), *this; }
  Elementwise& algebra(Algebra algebra) { return proto_.algebra = std::move(algebra), *this; }
  /// Its slope may be infinite at a finite element.
  Elementwise& singular() { return proto_.is_singular = true, *this; }
  Elementwise& infix(const char* text, int binds) {
    return proto_.notation = {Notation::Kind::Infix, text, binds}, *this;
  }
  Elementwise& prefix(const char* text, int binds) {
    return proto_.notation = {Notation::Kind::Prefix, text, binds}, *this;
  }
  Elementwise& attribute() { return proto_.notation = {Notation::Kind::Attribute, name_}, *this; }
  Elementwise& gradient(GradientRule rule) { return gradient_ = rule, *this; }
  /// Gradients take this input for a constant.
  Elementwise& constant_input(int i) { return constant_inputs_ |= 1u << i, *this; }
  Elementwise& out_of_range(OutOfRange rule) { return out_of_range_ = rule, *this; }

  /// Functions of F over N inputs of one type, for each of the types.
  template <class F, int N, class... T>
  Elementwise& functions(Types<T...>) {
    (add_loop<F, T>(std::make_index_sequence<N>{}), ...);
    return *this;
  }
  /// Functions whose first input is a bool, which takes no part in the promotion of the N others.
  template <class F, int N, class... T>
  Elementwise& loops_with_condition(Types<T...>) {
    (add_conditional_loop<F, T>(std::make_index_sequence<N>{}), ...);
    first_promoted_ = 1;
    return *this;
  }
  /// A function for inputs that are int64 on one side and uint64 on the other.
  template <class F, class A, class B>
  Elementwise& mixed_loop() {
    mixed_.push_back(element_code<F, A, B>(name_));
    return *this;
  }
  /// Inputs of these types are the result: no node is made.
  template <class... T>
  Elementwise& identity(Types<T...>) {
    ((identity_ |= 1u << static_cast<int>(dtype_of<T>)), ...);
    return *this;
  }
  /// Inputs of `dtype` are computed as `as`. (Otherwise: in the first function that they can be
  /// cast to safely.)
  Elementwise& computes(DType dtype, DType as);
  /// The same for bools and all integers.
  Elementwise& computes_integers(DType as);
  /// Inputs of `dtype` are a TypeError with this text.
  Elementwise& refuses(DType dtype, const char* why);

  const char* name() const { return name_; }
  std::size_t n_inputs() const { return proto_.inputs.size(); }
  GradientRule gradient_rule() const { return gradient_; }
  bool is_constant_input(int i) const { return ((constant_inputs_ >> i) & 1u) != 0; }
  bool widens() const { return out_of_range_ == OutOfRange::Widen; }
  DType computed(DType dtype) const { return computes_[static_cast<std::size_t>(dtype)]; }
  bool is_identity(DType dtype) const { return ((identity_ >> static_cast<int>(dtype)) & 1u) != 0; }
  /// The prototype, of which the inputs say what is computed.
  OpProto proto() const;

  /// The function for these inputs, as NumPy 2 picks it (NEP 50). Throws Error(Type) if there is
  /// none.
  const ElementCode& resolve(std::span<const Variable> inputs) const;
  /// A constant input as a constant of `dtype`, any other one through a `cast`.
  Variable convert(const Variable& input, DType dtype) const;

 private:
  template <class F, class T, std::size_t... I>
  void add_loop(std::index_sequence<I...>) {
    code_[static_cast<std::size_t>(dtype_of<T>)] =
        element_code<F, std::enable_if_t<(I >= 0), T>...>(name_);
  }
  template <class F, class T, std::size_t... I>
  void add_conditional_loop(std::index_sequence<I...>) {
    code_[static_cast<std::size_t>(dtype_of<T>)] =
        element_code<F, bool, std::enable_if_t<(I >= 0), T>...>(name_);
  }
  const ElementCode& code_for(DType common, std::span<const Variable> inputs) const;
  [[noreturn]] void throw_no_loop(DType dtype) const;

  const char* name_;
  OpProto proto_;
  GradientRule gradient_ = nullptr;
  unsigned constant_inputs_ = 0;  ///< bits
  OutOfRange out_of_range_ = OutOfRange::Error;
  int first_promoted_ = 0;
  std::uint32_t identity_ = 0;
  std::array<ElementCode, kNumericDTypes> code_{};
  std::array<DType, kNumericDTypes> computes_;
  std::array<const char*, kNumericDTypes> refuses_{};
  std::vector<ElementCode> mixed_;
};

/// The Op of a declaration.
class ElementwiseOp final : public Op, public PartlyConnected, public StatesWork {
 public:
  explicit ElementwiseOp(std::shared_ptr<const Elementwise> declaration)
      : declaration_(std::move(declaration)) {}

  std::string name() const override { return declaration_->name(); }
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  /// A scalar kernel if all is 0-d, else one that broadcasts. A dying input's memory becomes the
  /// output's if it fits.
  ThunkCode kernel(const Apply& node) const override;
  const ElementCode* element_code(const Apply& node) const override {
    return &declaration_->resolve(node.inputs());
  }
  /// The inputs' shapes, broadcast together.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override;
  /// By the declaration's rule; null for inputs that are not inexact, and everywhere if there is no
  /// rule.
  std::vector<Variable> grad(Apply& node,
                             std::span<const Variable> output_gradients) const override;
  /// By the same rule, of tangents. Nothing for complex numbers: their rule is that of the
  /// gradient, which is conjugate.
  std::optional<std::vector<Variable>> push_forward(
      Apply& node, std::span<const Variable> tangents) const override;
  /// Its inputs are widened to a dtype that holds them all: it asks for truths.
  bool widens() const { return declaration_->widens(); }
  /// Inputs of `dtype` are computed as this.
  DType computed(DType dtype) const { return declaration_->computed(dtype); }
  bool connects(int i) const override { return !declaration_->is_constant_input(i); }
  /// One for each element of the output.
  double flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const override;
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;

 private:
  std::shared_ptr<const Elementwise> declaration_;
};

/// Registers what was declared.
struct DeclaredElementwise {
  DeclaredElementwise(
      const Elementwise& declaration);  // NOLINT: DECLARE_ELEMENTWISE converts by it
};

/// An Op by its name, its family and the names of its inputs.
#define DECLARE_ELEMENTWISE(op_name, ...)                          \
  static const ::thunkvm::DeclaredElementwise op_name##_declared = \
      ::thunkvm::Elementwise(#op_name, __VA_ARGS__)

}  // namespace thunkvm
