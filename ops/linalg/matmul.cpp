// matmul.cpp: `matmul`, products of matrices, vectors and stacks of them, and `dot`, which is one
// of them under its own name.
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/linalg/lapack.h"
#include "ops/linalg/limits.h"
#include "ops/linalg/linear_algebra.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <algorithm>
#include <array>

namespace thunkvm {

namespace {

/// One matrix of a stack: where it starts, and its strides in bytes.
struct Matrix {
  const char* data;
  std::int64_t row_stride, column_stride;

  template <class T>
  const T& at(std::int64_t i, std::int64_t j) const {
    return *reinterpret_cast<const T*>(data + i * row_stride + j * column_stride);
  }
};

template <class T>
using ProductAcc =
    std::conditional_t<std::is_same_v<T, bool>, bool,
                       std::conditional_t<std::is_integral_v<T>, std::uint64_t,
                                          std::conditional_t<std::is_same_v<T, Half>, float, T>>>;

/// (m, k) by (k, n), term by term in order; integers wrap.
template <class T>
void multiply_plainly(const Matrix& a, const Matrix& b, T* out, std::int64_t m, std::int64_t k,
                      std::int64_t n) {
  using Acc = ProductAcc<T>;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      Acc total(0);
      for (std::int64_t l = 0; l < k; ++l) {
        const Acc x = widen<Acc>(a.at<T>(i, l)), y = widen<Acc>(b.at<T>(l, j));
        if constexpr (std::is_same_v<T, bool>)
          total = total || (x && y);
        else
          total += x * y;
      }
      out[i * n + j] = static_cast<T>(total);
    }
  }
}

/// A matrix as BLAS takes it: in C order with `ld` elements a row, perhaps transposed. False where
/// its strides are of neither kind.
template <class T>
bool blas_layout(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                 std::int64_t column_stride, bool& transposed, std::int64_t& ld) {
  constexpr std::int64_t item = sizeof(T);
  const auto fits = [&](std::int64_t n, std::int64_t length, std::int64_t step,
                        std::int64_t inner) {
    if (length > 1 && inner != item) return false;
    ld = n > 1 ? step / item : std::max<std::int64_t>(length, 1);
    return n <= 1 || (step % item == 0 && ld >= std::max<std::int64_t>(length, 1));
  };
  transposed = false;
  if (fits(rows, columns, row_stride, column_stride)) return true;
  transposed = true;
  return fits(columns, rows, column_stride, row_stride);
}

struct Layout {
  bool transposed = false;
  int ld = 1;
};

/// The array itself where BLAS can read its matrices, else a copy.
template <class T>
Array readable(const Array& x, Layout& layout) {
  const MatrixStack stack(x);
  std::int64_t ld = 1;
  if (blas_layout<T>(stack.rows, stack.columns, stack.row_stride, stack.column_stride,
                     layout.transposed, ld)) {
    layout.ld = blas_length("matmul", ld);
    return x;
  }
  layout = {false, std::max(blas_length("matmul", stack.columns), 1)};
  return x.copy();
}

template <class T>
void multiply_by_blas(const Matrix& a, const Layout& la, const Matrix& b, const Layout& lb, T* out,
                      int m, int k, int n) {
  const T* x = reinterpret_cast<const T*>(a.data);
  const T* y = reinterpret_cast<const T*>(b.data);
  if (n == 1) {
    // The step along a column: whole rows, unless it is one row in memory.
    lapack::gemv(la.transposed, m, k, x, la.ld, y, lb.transposed ? 1 : lb.ld, out, 1);
  } else if (m == 1) {
    lapack::gemv(!lb.transposed, n, k, y, lb.ld, x, la.transposed ? la.ld : 1, out, 1);
  } else {
    lapack::gemm(la.transposed, lb.transposed, m, n, k, x, la.ld, y, lb.ld, out, n);
  }
}

[[noreturn]] void fail_alignment(const Array& a, const Array& b) {
  const std::string axis = b.ndim() == 1 ? "0" : std::to_string(b.ndim() - 2);
  throw Error(
      ErrorKind::Value,
      "[matmul] Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
      "(n?,k),(k,m?)->(n?,m?) (size " +
          std::to_string(b.length(std::max(b.ndim() - 2, 0))) + " is different from " +
          std::to_string(a.length(a.ndim() - 1)) + "): the shapes are " + format_shape(a.shape()) +
          " and " + format_shape(b.shape()) +
          "; the last axis of the first must be as long as axis " + axis + " of the second");
}

