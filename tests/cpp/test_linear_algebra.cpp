// test_linear_algebra.cpp: products, solutions and factors: values for all layouts and dtypes,
// errors.
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

Cell applied(std::string_view op, const std::vector<Array>& at, const Attributes& attrs = {}) {
  std::vector<Variable> inputs;
  std::vector<std::pair<Variable, Cell>> given;
  for (const Array& a : at) {
    inputs.push_back(tensor(a.dtype(), a.ndim()));
    given.emplace_back(inputs.back(), Cell::of_array(a));
  }
  return evaluate(call_op(op, inputs, attrs), given);
}

/// The same matrix, laid out in all the ways there are.
std::vector<Array> layouts(const Array& x) {
  const std::int64_t rows = x.length(0), columns = x.length(1);
  const auto put = [&](std::int64_t elements, std::int64_t first, std::int64_t row,
                       std::int64_t column) {
    const Array memory = Array::zeros(DType::Float64, Lengths{elements});
    const Array there =
        memory.view(x.shape(), Lengths{8 * row, 8 * column}, memory.data() + 8 * first);
    copy_elements(x, there);
    return there;
  };
  return {x,
          put(rows * columns, 0, 1, rows),                         // Fortran order
          put(rows * (columns + 2), 1, columns + 2, 1),            // rows with gaps
          put((rows + 2) * columns, 1, 1, rows + 2),               // columns with gaps
          put(2 * rows * columns, 0, 2 * columns, 2),              // every second element
          put(rows * columns, rows * columns - 1, -columns, -1)};  // backwards
}

std::vector<double> product_by_hand(const Array& a, const Array& b) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < a.length(0); ++i)
    for (std::int64_t j = 0; j < b.length(1); ++j) {
      double total = 0;
      for (std::int64_t k = 0; k < a.length(1); ++k)
        total +=
            a.data_as<double>()[i * a.length(1) + k] * b.data_as<double>()[k * b.length(1) + j];
      out.push_back(total);
    }
  return out;
}

}  // namespace

TEST_CASE("a product is the same in every layout, small and large") {
  struct Sizes {
    std::int64_t m, k, n;
  };
  for (const Sizes& s :
       {Sizes{2, 3, 4}, Sizes{1, 30, 40}, Sizes{30, 40, 1}, Sizes{20, 1, 30}, Sizes{17, 33, 9}}) {
    const Array a = counted({s.m, s.k}), b = counted({s.k, s.n});
    const std::vector<double> expected = product_by_hand(a, b);
    for (const Array& left : layouts(a))
      for (const Array& right : layouts(b)) {
        CAPTURE(s.m);
        CAPTURE(s.n);
        CHECK(elements_of<double>(applied("matmul", {left, right})) == expected);
      }
  }
}

TEST_CASE("products of vectors, and of nothing") {
  CHECK(applied("dot", {counted({4}), counted({4})}).get<double>() == 14.0);
  CHECK(elements_of<double>(applied("matmul", {counted({3}), counted({3, 2})})) ==
        std::vector<double>{10, 13});
  CHECK(elements_of<double>(applied("matmul", {counted({2, 3}), counted({3})})) ==
        std::vector<double>{5, 14});
  CHECK(applied("matmul", {counted({0}), counted({0})}).get<double>() == 0.0);
  CHECK(elements_of<double>(applied("matmul", {counted({2, 0}), counted({0, 2})})) ==
        std::vector<double>(4, 0.0));
  CHECK(shape_of(applied("matmul", {counted({0, 3}), counted({3, 2})})) == Lengths{0, 2});
}

TEST_CASE("stacks broadcast") {
  const Cell out = applied("matmul", {counted({2, 1, 2, 3}), counted({3, 3, 1})});
  CHECK(shape_of(out) == Lengths{2, 3, 2, 1});
  CHECK(elements_of<double>(out) ==
        std::vector<double>{5, 14, 14, 50, 23, 86, 23, 32, 86, 122, 149, 212});
  CHECK(shape_of(applied("matmul", {counted({4, 2, 3}), counted({3})})) == Lengths{4, 2});
  CHECK(error_of([] {
          applied("matmul", {counted({2, 2, 3}), counted({3, 3, 2})});
        }).starts_with("[matmul]"));
}

TEST_CASE("products of integers are exact, of bools logical, of float16 taken in float32") {
  const std::int64_t big = (std::int64_t{1} << 62) + 1;
  CHECK(applied("dot", {vector_of<std::int64_t>({big, 1}), vector_of<std::int64_t>({1, 1})})
            .get<std::int64_t>() == big + 1);
  CHECK(applied("dot", {vector_of<std::uint8_t>({16, 0}), vector_of<std::uint8_t>({16, 1})})
            .get<std::uint8_t>() == 0);
  const Array truths = Array::allocate(DType::Bool, Lengths{2});
  truths.data_as<bool>()[0] = truths.data_as<bool>()[1] = true;
  CHECK(applied("dot", {truths, truths}).get<bool>() == true);
  const Array halves = vector_of<Half>(std::vector<Half>(4096, Half(1.0f)));
  CHECK(static_cast<float>(applied("dot", {halves, halves}).get<Half>()) == 4096.0f);
}

TEST_CASE("products of complex numbers do not conjugate") {
  const Array i = vector_of<Complex128>({{0, 1}});
  CHECK(applied("dot", {i, i}).get<Complex128>() == Complex128(-1, 0));
}

TEST_CASE("shapes that do not fit a product are named") {
  CHECK(error_of([] { applied("matmul", {counted({2, 3}), counted({2, 3})}); })
            .starts_with("[matmul] Input operand 1 has a mismatch in its core dimension 0, with "
                         "gufunc signature "
                         "(n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)"));
  CHECK(error_of([] {
          matmul(tensor(DType::Float64, 0), tensor(DType::Float64, 2));
        }).starts_with("[matmul] Input operand 0 does not have enough dimensions"));
  CHECK(error_of([] {
          call_op("dot", {tensor(DType::Float64, 3), tensor(DType::Float64, 2)});
        }).starts_with("[dot] takes vectors and matrices"));
}

