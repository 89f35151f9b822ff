// test_indexing.cpp: basic indices, partial writes, take and add_at: values, views, memory, errors.
#include "ops/graph/functions.h"
#include "ops/indexing/indexing.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

using Strings = std::vector<std::string>;

Attributes index(Strings items) { return {{"index", std::move(items)}}; }
Variable integer(std::int64_t i) { return Variable::number(i); }
Variable vector(const std::vector<std::int64_t>& values) {
  return Variable::constant(Cell::of_array(vector_of<std::int64_t>(values)));
}

Cell part(const Array& x, Strings items, std::vector<Variable> integers = {}) {
  const Variable v = tensor(x.dtype(), x.ndim());
  integers.insert(integers.begin(), v);
  return evaluate(call_op("subtensor", integers, index(std::move(items))),
                  {{v, Cell::of_array(x)}});
}
Cell written(std::string_view op, const Array& x, const Variable& value, Strings items) {
  const Variable v = tensor(x.dtype(), x.ndim());
  return evaluate(call_op(op, {v, value}, index(std::move(items))), {{v, Cell::of_array(x)}});
}

}  // namespace

TEST_CASE("integers, slices, new axes and an ellipsis") {
  const Array x = counted({2, 3, 4});
  CHECK(part(x, {"1", "-1", "0"}).get<double>() == 20.0);
  CHECK(part(x, {"?", "0", "?"}, {integer(-1), integer(2)}).get<double>() == 14.0);
  CHECK(elements_of<double>(part(x, {"0", "1"})) == std::vector<double>{4, 5, 6, 7});
  CHECK(shape_of(part(x, {"...", "newaxis", "1:3"})) == Lengths{2, 3, 1, 2});
  CHECK(elements_of<double>(part(x, {"1", "0", "::-1"})) == std::vector<double>{15, 14, 13, 12});
  CHECK(elements_of<double>(part(x, {"0", "0", "?:?:?"}, {integer(0), integer(4), integer(3)})) ==
        std::vector<double>{0, 3});
  CHECK(shape_of(part(x, {})) == Lengths{2, 3, 4});
}

TEST_CASE("items are written as they are read") {
  const Strings texts{"3", "-1", "?", "[]", "newaxis", "...", ":", "2:", ":-1", "::2", "?:5:?"};
  const IndexItems items = parse_index("subtensor", texts);
  CHECK(index_texts(items) == texts);
  CHECK(items[3].inputs() == std::vector<std::size_t>{1});
  CHECK(items[10].inputs() == std::vector<std::size_t>{2, 3});
  CHECK(index_texts(parse_index("subtensor", {"::", "1:2:"})) == Strings{":", "1:2"});
}

TEST_CASE("slices clamp as Python's do") {
  const Array x = counted({5});
  CHECK(elements_of<double>(part(x, {"3:100"})) == std::vector<double>{3, 4});
  CHECK(elements_of<double>(part(x, {"-2:"})) == std::vector<double>{3, 4});
  CHECK(elements_of<double>(part(x, {"100::-2"})) == std::vector<double>{4, 2, 0});
  CHECK(elements_of<double>(part(x, {":-100:-3"})) == std::vector<double>{4, 1});
  CHECK(shape_of(part(x, {"4:2"})) == Lengths{0});
  CHECK(shape_of(part(counted({0}), {"::-1"})) == Lengths{0});
  CHECK(elements_of<double>(part(x, {"::9223372036854775807"})) == std::vector<double>{0});
  CHECK(elements_of<double>(part(x, {"::-9223372036854775808"})) == std::vector<double>{4});
}

TEST_CASE("an index is a view") {
  const Array x = counted({4});
  CHECK(part(x, {"1:"}).array().data() == x.data() + 8);
  CHECK(part(x, {"1:"}).array().buffer() == x.buffer());
}

TEST_CASE("lengths that follow from constants are known") {
  const Variable x = Variable::input(TensorType::of(DType::Float64, {5, -1}));
  CHECK(call_op("subtensor", {x}, index({"1::2", "newaxis"})).static_shape() ==
        StaticShape{2, 1, -1});
  CHECK(call_op("subtensor", {x, integer(2)}, index({"?:"})).static_shape() == StaticShape{3, -1});
  CHECK(call_op("subtensor", {x, tensor(DType::Int64, 0)}, index({"?:"})).static_shape() ==
        StaticShape{-1, -1});
  CHECK(error_of([&] { call_op("subtensor", {x}, index({"5"})); }) ==
        "[subtensor] index 5 is out of bounds for axis 0 with size 5");
}

