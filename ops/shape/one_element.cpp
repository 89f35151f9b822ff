// one_element.cpp: `one_element`, the number in an array of one element.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"

namespace thunkvm {

namespace {

struct Role {
  std::string text;
};

template <class T>
void run_one_element(Activation& activation, const Operands& operands) {
  const Cell& x = activation.input(operands, 0);
  for (const std::int64_t length : CellMemory(x).shape)
    if (length != 1)
      throw Error(ErrorKind::Value,
                  kernel_state<Role>(operands).text +
                      " has to be one number, but it is an array of shape " +
                      format_shape(CellMemory(x).shape) +
                      ": reduce it to one element first, or choose elementwise with tv.where");
  activation.output(operands, 0).set(*static_cast<const T*>(x.address()));
}

class OneElementOp final : public ArrayOp {
 public:
  explicit OneElementOp(const Attributes& attrs) : ArrayOp("one_element", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    if (inputs[0].ndim() == 0) return {inputs[0]};
    return {Apply::make1(*this, inputs, TensorType::scalar(inputs[0].dtype()))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_one_element<T>>(Role{role()});
    });
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {broadcast_to(g[0], shape(node.input(0)), node.input(0).ndim())};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const Variable flat[] = {length_of(inputs[0], 0)};
    return {reshape(inputs[0], call_op("stack", flat), 1)};
  }

 private:
  const std::string& role() const { return attributes().get<std::string>("role"); }
};

}  // namespace

DECLARE_OP(one_element)
    .family("shape")
    .hint(std::nullopt, kSelectorHint)
    .comment(
        "The number in an array of one element, as a 0-d one. Conditions that are arrays are read "
        "so: once, so that all branches on one decide alike, whoever else writes to the array.")
    .input("x", "a tensor of one element")
    .attr("role", AttrType::String, "what an error calls it")
    .by_default(std::string("the array"))
    .output("out", "its element")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.ops.one_element(x))([7.0])\n"
        "np.float64(7.0)")
    .made_by<OneElementOp>();

}  // namespace thunkvm