TEST_CASE("solve takes vectors, matrices and stacks, in any layout") {
  const Array a = array_of<double>({2, 2}, {0, 2, 4, 0});
  for (const Array& layout : layouts(a))
    CHECK(elements_of<double>(applied("solve", {layout, vector_of<double>({2, 8})})) ==
          std::vector<double>{2, 1});
  CHECK(elements_of<double>(applied("solve", {a, array_of<double>({2, 2}, {2, 4, 8, 4})})) ==
        std::vector<double>{2, 1, 1, 2});
  const Array stack = array_of<double>({2, 2, 2}, {0, 2, 4, 0, 1, 0, 0, 1});
  CHECK(elements_of<double>(applied("solve", {stack, vector_of<double>({2, 8})})) ==
        std::vector<double>{2, 1, 2, 8});
  CHECK(shape_of(applied("solve", {counted({0, 0}), counted({0, 3})})) == Lengths{0, 3});
  const Array unit = array_of<Complex64>({1, 1}, {{0, 1}});
  CHECK(elements_of<Complex64>(applied("solve", {unit, vector_of<Complex64>({{1, 0}})})) ==
        std::vector<Complex64>{{0, -1}});
  CHECK(call_op("solve", {tensor(DType::Int64, 2), tensor(DType::Int64, 1)}).dtype() ==
        DType::Float64);
}

TEST_CASE("a matrix that cannot be solved is a LinAlgError that says where") {
  const Array singular = array_of<double>({3, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1});
  const Variable a = tensor(DType::Float64, 2), b = tensor(DType::Float64, 1);
  try {
    evaluate(call_op("solve", {a, b}),
             {{a, Cell::of_array(singular)}, {b, Cell::of_array(counted({3}))}});
    FAIL("a singular matrix was solved");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::LinAlg);
    CHECK(
        std::string(error.what())
            .starts_with("[solve] the matrix is singular: U[2, 2] is exactly zero (shape (3, 3))"));
  }
  CHECK(error_of([&] { applied("inv", {singular}); }).starts_with("[inv] the matrix is singular"));
  CHECK(applied("det", {singular}).get<double>() == 0.0);
  CHECK(error_of([] {
          applied("solve", {counted({2, 3}), counted({2})});
        }).starts_with("[solve] Last 2 dimensions of the array must be square"));
  CHECK(error_of([] { applied("solve", {counted({2, 2}), counted({3})}); })
            .starts_with("[solve] Input operand 1 has a mismatch in its core dimension 0, with "
                         "gufunc signature "
                         "(m,m),(m)->(m) (size 3 is different from 2)"));
  CHECK(error_of([] {
          call_op("inv", {tensor(DType::Float16, 2)});
        }).starts_with("[inv] array type float16 is unsupported in linear algebra"));
}

TEST_CASE("triangular systems read one triangle") {
  const double nan = std::nan("");
  const Array lower = array_of<double>({2, 2}, {2, nan, 1, 4}),
              upper = array_of<double>({2, 2}, {2, 1, nan, 4});
  const Array b = vector_of<double>({2, 9});
  CHECK(elements_of<double>(applied("solve_triangular", {lower, b})) == std::vector<double>{1, 2});
  CHECK(elements_of<double>(
            applied("solve_triangular", {upper, b}, {{"lower", false}, {"transposed", true}})) ==
        std::vector<double>{1, 2});
  CHECK(elements_of<double>(applied("solve_triangular", {lower, b}, {{"unit_diagonal", true}})) ==
        std::vector<double>{2, 7});
  CHECK(error_of([] {
          applied("solve_triangular", {counted({2, 2}), counted({2})});
        }).starts_with("[solve_triangular] the matrix is singular: a[0, 0] is exactly zero"));
}

TEST_CASE("inverse and determinant") {
  CHECK(elements_of<double>(applied("inv", {array_of<double>({2, 2}, {0, 2, 4, 0})})) ==
        std::vector<double>{0, 0.25, 0.5, 0});
  CHECK(elements_of<double>(
            applied("det", {array_of<double>({2, 2, 2}, {0, 2, 4, 0, 3, 0, 0, 1})})) ==
        std::vector<double>{-8, 3});
  CHECK(applied("det", {counted({0, 0})}).get<double>() == 1.0);
}

TEST_CASE("the Cholesky factor of one triangle") {
  const Array a = array_of<double>({2, 2}, {4, 99, 2, 5});
  CHECK(elements_of<double>(applied("cholesky", {a})) == std::vector<double>{2, 0, 1, 2});
  const Array upper = array_of<double>({2, 2}, {4, 2, 99, 5});
  CHECK(elements_of<double>(applied("cholesky", {upper}, {{"lower", false}})) ==
        std::vector<double>{2, 1, 0, 2});
  const Array hermitian = array_of<Complex128>({2, 2}, {{1, 0}, {0, -2}, {0, 2}, {8, 0}});
  CHECK(elements_of<Complex128>(applied("cholesky", {hermitian})) ==
        std::vector<Complex128>{{1, 0}, {0, 0}, {0, 2}, {2, 0}});
  CHECK(shape_of(applied("cholesky", {counted({3, 0, 0})})) == Lengths{3, 0, 0});
  CHECK(error_of([] { applied("cholesky", {array_of<double>({2, 2}, {1, 2, 2, 1})}); })
            .starts_with(
                "[cholesky] the matrix is not positive definite: the leading minor of order 2"));
}
