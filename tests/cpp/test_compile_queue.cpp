// test_compile_queue.cpp: what is compiled next, on how many threads, and what leaves the queue.
#include "linkers/compiler/compile_queue.h"
#include "thunks/error.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <list>
#include <optional>
#include <string>
#include <vector>

using namespace thunkvm;

namespace {

/// A job of `n_parts` that does what a test says and notes how it ended.
class NotedJob final : public CompileJob {
 public:
  explicit NotedJob(std::function<void(std::size_t)> part, std::size_t n_parts = 1,
                    std::uint64_t urgency = 0)
      : CompileJob(urgency), part_(std::move(part)), n_parts_(n_parts) {}

  bool begun = false, stopped = false;
  std::exception_ptr error;

 private:
  std::size_t begin(const std::stop_token&) override {
    begun = true;
    return n_parts_;
  }
  void do_part(std::size_t part, const std::stop_token&) override { part_(part); }
  void end(std::exception_ptr with, bool was_stopped) noexcept override {
    error = std::move(with);
    stopped = was_stopped;
  }

  const std::function<void(std::size_t)> part_;
  const std::size_t n_parts_;
};

void wait(CompileQueue& queue, CompileJob& job) {
  while (!queue.wait(job, std::chrono::milliseconds(1000))) {
  }
}

/// While it lives, this thread and those that it begins may use one processor alone.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace

TEST_CASE("all parts of a job are done, once each, before it ends") {
  CompileQueue queue;
  std::vector<std::atomic<int>> done(100);
  NotedJob job([&](std::size_t part) { ++done[part]; }, done.size());
  REQUIRE(queue.add(job, false));
  wait(queue, job);
  CHECK(std::ranges::all_of(done, [](int times) { return times == 1; }));
  CHECK_FALSE(job.stopped);
  CHECK_FALSE(job.error);
}

TEST_CASE("the most urgent job is next, and of equals the first that was added") {
  const OneProcessor only;
  CompileQueue queue;
  std::latch all_added(1);
  std::string order;
  NotedJob first([&](std::size_t) { all_added.wait(); });
  NotedJob seldom([&](std::size_t) { order += "seldom "; }, 1, 2);
  NotedJob often([&](std::size_t) { order += "often "; }, 1, 5);
  NotedJob rising([&](std::size_t) { order += "rising "; }, 1, 1);
  NotedJob late([&](std::size_t) { order += "late "; }, 1, 2);
  for (NotedJob* job : {&first, &seldom, &often, &rising, &late}) REQUIRE(queue.add(*job, true));
  rising.set_urgency(9);
  all_added.count_down();
  for (NotedJob* job : {&first, &seldom, &often, &rising, &late}) wait(queue, *job);
  CHECK(order == "rising often seldom late ");
}

TEST_CASE("no more is done at once than there are processors") {
  for (const bool one : {true, false}) {
    const std::optional<OneProcessor> only =
        one ? std::optional<OneProcessor>(std::in_place) : std::nullopt;
    const std::size_t processors = usable_processors();
    CompileQueue queue;
    std::atomic<std::size_t> running = 0, most = 0;
    std::list<NotedJob> jobs;
    for (int i = 0; i < 30; ++i) {
      jobs.emplace_back(
          [&](std::size_t) {
            const std::size_t now = ++running;
            for (std::size_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            std::this_thread::yield();
            --running;
          },
          5);
      REQUIRE(queue.add(jobs.back(), true));
    }
    for (NotedJob& job : jobs) wait(queue, job);
    CHECK(most >= 1);
    CHECK(most <= processors);
  }
}

TEST_CASE("a job that is stopped before its turn never begins") {
  const OneProcessor only;
  CompileQueue queue;
  std::latch goes_on(1);
  NotedJob first([&](std::size_t) { goes_on.wait(); });
  NotedJob gone([](std::size_t) {});
  queue.add(first, true);
  queue.add(gone, true);
  queue.stop(gone);
  CHECK(gone.stopped);
  goes_on.count_down();
  wait(queue, first);
  CHECK_FALSE(gone.begun);
  CHECK_FALSE(first.stopped);
}

TEST_CASE("what a part throws ends its job, and the parts that have not begun are left out") {
  const OneProcessor only;
  CompileQueue queue;
  std::string parts;
  NotedJob job(
      [&](std::size_t part) {
        parts += std::to_string(part);
        if (part == 2) throw Error(ErrorKind::Runtime, "the third is wrong");
      },
      10);
  NotedJob other([](std::size_t) {});
  queue.add(job, false);
  queue.add(other, false);
  wait(queue, job);
  wait(queue, other);
  CHECK(parts == "012");
  CHECK_THROWS_WITH(std::rethrow_exception(job.error), "the third is wrong");
  CHECK_FALSE(job.stopped);
  CHECK_FALSE(other.error);
}

TEST_CASE("a queue that is closed ends what is in the background, and takes no more of it") {
  const OneProcessor only;
  CompileQueue queue;
  std::latch begun(1), goes_on(1);
  NotedJob waited_for([&](std::size_t) {
    begun.count_down();
    goes_on.wait();
  });
  NotedJob background([](std::size_t) {}), late([](std::size_t) {}), now([](std::size_t) {});
  queue.add(waited_for, false);
  begun.wait();
  queue.add(background, true);
  queue.close();
  CHECK(background.stopped);
  CHECK_FALSE(background.begun);
  CHECK_FALSE(queue.add(late, true));
  CHECK(queue.add(now, false));
  goes_on.count_down();
  wait(queue, waited_for);
  wait(queue, now);
  CHECK_FALSE(waited_for.stopped);
  CHECK_FALSE(now.stopped);
}
