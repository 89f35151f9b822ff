// function.h: a graph and a mode as a function that a C++ program calls.
//
// There are two ways in. A plain C++ program calls a Function from any of its threads; a lock of
// the function orders its compilations. A host that has a lock of its own (Python's GIL) converts
// values itself: it works with Call, `compilation` and `recordings` under that lock.
#pragma once

#include "linkers/compilation.h"
#include "linkers/linker.h"
#include "linkers/mode.h"
#include "linkers/recording.h"
#include "ops/graph/graph.h"
#include "thunks/host.h"
#include "vm/frame.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// The options of a function besides its graph and its mode.
struct FunctionOptions {
  /// Its name in messages.
  std::string name = "the function";
  /// By update: the name of its shared variable in messages; if none are given, "update 0", ...
  std::vector<std::string> update_names = {};
  /// So many of the last updates note a value in the calls that compute it. The Type of their
  /// shared variable does not matter.
  std::size_t n_conditional = 0;
  /// Gives the thunks of the host, for a graph after the rewrites and its linker. Null: there are
  /// none.
  std::function<HostThunks(const FunctionGraph& graph, const LinkerRow& linker)> thunks = {};
  /// The inputs, by position, whose arguments a call may write to: where it holds the only
  /// reference to one, it may take its memory at the last use of its value. It does so in modes
  /// with lifetimes.
  std::vector<std::uint32_t> mutable_inputs = {};
  /// Calls may have a tracer: no node is fused with others, and none writes to its inputs.
  bool traced = false;
  /// true: a mode that compiles now does so in the constructor. false: the caller asks for it.
  bool compile = true;
};

/// Outputs from inputs, and new values of shared variables: a graph, linked.
///
/// A call computes each node at most once, and only if its value is needed. All updates take effect
/// at once, at its end. A call that fails changes nothing, and leaves no value behind. A function
/// may be called from many threads at once, and from inside itself: each call has a frame of its
/// own.
///
/// Graphs count their references without atomic operations: while one thread makes or destroys a
/// function, no other builds a graph over the same variables.
class Function {
 public:
  /// Rewrites the graph as the mode says, and links it. Throws Error: an input that the outputs
  /// need and that is not given, an Op that the mode has no thunk for, an update with a value that
  /// the shared variable can never have, a mode that does not exist. Throws CompileError if the
  /// mode compiles now.
  explicit Function(FunctionGraph graph, const Mode& mode = {}, FunctionOptions options = {});
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  /// One call: the outputs' values, which share memory with nothing. An argument is a value of its
  /// input's dtype and number of axes, and of its known lengths. An array that the caller keeps is
  /// read in place; one that was moved in may be written to if its input is mutable. Throws the
  /// exception of a thunk; an Error gets the name of its node. Any thread may call. `host` and
  /// `tracer` (of a traced function) are this call's.
  std::vector<Cell> operator()(std::vector<Cell> arguments = {}, Tracer* tracer = nullptr);
  std::vector<Cell> call(std::vector<Cell> arguments, Host& host, Tracer* tracer = nullptr);

  /// Compiles its C now, if its mode emits any and it is not compiled yet, and returns the state.
  /// Throws CompileError.
  Compilation::State compile();
  /// The state of its C.
  Compilation::State compiled();
  /// The C, to read; empty in modes that emit none.
  std::string c_source();
  /// By node of `linked().nodes()`: the number of calls in which it ran. Calls in flight do not
  /// count.
  std::vector<std::uint64_t> node_runs();

  // For hosts, under their lock.

  const Linked& linked() const { return linked_; }
  /// After the rewrites.
  const FunctionGraph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  /// The number of nodes that each rewrite removed, by its name; see named_rewrites().
  const std::vector<std::pair<std::string_view, std::uint32_t>>& removed() const {
    return removed_;
  }
  /// Seconds that it took to rewrite the graph, to link, and to wait for the C of its Ops; and the
  /// modules of these that needed no compiler.
  struct Making {
    double rewrite = 0, link = 0, compile = 0;
    std::uint64_t cache_hits = 0;
  };
  const Making& making() const { return making_; }

