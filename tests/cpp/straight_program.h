// straight_program.h: programs around a lazy thunk in straight-line code, on a fiber and in nested
// calls.
#pragma once

#include "tests/cpp/lazy_program.h"
#include "thunks/demand.h"
#include "thunks/stack_pool.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace thunkvm::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline const std::vector<ForceBy> kWays = {
    ForceBy::Nested};  // sanitizers do not follow a switch of stacks
#else
inline const std::vector<ForceBy> kWays = {ForceBy::Fiber, ForceBy::Nested};
#endif

/// Runs the test once for each way in which `force` can wait.
template <class Test>
void in_both_ways(Test test) {
  for (const ForceBy way : kWays) {
    const std::string how = way == ForceBy::Fiber ? "on a fiber" : "nested";
    CAPTURE(how);
    test(way);
    CHECK(StackPool::instance().in_use() == 0);
  }
}

/// A LazyProgram whose thunk is straight-line code.
struct StraightProgram : LazyProgram {
  StraightProgram(ForceBy way, int n_inputs, int n_outputs, std::vector<Index> demands,
                  LazyBody body)
      : LazyProgram(n_inputs, n_outputs, std::move(demands), straight_line(std::move(body), way)) {}
};

inline double number(Demand& demand, int i) { return demand.force(i).get<double>(); }

/// Counts its instances that are alive.
struct Local {
  explicit Local(int& alive) : alive(alive) { ++alive; }
  ~Local() { --alive; }
  Local(const Local&) = delete;
  int& alive;
};

}  // namespace thunkvm::testing
