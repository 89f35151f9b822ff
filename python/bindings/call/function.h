// function.h: functions as Python calls them: values in, values out, what garbage collection sees.
//
// The steps of a call are the core's (linkers/function.h). Here arguments become the registers of
// its frame, and outputs Python's objects; nothing changes before all of that has succeeded.
#pragma once

#include "linkers/function.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/call/observer.h"
#include "python/bindings/python/python.h"
#include "python/bindings/thunks/failure_report.h"
#include "python/bindings/thunks/python_thunk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// How one output is handed to the caller.
struct OutputSpec {
  TypeRef type;
  bool borrow = false;  ///< it may share memory with arguments, shared variables and other outputs
};

/// The parts of a function that only Python knows.
struct PythonInterface {
  std::string name;    ///< empty where nobody gave one; the core's is what messages say
  std::string called;  ///< what messages about a call's arguments begin with
  std::vector<Parameter> parameters;
  std::vector<OutputSpec> outputs;
  bool bare = false;  ///< a single output is returned as itself, not in a list
  PyRef pack = {};    ///< null, or a callable that makes the result of the list of outputs
  PyRef mode = {};    ///< what the function was made with; null where nobody said
  std::vector<Variable> targets;  ///< the shared variables that are updated
};

/// The function of a Function object of Python.
class PythonFunction {
 public:
  /// Nothing is compiled yet.
  PythonFunction(FunctionGraph graph, const Mode& mode, FunctionOptions options,
                 PythonInterface interface);
  ~PythonFunction();

  Function& core() { return core_; }
  const Function& core() const { return core_; }
  const Linked& linked() const { return core_.linked(); }
  /// Compiles the emitted code now, if its mode emits any. Throws what the compiler does.
  void compile();
  /// Tells an observer of the thunks of each call; the program is linked to be traced. To be called
  /// once, before the first call.
  void set_observer(Observer observer);
  /// See Function::record and Recordings::stop.
  std::shared_ptr<Recording> record(const RecordOptions& options);
  void stop(const std::shared_ptr<Recording>& recording);
  /// The recording that a function made with `profile=` has from its first call on; else null.
  void set_own(std::shared_ptr<Recording> recording) { own_ = std::move(recording); }
  const std::shared_ptr<Recording>& own() const { return own_; }

  /// One call, with CPython's vectorcall arguments. Throws PythonError and Error.
  PyObject* call(PyObject* const* arguments, std::size_t n_positional, PyObject* keywords);
  /// The same, which only `recording` records.
  PyObject* call_recorded(std::shared_ptr<Recording> recording, PyObject* const* arguments,
                          std::size_t n_positional, PyObject* keywords);

  /// Empty where nobody gave one.
  const std::string& name() const { return name_; }
  /// Each shared variable that is updated, with what it gets.
  std::vector<std::pair<Variable, Variable>> updates() const;
  /// A new reference to what the function was made with; None where nobody said.
  PyObject* mode() const { return Py_NewRef(mode_ ? mode_.get() : Py_None); }
  const std::vector<Parameter>& parameters() const { return signature_.parameters(); }
  /// The frames of calls that nobody records, all idle ones of which it has.
  FramePool& pool();

  /// For the garbage collector: the nodes whose thunks run Python. Kept if a graph may hold objects
  /// of the user's.
  void hold(PythonNodes nodes);
  /// The function's part of its object's tp_traverse.
  int traverse(PyObject* holder, visitproc visit, void* arg);

 private:
  class Lease;
  class ObservedLease;
  template <class AnyLease>
  [[gnu::always_inline]] PyObject* call_in(AnyLease& lease, const Compilation& compilation,
                                           PyObject* const* arguments, std::size_t n_positional,
                                           PyObject* keywords);
  [[gnu::noinline]] PyObject* call_observed(std::shared_ptr<Recording> recording,
                                            PyObject* const* arguments, std::size_t n_positional,
                                            PyObject* keywords);
  [[gnu::always_inline]] void store_arguments(Call& call, PyObject* const* arguments,
                                              std::size_t n_positional, PyObject* keywords) const;
  /// The same where some are given by name, or left out.
  void bind_arguments(Call& call, PyObject* const* arguments, std::size_t n_positional,
                      PyObject* keywords) const;
  /// Whether others may see what registers hold in a call.
  bool shows_values() const;
  /// `observer`: null where nothing is told; `sampled`: whether it is told of all thunks.
  [[gnu::always_inline]] void run(Call& call, Observer* observer, bool sampled) const;
  [[gnu::cold]] static Status run_observed(Call& call, Observer& observer, bool sampled,
                                           PythonHost& host, FailureReport& report);
  [[noreturn, gnu::cold]] static void throw_failure(Call& call, PythonHost& host,
                                                    FailureReport& report);
  PyRef take_output(Call& call, std::size_t j) const;
  PyRef take_outputs(Call& call) const;
  /// Frames are handed out under the GIL, so the one that is used again and again needs no atomic
  /// operation.
  Frame* acquire() {
    return last_ != nullptr ? std::exchange(last_, nullptr) : core_.frames().acquire();
  }
  void release(Frame* frame);
  std::shared_ptr<Recording> own_;
  void note_observed() { is_observed_ = observer_ || core_.recordings().latest() != nullptr; }

  Function core_;
  Frame* last_ = nullptr;     ///< an idle frame that the pool believes to be in use
  bool is_observed_ = false;  ///< there is an observer or a recording: else a call asks for neither
  bool runs_python_ = true;   ///< some of its thunks or values need the GIL
  bool bare_;
  PyRef pack_;
  Signature signature_;
  std::vector<OutputSpec> outputs_;
  std::string name_;
  std::vector<Variable> targets_;
  PyRef mode_;
  bool tells_ = false;  ///< the garbage collector of its graph
  PythonNodes nodes_;
  std::optional<Observer> observer_;
};

}  // namespace thunkvm
