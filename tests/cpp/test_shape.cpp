// test_shape.cpp: shapes, views, joins and diagonals: values, what is a view, static shapes,
// errors.
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

Variable vector(const std::vector<std::int64_t>& values) {
  return Variable::constant(Cell::of_array(vector_of<std::int64_t>(values)));
}
Variable typed(const StaticShape& shape) {
  return Variable::input(TensorType::of(DType::Float64, shape));
}

/// What the Op makes of x, and of further constant inputs.
Cell applied(std::string_view op, const Array& x, std::vector<Variable> rest = {},
             const Attributes& attrs = {}) {
  const Variable v = tensor(x.dtype(), x.ndim());
  rest.insert(rest.begin(), v);
  return evaluate(call_op(op, rest, attrs), {{v, Cell::of_array(x)}});
}

Array transposed(const Array& x) {
  const Lengths shape(x.shape().rbegin(), x.shape().rend());
  const Lengths strides(x.strides().rbegin(), x.strides().rend());
  return x.view(shape, strides, x.data());
}

}  // namespace

TEST_CASE("a known shape is a constant, which demands nothing") {
  CHECK(shape(typed({2, 3})).is_constant());
  CHECK(elements_of<std::int64_t>(shape(typed({2, 3})).constant_value()) == Lengths{2, 3});
  CHECK(!shape(typed({2, -1})).is_constant());
  CHECK(elements_of<std::int64_t>(applied("shape", counted({2, 0, 3}))) == Lengths{2, 0, 3});
  CHECK(applied("size", counted({2, 3})).get<std::int64_t>() == 6);
}

TEST_CASE("reshape of dense and of strided arrays is a view where one exists") {
  const Array x = counted({2, 3, 4});
  const Cell flat = applied("reshape", x, {vector({-1})});
  CHECK(flat.array().data() == x.data());
  CHECK(shape_of(flat) == Lengths{24});
  // Every second row: the last two axes still merge, the first two do not.
  const Array rows = x.view(Lengths{2, 2, 4}, Lengths{96, 64, 8}, x.data());
  const Cell split = applied("reshape", rows, {vector({2, 2, 2, 2})});
  CHECK(split.array().data() == x.data());
  CHECK(elements_of<double>(split) == elements_of<double>(Cell::of_array(rows)));
  const Cell copied = applied("reshape", rows, {vector({16})});
  CHECK(copied.array().buffer() != x.buffer());
  CHECK(elements_of<double>(copied) == elements_of<double>(Cell::of_array(rows)));
}

