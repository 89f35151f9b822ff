// solving.cpp: `solve` through LU factors with row exchanges, and `solve_triangular`.
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/linalg/factors.h"
#include "ops/linalg/lu_factors.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <array>
#include <functional>

namespace thunkvm {

namespace {

/// The right-hand sides as matrices, the shape of the result, and the stack that both make
/// together.
struct System {
  Array a, b;
  std::vector<std::int64_t> batch, shape;
  std::int64_t n, k;

  System(const char* op, const Array& matrix, const Array& sides)
      : a(matrix), b(sides.ndim() == 1 ? as_column(sides) : sides) {
    require_square(op, a);
    n = a.length(a.ndim() - 1);
    k = b.length(b.ndim() - 1);
    if (b.length(b.ndim() - 2) != n)
      throw Error(
          ErrorKind::Value,
          "[" + std::string(op) +
              "] Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
              (sides.ndim() == 1 ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)") + " (size " +
              std::to_string(b.length(b.ndim() - 2)) + " is different from " + std::to_string(n) +
              "): a has shape " + format_shape(a.shape()) + ", b " + format_shape(sides.shape()));
    batch = broadcast_shapes(std::array{MatrixStack(a).batch, MatrixStack(b).batch}, op);
    shape = batch;
    shape.push_back(n);
    if (sides.ndim() > 1) shape.push_back(k);
  }
};

template <class T>
void run_solve(Activation& activation, const Operands& operands) {
  const System system("solve", input_array(activation, operands, 0),
                      input_array(activation, operands, 1));
  const std::int64_t n = system.n, k = system.k;
  const Array out = output_array(activation, operands, 0, dtype_of<T>, system.shape);
  const int rows = blas_length("solve", n), columns = blas_length("solve", k);
  const std::int64_t work = std::max(work_of({out.size(), n}), work_of({n, n, n / 3}));
  {
    HostLeave leave(*activation.host, work);
    LuFactors<T> lu(rows);
    std::vector<T> sides(static_cast<std::size_t>(n * k));
    const MatrixStack a(system.a), b(system.b);
    const char* factored = nullptr;
    each_matrix(system.batch, a, b, out.data(), n * k * static_cast<std::int64_t>(sizeof(T)),
                [&](const char* matrix, const char* side, char* to) {
                  // A matrix that several right-hand sides share is factored once.
                  if (matrix != factored) {
                    to_fortran(matrix, a.row_stride, a.column_stride, n, n, lu.factors.data());
                    if (const int zero = lu.factor(); zero > 0)
                      fail_singular("solve", "U", zero, system.a);
                    factored = matrix;
                  }
                  to_fortran(side, b.row_stride, b.column_stride, n, k, sides.data());
                  lu.solve(columns, sides.data());
                  from_fortran(sides.data(), n, k, reinterpret_cast<T*>(to));
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

struct TriangularState {
  bool lower, transposed, unit_diagonal;
};

template <class T>
void run_solve_triangular(Activation& activation, const Operands& operands) {
  const TriangularState& state = kernel_state<TriangularState>(operands);
  const Array given = input_array(activation, operands, 0);
  // BLAS reads rows without gaps; a stack that is broadcast stays one where its matrices are dense.
  const MatrixStack seen(given);
  const std::int64_t item = sizeof(T);
  const bool dense = seen.column_stride == item && seen.row_stride == item * seen.columns;
  const System system("solve_triangular", dense ? given : given.copy(),
                      input_array(activation, operands, 1));
  const std::int64_t n = system.n, k = system.k;
  const Array out = output_array(activation, operands, 0, dtype_of<T>, system.shape);
  const int rows = blas_length("solve_triangular", n), columns = blas_length("solve_triangular", k);
  const std::int64_t work = work_of({out.size(), n});
  {
    HostLeave leave(*activation.host, work);
    const MatrixStack a(system.a), b(system.b);
    each_matrix(system.batch, a, b, out.data(), n * k * item,
                [&](const char* matrix, const char* side, char* to) {
                  const T* triangle = reinterpret_cast<const T*>(matrix);
                  for (std::int64_t i = 0; i < n && !state.unit_diagonal; ++i)
                    if (triangle[i * n + i] == T(0))
                      fail_singular("solve_triangular", "a", static_cast<int>(i + 1), system.a);
                  T* x = reinterpret_cast<T*>(to);
                  for (std::int64_t i = 0; i < n; ++i)
                    for (std::int64_t j = 0; j < k; ++j)
                      x[i * k + j] = *reinterpret_cast<const T*>(side + i * b.row_stride +
                                                                 j * b.column_stride);
                  if (n > 0 && k > 0)
                    lapack::trsm(state.lower, state.transposed, state.unit_diagonal, rows, columns,
                                 triangle, x);
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

/// An Op that solves a x = b for x.
class SystemOp : public MatrixOp {
 public:
  using MatrixOp::MatrixOp;

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    Variable checked[] = {inexact(inputs[0]), inexact(inputs[1])};
    const DType dtype = common_dtype(checked);
    for (Variable& input : checked) input = cast_now(input, dtype);
    const Variable &a = checked[0], &b = checked[1];
    expect_square(a);
    if (b.ndim() == 0) fail(ErrorKind::Value, "b must be a vector or matrices, but is 0-d");
    const StaticShape &square = a.static_shape(), &sides = b.static_shape();
    const std::int64_t rows_b = sides.size() == 1 ? sides[0] : sides[sides.size() - 2];
    const std::int64_t rows_a = std::max(square.back(), square[square.size() - 2]);
    if (rows_a >= 0 && rows_b >= 0 && rows_a != rows_b)
      fail(ErrorKind::Value, "a is a " + a.type().text() + " and b a " + b.type().text() +
                                 ": they must have as many rows");
    const auto batch_of = [](const StaticShape& shape) {
      return shape.size() <= 2 ? StaticShape{} : StaticShape(shape.begin(), shape.end() - 2);
    };
    StaticShape shape = broadcast_static(name(), batch_of(square), batch_of(sides));
    shape.push_back(std::max(rows_a, rows_b));
    if (sides.size() > 1) shape.push_back(sides.back());
    return {Apply::make1(*this, checked, TensorType::of(dtype, shape))};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const Extents &a = input_shapes[0], &b = input_shapes[1];
    const Extents stacks[] = {stack_extents(a), stack_extents(b)};
    Extents shape = broadcast_extents(stacks);
    shape.push_back(a.back());
    if (b.size() > 1) shape.push_back(b.back());
    return {shape};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const int a_ndim = node.input(0).ndim(), b_ndim = node.input(1).ndim();
    const bool is_vector = b_ndim == 1;
    if (is_vector && !batched[0] && a_ndim == 2)
      // One matrix, many right-hand sides: they are the columns of one.
      return {matrix_transpose(apply(inputs[0], matrix_transpose(inputs[1])))};
    const int ndim = std::max(a_ndim, b_ndim + (is_vector ? 1 : 0));
    const Variable columns = is_vector ? add_last(inputs[1]) : inputs[1];
    const Variable x =
        apply(line_up(inputs[0], batched[0], ndim), line_up(columns, batched[1], ndim));
    return {is_vector ? drop_last(x) : x};
  }

 protected:
  Variable apply(const Variable& a, const Variable& b) const {
    return call_op(name(), {a, b}, attributes());
  }

  /// The gradients where `solve_back` solves the transpose of a system and `to_matrix` restricts
  /// that of a to what was read.
  std::vector<Variable> grad_of(
      Apply& node, const Variable& g, bool transposed,
      const std::function<Variable(const Variable& a, const Variable& g)>& solve_back,
      const std::function<Variable(const Variable&)>& to_matrix) const {
    if (!g) return {Variable(), Variable()};
    const Variable &a = node.input(0), &b = node.input(1);
    const bool is_vector = b.ndim() == 1;
    const Variable x = is_vector ? add_last(node.output(0)) : node.output(0);
    const Variable to_sides = solve_back(conjugate(a), is_vector ? add_last(g) : g);
    // The gradient of a^T x = b is the transpose of that of a x = b.
    const Variable outer = transposed ? matmul(conjugate(x), matrix_transpose(to_sides))
                                      : matmul(to_sides, adjoint(x));
    Variable to_a = to_matrix(neg(outer));
    if (to_a.ndim() > 2) to_a = unbroadcast(to_a, shape(a), a.ndim());
    Variable to_b = to_sides;
    if (to_b.ndim() > 2) {
      const Variable sides = is_vector ? add_last(b) : b;
      to_b = unbroadcast(to_b, shape(sides), sides.ndim());
    }
    return {to_a, is_vector ? drop_last(to_b) : to_b};
  }
};

class SolveOp final : public SystemOp {
 public:
  explicit SolveOp(const Attributes& attrs) : SystemOp("solve", attrs) {}

  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "solve", []<class T>(std::type_identity<T>) {
      return kernel_code<run_solve<T>>(0);
    });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes outputs) const override {
    const auto n = static_cast<double>(inputs[0].back());
    return 2 * n_elements(inputs[0]) * n / 3 + 2 * n_elements(outputs[0]) * n;
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    return grad_of(
        node, g[0], false,
        [](const Variable& a, const Variable& side) {
          return call_op("solve", {matrix_transpose(a), side});
        },
        [](const Variable& to_a) { return to_a; });
  }
};

class SolveTriangularOp final : public SystemOp {
 public:
  explicit SolveTriangularOp(const Attributes& attrs)
      : SystemOp("solve_triangular", attrs),
        state_{attrs.get<bool>("lower"), attrs.get<bool>("transposed"),
               attrs.get<bool>("unit_diagonal")} {}

  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "solve_triangular",
                        [&]<class T>(std::type_identity<T>) {
                          return kernel_code<run_solve_triangular<T>>(state_);
                        });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes outputs) const override {
    return n_elements(outputs[0]) * static_cast<double>(inputs[0].back());
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    Attributes back = attributes();
    back.set("transposed", !state_.transposed);
    const std::int64_t k = state_.unit_diagonal ? (state_.lower ? -1 : 1) : 0;
    return grad_of(
        node, g[0], state_.transposed,
        [&](const Variable& a, const Variable& side) {
          return call_op("solve_triangular", {a, side}, back);
        },
        [&](const Variable& to_a) {
          return call_op(state_.lower ? "tril" : "triu", {to_a}, {{"k", k}});
        });
  }

 private:
  TriangularState state_;
};

}  // namespace

DECLARE_OP(solve)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.solve")
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment(
        "The x for which a x = b, as `numpy.linalg.solve`, through LU factors with row exchanges "
        "(E. Anderson et al., LAPACK Users' Guide, 1999: getrf, getrs). The axes before the last "
        "two broadcast. A singular matrix is a LinAlgError.")
    .input("a", "square matrices")
    .input("b", "a vector, or matrices whose columns are right-hand sides")
    .output("out", "the solutions, in the shape of `b`")
    .example(
        ">>> a, b = tv.matrix(\"a\"), tv.vector(\"b\")\n"
        ">>> tv.function([a, b], tv.ops.solve(a, b))([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])\n"
        "array([1. , 0.5])")
    .made_by<SolveOp>();

DECLARE_OP(solve_triangular)
    .family("linear algebra")
    .expose(Exposure::Package)
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment("The x for which a x = b, where a is triangular; the other triangle is not read.")
    .input("a", "square matrices")
    .input("b", "a vector, or matrices whose columns are right-hand sides")
    .attr("lower", AttrType::Bool, "whether the lower triangle is read, or the upper one")
    .by_default(true)
    .attr("transposed", AttrType::Bool, "whether to solve with the transpose of a")
    .by_default(false)
    .attr("unit_diagonal", AttrType::Bool, "whether to take the diagonal as ones, unread")
    .by_default(false)
    .output("out", "the solutions, in the shape of `b`")
    .example(
        ">>> a, b = tv.matrix(\"a\"), tv.vector(\"b\")\n"
        ">>> f = tv.function([a, b], tv.ops.solve_triangular(a, b))\n"
        ">>> f([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])\n"
        "array([1., 2.])")
    .made_by<SolveTriangularOp>();

}  // namespace thunkvm
