// test_sampled_calls.cpp: which calls are sampled, and the time of the others.
#include "linkers/sampled_calls.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

TEST_CASE("all calls are sampled but those that are skipped") {
  SampledCalls calls;
  CHECK(calls.is_sampled());
  CHECK(calls.is_sampled());
  calls.skip(2);
  CHECK_FALSE(calls.is_sampled());
  CHECK_FALSE(calls.is_sampled());
  CHECK(calls.is_sampled());
}

TEST_CASE("the time of calls that were not sampled is told once") {
  SampledCalls calls;
  calls.add_skipped(30);
  calls.add_skipped(70);
  CHECK(calls.take_skipped() == 100 * Clock::seconds_per_tick());
  CHECK(calls.take_skipped() == 0.0);
}

}  // namespace
}  // namespace thunkvm
