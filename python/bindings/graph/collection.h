// collection.h: graphs as Python's garbage collector sees them, so that cycles through them go.
//
// A graph is counted, and the collector sees nothing of it: what it finds are the Python objects
// that hold nodes ("holders": Variable, Apply, Function), and what it would have to know is which
// Python objects (of users' Ops and Types, of constants and of shared variables) hang on these
// nodes. One node may have many holders, so no holder can say by itself what goes away with it.
//
// So before a full collection the graphs are *mirrored*: each node from which such an object can be
// reached gets a keeper, a Python object that tells the collector of the objects on its node, and
// holds the keepers of the node's inputs; each holder holds the keepers of its nodes. Keepers are
// objects like all others, so the collector needs to be told nothing else. After it they go.
//
// A node has a keeper only if all references to it are found: those of holders, and those of nodes
// of which all references are found. What anybody else holds stays as it is, and all below it.
//
// By gc.callbacks, gc.get_objects and tp_traverse, all of which CPython documents. Both passes cost
// a step for each node and edge; a chain of any length needs no stack. Only full collections are
// told of graphs: the young ones, which happen all the time, would walk the same graph again and
// again.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// What one holder has to say of its references to graphs; see `visit_graph`. All of these take one
/// reference that the holder has; of a thing that it holds twice it has to tell twice. To tell of
/// too few is safe: what hangs on the rest is not collected. To tell of too many is not.
class GraphVisit {
 public:
  virtual ~GraphVisit() = default;
  virtual void node(const Apply* node) = 0;
  virtual void shared(const SharedValue& value) = 0;
  virtual void type(const Type& type) = 0;
  /// The object in a cell, if it has one.
  virtual void value(const Cell& cell) = 0;
};

/// The question that is asked while graphs are mirrored, in a `tp_traverse`; null: the collector's,
/// or another one.
GraphVisit* question_of(visitproc visit, void* arg);
/// Visits the keeper that a holder has while a collection goes on.
int visit_keeper(PyObject* holder, visitproc visit, void* arg);

/// The part of a holder's `tp_traverse` that is about graphs: `tell(GraphVisit&)` tells of the
/// references that it has.
template <class Tell>
int visit_graph(PyObject* holder, visitproc visit, void* arg, Tell&& tell) {
  GraphVisit* const question = question_of(visit, arg);
  if (question == nullptr) return visit_keeper(holder, visit, arg);
  tell(*question);
  return 0;
}

/// Whether graphs are mirrored now: a collection goes on.
extern bool graphs_are_mirrored;
void keep_what_it_holds(PyObject* holder);
void forget_keeper(PyObject* holder);

/// To be called when a holder has got its nodes; and when it has let go of them, or goes away.
inline void show_holder(PyObject* holder) {
  PyObject_GC_Track(holder);
  if (graphs_are_mirrored) [[unlikely]]
    keep_what_it_holds(holder);
}
/// Whether any graph may hold an object of the user's. As long as none was ever made that could,
/// holders of nothing but graphs need not be shown to the collector.
extern bool graphs_may_hold_objects;
inline void track_holder(PyObject* holder) {
  if (graphs_may_hold_objects) show_holder(holder);
}
inline void leave_holder(PyObject* holder) {
  if (graphs_are_mirrored) [[unlikely]]
    forget_keeper(holder);
}

/// Objects of such a class, from which none can derive, are holders.
void add_holder_class(PyTypeObject* type);

}  // namespace thunkvm
