// cholesky.cpp: `cholesky`, the triangular factor of a positive definite matrix.
#include "ops/linalg/factors.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <limits>

namespace thunkvm {

namespace {

struct CholeskyState {
  bool lower;
  bool nan_on_error;
};

template <class T>
void run_cholesky(Activation& activation, const Operands& operands) {
  const auto [lower, nan_on_error] = kernel_state<CholeskyState>(operands);
  // No handle on the input is kept: one would stand in the way of taking it over.
  const CellMemory seen(activation.input(operands, 0));
  const std::vector<std::int64_t> shape(seen.shape.begin(), seen.shape.end());
  require_square("cholesky", input_array(activation, operands, 0));
  const std::int64_t n = shape.back();
  Array out = take_dying(activation, operands, 0, dtype_of<T>, shape);
  if (!out) {
    out = output_array(activation, operands, 0, dtype_of<T>, shape);
    copy_elements(input_array(activation, operands, 0), out);
  }
  const int rows = blas_length("cholesky", n);
  const std::int64_t work = work_of({out.size(), n});
  {
    HostLeave leave(*activation.host, work / 3);
    T* matrix = out.data_as<T>();
    for (std::int64_t start = 0; n > 0 && start < out.size(); start += n * n, matrix += n * n) {
      // The lower triangle in C order is the upper one in Fortran order, and its factor is the
      // transpose of the other's.
      const int minor = lapack::potrf(lower, rows, matrix);
      if (minor > 0 && !nan_on_error)
        throw Error(ErrorKind::LinAlg,
                    "[cholesky] the matrix is not positive definite: the leading minor of order " +
                        std::to_string(minor) + " is not positive (shape " + format_shape(shape) +
                        "). Check that it is symmetric with positive eigenvalues, or add a small "
                        "multiple of the identity");
      if (minor > 0) std::fill(matrix, matrix + n * n, T(std::numeric_limits<double>::quiet_NaN()));
      for (std::int64_t i = 0; i < n; ++i) {
        T* row = matrix + i * n;
        if (lower)
          std::fill(row + i + 1, row + n, T(0));
        else
          std::fill(row, row + i, T(0));
      }
    }
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

/// The lower triangle, with half of the diagonal.
Variable half_lower(const Variable& x) {
  const Variable whole = call_op("tril", {x}, {{"k", std::int64_t{0}}});
  const Variable below = call_op("tril", {x}, {{"k", std::int64_t{-1}}});
  return mul(add(whole, below), cast_now(Variable::number(0.5), x.dtype()));
}

class CholeskyOp final : public MatrixOp {
 public:
  explicit CholeskyOp(const Attributes& attrs)
      : MatrixOp("cholesky", attrs),
        state_{attrs.get<bool>("lower"), attrs.get<std::string>("on_error") == "nan"} {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const Variable a = square_input(inputs);
    return {Apply::make1(*this, std::span(&a, 1), a.type_ref())};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "cholesky", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_cholesky<T>>(state_);
    });
  }

  double flops(const Apply&, OperandShapes inputs, OperandShapes) const override {
    return n_elements(inputs[0]) * static_cast<double>(inputs[0].back()) / 3;
  }

  /// I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016; of complex
  /// matrices with adjoints for transposes. The gradient is that of the triangle that is read: an
  /// element of it stands for its mirror image too. What LAPACK does not read, the imaginary parts
  /// of the diagonal, has none.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    const Variable factor = state_.lower ? node.output(0) : adjoint(node.output(0));
    const Variable back = state_.lower ? g[0] : adjoint(g[0]);
    const Variable conjugated = conjugate(factor);
    const auto solve_adjoint = [&](const Variable& b) {
      return call_op("solve_triangular", {conjugated, b},
                     {{"lower", true}, {"transposed", true}, {"unit_diagonal", false}});
    };
    const Variable middle = half_lower(matmul(adjoint(factor), back));
    const Variable left = solve_adjoint(middle);
    const Variable both = solve_adjoint(adjoint(left));
    const Variable to_a = half_lower(add(both, adjoint(both)));
    return {state_.lower ? to_a : adjoint(to_a)};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }

 private:
  CholeskyState state_;
};

class CholeskyMaker : public OpMaker {
 public:
  explicit CholeskyMaker(OpProto& proto) : OpMaker(proto) {
    family("linear algebra");
    expose(Exposure::Package);
    numpy("linalg.cholesky");
    hint(ErrorKind::LinAlg,
         "the matrix has to be symmetric (Hermitian) and positive definite; where rounding spoilt "
         "that, add a small multiple of the identity");
    comment(
        "The triangular factor L of each positive definite matrix a = L L^H. One triangle of a is "
        "read. A matrix that is not positive definite is a LinAlgError, or has a factor of NaN.");
    input("a", "square matrices");
    attr("lower", AttrType::Bool,
         "whether the lower triangle is read and L returned, or the upper one and L^H")
        .by_default(true);
    attr("on_error", AttrType::String,
         "what a matrix that is not positive definite gives: \"raise\", a LinAlgError, which "
         "tv.attempt can catch; \"nan\", a factor of NaN, for this matrix of several alone")
        .by_default(std::string("raise"))
        .one_of({AttrValue("raise"), AttrValue("nan")});
    output("the factors, with zeros in the other triangle");
    example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.cholesky(a))([[4.0, 2.0], [2.0, 5.0]])\n"
        "array([[2., 0.],\n"
        "       [1., 2.]])");
  }
};

}  // namespace

REGISTER_OP(CholeskyOp, CholeskyMaker, cholesky)

}  // namespace thunkvm
