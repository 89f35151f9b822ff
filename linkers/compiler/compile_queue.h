// compile_queue.h: the sources that wait for a compiler, in one queue for the process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <mutex>
#include <stop_token>

namespace thunkvm {

class CompileQueue;

/// A job: a first stage, then parts, which may run side by side.
///
/// The caller that adds one to the queue keeps it until it has ended: CompileQueue::wait, or stop.
class CompileJob {
 public:
  /// The urgency of a job that somebody waits for.
  static constexpr std::uint64_t kWaitedFor = UINT64_MAX;

  explicit CompileJob(std::uint64_t urgency) : urgency_(urgency) {}
  virtual ~CompileJob() = default;
  CompileJob(const CompileJob&) = delete;
  CompileJob& operator=(const CompileJob&) = delete;

  /// The most urgent one is next. Any thread may change it.
  void set_urgency(std::uint64_t urgency) { urgency_.store(urgency, std::memory_order_relaxed); }

 protected:
  /// Returns the number of parts. This and the parts run on threads of the queue; an exception ends
  /// the job.
  virtual std::size_t begin(const std::stop_token& stop) = 0;
  virtual void do_part(std::size_t part, const std::stop_token& stop) = 0;
  /// The job is over: all parts are done, or `error` is the exception of the first that failed, or
  /// it was stopped.
  virtual void end(std::exception_ptr error, bool stopped) noexcept = 0;

 private:
  friend class CompileQueue;
  std::atomic<std::uint64_t> urgency_;
  // The members below are the queue's, under its lock.
  enum class Stage { New, Beginning, Parts, Ending, Ended };
  Stage stage_ = Stage::New;
  bool background_ = false;
  std::stop_source stop_;
  std::size_t n_parts_ = 0, next_part_ = 0, running_ = 0;
  std::exception_ptr error_;
};

/// Does jobs on as many threads as this process has processors, the most urgent one first, and has
/// no thread if there are none. A forked process has an empty queue of its own: it does not work on
/// its parent's jobs.
class CompileQueue {
 public:
  static CompileQueue& of_process();

  CompileQueue() = default;
  /// What was added has ended.
  ~CompileQueue();
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  /// Adds one. False for one in the background after `close`. Throws CompileError (Shortage) if no
  /// thread can be had.
  bool add(CompileJob& job, bool background);
  /// Waits a while for the end of a job that was added; true if it has ended.
  bool wait(CompileJob& job, std::chrono::milliseconds patience);
  /// Stops one that was added and waits for its end.
  void stop(CompileJob& job);
  /// Stops all that are in the background, and takes no more of them.
  void close();

 private:
  static void in_child();
  void work();
  CompileJob* most_urgent() const;
  void run_some(CompileJob& job, std::unique_lock<std::mutex>& lock);
  void finish(CompileJob& job, std::unique_lock<std::mutex>& lock);
  void make_threads(bool at_least_one);
  std::size_t tasks() const;
  static bool has_task(const CompileJob& job);
  static bool is_idle(const CompileJob& job);

  std::mutex lock_;
  std::condition_variable ended_;  // a job, or a thread
  std::list<CompileJob*> jobs_;    // the first that was added comes first
  std::size_t n_working_ = 0, n_background_ = 0;
  bool closed_ = false;
};

/// The number of processors that this process may use; at least 1.
std::size_t usable_processors();

}  // namespace thunkvm
