// solving.cpp: `solve` through LU factors with row exchanges, and `solve_triangular`.
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/systems.h"

#include <algorithm>

namespace thunkvm {

namespace {

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
                  copy_sides(side, b, n, k, x);
                  if (n > 0 && k > 0)
                    lapack::trsm(state.lower, state.transposed, state.unit_diagonal, rows, columns,
                                 triangle, x);
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

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
