// frame.h: the state of one call of a program, and the pool that frames come from.
#pragma once

#include "vm/body_contents.h"
#include "vm/native.h"
#include "vm/program.h"
#include "vm/recorder.h"
#include "vm/tracer.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thunkvm {

/// A body in progress, and the pc at which the machine goes on after it.
struct Resume {
  Pc pc{};
  std::uint32_t body = 0;
};

/// The state of one lazy thunk in this call.
struct LazyState {
  std::vector<std::uint8_t> computed;  ///< by output
  /// Bodies of inputs that were requested and are not computed yet, the next one last.
  std::vector<std::uint32_t> waiting;
  std::vector<std::int64_t> requested;  ///< inputs that it requests while it is entered
  Failure failure;                      ///< its own: no output is computed from then on
  std::uint32_t raising = kNone;        ///< the failed body that it is to be told of
  bool entered = false;
  bool released = false;  ///< it has dropped its values, and is not entered again
};

class Frame;

/// Told of a failed call before its registers are emptied, for reports of the values involved.
class FailureObserver {
 public:
  virtual ~FailureObserver() = default;
  virtual void failed(Frame& frame) noexcept = 0;
};

/// One call's registers, done bits, lazy thunks and counters. Used by one thread at a time.
///
/// A body that failed does not run again in the call. If a lazy thunk goes on without it, the
/// registers that belong to it alone (BodyContents) are emptied.
///
/// The caller stores arguments in `cell(program.inputs[i])` and shared variables' values in
/// `cell(program.shared[i])`, runs, and moves outputs and updates out, then calls `finish`.
class Frame {
 public:
  explicit Frame(std::shared_ptr<const Program> program);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Program& program() const { return *program_; }
  Cell& cell(std::uint32_t index) { return cells_[index]; }
  /// Runs the program, with a tracer if there is one. On Failed, `failure` says why and the call
  /// has been abandoned. Never throws. The cost does not grow with the number of registers, unless
  /// the call fails. The observer, if there is one, is told of a failure before the registers are
  /// emptied.
  Status run(Host& host, Tracer* tracer = nullptr, FailureObserver* observer = nullptr);
  /// From the next call on, `code` stands for parts of the program; null: the interpreter runs all
  /// of it. Traced code serves runs that have a tracer, other code those that have none.
  void use(std::shared_ptr<const NativeCode> code);
  const NativeCode* native() const { return native_call_.code; }
  /// The tracer of the run in flight, or null.
  Tracer* tracer() const { return tracer_; }
  /// From the next call on, calls are recorded: each begins and ends with the recorder's. Emitted
  /// code that this frame uses has to be of a profiled plan. Runs with a tracer record nothing.
  void record(std::unique_ptr<Recorder> recorder);
  Recorder* recorder() const { return recorder_.get(); }
  /// Why the last call failed, until the next one begins.
  const Failure& failure() const { return activation_.failure; }
  /// The same, moved out, so that the frame does not keep the exception alive.
  Failure take_failure() noexcept { return std::exchange(activation_.failure, Failure{}); }

  /// Ends a call that succeeded. Drops inputs, shared variables' values, the outputs and updates
  /// that the caller left, and all outputs of lazy thunks; resets done bits and lazy thunks. In a
  /// program with `retain_intermediates` the intermediates, those of lazy thunks too, stay as stale
  /// values. Cost: a step for each input, shared variable, output and update, each memo that ran
  /// and each lazy thunk that was entered.
  void finish() noexcept;
  /// Ends a call that failed, or that is given up before or after it ran. Empties every register
  /// but the constants, resets done bits and lazy thunks.
  void abandon() noexcept;

  /// The step that a loop is in, from 0, or was in when it ended.
  std::uint64_t step(std::uint32_t loop) const {
    return counters_[program_->loops[loop].counter] - counted_[loop];
  }
  /// How often each counter was hit, over all calls of this frame.
  const std::vector<std::uint64_t>& counters() const { return counters_; }
  /// Adds each node's runs, over all calls of this frame, to `runs` (by node): its counters'
  /// values, less the times when its segment was counted but failed before it.
  void add_node_runs(std::vector<std::uint64_t>& runs) const;
  void reset_counters();
  /// True if no register but constants holds a value (in a `_nogc` program: but stale ones).
  bool empty() const;

