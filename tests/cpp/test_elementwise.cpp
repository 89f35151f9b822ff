// What all elementwise Ops share: which loop they pick, how they broadcast, whose memory they take.
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace thunkvm;

namespace {

Variable scalar(DType dtype) { return Variable::input(TensorType::scalar(dtype)); }

/// The kernel of -x, with registers of its own: x, and the result.
struct NegKernel {
  explicit NegKernel(Array x) : cells{Cell::of_array(std::move(x)), Cell()} {
    operands.registers = registers;
    operands.n_inputs = 1;
    operands.n_outputs = 1;
    operands.state = code.state.get();
    activation.cells = cells;
    activation.host = &host;
  }
  Status run() { return code.eager(activation, operands); }

  const Variable y = -tensor(DType::Float64, 1);
  const ThunkCode code = y.node()->op()->kernel(*y.node());
  Cell cells[2];
  const std::uint32_t registers[2] = {0, 1};
  Operands operands;
  Host host;
  Activation activation;
};

}  // namespace

TEST_CASE("strong dtypes are promoted, and a Python number yields to them") {
  CHECK(add(scalar(DType::Int32), scalar(DType::UInt32)).dtype() == DType::Int64);
  CHECK(add(scalar(DType::Float32), scalar(DType::Int64)).dtype() == DType::Float64);
  CHECK(add(scalar(DType::Float32), weak_number(2.0)).dtype() == DType::Float32);
  CHECK(add(scalar(DType::Int8), weak_integer(2)).dtype() == DType::Int8);
  CHECK(add(scalar(DType::Int8), weak_number(2.5)).dtype() == DType::Float64);
  CHECK(add(weak_integer(1), weak_number(2.5)).dtype() == DType::Float64);
}

TEST_CASE("a float function of integers is computed in the float dtype that NumPy picks") {
  CHECK(exp(scalar(DType::Bool)).dtype() == DType::Float16);
  CHECK(exp(scalar(DType::Int8)).dtype() == DType::Float16);
  CHECK(exp(scalar(DType::UInt16)).dtype() == DType::Float32);
  CHECK(exp(scalar(DType::Int32)).dtype() == DType::Float64);
  CHECK(call_op("arctan2", {scalar(DType::Int8), scalar(DType::UInt8)}).dtype() == DType::Float16);
  CHECK(true_div(scalar(DType::Int8), scalar(DType::Int8)).dtype() == DType::Float64);
  CHECK(call_op("floor_div", {scalar(DType::Bool), scalar(DType::Bool)}).dtype() == DType::Int8);
}

TEST_CASE("what has no loop is a TypeError that names the Op and what it computes in") {
  const std::string message = error_of([] { call_op("floor", {scalar(DType::Complex128)}); });
  CHECK(message.find("[floor] is not defined for complex128") != std::string::npos);
  CHECK(message.find("float16, float32 and float64") != std::string::npos);
  CHECK(error_of([] { sub(scalar(DType::Bool), scalar(DType::Bool)); }).find("bitwise_xor") !=
        std::string::npos);
  CHECK(error_of([] { call_op("add", {scalar(DType::Int8)}); }) ==
        "[add] takes the inputs (x, y), not 1 of them");
}

TEST_CASE("a Python integer that does not fit is an error, unless the Op compares") {
  CHECK(error_of([] {
          add(scalar(DType::UInt8), weak_integer(300));
        }).find("[add] Python integer 300 out of bounds for uint8") != std::string::npos);
  const Variable x = scalar(DType::UInt64);
  CHECK(evaluate(gt(x, weak_integer(-1)), {{x, Cell::of(std::uint64_t{0})}}).get<bool>());
}

TEST_CASE("whole and real inputs are their own floor, conjugate and magnitude: no node is made") {
  const Variable x = scalar(DType::UInt8);
  CHECK(call_op("floor", {x}) == x);
  CHECK(call_op("round", {x}) == x);
  CHECK(call_op("conj", {x}) == x);
  CHECK(call_op("real", {x}) == x);
  CHECK(call_op("abs", {x}) == x);
}

