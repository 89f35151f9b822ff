// counted.cpp: the identity under a name by which its runs are counted.
#include "ops/elementwise/element_functions.h"
#include "ops/graph/declaration.h"
#include "ops/graph/identity_op.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

namespace thunkvm {
namespace {

/// The value itself. Numbers are copied, so that nests and emitted functions of numbers take it in;
/// arrays and objects are passed on.
template <class T>
const ElementCode& code_of_identity() {
  static const ElementCode code = {
      .op = "counted",
      .function =
          [](char* const* pointers, const std::int64_t* strides, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i)
              *reinterpret_cast<T*>(pointers[0] + i * strides[0]) =
                  *reinterpret_cast<const T*>(pointers[1] + i * strides[1]);
          },
      .inputs = {dtype_of<T>},
      .output = dtype_of<T>,
      .c = has_c_type<T> ? "{0}" : nullptr,
      .c_number = has_c_type<T> ? "{0}" : nullptr};
  return code;
}

class CountedOp final : public IdentityOp {
 public:
  explicit CountedOp(const Attributes& attrs)
      : IdentityOp("counted"), under_(attrs.get<std::string>("name")) {}
  std::string text() const override { return "counted{name=" + under_ + "}"; }

  const ElementCode* element_code(const Apply& node) const override {
    const TensorType* const type = node.input(0).type().tensor();
    if (type == nullptr || type->ndim() != 0 || type->dtype() == DType::Object) return nullptr;
    return &visit_dtype(
        type->dtype(), "counted",
        []<class T>(std::type_identity<T>) -> const ElementCode& { return code_of_identity<T>(); });
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable> g) const override { return {g[0]}; }

 private:
  std::string under_;
};

DECLARE_OP(counted)
    .family("selection")
    .expose(Exposure::Package)
    .comment(
        "The input itself, under a name by which `Function.counts` says how often it was computed. "
        "No rewrite removes it. A gradient passes it, and is not counted.")
    .input("x", "any variable")
    .attr("name", AttrType::String, "the name to count under; several nodes may share it")
    .checked_by([](const AttrValue& name) {
      return std::get<std::string>(name).empty() ? "it has to have letters" : std::string();
    })
    .output("out", "the same value")
    .example(
        ">>> x = tv.scalar(\"x\")\n"
        ">>> cost = tv.counted(tv.exp(x), name=\"cost\")\n"
        ">>> f = tv.function([x], tv.ifelse(x > 0, cost, x))\n"
        ">>> _ = f(1.0), f(-1.0), f(2.0)\n"
        ">>> f.counts()\n"
        "{'cost': 2}")
    .made_by<CountedOp>();

}  // namespace
}  // namespace thunkvm
