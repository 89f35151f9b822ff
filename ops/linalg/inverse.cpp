// inverse.cpp: `inv`, through LU factors with row exchanges.
#include "ops/linalg/factors.h"
#include "ops/linalg/lu_factors.h"
#include "thunks/lengths.h"

namespace thunkvm {

namespace {

template <class T>
void run_inv(Activation& activation, const Operands& operands) {
  const Array a = input_array(activation, operands, 0);
  require_square("inv", a);
  const std::int64_t n = a.length(a.ndim() - 1);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, a.shape());
  const int rows = blas_length("inv", n);
  const std::int64_t work = work_of({a.size(), n});
  {
    HostLeave leave(*activation.host, work);
    LuFactors<T> lu(rows);
    std::vector<T> inverse;
    const MatrixStack stack(a);
    each_matrix(stack.batch, stack, stack, out.data(), n * n * static_cast<std::int64_t>(sizeof(T)),
                [&](const char* matrix, const char*, char* to) {
                  to_fortran(matrix, stack.row_stride, stack.column_stride, n, n,
                             lu.factors.data());
                  if (const int zero = lu.factor(); zero > 0) fail_singular("inv", "U", zero, a);
                  lu.invert(inverse);
                  from_fortran(inverse.data(), n, n, reinterpret_cast<T*>(to));
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

class InvOp final : public MatrixOp {
 public:
  explicit InvOp(const Attributes& attrs) : MatrixOp("inv", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const Variable a = square_input(inputs);
    return {Apply::make1(*this, std::span(&a, 1), a.type_ref())};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "inv",
                        []<class T>(std::type_identity<T>) { return kernel_code<run_inv<T>>(0); });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes) const override {
    return 2 * n_elements(inputs[0]) * static_cast<double>(inputs[0].back());
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    const Variable turned = adjoint(node.output(0));
    return {neg(matmul(matmul(turned, g[0]), turned))};
  }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

class InvMaker : public OpMaker {
 public:
  explicit InvMaker(OpProto& proto) : OpMaker(proto) {
    family("linear algebra");
    expose(Exposure::Package);
    numpy("linalg.inv");
    hint(ErrorKind::LinAlg, kSingularHint);
    comment("The inverse of each matrix. To solve a system, `solve` is faster and more accurate.");
    input("a", "square matrices");
    output("their inverses");
    example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.inv(a))([[2.0, 0.0], [0.0, 4.0]])\n"
        "array([[0.5 , 0.  ],\n"
        "       [0.  , 0.25]])");
  }
};

}  // namespace

REGISTER_OP(InvOp, InvMaker, inv)

}  // namespace thunkvm
