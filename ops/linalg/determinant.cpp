// determinant.cpp: `det`, and its first two derivatives, which singular matrices have too:
// `cofactors` and `cofactor_changes`.
#include "ops/graph/extents.h"
#include "ops/linalg/cofactors.h"
#include "ops/linalg/factors.h"
#include "ops/linalg/lu_factors.h"
#include "thunks/lengths.h"

namespace thunkvm {

namespace {

template <class T>
void run_det(Activation& activation, const Operands& operands) {
  const Array a = input_array(activation, operands, 0);
  require_square("det", a);
  const std::int64_t n = a.length(a.ndim() - 1);
  const MatrixStack stack(a);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, stack.batch);
  const int rows = blas_length("det", n);
  const std::int64_t work = work_of({a.size(), n});
  {
    HostLeave leave(*activation.host, work);
    LuFactors<T> lu(rows);
    each_matrix(stack.batch, stack, stack, out.data(), sizeof(T),
                [&](const char* matrix, const char*, char* to) {
                  to_fortran(matrix, stack.row_stride, stack.column_stride, n, n,
                             lu.factors.data());
                  lu.factor();
                  *reinterpret_cast<T*>(to) = lu.determinant().value();
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

template <class T>
void run_cofactors(Activation& activation, const Operands& operands) {
  const Array a = input_array(activation, operands, 0);
  require_square("cofactors", a);
  const std::int64_t n = a.length(a.ndim() - 1);
  const MatrixStack stack(a);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, a.shape());
  const std::int64_t work = work_of({a.size(), n});
  Cofactors<T> cofactors(blas_length("cofactors", n));
  {
    HostLeave leave(*activation.host, work);
    each_matrix(stack.batch, stack, stack, out.data(), n * n * static_cast<std::int64_t>(sizeof(T)),
                [&](const char* matrix, const char*, char* to) {
                  cofactors.read(matrix, stack.row_stride, stack.column_stride);
                  cofactors.write(reinterpret_cast<T*>(to));
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

template <class T>
void run_cofactor_changes(Activation& activation, const Operands& operands) {
  const Array a = input_array(activation, operands, 0);
  const Array b = input_array(activation, operands, 1);
  require_square("cofactor_changes", a);
  const std::int64_t n = a.length(a.ndim() - 1);
  const MatrixStack of_a(a), of_b(b);
  if (of_b.rows != n || of_b.columns != n)
    throw Error(ErrorKind::Value,
                "[cofactor_changes] the matrices and their changes have the shapes " +
                    format_shape(a.shape()) + " and " + format_shape(b.shape()) +
                    "; their last two axes must be alike");
  std::vector<std::int64_t> shape =
      broadcast_shapes(std::array{of_a.batch, of_b.batch}, "cofactor_changes");
  const std::vector<std::int64_t> batch = shape;
  shape.insert(shape.end(), {n, n});
  const Array out = output_array(activation, operands, 0, dtype_of<T>, shape);
  const std::int64_t work = work_of({out.size(), n});
  Cofactors<T> cofactors(blas_length("cofactor_changes", n));
  {
    HostLeave leave(*activation.host, work);
    std::vector<T> change(static_cast<std::size_t>(n * n));
    each_matrix(batch, of_a, of_b, out.data(), n * n * static_cast<std::int64_t>(sizeof(T)),
                [&](const char* matrix, const char* by, char* to) {
                  cofactors.read(matrix, of_a.row_stride, of_a.column_stride);
                  // Its columns as rows: in C order, then.
                  to_fortran(by, of_b.column_stride, of_b.row_stride, n, n, change.data());
                  cofactors.write_change(change.data(), reinterpret_cast<T*>(to));
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

class DetOp final : public MatrixOp {
 public:
  explicit DetOp(const Attributes& attrs) : MatrixOp("det", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const Variable a = square_input(inputs);
    const StaticShape shape(a.static_shape().begin(), a.static_shape().end() - 2);
    return {Apply::make1(*this, std::span(&a, 1), TensorType::of(a.dtype(), shape))};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {Extents(input_shapes[0].begin(), input_shapes[0].end() - 2)};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "det",
                        []<class T>(std::type_identity<T>) { return kernel_code<run_det<T>>(0); });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes) const override {
    return 2 * n_elements(inputs[0]) * static_cast<double>(inputs[0].back()) / 3;
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {mul(add_last(add_last(g[0])), conjugate(call_op("cofactors", {node.input(0)})))};
  }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

class CofactorsOp final : public MatrixOp {
 public:
  explicit CofactorsOp(const Attributes& attrs) : MatrixOp("cofactors", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const Variable a = square_input(inputs);
    return {Apply::make1(*this, std::span(&a, 1), a.type_ref())};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "cofactors", []<class T>(std::type_identity<T>) {
      return kernel_code<run_cofactors<T>>(0);
    });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes) const override {
    return 2 * n_elements(inputs[0]) * static_cast<double>(inputs[0].back());
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {conjugate(call_op("cofactor_changes", {node.input(0), conjugate(g[0])}))};
  }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

/// The trace of the product of two matrices, for each of a stack.
Variable trace_of(const Variable& a, const Variable& b) {
  const Variable terms = mul(a, matrix_transpose(b));
  return sum(terms, {terms.ndim() - 2, terms.ndim() - 1}, true);
}

class CofactorChangesOp final : public MatrixOp {
 public:
  explicit CofactorChangesOp(const Attributes& attrs) : MatrixOp("cofactor_changes", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable given[] = {inexact(inputs[0]), inexact(inputs[1])};
    const DType dtype = common_dtype(given);
    const Variable both[] = {cast_now(given[0], dtype), cast_now(given[1], dtype)};
    expect_square(both[0]);
    expect_square(both[1]);
    return {Apply::make1(*this, both,
                         TensorType::of(dtype, broadcast_static(name(), both[0].static_shape(),
                                                                both[1].static_shape())))};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const Extents stacks[] = {stack_extents(input_shapes[0]), stack_extents(input_shapes[1])};
    Extents shape = broadcast_extents(stacks);
    shape.insert(shape.end(), input_shapes[0].end() - 2, input_shapes[0].end());
    return {shape};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(
        node.input(0).dtype(), "cofactor_changes",
        []<class T>(std::type_identity<T>) { return kernel_code<run_cofactor_changes<T>>(0); });
  }
  double flops(const Apply&, OperandShapes, OperandShapes outputs) const override {
    return 6 * n_elements(outputs[0]) * static_cast<double>(outputs[0].back());
  }
  /// By the change it is linear, and its derivatives are symmetric; by the matrix it is the third
  /// derivative of the determinant, through the inverse.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> gradients) const override {
    if (!gradients[0]) return {Variable(), Variable()};
    const Variable &a = node.input(0), &b = node.input(1);
    const Variable g = conjugate(gradients[0]);
    const Variable inverse = call_op("inv", {a});
    const Variable scale = add_last(add_last(call_op("det", {a})));
    const Variable ib = matmul(inverse, b), ig = matmul(inverse, g);
    const Variable bg = matmul(ib, ig), gb = matmul(ig, ib);
    const Variable trace_b = trace_of(inverse, b), trace_g = trace_of(inverse, g);
    const Variable inner = (trace_b * trace_g - trace_of(ib, ig)) * inverse -
                           matmul(trace_g * ib + trace_b * ig - bg - gb, inverse);
    const Variable to_a = conjugate(scale * matrix_transpose(inner));
    const Variable to_b = conjugate(call_op("cofactor_changes", {a, g}));
    return {unbroadcast(to_a, shape(a), a.ndim()), unbroadcast(to_b, shape(b), b.ndim())};
  }
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const int ndim = std::max(node.input(0).ndim(), node.input(1).ndim());
    const Variable both[] = {line_up(inputs[0], batched[0], ndim),
                             line_up(inputs[1], batched[1], ndim)};
    return call(both);
  }
};

class DetMaker : public OpMaker {
 public:
  explicit DetMaker(OpProto& proto) : OpMaker(proto) {
    family("linear algebra");
    expose(Exposure::Package);
    numpy("linalg.det");
    comment(
        "The determinant of each matrix, from its LU factors. It is 0 or infinite only where the "
        "determinant is too small or too large for its dtype. Its gradient and its Hessian are "
        "those of singular matrices too; a third derivative needs the inverse.");
    input("a", "square matrices");
    output("their determinants");
    example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.det(a))([[2.0, 0.0], [0.0, 4.0]])\n"
        "np.float64(8.0)");
  }
};

class CofactorsMaker : public OpMaker {
 public:
  explicit CofactorsMaker(OpProto& proto) : OpMaker(proto) {
    family("linear algebra");
    comment(
        "The cofactors of each matrix, which are the derivatives of its determinant: det(a) times "
        "the transposed inverse where there is one. From the LU factors; where these are nearly "
        "singular from the singular values (G. W. Stewart, On the adjugate matrix, 1998).");
    input("a", "square matrices");
    output("their cofactors");
    example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.cofactors(a))([[2.0, 1.0], [4.0, 2.0]])\n"
        "array([[ 2., -4.],\n"
        "       [-1.,  2.]])");
  }
};

class CofactorChangesMaker : public OpMaker {
 public:
  explicit CofactorChangesMaker(OpProto& proto) : OpMaker(proto) {
    family("linear algebra");
    comment(
        "How the cofactors of each matrix change with it: their derivative along a direction, "
        "which is the second derivative of the determinant.");
    input("a", "square matrices");
    input("b", "the directions, matrices of the same size");
    output("the derivatives");
    example(
        ">>> a, b = tv.matrix(\"a\"), tv.matrix(\"b\")\n"
        ">>> change = tv.function([a, b], tv.ops.cofactor_changes(a, b))\n"
        ">>> change([[2.0, 1.0], [4.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]).round(9) + 0.0\n"
        "array([[3., 0.],\n"
        "       [0., 1.]])");
  }
};

}  // namespace

REGISTER_OP(DetOp, DetMaker, det)
REGISTER_OP(CofactorsOp, CofactorsMaker, cofactors)
REGISTER_OP(CofactorChangesOp, CofactorChangesMaker, cofactor_changes)

}  // namespace thunkvm
