// frame.h: the state of one call of a program, and the pool that frames come from.
#pragma once

#include "vm/program.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace thunkvm {

/// Where the machine goes on after a body: at `pc`; with `lazy` set, after noting that the input that this lazy thunk
/// waited for is there.
struct Resume {
  std::uint32_t pc = 0;
  std::uint32_t lazy = kNone;
};

/// What one lazy thunk did so far in this call.
struct LazyState {
  std::vector<std::uint8_t> got;       ///< by input: asked for and computed
  std::vector<std::uint8_t> computed;  ///< by output
  std::vector<std::uint32_t> waiting;  ///< inputs asked for and not computed yet, the next one last
};

/// One call's registers, done bits, lazy thunks and counters. Used by one thread at a time.
///
/// The caller stores arguments in `cell(program.inputs[i])` and shared values in `cell(program.shared[i])`, runs, and
/// moves outputs and updates out, then calls `finish`.
class Frame {
 public:
  explicit Frame(std::shared_ptr<const Program> program);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Program& program() const { return *program_; }
  Cell& cell(std::uint32_t index) { return cells_[index]; }
  /// Runs the program. On Failed, `failure` says why and every register but the constants is empty.
  Status run(Host& host);
  const Failure& failure() const { return activation_.failure; }

  /// Ends a call that succeeded: inputs and shared values are dropped, lazy thunks reset. In a `keep` program the
  /// intermediates stay as stale values.
  void finish() noexcept;
  /// Ends a call that failed, or one that is given up before it ran: every register but the constants is emptied, done
  /// bits and lazy thunks reset.
  void abandon() noexcept;

  /// How often each counter was hit, over all calls of this frame.
  const std::vector<std::uint64_t>& counters() const { return counters_; }
  /// Nodes that a counter counted and that did not run, since their segment failed before them.
  const std::vector<std::uint32_t>& not_reached() const { return not_reached_; }
  void reset_counters();
  /// True if no register but constants holds a value (in a `keep` program: but stale ones).
  bool empty() const;

 private:
  friend class Interpreter;
  std::shared_ptr<const Program> program_;
  std::vector<Cell> cells_;
  std::vector<std::uint8_t> done_;             ///< by memo
  std::vector<std::uint32_t> done_list_;       ///< memos to be reset: a call pays only for those it ran
  std::vector<LazyState> lazies_;
  std::vector<std::uint32_t> entered_;         ///< lazies to be reset
  std::vector<std::unique_ptr<BoundThunk>> bound_;
  std::vector<BoundThunk*> bound_pointers_;
  std::vector<Resume> resumes_;
  std::vector<std::uint64_t> counters_;
  std::vector<std::uint32_t> not_reached_;
  Activation activation_;
};

/// What a Tracer is told: for tests, profilers and debug modes. A loop without one pays nothing.
class Tracer {
 public:
  virtual ~Tracer() = default;
  virtual void before(std::uint32_t node, Frame& frame) = 0;
  virtual void after(std::uint32_t node, Frame& frame, Status status) = 0;
  /// A branch took `arm`.
  virtual void branched(std::uint32_t branch, std::uint32_t arm, Frame& frame) = 0;
};

/// Idle frames of one program. Thread-safe. Frames live as long as the pool, so that counters are never lost.
class FramePool {
 public:
  explicit FramePool(std::shared_ptr<const Program> program);
  ~FramePool();

  /// An idle frame, or a new one. The caller gives it back after `finish` or `abandon`.
  Frame* acquire();
  void release(Frame* frame);

  const std::shared_ptr<const Program>& program() const { return program_; }
  /// Sums over the frames that are idle now: counter values, and runs by node.
  std::vector<std::uint64_t> counters();
  std::vector<std::uint64_t> node_runs();
  void reset_counters();
  std::size_t size();

 private:
  std::shared_ptr<const Program> program_;
  std::atomic<Frame*> last_{nullptr};  ///< one idle frame, taken without the lock
  std::mutex mutex_;
  std::vector<Frame*> idle_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace thunkvm