template <class T>
void run_matmul(Activation& activation, const Operands& operands) {
  const Array given_a = input_array(activation, operands, 0);
  const Array given_b = input_array(activation, operands, 1);
  Array a = given_a.ndim() == 1 ? as_row(given_a) : given_a;
  Array b = given_b.ndim() == 1 ? as_column(given_b) : given_b;
  if (a.length(a.ndim() - 1) != b.length(b.ndim() - 2)) fail_alignment(given_a, given_b);
  std::int64_t m = MatrixStack(a).rows;
  const std::int64_t k = MatrixStack(a).columns, n = MatrixStack(b).columns;
  const std::array batches{MatrixStack(a).batch, MatrixStack(b).batch};
  std::vector<std::int64_t> batch = broadcast_shapes(batches, "matmul");
  std::vector<std::int64_t> shape = batch;
  if (given_a.ndim() > 1) shape.push_back(m);
  if (given_b.ndim() > 1) shape.push_back(n);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, shape);
  const std::int64_t work = work_of({out.size(), std::max<std::int64_t>(k, 1)});
  if (b.ndim() == 2 && a.ndim() > 2 && a.contiguous() && a.size() > 0) {
    // One matrix for the whole stack: the rows of all of it are the rows of one product.
    m = a.size() / k;
    batch.clear();
    const std::int64_t flat[] = {m, k};
    const std::int64_t item = sizeof(T);
    const std::int64_t strides[] = {k * item, item};
    a = a.view(flat, strides, a.data());
  }
  bool plain = true;
  Layout layout_a, layout_b;
  if constexpr (lapack::kKnows<T>) {
    plain = work_of({m, n, k}) <= kPlainProduct;
    if (!plain) {
      a = readable<T>(a, layout_a);
      b = readable<T>(b, layout_b);
    }
  }
  {
    HostLeave leave(*activation.host, work);
    const MatrixStack stack_a(a), stack_b(b);
    std::vector<std::int64_t> out_strides(batch.size());
    std::int64_t step = m * n * static_cast<std::int64_t>(sizeof(T));
    for (std::size_t axis = batch.size(); axis-- > 0; step *= batch[axis]) out_strides[axis] = step;
    StridedWalk walk(
        batch, std::array{StridedWalk::Operand{a.data(), stack_a.batch, stack_a.batch_strides},
                          StridedWalk::Operand{b.data(), stack_b.batch, stack_b.batch_strides},
                          StridedWalk::Operand{out.data(), batch, out_strides}});
    walk.run([&](char* const* pointers, const std::int64_t* steps, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const Matrix x{pointers[0] + i * steps[0], stack_a.row_stride, stack_a.column_stride};
        const Matrix y{pointers[1] + i * steps[1], stack_b.row_stride, stack_b.column_stride};
        T* to = reinterpret_cast<T*>(pointers[2] + i * steps[2]);
        if constexpr (lapack::kKnows<T>) {
          if (!plain) {
            multiply_by_blas(x, layout_a, y, layout_b, to, blas_length("matmul", m),
                             blas_length("matmul", k), blas_length("matmul", n));
            continue;
          }
        }
        multiply_plainly(x, y, to, m, k, n);
      }
    });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

