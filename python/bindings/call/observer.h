// observer.h: objects of Python's that are told of each thunk of a call: what the modes that check
// stand on.
#pragma once

#include "linkers/new_runs.h"
#include "linkers/sampled_calls.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/python.h"
#include "vm/tracer.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace thunkvm {

class Frame;

/// An object of Python's that a function tells of its thunks. It has
///
///   before(node, inputs)                  a callable, or None: a thunk is about to run
///   after(node, inputs, outputs, before)  a callable, or None: it did; `before` is what the other
///                                         call returned, or None
///   started(arguments, spent)             a callable, or None: a call begins, with these values;
///                                         `spent` is how many seconds the calls took that it was
///                                         not told of since the last one of which it was
///   finished(outputs, started)            a callable, or None: it has computed its outputs, and no
///                                         shared variable has changed yet. Where it returns an
///                                         int, so many calls after this one it is told of
///                                         nothing but thunks that are new
///   first                                 an int: a thunk is new so many times, and whenever its
///                                         inputs have layouts, or dtypes, that they have not had
///   absent                                stands for a value that is not computed
///
/// `node` is the index of the function's node. A lazy thunk is told of at each entry, with the
/// inputs that it got and the outputs that it has computed; an eager one has all. What a thunk that
/// failed had is not told. What the callables raise ends the call, whoever waits; it is reported as
/// the node's.
class Observer {
 public:
  explicit Observer(PyObject* object);

  /// Whether all of the call that begins is told of.
  bool samples_call() { return calls_.is_sampled(); }
  /// Tells that a call begins whose arguments are in their registers; what is to be given to
  /// `finished`. Throws PythonError.
  PyRef started(Frame& frame);
  void finished(PyObject* outputs, const PyRef& started);
  /// Whether it is told of thunks that are new in other calls too.
  bool tells_of_new() const { return new_runs_.any(); }
  /// Notes how long a call took that was not told of.
  void add_skipped(std::uint64_t ticks) { calls_.add_skipped(ticks); }

  int traverse(visitproc visit, void* arg) const;

 private:
  friend class ObserverTracer;
  PyRef object_, before_, after_, started_, finished_, absent_;
  SampledCalls calls_;
  NewRuns new_runs_;
};

/// An observer in one call.
class ObserverTracer final : public Tracer {
 public:
  /// With `all` it tells of all thunks, else of those that are new.
  ObserverTracer(Observer& observer, PythonHost& host, bool all)
      : observer_(observer), host_(host), all_(all) {}
  void before(const ThunkRun& run) override;
  void after(const ThunkRun& run, Status status) override;

 private:
  PyRef inputs(const ThunkRun& run) const;
  PyRef outputs(const ThunkRun& run) const;

  Observer& observer_;
  PythonHost& host_;
  const bool all_;
  std::vector<std::pair<ProgramNode, PyRef>> begun_;  ///< with what `before` returned
};

}  // namespace thunkvm