 private:
  friend class Interpreter;
  friend class Requests;
  friend class Unwinding;
  friend class NativeSupport;
  void reset_bodies() noexcept;
  /// Drops the values of a lazy thunk that was entered: it is as before its first entry.
  void reset_lazy(std::uint32_t lazy) noexcept;
  /// A loop is run: its first step begins.
  void begin_loop(std::uint32_t loop) noexcept;
  /// Marks the bodies and lazy thunks of a loop's step as not run.
  void reset_step(std::uint32_t loop) noexcept;
  /// Notes that a body failed, by the activation's failure.
  void fail_body(std::uint32_t body);
  /// Drops the values of a lazy thunk that was entered, for the rest of the call.
  void release(std::uint32_t lazy) noexcept;
  /// Empties the registers of failed bodies, once a lazy thunk goes on without them.
  void drop_failed();

  std::shared_ptr<const Program> program_;
  std::vector<Cell> cells_;
  std::vector<std::uint8_t> done_;        ///< by body: 0, kComputed (or a memo, running) or kFailed
  std::vector<std::uint32_t> done_list_;  ///< memos to be reset, but for those of loops: a call
                                          ///< pays only for the memos that it ran
  std::vector<LazyState> lazies_;
  std::vector<std::uint32_t> entered_;  ///< lazies to be reset, but for those of loops
  std::vector<std::uint64_t> counted_;  ///< by loop: its counter when it was run last
  std::unordered_map<std::uint32_t, Failure> failures_;  ///< by body
  std::vector<std::uint32_t> failed_bodies_;             ///< bodies with registers to be emptied
  std::vector<std::uint32_t> ends_;                      ///< registers that `finish` empties
  std::vector<std::unique_ptr<BoundThunk>> bound_;
  std::vector<BoundThunk*> bound_pointers_;
  std::vector<Resume> resumes_;
  std::vector<std::uint64_t> counters_;
  /// Steps [first, second) that were counted as run and were not reached, and how often.
  std::map<StepRange, std::uint64_t> not_reached_;
  std::int32_t until_poll_;   ///< thunks until the host is asked whether to stop
  std::int32_t nesting_ = 0;  ///< loops on the native stack, but for the first
  Activation activation_;
  Tracer* tracer_ = nullptr;
  std::shared_ptr<const NativeCode> native_;
  NativeCall native_call_;
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> native_memory_;
  std::unique_ptr<Recorder> recorder_;
};

/// Idle frames of one program. Thread-safe. Frames live as long as the pool, so that counters are
/// never lost.
class FramePool {
 public:
  /// `recorder`, if there is one, gives each new frame its recorder.
  explicit FramePool(std::shared_ptr<const Program> program,
                     std::function<std::unique_ptr<Recorder>()> recorder = nullptr);
  ~FramePool();

  /// An idle frame, or a new one. Exceptions of a maker of BoundThunks pass. The caller gives the
  /// frame back after `finish` or `abandon`.
  Frame* acquire() {
    Frame* frame = last_.exchange(nullptr, std::memory_order_acquire);
    return frame != nullptr ? frame : find_or_make();
  }
  void release(Frame* frame) noexcept {
    Frame* before = last_.exchange(frame, std::memory_order_acq_rel);
    if (before != nullptr) keep_idle(before);
  }

  const std::shared_ptr<const Program>& program() const { return program_; }
  /// Sums over the frames that are idle now: counter values, and runs by node.
  std::vector<std::uint64_t> counters();
  std::vector<std::uint64_t> node_runs();
  /// Calls `visit` with the frames that are idle now, which stay so meanwhile.
  void each_idle(const std::function<void(Frame&)>& visit);
  /// Sets the counters of the frames that are idle now to zero.
  void reset_counters();
  /// True if no idle frame holds a value that a call should have dropped (see Frame::empty).
  bool registers_empty();
  /// All frames, idle and in use.
  std::size_t size();

 private:
  Frame* find_or_make();
  void keep_idle(Frame* frame) noexcept;
  void gather();

  std::shared_ptr<const Program> program_;
  std::function<std::unique_ptr<Recorder>()> recorder_;
  std::atomic<Frame*> last_{nullptr};  ///< one idle frame, taken without the lock
  std::mutex mutex_;
  std::vector<Frame*> idle_;  ///< its capacity is that of frames_, so that `release` cannot fail
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace thunkvm
