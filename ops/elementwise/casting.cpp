// casting.cpp: `cast`, the conversion of numbers to another dtype.
#include "ops/elementwise/element_functions.h"
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "thunks/cast.h"

namespace thunkvm {

namespace {

/// A number, converted.
void cast_number(Activation& activation, const Operands& operands) {
  activation.output(operands, 0) =
      cast_cell(activation.input(operands, 0), kernel_state<DType>(operands));
}

template <class From, class To>
void run_cast(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
  static const CastFunction function = cast_function(dtype_of<From>, dtype_of<To>);
  function(pointers[0], strides[0], pointers[1], strides[1], n);
}
template <class From, class To>
constexpr const char* c_of_cast() {
  if constexpr (!has_c_type<From> || !has_c_type<To>) return nullptr;
  if constexpr (std::is_same_v<To, bool>) return "{0} != 0";
  // C leaves open what becomes of a float that does not fit.
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return nullptr;
  return "({T}){0}";
}
const ElementCode& code_of_cast(DType from, DType to) {
  return visit_dtype(from, "cast", [&]<class From>(std::type_identity<From>) -> auto& {
    return visit_dtype(to, "cast", []<class To>(std::type_identity<To>) -> const ElementCode& {
      static const ElementCode code = {.op = "cast",
                                       .function = &run_cast<From, To>,
                                       .inputs = {dtype_of<From>},
                                       .output = dtype_of<To>,
                                       .c = c_of_cast<From, To>(),
                                       .c_number = c_of_cast<From, To>()};
      return code;
    });
  });
}

class CastOp final : public ArrayOp {
 public:
  explicit CastOp(const Attributes& attrs)
      : ArrayOp("cast", attrs), dtype_(attrs.get<DType>("dtype")) {
    if (dtype_ == DType::Object)
      fail(ErrorKind::Type, "dtype object holds no numbers: cast to a numeric dtype");
  }

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    if (inputs[0].dtype() == dtype_) return {inputs[0]};
    return {Apply::make1(*this, inputs, inputs[0].tensor().with_dtype(dtype_))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return node.input(0).ndim() == 0 ? kernel_code<cast_number>(dtype_)
                                     : element_kernel(*element_code(node));
  }

  const ElementCode* element_code(const Apply& node) const override {
    return &code_of_cast(node.input(0).dtype(), dtype_);
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }
  /// Where no number changes.
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    const bool keeps = is_integral(dtype_) && can_cast_safely(node.input(0).dtype(), dtype_);
    return keeps ? elements_of_input(node) : std::nullopt;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const DType from = node.input(0).dtype();
    if (!g[0] || !is_inexact(from) || !is_inexact(dtype_)) return {Variable()};
    return {cast(g[0], from)};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }

 private:
  DType dtype_;
};

}  // namespace

DECLARE_OP(cast)
    .family("casting")
    .expose(Exposure::Package)
    .comment(
        "The elements converted to another dtype, as `numpy.ndarray.astype` does it. Floats are "
        "truncated to integers (what does not fit, through int64); complex numbers lose their "
        "imaginary part when cast to real ones.")
    .input("x", "any numeric tensor")
    .attr("dtype", AttrType::DType, "the dtype of the result")
    .output("out", "the same numbers in that dtype; `x` itself where it has it already")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.cast(x, dtype=\"int64\"))([1.5, -2.5])\n"
        "array([ 1, -2])")
    .made_by<CastOp>();

}  // namespace thunkvm