  FramePool& frames() { return frames_; }
  Compilation& compilation() { return compilation_; }
  const Compilation& compilation() const { return compilation_; }
  Recordings& recordings() { return recordings_; }
  /// Calls are recorded from now on, until the recording is stopped. The latest of several
  /// recordings gets them, and hands them on to the one before it when it stops. If emitted code is
  /// in use, that of the recorded program is compiled first. The caller of Calls has to heed
  /// `recordings`.
  std::shared_ptr<Recording> record(const RecordOptions& options, Host& host);
  /// A recording of the calls that are made with it alone, by the interpreter.
  std::shared_ptr<Recording> record_apart(const RecordOptions& options) const;

 private:
  friend class Call;
  class Turn;
  Linked make(const Mode& mode, const FunctionOptions& options);
  void check_updates(const FunctionOptions& options);

  std::string name_;
  FunctionGraph graph_;
  std::vector<std::pair<std::string_view, std::uint32_t>> removed_;
  std::vector<std::string> lengths_to_check_;  ///< by update: its name; empty: no check
  Making making_;
  PlanOptions emission_;
  CompileWhen when_ = CompileWhen::Never;
  Linked linked_;
  std::vector<SharedValue*> shared_;        ///< of linked_.shared
  std::vector<std::uint8_t> output_takes_;  ///< nobody reads its register later
  std::vector<std::uint8_t> update_takes_;
  FramePool frames_;
  Compilation compilation_;
  Recordings recordings_;
  std::mutex turns_;  ///< of plain programs
};

/// New values of shared variables.
class Updates {
 public:
  /// They change at one moment; their old values come back, and go with this. Cannot fail.
  void commit() noexcept {
    if (!targets_.empty()) SharedValue::commit(targets_, values_);
  }

 private:
  friend class Call;
  std::vector<SharedValue*> targets_;
  std::vector<Cell> values_;
};

/// One call, step by step: it stores the arguments, reads shared variables, runs the program, takes
/// outputs, finishes, and commits updates. However it ends, it leaves no value in the frame.
class Call {
 public:
  Call(const Function& function, Frame& frame) : function_(function), frame_(frame) {}
  ~Call() {
    if (!finished_) frame_.abandon();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Runs with the emitted code that there is.
  void use(const Compilation& compilation) {
    if (frame_.native() != compilation.ready()) [[unlikely]]
      frame_.use(compilation.held());
  }
  Frame& frame() { return frame_; }
  /// The register of an input.
  Cell& argument(std::size_t i) { return frame_.cell(program().inputs[i]); }
  /// True for an array that shares no memory with another argument or a shared value of this call:
  /// neither has a byte from its first element to its last. To be asked before `run`.
  bool is_apart(std::size_t i) const;
  bool reads_shared() const { return !function_.shared_.empty(); }
  /// Reads all shared variables at one moment. `read_only`: nobody can write to the arrays.
  void read_shared(bool read_only);
  /// Never throws; see Frame::run.
  Status run(Host& host, Tracer* tracer, FailureObserver* observer) {
    return frame_.run(host, tracer, observer);
  }
  /// The register of an output, and true if its value may be moved out.
  Cell& output(std::size_t j) { return frame_.cell(program().outputs[j]); }
  bool takes(std::size_t j) const { return function_.output_takes_[j] != 0; }
  Cell take(std::size_t j) { return takes(j) ? std::move(output(j)) : Cell(output(j)); }

  bool has_updates() const { return !program().updates.empty(); }
  /// The new values of the shared variables, each made its own by `own(Cell, const Type&) -> Cell`.
  /// Throws Error(Value) for lengths that a shared variable cannot have.
  template <class Own>
  Updates take_updates(const Own& own) {
    Updates updates;
    for (std::size_t k = 0; k < program().updates.size(); ++k)
      if (Cell value = take_update(k); !value.empty()) {
        SharedValue& target = *function_.linked_.targets[k];
        updates.values_.push_back(own(std::move(value), target.type()));
        updates.targets_.push_back(&target);
      }
    return updates;
  }
  /// All that may fail has succeeded, and the frame holds no value any more.
  void finish() {
    frame_.finish();
    finished_ = true;
  }

 private:
  const Program& program() const { return *function_.linked_.program; }
  /// Empty for an if-computed update that nobody demanded.
  Cell take_update(std::size_t k);

  const Function& function_;
  Frame& frame_;
  bool finished_ = false;
};

}  // namespace thunkvm
