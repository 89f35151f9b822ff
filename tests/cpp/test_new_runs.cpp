// test_new_runs.cpp: which runs of a thunk a tracer is told to be new.
#include "linkers/function.h"
#include "linkers/new_runs.h"
#include "ops/graph/functions.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// Notes of each run whether it was new.
class Noting final : public Tracer {
 public:
  explicit Noting(NewRuns& runs) : runs_(runs) {}
  void before(const ThunkRun& run) override { text += runs_.is_new(run) ? "new " : "known "; }
  void after(const ThunkRun&, Status) override {}
  std::string text;

 private:
  NewRuns& runs_;
};

/// What a node of one vector is said to be in calls with vectors of these lengths.
std::string told(std::uint32_t first, const std::vector<std::int64_t>& lengths) {
  const Variable x = Variable::input(TensorType::of_ndim(DType::Float64, 1), "x");
  Function f({.inputs = {x}, .outputs = {exp(x)}}, Mode::named("cvm"), {.traced = true});
  NewRuns runs(first);
  Noting tracer(runs);
  for (const std::int64_t length : lengths) {
    std::vector<Cell> arguments;
    arguments.push_back(Cell::of_array(Array::zeros(DType::Float64, std::vector{length})));
    f(std::move(arguments), &tracer);
  }
  return tracer.text;
}

TEST_CASE("the first runs of a node are new") {
  CHECK(told(2, {3, 3, 3, 3}) == "new new known known ");
}

TEST_CASE("a run whose inputs lie as they never did is new") {
  CHECK(told(1, {3, 3, 4, 3, 4, 5}) == "new known new known known new ");
}

TEST_CASE("where no first run is wanted none is new") { CHECK(told(0, {3, 4}) == "known known "); }

}  // namespace
}  // namespace thunkvm