class ProductOp : public ArrayOp, public StatesWork {
 public:
  using ArrayOp::ArrayOp;

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const DType dtype = common_dtype(inputs);
    const Variable checked[] = {cast_now(inputs[0], dtype), cast_now(inputs[1], dtype)};
    for (int i = 0; i < 2; ++i)
      if (inputs[static_cast<std::size_t>(i)].ndim() == 0)
        fail(ErrorKind::Value, "Input operand " + std::to_string(i) +
                                   " does not have enough dimensions: it is 0-d, and a product of "
                                   "matrices needs at least one axis; multiply with * instead");
    StaticShape a = inputs[0].static_shape(), b = inputs[1].static_shape();
    const std::int64_t inner_a = a.back();
    const std::int64_t inner_b = b.size() == 1 ? b[0] : b[b.size() - 2];
    if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
      fail(ErrorKind::Value, "the shapes " + format_shape(a) + " and " + format_shape(b) +
                                 " do not fit (-1: not known): " + std::to_string(inner_a) +
                                 " columns meet " + std::to_string(inner_b) + " rows");
    const auto batch_of = [](const StaticShape& shape) {
      return shape.size() <= 2 ? StaticShape{} : StaticShape(shape.begin(), shape.end() - 2);
    };
    StaticShape shape = broadcast_static(name(), batch_of(a), batch_of(b));
    if (a.size() > 1) shape.push_back(a[a.size() - 2]);
    if (b.size() > 1) shape.push_back(b.back());
    return {Apply::make1(*this, checked, TensorType::of(dtype, shape))};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const Extents &a = input_shapes[0], &b = input_shapes[1];
    const Extents stacks[] = {stack_extents(a), stack_extents(b)};
    Extents shape = broadcast_extents(stacks);
    if (a.size() > 1) shape.push_back(a[a.size() - 2]);
    if (b.size() > 1) shape.push_back(b.back());
    return {shape};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "matmul", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_matmul<T>>(0);
    });
  }

  /// A product and a sum for each term.
  double flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const override {
    if (!is_inexact(node.input(0).dtype())) return 0;
    return 2 * n_elements(outputs[0]) * static_cast<double>(inputs[0].back());
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> gradients) const override {
    const Variable& g = gradients[0];
    if (!g || !is_inexact(node.input(0).dtype())) return {Variable(), Variable()};
    const Variable a = conjugate(node.input(0)), b = conjugate(node.input(1));
    if (a.ndim() == 1 && b.ndim() == 1) return {mul(g, b), mul(g, a)};
    if (a.ndim() == 2 && b.ndim() == 1)
      return {mul(expand_dims(g, {1}), expand_dims(b, {0})), matmul(transpose(a, {1, 0}), g)};
    if (a.ndim() == 1 && b.ndim() == 2)
      return {matmul(b, g), mul(expand_dims(a, {1}), expand_dims(g, {0}))};
    // With vectors as matrices, and what they lack in g put back.
    const Variable rows = a.ndim() == 1 ? expand_dims(a, {0}) : a;
    const Variable columns = b.ndim() == 1 ? add_last(b) : b;
    Variable whole = b.ndim() == 1 ? add_last(g) : g;
    if (a.ndim() == 1) whole = expand_dims(whole, {whole.ndim() - 1});
    Variable to_a = matmul(whole, matrix_transpose(columns));
    Variable to_b = matmul(matrix_transpose(rows), whole);
    if (to_a.ndim() > 2) to_a = unbroadcast(to_a, shape(rows), rows.ndim());
    if (to_b.ndim() > 2) to_b = unbroadcast(to_b, shape(columns), columns.ndim());
    return {a.ndim() == 1 ? squeeze(to_a, {0}) : to_a, b.ndim() == 1 ? drop_last(to_b) : to_b};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const int a_ndim = node.input(0).ndim(), b_ndim = node.input(1).ndim();
    const Variable &a = inputs[0], &b = inputs[1];
    // A batch of vectors meets one matrix: one product of two matrices.
    if (a_ndim == 1 && batched[0] && !batched[1] && b_ndim <= 2) return {matmul(a, b)};
    if (b_ndim == 1 && batched[1] && !batched[0] && a_ndim <= 2)
      return {matmul(b, a_ndim == 1 ? a : transpose(a, {1, 0}))};
    const int ndim = std::max({a_ndim, b_ndim, 2});
    const Variable rows = a_ndim == 1 ? expand_dims(a, {batched[0] ? 1 : 0}) : a;
    const Variable columns = b_ndim == 1 ? add_last(b) : b;
    Variable out = matmul(line_up(rows, batched[0], ndim), line_up(columns, batched[1], ndim));
    if (b_ndim == 1) out = drop_last(out);
    if (a_ndim == 1) out = squeeze(out, {out.ndim() - (b_ndim == 1 ? 1 : 2)});
    return {out};
  }
};

class MatmulOp final : public ProductOp {
 public:
  explicit MatmulOp(const Attributes& attrs) : ProductOp("matmul", attrs) {}
};

class DotOp final : public ProductOp {
 public:
  explicit DotOp(const Attributes& attrs) : ProductOp("dot", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    if (inputs[0].ndim() == 0 || inputs[1].ndim() == 0) return {mul(inputs[0], inputs[1])};
    if (inputs[0].ndim() > 2 || inputs[1].ndim() > 2)
      fail(ErrorKind::Value,
           "takes vectors and matrices, but got a " + inputs[0].type().text() + " and a " +
               inputs[1].type().text() +
               ": use matmul for stacks of matrices, tensordot for sums over other axes");
    return ProductOp::call(inputs);
  }
};

}  // namespace

DECLARE_OP(matmul)
    .comment(
        "Product of matrices, vectors and stacks of matrices, as `numpy.matmul`. A vector is a "
        "row on the left and a column on the right; the axes before the last two broadcast.")
    .family("linear algebra")
    .expose(Exposure::Package)
    .input("a", "a tensor with at least one axis")
    .input("b", "a tensor with at least one axis")
    .output("out", "the products")
    .written({Notation::Kind::Infix, "@", 11})
    .example(
        ">>> a, x = tv.matrix(\"a\"), tv.vector(\"x\")\n"
        ">>> tv.function([a, x], tv.matmul(a, x))([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])\n"
        "array([3., 7.])")
    .made_by<MatmulOp>();

DECLARE_OP(dot)
    .comment("Product of numbers, vectors and matrices, as `numpy.dot`.")
    .family("linear algebra")
    .input("a", "a tensor with at most two axes")
    .input("b", "a tensor with at most two axes")
    .output("out", "the products")
    .expose(Exposure::Method)
    .example(
        ">>> x, y = tv.vector(\"x\"), tv.vector(\"y\")\n"
        ">>> tv.function([x, y], tv.dot(x, y))([1.0, 2.0], [3.0, 4.0])\n"
        "np.float64(11.0)")
    .made_by<DotOp>();

}  // namespace thunkvm
