// test_watched_calls.cpp: which calls are watched, and the time of the others.
#include "linkers/watched_calls.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

TEST_CASE("all calls are watched but those that are passed over") {
  WatchedCalls calls;
  CHECK(calls.is_watched());
  CHECK(calls.is_watched());
  calls.pass_over(2);
  CHECK_FALSE(calls.is_watched());
  CHECK_FALSE(calls.is_watched());
  CHECK(calls.is_watched());
}

TEST_CASE("the time of calls that were not watched is told once") {
  WatchedCalls calls;
  calls.add_unwatched(30);
  calls.add_unwatched(70);
  CHECK(calls.take_unwatched() == 100 * Clock::seconds_per_tick());
  CHECK(calls.take_unwatched() == 0.0);
}

}  // namespace
}  // namespace thunkvm
