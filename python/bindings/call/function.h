// function.h: linked programs as callables of Python.
//
// A call converts its arguments into the registers of a frame, runs the program, converts the
// outputs, and commits the updates of shared variables; nothing changes before all of that has
// succeeded. A function may be called from many threads and from inside itself: each call has a
// frame of its own.
#pragma once

#include "linkers/codegen/emit/tier.h"
#include "linkers/linker.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/call/observer.h"
#include "python/bindings/call/recording.h"
#include "python/bindings/python/python.h"
#include "python/bindings/thunks/python_thunk.h"
#include "vm/frame.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// How one output is handed to the caller.
struct OutputSpec {
  TypeRef type;
  bool borrow = false;  ///< it may share memory with arguments, shared values and other outputs
};

/// When a function's emitted code is compiled.
enum class CompileWhen : std::uint8_t {
  Never,       ///< the interpreter runs kernels and performs
  Background,  ///< after a few calls; the program changes over between two calls
  Now,         ///< before the first call
};

/// What a Function object runs.
class CompiledFunction {
 public:
  /// `name` is empty where nobody gave one; `shown` is what messages call the function, and
  /// `called` what those about a call's arguments begin with. `bare`: a single output is returned
  /// as itself, not in a list. `pack`, where it is not null, is a callable that makes what is
  /// returned of the list of outputs.
  CompiledFunction(std::string name, std::string shown, std::string called, Linked linked,
                   std::vector<Variable> inputs, std::vector<Parameter> parameters,
                   std::vector<OutputSpec> outputs, bool bare, PyRef pack);

  ~CompiledFunction();

  /// To be called once, before the first call. Throws what the compiler does if it is to be Now.
  void set_native(CompileWhen when, const PlanOptions& options);
  /// Tells an observer of the thunks of each call; the program is linked to be traced. To be called
  /// once, before the first call.
  void set_observer(Observer observer) {
    observer_.emplace(std::move(observer));
    watched_ = true;
  }
  /// What becomes of the emitted code, made if it is not there yet; null in modes that emit none.
  Tier* tier() { return tier(emitted_); }
  /// The emitted code, emitted if it is not there yet; null in modes that emit none.
  const EmittedCode* code();
  /// Why the emitted code is not compiled, or not yet; empty where it is, or is being compiled.
  std::string why_not_compiled() const;
  const Tier* tier_if_made() const { return emitted_.tier.get(); }
  bool emits() const { return when_ != CompileWhen::Never; }
  /// Compiles it now if it is not compiled, or being compiled, and waits.
  void compile() { compile(emitted_); }
  void compile(Emitted& emitted);

  /// Calls are recorded from now on, until `stop`. The latest of several recordings gets them, and
  /// hands them on to the one before it when it stops. Where emitted code is in use, that of the
  /// recorded program is compiled first.
  std::shared_ptr<Recording> record(const RecordOptions& options);
  void stop(const std::shared_ptr<Recording>& recording);
  /// A recording of the calls that are made with it alone, by the interpreter.
  std::shared_ptr<Recording> record_apart(const RecordOptions& options);
  /// How often each node ran, in all calls.
  std::vector<std::uint64_t> node_runs() { return counts(&RecordedCalls::node_runs); }
  /// What the program's counters say, of all calls.
  std::vector<std::uint64_t> counters() { return counts(&RecordedCalls::counters); }
  void reset_counters();

  /// One call, with CPython's vectorcall arguments. Throws PythonError and Error.
  PyObject* call(PyObject* const* arguments, std::size_t n_positional, PyObject* keywords);
  /// The same, which only `recording` records.
  PyObject* call_recorded(std::shared_ptr<Recording> recording, PyObject* const* arguments,
                          std::size_t n_positional, PyObject* keywords);

  /// Empty where nobody gave one.
  const std::string& name() const { return name_; }
  /// The same, or where it was made.
  const std::string& shown() const { return shown_; }
  const Linked& linked() const { return linked_; }
  const std::vector<Variable>& inputs() const { return inputs_; }
  const std::vector<Variable>& output_variables() const { return output_variables_; }
  /// Each shared variable that is updated, with what it gets.
  const std::vector<std::pair<Variable, Variable>>& update_variables() const {
    return update_variables_;
  }
  /// A new reference to what the function was made with; None where nobody said.
  PyObject* mode() const { return Py_NewRef(mode_ ? mode_.get() : Py_None); }
  const std::vector<Parameter>& parameters() const { return signature_.parameters(); }
  /// The frames, all idle ones of which it has.
  FramePool& pool();

