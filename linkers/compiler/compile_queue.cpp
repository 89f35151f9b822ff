#include "linkers/compiler/compile_queue.h"

#include "linkers/compiler/compile_error.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace thunkvm {
namespace {

// Never destroyed: a thread may still be compiling while the process ends.
std::atomic<CompileQueue*> current{nullptr};

}  // namespace

std::size_t usable_processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0
             ? std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)))
             : 1;
}

CompileQueue& CompileQueue::of_process() {
  [[maybe_unused]] static const bool made = [] {
    current = new CompileQueue;
    pthread_atfork([] { current.load()->lock_.lock(); }, [] { current.load()->lock_.unlock(); },
                   in_child);
    return true;
  }();
  return *current;
}

CompileQueue::~CompileQueue() {
  std::unique_lock lock(lock_);
  ended_.wait(lock, [&] { return n_working_ == 0; });
}

// The threads are not in the child.
void CompileQueue::in_child() { current = new CompileQueue; }

bool CompileQueue::has_task(const CompileJob& job) {
  if (job.stop_.stop_requested()) return false;
  return job.stage_ == CompileJob::Stage::New ||
         (job.stage_ == CompileJob::Stage::Parts && job.next_part_ < job.n_parts_);
}

std::size_t CompileQueue::tasks() const {
  std::size_t count = 0;
  for (const CompileJob* job : jobs_)
    if (has_task(*job))
      count += job->stage_ == CompileJob::Stage::New ? 1 : job->n_parts_ - job->next_part_;
  return count;
}

CompileJob* CompileQueue::most_urgent() const {
  CompileJob* found = nullptr;
  for (CompileJob* job : jobs_)
    if (has_task(*job) && (found == nullptr || job->urgency_ > found->urgency_)) found = job;
  return found;
}

// As many as there is work for, and processors. Called with the lock held.
void CompileQueue::make_threads(bool at_least_one) {
  const std::size_t wanted = std::min(usable_processors(), n_working_ + tasks());
  try {
    while (n_working_ < wanted) {
      std::thread([this] { work(); }).detach();  // counted instead
      ++n_working_;
    }
  } catch (const std::system_error& error) {
    if (!at_least_one || n_working_ != 0) return;
    throw CompileError(
        CompileFault::Shortage,
        std::string("nothing can be compiled: there is no thread for it: ") + error.what());
  }
}

bool CompileQueue::add(CompileJob& job, bool background) {
  const std::lock_guard lock(lock_);
  if (background && closed_) return false;
  jobs_.push_back(&job);
  try {
    make_threads(true);
  } catch (...) {
    jobs_.remove(&job);
    throw;
  }
  job.background_ = background;
  n_background_ += background;
  return true;
}

void CompileQueue::work() {
  std::unique_lock lock(lock_);
  while (CompileJob* job = most_urgent()) run_some(*job, lock);
  --n_working_;
  ended_.notify_all();
}

// What is to be done first, or a part.
void CompileQueue::run_some(CompileJob& job, std::unique_lock<std::mutex>& lock) {
  using Stage = CompileJob::Stage;
  const bool begins = job.stage_ == Stage::New;
  const std::size_t part = begins ? 0 : job.next_part_++;
  if (begins) job.stage_ = Stage::Beginning;
  ++job.running_;
  const std::stop_token stop = job.stop_.get_token();
  lock.unlock();
  std::size_t n_parts = 0;
  std::exception_ptr error;
  try {
    if (begins)
      n_parts = job.begin(stop);
    else
      job.do_part(part, stop);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  --job.running_;
  if (begins) {
    job.n_parts_ = n_parts;
    job.stage_ = Stage::Parts;
    make_threads(false);
  }
  if (error &&
      !job.stop_.stop_requested()) {  // what others throw that were stopped for it is no matter
    job.error_ = error;
    job.stop_.request_stop();
  }
  if (job.running_ == 0 && job.stage_ == Stage::Parts && !has_task(job)) finish(job, lock);
}

void CompileQueue::finish(CompileJob& job, std::unique_lock<std::mutex>& lock) {
  job.stage_ = CompileJob::Stage::Ending;
  jobs_.remove(&job);
  const std::exception_ptr error = std::exchange(job.error_, nullptr);
  const bool stopped = !error && job.stop_.stop_requested();
  lock.unlock();
  job.end(error, stopped);
  lock.lock();
  n_background_ -= job.background_;
  job.stage_ = CompileJob::Stage::Ended;  // from here on it may go
  ended_.notify_all();
}

bool CompileQueue::wait(CompileJob& job, std::chrono::milliseconds patience) {
  std::unique_lock lock(lock_);
  return ended_.wait_for(lock, patience, [&] { return job.stage_ == CompileJob::Stage::Ended; });
}

bool CompileQueue::is_idle(const CompileJob& job) {
  return job.running_ == 0 &&
         (job.stage_ == CompileJob::Stage::New || job.stage_ == CompileJob::Stage::Parts);
}

void CompileQueue::stop(CompileJob& job) {
  std::unique_lock lock(lock_);
  job.stop_.request_stop();
  if (is_idle(job)) finish(job, lock);
  ended_.wait(lock, [&] { return job.stage_ == CompileJob::Stage::Ended; });
}

void CompileQueue::close() {
  std::unique_lock lock(lock_);
  closed_ = true;
  for (CompileJob* job : jobs_)
    if (job->background_) job->stop_.request_stop();
  const auto unfinished = [&] {
    return std::ranges::find_if(
        jobs_, [](const CompileJob* job) { return job->background_ && is_idle(*job); });
  };
  for (auto job = unfinished(); job != jobs_.end(); job = unfinished()) finish(**job, lock);
  ended_.wait(lock, [&] { return n_background_ == 0; });
}

}  // namespace thunkvm