TEST_CASE("reshape of a Fortran-order array keeps C order of the elements") {
  const Cell out = applied("reshape", transposed(counted({2, 3})), {vector({2, 3})});
  CHECK(elements_of<double>(out) == std::vector<double>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("reshape of empty arrays, and between 0-d and others") {
  CHECK(shape_of(applied("reshape", counted({0, 3}), {vector({3, 0, 2})})) == Lengths{3, 0, 2});
  CHECK(shape_of(applied("reshape", counted({}), {vector({1, 1})})) == Lengths{1, 1});
  CHECK(applied("reshape", counted({1, 1}), {vector({})}, {{"ndim", std::int64_t{0}}}).is_scalar());
}

TEST_CASE("reshape says what does not fit") {
  CHECK(error_of([] {
          applied("reshape", counted({6}), {vector({4})});
        }).starts_with("[reshape] cannot reshape array of size 6 into shape (4,)"));
  CHECK(error_of([] {
          applied("reshape", counted({6}), {vector({4, -1})});
        }).starts_with("[reshape] cannot reshape array of size 6 into shape (4,newaxis)"));
  CHECK(error_of([] {
          applied("reshape", counted({6}), {vector({-1, -1})});
        }).starts_with("[reshape] can only specify one unknown dimension"));
  CHECK(error_of([] {
          reshape(typed({2, 3}), vector({4}), 1);
        }).starts_with("[reshape] cannot reshape"));
}

TEST_CASE("static shapes follow through reshape, broadcast and joins") {
  CHECK(reshape(typed({2, 3}), vector({-1}), 1).static_shape() == StaticShape{6});
  CHECK(reshape(typed({2, -1}), vector({4, -1}), 2).static_shape() == StaticShape{4, -1});
  const Variable lengths =
      call_op("stack", {Variable::number(std::int64_t{5}), tensor(DType::Int64, 0)});
  CHECK(reshape(tensor(DType::Float64, 1), lengths, 2).static_shape() == StaticShape{5, -1});
  CHECK(broadcast_to(typed({3, 1}), tensor(DType::Int64, 1), 3).static_shape() ==
        StaticShape{-1, 3, -1});
  CHECK(call_op("concatenate", {typed({2, 3}), typed({-1, 3})}).static_shape() ==
        StaticShape{-1, 3});
  CHECK(call_op("concatenate", {typed({2, -1}), typed({4, 3})}).static_shape() ==
        StaticShape{6, 3});
  CHECK(call_op("stack", {typed({2, -1}), typed({-1, 3})}, {{"axis", std::int64_t{-1}}})
            .static_shape() == StaticShape{2, 3, 2});
}

TEST_CASE("broadcast_to is a view") {
  const Array x = counted({3, 1});
  const Cell out = applied("broadcast_to", x, {vector({2, 3, 2})});
  CHECK(out.array().data() == x.data());
  CHECK(elements_of<double>(out) == std::vector<double>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  CHECK(error_of([] {
          applied("broadcast_to", counted({3}), {vector({2, 4})});
        }).starts_with("[broadcast_to] operands could not be broadcast together"));
}

TEST_CASE("unbroadcast sums down, and is its input where nothing is to be summed") {
  const Array x = counted({2, 3});
  CHECK(elements_of<double>(applied("unbroadcast", x, {vector({3})})) ==
        std::vector<double>{3, 5, 7});
  CHECK(elements_of<double>(applied("unbroadcast", x, {vector({2, 1})})) ==
        std::vector<double>{3, 12});
  CHECK(applied("unbroadcast", x, {vector({})}).get<double>() == 15.0);
  CHECK(applied("unbroadcast", x, {vector({2, 3})}).array().data() == x.data());
  CHECK(error_of([&] { applied("unbroadcast", x, {vector({2})}); }).starts_with("[unbroadcast]"));
  const Variable known = typed({2, 3});
  CHECK(unbroadcast(known, vector({2, 3}), 2) == known);
}

TEST_CASE("transpose, expand_dims and squeeze are views") {
  const Array x = counted({2, 3});
  CHECK(elements_of<double>(applied("transpose", x)) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(shape_of(applied("expand_dims", x, {}, {{"axis", Axes{0, -1}}})) == Lengths{1, 2, 3, 1});
  CHECK(shape_of(applied("squeeze", counted({1, 3, 1}), {}, {{"axis", Axes{0}}})) == Lengths{3, 1});
  CHECK(shape_of(applied("expand_dims", counted({}), {}, {{"axis", Axes{0}}})) == Lengths{1});
  CHECK(error_of([&] { applied("squeeze", x, {}, {{"axis", Axes{0}}}); })
            .starts_with(
                "[squeeze] cannot select an axis to squeeze out which has size not equal to one"));
  CHECK(error_of([&] {
          applied("transpose", x, {}, {{"axes", Axes{0}}});
        }).starts_with("[transpose] axes don't match array"));
  CHECK(error_of([&] {
          applied("transpose", x, {}, {{"axes", Axes{0, 0}}});
        }).starts_with("[transpose] duplicate value in 'axis'"));
}

TEST_CASE("joins of strided, empty and 0-d arrays") {
  const Variable a = tensor(DType::Float64, 2), b = tensor(DType::Float64, 2);
  const Variable joined = call_op("concatenate", {a, b}, {{"axis", std::int64_t{1}}});
  CHECK(elements_of<double>(evaluate(joined, {{a, Cell::of_array(transposed(counted({3, 2})))},
                                              {b, Cell::of_array(counted({2, 1}))}})) ==
        std::vector<double>{0, 2, 4, 0, 1, 3, 5, 1});
  CHECK(elements_of<double>(evaluate(joined, {{a, Cell::of_array(counted({2, 0}))},
                                              {b, Cell::of_array(counted({2, 1}))}})) ==
        std::vector<double>{0, 1});
  CHECK(error_of([&] {
          evaluate(joined,
                   {{a, Cell::of_array(counted({2, 3}))}, {b, Cell::of_array(counted({1, 3}))}});
        })
            .starts_with("[concatenate] all the input array dimensions except for the "
                         "concatenation axis must match"));
  const Variable x = tensor(DType::Float32, 0), y = tensor(DType::Float32, 0);
  CHECK(elements_of<float>(
            evaluate(call_op("stack", {x, y}), {{x, Cell::of(1.0f)}, {y, Cell::of(2.0f)}})) ==
        std::vector<float>{1, 2});
}

TEST_CASE("joins promote their dtypes, and Python numbers yield") {
  CHECK(call_op("stack", {tensor(DType::Int8, 0), tensor(DType::Float32, 0)}).dtype() ==
        DType::Float32);
  CHECK(call_op("stack", {tensor(DType::Float32, 0), weak_number(2.0)}).dtype() == DType::Float32);
  CHECK(call_op("stack", {weak_integer(1), weak_number(2.0)}).dtype() == DType::Float64);
}

TEST_CASE("diagonals and triangles") {
  const Array x = counted({2, 3});
  CHECK(elements_of<double>(applied("diagonal", x, {}, {{"offset", std::int64_t{1}}})) ==
        std::vector<double>{1, 5});
  CHECK(shape_of(applied("diagonal", x, {}, {{"offset", std::int64_t{-2}}})) == Lengths{0});
  CHECK(elements_of<double>(applied("tril", x)) == std::vector<double>{0, 0, 0, 3, 4, 0});
  CHECK(elements_of<double>(applied("triu", x, {}, {{"k", std::int64_t{1}}})) ==
        std::vector<double>{0, 1, 2, 0, 0, 5});
  CHECK(elements_of<double>(applied("diag", counted({2}), {}, {{"k", std::int64_t{1}}})) ==
        std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0});
  CHECK(applied("trace", counted({2, 2})).get<double>() == 3.0);
}

TEST_CASE("a cast keeps the values that fit") {
  const Cell out = applied("cast", vector_of<double>({1.9, -1.9}), {}, {{"dtype", DType::Int8}});
  CHECK(elements_of<std::int8_t>(out) == std::vector<std::int8_t>{1, -1});
  const Variable x = tensor(DType::Float64, 1);
  CHECK(cast(x, DType::Float64) == x);
}

TEST_CASE("full, arange and eye") {
  const Variable n = tensor(DType::Int64, 0);
  const Variable sevens = full(call_op("stack", {n, n}), weak_integer(7), 2, DType::Float32);
  CHECK(elements_of<float>(evaluate(sevens, {{n, Cell::of(std::int64_t{2})}})) ==
        std::vector<float>(4, 7.0f));
  CHECK(full(vector({}), weak_number(1.5), 0, DType::Float64).static_shape().empty());
  const auto integer = [](std::int64_t i) { return Variable::number(i); };
  const Variable down = call_op("arange", {integer(5), integer(-1), integer(-2)});
  CHECK(down.static_shape() == StaticShape{3});
  CHECK(elements_of<std::int64_t>(evaluate(down)) == Lengths{5, 3, 1});
  const Variable tenths =
      call_op("arange", {Variable::number(0.0), Variable::number(1.0), Variable::number(0.1)});
  CHECK(tenths.static_shape() == StaticShape{10});
  CHECK(elements_of<double>(evaluate(tenths))[3] == 0.30000000000000004);
  CHECK(shape_of(evaluate(call_op("arange", {integer(3), integer(3), integer(1)}))) == Lengths{0});
  CHECK(error_of([&] { call_op("arange", {integer(0), integer(1), integer(0)}); }) ==
        "[arange] division by zero: step is 0");
  CHECK(elements_of<double>(
            evaluate(call_op("eye", {integer(2), integer(3)}, {{"k", std::int64_t{1}}}))) ==
        std::vector<double>{0, 1, 0, 0, 0, 1});
}