  /// What calls never need, but who looks at the function asks for.
  void set_origins(std::vector<Variable> outputs,
                   std::vector<std::pair<Variable, Variable>> updates, PyRef mode) {
    output_variables_ = std::move(outputs);
    update_variables_ = std::move(updates);
    mode_ = std::move(mode);
  }
  /// How many nodes fewer rewrites left, by their names; those of rewrite_names().
  void set_removed(std::vector<std::pair<std::string_view, std::uint32_t>> removed) {
    removed_ = std::move(removed);
  }
  const std::vector<std::pair<std::string_view, std::uint32_t>>& removed() const {
    return removed_;
  }
  /// Seconds that it took to make it: to rewrite its graph, and to link.
  struct Making {
    double rewrite = 0, link = 0;
  };
  void set_making(Making making) { making_ = making; }
  const Making& making() const { return making_; }
  /// What errors call the value of each update whose lengths its shared variable asks for; nothing
  /// for those that are known to have them. To be called once, before the first call.
  void check_updates(std::vector<std::string> names) { update_names_ = std::move(names); }

  /// For the garbage collector: the nodes whose thunks run Python. Kept if a graph may hold objects
  /// of the user's.
  void hold(PythonNodes nodes);
  /// The function's part of its object's tp_traverse.
  int traverse(std::uint64_t& counted, visitproc visit, void* arg);

 private:
  void store_arguments(Frame& frame, PyObject* const* arguments, std::size_t n_positional,
                       PyObject* keywords) const;
  void store_shared(Frame& frame) const;
  /// Whether others may see what registers hold in a call.
  bool shows_values() const;
  /// `observer`: null where nothing is told; `watched`: whether it is told of all thunks.
  void run(Frame& frame, Observer* observer, bool watched) const;
  [[gnu::cold]] static Status run_observed(Frame& frame, Observer& observer, bool watched,
                                           PythonHost& host, FailureReport& report);
  [[noreturn, gnu::cold]] static void throw_failure(Frame& frame, PythonHost& host,
                                                    FailureReport& report);
  PyRef take_output(Frame& frame, std::size_t j) const;
  PyRef take_outputs(Frame& frame) const;
  /// Frames are handed out under the GIL, so the one that is used again and again needs no atomic
  /// operation.
  Frame* acquire() { return last_ != nullptr ? std::exchange(last_, nullptr) : pool_.acquire(); }
  void release(Frame* frame);
  /// Changes over to the emitted code once it is there, and sees to it that it will be. Does not
  /// wait for it, and does not throw.
  void follow_tier(Emitted& emitted);
  Tier* tier(Emitted& emitted);
  std::vector<std::uint64_t> counts(std::vector<std::uint64_t> RecordedCalls::* which);
  class Lease;
  class WatchedLease;
  template <class AnyLease>
  [[gnu::always_inline]] PyObject* call_in(AnyLease& lease,
                                           const std::shared_ptr<const NativeCode>& native,
                                           PyObject* const* arguments, std::size_t n_positional,
                                           PyObject* keywords);
  [[gnu::noinline]] PyObject* call_watched(std::shared_ptr<Recording> recording,
                                           PyObject* const* arguments, std::size_t n_positional,
                                           PyObject* keywords);
  struct Updates;
  void take_updates(Frame& frame, Updates& updates) const;

  std::string name_, shown_;
  Linked linked_;
  FramePool pool_;
  Frame* last_ = nullptr;  ///< an idle frame that the pool believes to be in use
  bool watched_ =
      false;  ///< it has an observer, or is being recorded: else a call asks for neither
  std::vector<Variable> inputs_;
  std::vector<Variable> output_variables_;
  std::vector<std::pair<Variable, Variable>> update_variables_;
  PyRef mode_;
  Signature signature_;
  std::vector<OutputSpec> outputs_;
  bool bare_;
  PyRef pack_;
  std::vector<SharedValue*> shared_;  ///< of linked_.shared
  std::vector<std::uint8_t>
      output_takes_;  ///< output j may be moved out of its register: nobody reads it later
  std::vector<std::uint8_t> update_takes_;
  std::vector<std::string> update_names_;
  std::vector<std::pair<std::string_view, std::uint32_t>> removed_;
  Making making_;
  bool tells_ = false;  ///< the garbage collector of its graph
  PythonNodes nodes_;
  std::optional<Observer> observer_;
  CompileWhen when_ = CompileWhen::Never;
  PlanOptions plan_;
  Emitted emitted_;
  std::vector<std::shared_ptr<Recording>> recordings_;  ///< that go on, the latest one last
  RecordedCalls stopped_;                               ///< counts of recordings that did
  RecordedCalls reset_at_;  ///< counts of recordings that were there before they were reset
};

/// A new `Function` object that owns `function`.
PyObject* wrap_function(std::unique_ptr<CompiledFunction> function);

void init_function(PyObject* module);
/// Python's way to its end will go by Tier::stop_all.
void stop_compiling_at_exit();

}  // namespace thunkvm
