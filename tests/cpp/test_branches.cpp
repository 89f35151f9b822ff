// test_branches.cpp: branches of a program, their selectors, and moves.
#include "tests/cpp/assembler.h"
#include "vm/interpreter.h"
#include "vm/selector.h"
#include "vm/verify/verifier.h"

#include <doctest/doctest.h>

#include <limits>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

TEST_CASE("a branch runs the arm that its selector picks and no other") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), y = b.output("y");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index counter = b.branch("ifelse", c, {no, yes});
  b.place(no);
  b.thunk("double", {x, x}, {y}, sum);
  b.jump(end);
  b.place(yes);
  b.thunk("square", {x, x}, {y}, product);
  b.place(end);
  b.halt();
  Machine machine(b.build());

  CHECK(machine.call_with({Cell::of(true), Cell::of(5.0)}) == Values{25.0});
  CHECK(machine.runs("double") == 0);
  CHECK(machine.call_with({Cell::of(false), Cell::of(5.0)}) == Values{10.0});
  CHECK(machine.call_with({Cell::of(false), Cell::of(6.0)}) == Values{12.0});
  CHECK(machine.runs("double") == 2);
  CHECK(machine.runs("square") == 1);
  CHECK(machine.frame.counters()[counter] == 2);
  CHECK(machine.frame.counters()[counter + 1] == 1);
}

TEST_CASE("a failing selector names the conditional and leaves nothing behind") {
  ProgramBuilder b;
  const Index c = b.input("c"), y = b.output("y");
  const Index end = b.label();
  b.thunk("one", {}, {y}, product);
  b.branch("ifelse", c, {end, end});
  b.place(end);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({std::numeric_limits<double>::quiet_NaN()}).empty());
  CHECK(machine.node == "ifelse");
  CHECK(machine.kind == ErrorKind::Value);
  CHECK(has(machine.error, "NaN"));
  CHECK(machine.frame.empty());
  CHECK(machine.call({0.0}) == Values{1.0});
}

TEST_CASE("a truth value is read from every kind of number") {
  const auto truth = [](Cell cell) { return decode_selector(cell, Decoding::Truth, 2); };
  CHECK(truth(Cell::of(true)) == 1);
  CHECK(truth(Cell::of(false)) == 0);
  CHECK(truth(Cell::of(std::int8_t{-3})) == 1);
  CHECK(truth(Cell::of(std::uint64_t{0})) == 0);
  CHECK(truth(Cell::of(-0.0)) == 0);
  CHECK(truth(Cell::of(0.5f)) == 1);
  CHECK(truth(Cell::of(Half(0.25f))) == 1);
  CHECK(truth(Cell::of(Complex64(0, 2))) == 1);
  CHECK(truth(Cell::of(Complex128(0, 0))) == 0);
  const Array one = Array::zeros(DType::Int32, std::vector<std::int64_t>{1, 1});
  CHECK(truth(Cell::of_array(one)) == 0);
  one.data_as<std::int32_t>()[0] = 7;
  CHECK(truth(Cell::of_array(one)) == 1);
}

TEST_CASE("an index picks its arm, and a default takes what is out of range") {
  const auto index = [](Cell cell) { return decode_selector(cell, Decoding::Index, 3); };
  const auto or_default = [](Cell cell) {
    return decode_selector(cell, Decoding::IndexOrDefault, 3);
  };
  CHECK(index(Cell::of(std::int64_t{2})) == 2);
  CHECK(index(Cell::of(std::uint8_t{1})) == 1);
  CHECK(index(Cell::of(true)) == 1);
  CHECK(index(Cell::of(2.0)) == 2);
  CHECK(or_default(Cell::of(std::int64_t{1})) == 1);
  CHECK(or_default(Cell::of(std::int64_t{2})) == 2);
  CHECK(or_default(Cell::of(std::int64_t{-1})) == 2);
  CHECK(or_default(Cell::of(std::numeric_limits<std::uint64_t>::max())) == 2);
  CHECK(or_default(Cell::of(1e300)) == 2);
}

TEST_CASE("a value that is no selector is a named error") {
  const auto message = [](Cell cell, Decoding decoding, ErrorKind kind) -> std::string {
    try {
      decode_selector(cell, decoding, 3);
      return "no error";
    } catch (const Error& error) {
      CHECK(error.kind() == kind);
      return error.what();
    }
  };
  const Array three = Array::zeros(DType::Float64, std::vector<std::int64_t>{3});
  CHECK(has(message(Cell::of_array(three), Decoding::Truth, ErrorKind::Value), "shape (3,)"));
  CHECK(has(message(Cell{}, Decoding::Truth, ErrorKind::Value), "no value"));
  CHECK(has(message(Cell::of(Complex128(0, NAN)), Decoding::Truth, ErrorKind::Value), "NaN"));
  CHECK(has(message(Cell::of(std::int64_t{3}), Decoding::Index, ErrorKind::Index),
            "is 3, but there are 3 arms"));
  CHECK(has(message(Cell::of(std::int32_t{-1}), Decoding::Index, ErrorKind::Index), "is -1"));
  CHECK(has(message(Cell::of(1.5), Decoding::IndexOrDefault, ErrorKind::Value), "no whole number"));
  CHECK(has(message(Cell::of(double{NAN}), Decoding::IndexOrDefault, ErrorKind::Value),
            "no whole number"));
  CHECK(has(message(Cell::of(Complex64(1, 0)), Decoding::Index, ErrorKind::Value), "complex"));
}

TEST_CASE("a move copies or takes") {
  ProgramBuilder b;
  const Index x = b.input("x"), copy = b.output("copy"), taken = b.output("taken");
  b.move(copy, x);
  b.move(taken, x, true);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({4.0}) == Values{4.0, 4.0});

  machine.frame.cell(x).set(4.0);
  REQUIRE(machine.frame.run(machine.host) == Status::Done);
  CHECK(machine.frame.cell(x).empty());
  machine.frame.finish();
  CHECK(machine.frame.empty());
}

TEST_CASE("a branch may empty the selector that dies in it, and the verifier knows") {
  ProgramBuilder b;
  const Index c = b.input("c"), y = b.output("y");
  const Index end = b.label();
  b.branch("ifelse", c, {end, end});
  b.place(end);
  b.thunk("look", {}, {y}, [&](Activation& a, const Operands& o) {
    a.output(o, 0).set(a.cells[c].empty() ? 1.0 : 0.0);
  });
  const Index read = b.label();
  b.jump(read);
  b.place(read);
  b.move(b.reg("late"), c);
  b.halt();
  const auto program = b.build();
  CHECK(Machine(program).call({1.0}) == Values{0.0});
  program->code[Pc(0)].flag = kTake;
  CHECK(Machine(program).call({1.0}) == Values{1.0});
  CHECK(Machine(program).call_with({Cell::of(true)}) == Values{1.0});
  CHECK_THROWS_WITH_AS(verify(*program),
                       doctest::Contains("(Move): register 0 (c) is read after it was retired"),
                       Error);
}

}  // namespace
}  // namespace thunkvm