TEST_CASE("a number beside an array is broadcast") {
  const Variable x = tensor(DType::Float64, 1);
  const Cell value = Cell::of_array(vector_of<double>({1, 2, 3}));
  CHECK(elements_of<double>(evaluate(x * 2.0, {{x, value}})) == std::vector<double>{2, 4, 6});
  CHECK(elements_of<double>(evaluate(1.0 - x, {{x, value}})) == std::vector<double>{0, -1, -2});
}

TEST_CASE("a row and a column give a matrix") {
  const Variable row = Variable::input(TensorType::of(DType::Int64, {1, kUnknownLength}));
  const Variable column = Variable::input(TensorType::of(DType::Int64, {kUnknownLength, 1}));
  const std::int64_t row_shape[] = {1, 3};
  const std::int64_t column_shape[] = {2, 1};
  const Array r = vector_of<std::int64_t>({1, 2, 3});
  const Array c = vector_of<std::int64_t>({10, 20});
  const std::int64_t row_strides[] = {24, 8};
  const std::int64_t column_strides[] = {8, 8};
  const Variable total = row + column;
  CHECK(total.static_shape() == StaticShape{kUnknownLength, kUnknownLength});
  const Cell result =
      evaluate(total, {{row, Cell::of_array(r.view(row_shape, row_strides, r.data()))},
                       {column, Cell::of_array(c.view(column_shape, column_strides, c.data()))}});
  CHECK(elements_of<std::int64_t>(result) == std::vector<std::int64_t>{11, 12, 13, 21, 22, 23});
}

TEST_CASE("arrays are read with their strides: backwards, and with an element repeated") {
  const Array memory = vector_of<double>({1, 2, 3, 4});
  const std::int64_t shape[] = {4};
  const std::int64_t backwards[] = {-8};
  const std::int64_t repeated[] = {0};
  const Variable x = tensor(DType::Float64, 1);
  const Variable y = tensor(DType::Float64, 1);
  const Cell result =
      evaluate(x - y, {{x, Cell::of_array(memory.view(shape, backwards, memory.data() + 24))},
                       {y, Cell::of_array(memory.view(shape, repeated, memory.data()))}});
  CHECK(elements_of<double>(result) == std::vector<double>{3, 2, 1, 0});
}

TEST_CASE(
    "shapes that do not fit are named: while building where they are known, else in the call") {
  const Variable two = Variable::input(TensorType::of(DType::Float64, {2}));
  const Variable three = Variable::input(TensorType::of(DType::Float64, {3}));
  CHECK_THROWS_AS(add(two, three), Error);
  const Variable x = tensor(DType::Float64, 1);
  const Variable y = tensor(DType::Float64, 1);
  const std::string message = error_of([&] {
    evaluate(x + y, {{x, Cell::of_array(vector_of<double>({1, 2}))},
                     {y, Cell::of_array(vector_of<double>({1, 2, 3}))}});
  });
  CHECK(message == "[add] operands could not be broadcast together with shapes (2,) (3,)");
}

TEST_CASE("an empty array gives an empty array") {
  const Variable x = tensor(DType::Float64, 1);
  const Cell empty = Cell::of_array(vector_of<double>({}));
  CHECK(evaluate(x + 1.0, {{x, empty}}).array().size() == 0);
}

TEST_CASE("a dying input's memory becomes the output's") {
  const Variable x = tensor(DType::Float64, 1);
  const Variable y = x * 2.0;
  std::vector<Cell> inputs(2);
  inputs[0] = Cell::of_array(vector_of<double>({1, 2, 3}));
  inputs[1] = Cell::of(2.0);
  const char* memory = inputs[0].body()->data;
  const Cell result = run_kernel(*y.node(), std::move(inputs), /*dying=*/1)[0];
  CHECK(result.body()->data == memory);
  CHECK(elements_of<double>(result) == std::vector<double>{2, 4, 6});
}

