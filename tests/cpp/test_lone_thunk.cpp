// test_lone_thunk.cpp: thunks that run by themselves, in no program.
#include "linkers/lone_thunk.h"
#include "ops/graph/functions.h"
#include "tests/cpp/arrays.h"

#include <doctest/doctest.h>

#include <exception>
#include <memory>
#include <vector>

namespace thunkvm {
namespace {

/// Outputs its only input, or fails with a message; a frame's own.
class Bound final : public BoundThunk {
 public:
  explicit Bound(bool fails) : fails_(fails) {}
  Status run(Activation& activation, const Operands& operands) override {
    if (fails_) return activation.fail(ErrorKind::Value, "it fails");
    activation.output(operands, 0) = activation.input(operands, 0);
    return Status::Done;
  }

 private:
  bool fails_;
};

ThunkCode bound(bool fails) {
  ThunkCode code;
  code.make = [fails] { return std::make_unique<Bound>(fails); };
  return code;
}

TEST_CASE("a kernel by itself makes its outputs behind its inputs") {
  const Variable y = tensor(DType::Float64, 0) * tensor(DType::Float64, 0);
  const LoneThunk thunk(*y.node(), y.node()->op()->kernel(*y.node()));
  std::vector<Cell> cells = {Cell::of(3.0), Cell::of(4.0), Cell()};
  REQUIRE(thunk.n_cells() == cells.size());
  Host host;
  CHECK(thunk.run(cells, false, false, host) == nullptr);
  CHECK(cells[2].get<double>() == 12.0);
}

TEST_CASE("it may take over the memory of its inputs where they die") {
  const Variable y = neg(tensor(DType::Float64, 1));
  const LoneThunk thunk(*y.node(), y.node()->op()->kernel(*y.node()));
  for (const bool dying : {false, true}) {
    std::vector<Cell> cells = {Cell::of_array(vector_of<double>({1, 2})), Cell()};
    const char* const memory = cells[0].body()->data;
    Host host;
    CHECK(thunk.run(cells, false, dying, host) == nullptr);
    CHECK((cells[1].body()->data == memory) == dying);
  }
}

TEST_CASE("a thunk that a frame would make is made for the run") {
  const Variable y = neg(tensor(DType::Float64, 0));
  std::vector<Cell> cells = {Cell::of(3.0), Cell()};
  Host host;
  CHECK(LoneThunk(*y.node(), bound(false)).run(cells, false, false, host) == nullptr);
  CHECK(cells[1].get<double>() == 3.0);
}

TEST_CASE("what it fails with is handed back") {
  const Variable y = neg(tensor(DType::Float64, 0));
  std::vector<Cell> cells = {Cell::of(3.0), Cell()};
  Host host;
  const std::exception_ptr error = LoneThunk(*y.node(), bound(true)).run(cells, false, false, host);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(error), "it fails", Error);
}

TEST_CASE("the schedule of a node runs it once") {
  const Variable y = tensor(DType::Float64, 0) * tensor(DType::Float64, 0);
  const Schedule schedule = schedule_of_node(*y.node());
  REQUIRE(schedule.statements.size() == 1);
  const Statement& run = schedule.statements.front();
  CHECK(schedule.inputs_of(run).size() == 2);
  CHECK(schedule.outputs_of(run).front() == 2);
}

}  // namespace
}  // namespace thunkvm