TEST_CASE("indices that do not fit say so in NumPy's words") {
  CHECK(error_of([] { part(counted({3}), {"5"}); }) ==
        "[subtensor] index 5 is out of bounds for axis 0 with size 3");
  CHECK(error_of([] { part(counted({2, 3}), {":", "?"}, {integer(-4)}); }) ==
        "[subtensor] index -4 is out of bounds for axis 1 with size 3");
  CHECK(error_of([] { part(counted({2, 3}), {"0", "0", "0"}); }) ==
        "[subtensor] too many indices for array: array is 2-dimensional, but 3 were indexed");
  CHECK(error_of([] { part(counted({3}), {"::0"}); }) ==
        "[subtensor] slice step cannot be zero (axis 0)");
  CHECK(error_of([] { part(counted({3}), {"...", "..."}); }) ==
        "[subtensor] an index can only have a single ellipsis ('...')");
  CHECK(error_of([] {
          part(counted({3}), {"one"});
        }).starts_with("[subtensor] 'one' is no item of an index"));
  for (const char* item : {"", "[]", "1:2:3:4", "1:x", "??"})
    CHECK(error_of([&] { part(counted({3}), {item}); }) ==
          "[subtensor] '" + std::string(item) +
              "' is no item of an index: use an integer, a slice like '1:5:2' or ':', 'newaxis' or "
              "'...', with '?' for an integer that is an input");
  CHECK(error_of([] { part(counted({3}), {"?"}); }) ==
        "[subtensor] the index ['?'] takes 1 integers as inputs, but got 0");
}

TEST_CASE("partial writes give new arrays") {
  const Array x = counted({2, 3});
  CHECK(elements_of<double>(written("set_subtensor", x, weak_number(9), {"1"})) ==
        std::vector<double>{0, 1, 2, 9, 9, 9});
  CHECK(elements_of<double>(written("inc_subtensor", x,
                                    Variable::constant(Cell::of_array(counted({2, 1}))),
                                    {":", "::-1"})) == std::vector<double>{0, 1, 2, 4, 5, 6});
  CHECK(elements_of<double>(Cell::of_array(x)) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(elements_of<std::int8_t>(
            written("inc_subtensor", vector_of<std::int8_t>({127, 0}), weak_integer(1), {"0"})) ==
        std::vector<std::int8_t>{-128, 0});
  CHECK(written("set_subtensor", counted({}), weak_number(3), {"..."}).get<double>() == 3.0);
}

TEST_CASE("a partial write takes over an array that dies, and no other") {
  const Variable x = tensor(DType::Float64, 1);
  const Variable out = call_op("set_subtensor", {x, weak_number(9)}, index({"0"}));
  const Cell value = out.node()->input(1).constant_value();
  std::vector<Cell> only(2);
  only[0].set_array(counted({3}));
  only[1] = value;
  const char* memory = only[0].array().data();
  const std::vector<Cell> taken = run_kernel(*out.node(), std::move(only), 1);
  CHECK(taken[0].array().data() == memory);
  CHECK(elements_of<double>(taken[0]) == std::vector<double>{9, 1, 2});
  const Array kept = counted({3});
  const std::vector<Cell> copied = run_kernel(*out.node(), {Cell::of_array(kept), value}, 1);
  CHECK(copied[0].array().data() != kept.data());
}

TEST_CASE("a partial write that fails leaves the array as it was") {
  const Variable x = tensor(DType::Float64, 1), i = tensor(DType::Int64, 0);
  const Variable out = call_op("set_subtensor", {x, weak_number(9), i}, index({"?"}));
  const Array array = counted({3});
  CHECK(error_of([&] {
          evaluate(out, {{x, Cell::of_array(array)}, {i, Cell::of(std::int64_t{3})}});
        }) == "[set_subtensor] index 3 is out of bounds for axis 0 with size 3");
  CHECK(elements_of<double>(Cell::of_array(array)) == std::vector<double>{0, 1, 2});
}

TEST_CASE("a value that does not fit is an error") {
  CHECK(error_of([] {
          written("set_subtensor", counted({3}), Variable::constant(Cell::of_array(counted({4}))),
                  {":"});
        })
            .starts_with(
                "[set_subtensor] could not broadcast input array from shape (4,) into shape (3,)"));
  CHECK(error_of(
            [] { written("set_subtensor", vector_of<std::int64_t>({1}), weak_number(0.5), {"0"}); })
            .starts_with("[set_subtensor] a value of dtype float64 does not fit into an array of "
                         "dtype int64"));
}

TEST_CASE("take and add_at") {
  const Variable x = tensor(DType::Float64, 2);
  const Cell at = Cell::of_array(counted({2, 3}));
  const auto take = [&](const Variable& positions, const Attributes& attrs) {
    return elements_of<double>(evaluate(call_op("take", {x, positions}, attrs), {{x, at}}));
  };
  CHECK(take(vector({2, -3}), {{"axis", std::int64_t{1}}}) == std::vector<double>{2, 0, 5, 3});
  CHECK(take(vector({5, 0}), {}) == std::vector<double>{5, 0});
  CHECK(error_of([&] { take(vector({3}), {{"axis", std::int64_t{1}}}); }) ==
        "[take] index 3 is out of bounds for axis 1 with size 3");
  const Variable ones =
      Variable::constant(Cell::of_array(array_of<double>({3, 3}, std::vector<double>(9, 1.0))));
  CHECK(elements_of<double>(evaluate(call_op("add_at", {x, vector({1, 1, -2}), ones}),
                                     {{x, at}})) == std::vector<double>{1, 2, 3, 5, 6, 7});
}
