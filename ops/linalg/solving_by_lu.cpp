// solving_by_lu.cpp: `solve` by LU factors that serve other nodes too. The rewrite `factors` puts
// it in place of `solve`, with a matrix and with its transpose.
#include "ops/linalg/lapack_factors.h"
#include "ops/linalg/packed_factors.h"
#include "ops/linalg/systems.h"

#include <complex>
#include <span>

namespace thunkvm {

namespace {

struct TurnedState {
  bool transposed, conjugated;
};

template <class T>
void conjugate_all(std::span<T> numbers) {
  if constexpr (lapack::kIsComplex<T>)
    for (T& x : numbers) x = std::conj(x);
}

template <class T>
void run_solve_by_lu(Activation& activation, const Operands& operands) {
  const TurnedState& state = kernel_state<TurnedState>(operands);
  const System system("solve", input_array(activation, operands, 0),
                      input_array(activation, operands, 1));
  const std::int64_t n = system.n, k = system.k, bytes = n * n * std::int64_t{sizeof(T)};
  const Array packed = input_array(activation, operands, 2).as_contiguous();
  const Array exchanges = input_array(activation, operands, 3).as_contiguous();
  const Array out = output_array(activation, operands, 0, dtype_of<T>, system.shape);
  const int rows = blas_length("solve", n), columns = blas_length("solve", k);
  const std::int64_t work = work_of({out.size(), n});
  {
    HostLeave leave(*activation.host, work);
    const MatrixStack a(packed), b(system.b);
    each_matrix(system.batch, a, b, out.data(), n * k * static_cast<std::int64_t>(sizeof(T)),
                [&](const char* matrix, const char* side, char* to) {
                  const std::int64_t place = bytes > 0 ? (matrix - packed.data()) / bytes : 0;
                  const PackedFactors<T> factors{rows, reinterpret_cast<const T*>(matrix),
                                                 exchanges.data_as<std::int64_t>() + place * n};
                  if (const int zero = factors.zero(); zero > 0)
                    fail_singular("solve", "U", zero, system.a);
                  const std::span<T> x(reinterpret_cast<T*>(to), static_cast<std::size_t>(n * k));
                  copy_sides(side, b, n, k, x.data());
                  if (state.conjugated) conjugate_all(x);
                  factors.solve(state.transposed, columns, x.data());
                  if (state.conjugated) conjugate_all(x);
                });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

/// `solve` by the LU factors of the matrix, or of one of which it is the transpose or the
/// conjugate.
class SolveByLuOp final : public SystemOp {
 public:
  explicit SolveByLuOp(const Attributes& attrs)
      : SystemOp("solve_by_lu", attrs),
        state_{attrs.get<bool>("transposed"), attrs.get<bool>("conjugated")} {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 4);
    const Variable x = call_op("solve", {inputs[0], inputs[1]});
    const Apply& plain = *x.node();
    if (inputs[2].dtype() != plain.input(0).dtype() || inputs[3].dtype() != DType::Int64)
      fail(ErrorKind::Type, "packed and exchanges must be what lu_factors gives of a");
    const Variable checked[] = {plain.input(0), plain.input(1), inputs[2], inputs[3]};
    return {Apply::make1(*this, checked, x.type_ref())};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_lapack(node.input(0).dtype(), "solve", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_solve_by_lu<T>>(state_);
    });
  }
  double flops(const Apply&, OperandShapes inputs, OperandShapes outputs) const override {
    return 2 * n_elements(outputs[0]) * static_cast<double>(inputs[0].back());
  }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable x = plain(node.input(0), node.input(1));
    std::vector<Variable> to = x.node()->op()->grad(*x.node(), g);
    return {to[0] ? turned(to[0]) : to[0], to[1], Variable(), Variable()};
  }
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable x = plain(node.input(0), node.input(1));
    const Variable given[] = {turned(inputs[0]), inputs[1]};
    return x.node()->op()->batch(*x.node(), given, {batched[0], batched[1]});
  }

 private:
  /// The matrix of the system; of its gradient, that of `a`.
  Variable turned(const Variable& a) const {
    const Variable same = state_.conjugated ? conjugate(a) : a;
    return state_.transposed ? matrix_transpose(same) : same;
  }
  Variable plain(const Variable& a, const Variable& b) const {
    return call_op("solve", {turned(a), b});
  }

  TurnedState state_;
};

}  // namespace

DECLARE_OP(solve_by_lu)
    .family("linear algebra")
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment("The x for which a x = b, by the LU factors of a.")
    .input("a", "square matrices")
    .input("b", "a vector, or matrices whose columns are right-hand sides")
    .input("packed", "the LU factors, by `lu_factors`")
    .input("exchanges", "the rows that the rows of `a` were exchanged with")
    .attr("transposed", AttrType::Bool, "whether to solve with the transpose of a")
    .by_default(false)
    .attr("conjugated", AttrType::Bool, "whether to solve with the conjugate of a")
    .by_default(false)
    .output("out", "the solutions, in the shape of `b`")
    .example(
        ">>> a, b = tv.matrix(\"a\"), tv.vector(\"b\")\n"
        ">>> packed, exchanges, _ = tv.ops.lu_factors(a)\n"
        ">>> x = tv.ops.solve_by_lu(a, b, packed, exchanges)\n"
        ">>> tv.function([a, b], x)([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])\n"
        "array([1. , 0.5])")
    .made_by<SolveByLuOp>();

}  // namespace thunkvm