TEST_CASE("memory that somebody else sees, or of another dtype, is not taken") {
  const Variable x = tensor(DType::Float64, 1);
  const Array kept = vector_of<double>({1, 2, 3});
  const Cell doubled = run_kernel(*(x * 2.0).node(), {Cell::of_array(kept), Cell::of(2.0)}, 1)[0];
  CHECK(elements_of<double>(Cell::of_array(kept)) == std::vector<double>{1, 2, 3});
  CHECK(elements_of<double>(doubled) == std::vector<double>{2, 4, 6});
  const Cell compared =
      run_kernel(*gt(x, weak_number(2.0)).node(),
                 {Cell::of_array(vector_of<double>({1, 2, 3})), Cell::of(2.0)}, 1)[0];
  CHECK(elements_of<bool>(compared) == std::vector<bool>{false, false, true});
}

TEST_CASE("without a vector function, a number and an array of it give the same bits") {
  const Variable x = scalar(DType::Float32);
  const Variable xs = tensor(DType::Float32, 1);
  for (const char* op : {"sqrt", "reciprocal", "square", "gammaln", "digamma", "floor"}) {
    for (const std::size_t n : {1u, 3u, 17u}) {
      const Cell many = evaluate(call_op(op, {xs}),
                                 {{xs, Cell::of_array(vector_of(std::vector<float>(n, 0.7f)))}});
      const float one = evaluate(call_op(op, {x}), {{x, Cell::of(0.7f)}}).get<float>();
      CAPTURE(std::string(op));
      CHECK(elements_of<float>(many) == std::vector<float>(n, one));
    }
  }
}

TEST_CASE("a float16 is rounded once") {
  const Variable x = scalar(DType::Float16);
  // 2048 + 1.5 = 2049.5 is between 2048 and 2050; 0.1 is not what 0.1 is in float32.
  const Half sum = evaluate(x + 1.5, {{x, Cell::of(Half(2048.0f))}}).get<Half>();
  CHECK(static_cast<float>(sum) == 2050.0f);
  const Half cubed = evaluate(pow(x, weak_number(3.0)), {{x, Cell::of(Half(10.0f))}}).get<Half>();
  CHECK(static_cast<float>(cubed) == 1000.0f);
}

TEST_CASE("a complex128 number lives in a 0-d array") {
  const Variable z = scalar(DType::Complex128);
  const Cell value = Cell::of(Complex128(3.0, 4.0));
  CHECK(evaluate(call_op("abs", {z}), {{z, value}}).get<double>() == 5.0);
  const Cell product = evaluate(z * z, {{z, value}});
  CHECK(product.is_array());
  CHECK(product.get<Complex128>() == Complex128(-7.0, 24.0));
}

TEST_CASE("a long kernel asks for a look at Ctrl-C") {
  for (const std::int64_t n : {std::int64_t{100}, std::int64_t{1} << 20}) {
    NegKernel neg(Array::zeros(DType::Float64, {&n, 1}));
    CHECK(neg.run() == Status::Done);
    CHECK(neg.activation.poll == (n > 100));
  }
}

TEST_CASE("in the nogc modes an output's memory is written again, if nobody else has it") {
  NegKernel neg(vector_of<double>({1, 2}));
  neg.activation.retain_intermediates = true;
  REQUIRE(neg.run() == Status::Done);
  const char* first = neg.cells[1].body()->data;
  REQUIRE(neg.run() == Status::Done);
  CHECK(neg.cells[1].body()->data == first);
  const Cell held = neg.cells[1];
  REQUIRE(neg.run() == Status::Done);
  CHECK(neg.cells[1].body()->data != first);
  CHECK(elements_of<double>(held) == std::vector<double>{-1, -2});
}
