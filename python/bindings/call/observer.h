// observer.h: objects of Python's that are told of each thunk of a call: what the modes that check
// stand on.
#pragma once

#include "python/bindings/python/host.h"
#include "python/bindings/python/python.h"
#include "vm/tracer.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace thunkvm {

class Frame;

/// What a function tells of its thunks. Its object has
///
///   before(node, inputs)                  a callable, or None: a thunk is about to run
///   after(node, inputs, outputs, before)  a callable, or None: it did; `before` is what the other
///                                         call returned, or None
///   started(arguments)                    a callable, or None: a call begins, with these values
///   finished(outputs, started)            a callable, or None: it has computed its outputs, and no
///                                         shared variable has changed yet. Where it returns an
///                                         int, nothing is told of so many calls after this one
///   absent                                stands for a value that is not computed
///
/// `node` is the index of the function's node. A lazy thunk is told of at each entry, with the
/// inputs that it got and the outputs that it has computed; an eager one has all. What a thunk that
/// failed had is not told. What the callables raise ends the call, whoever waits; it is reported as
/// the node's.
class Observer {
 public:
  explicit Observer(PyObject* object);

  /// Tells that a call begins whose arguments are in their registers; what is to be given to
  /// `finished`. Throws PythonError.
  PyRef started(Frame& frame) const;
  void finished(PyObject* outputs, const PyRef& started);
  /// Whether the call that begins is told of.
  bool watches() { return unwatched_ == 0 || (--unwatched_, false); }

  int traverse(visitproc visit, void* arg) const;

 private:
  friend class ObserverTracer;
  PyRef object_, before_, after_, started_, finished_, absent_;
  long long unwatched_ = 0;  ///< calls to come that nothing is told of
};

/// An observer in one call.
class ObserverTracer final : public Tracer {
 public:
  ObserverTracer(const Observer& observer, PythonHost& host) : observer_(observer), host_(host) {}
  void before(const ThunkRun& run) override;
  void after(const ThunkRun& run, Status status) override;

 private:
  PyRef inputs(const ThunkRun& run) const;
  PyRef outputs(const ThunkRun& run) const;

  const Observer& observer_;
  PythonHost& host_;
  std::vector<std::pair<std::uint32_t, PyRef>> begun_;  ///< nodes, with what `before` returned
};

}  // namespace thunkvm
