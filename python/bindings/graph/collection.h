// collection.h: graphs as Python's garbage collector sees them, so that cycles through them go.
//
// A graph is counted, and the collector sees nothing of it: what it finds are the Python objects
// that hold nodes ("holders": Variable, Apply, Function), and what it would have to know is which
// Python objects (of users' Ops and Types, of constants and of shared variables) hang on these
// nodes. One node may have many holders, so no holder can say by itself what goes away with it.
//
// A collection asks each holder twice, and the two questions differ:
//   counting  "which references are yours?" An object is garbage if all its references are found.
//             Each holder adds its references to its nodes to their counts; where all references to
//             a node are found, those that the node has are found too, and so on downwards. Thus
//             each reference from a graph to a Python object is reported once, by the holder that
//             completes the count, and only if nobody but holders has the graph.
//   marking   "what do you keep alive?", asked of what is in use. All that hangs on the holder's
//             nodes, whoever else holds them; what was reported in this collection is passed over.
// Both cost a step for each node and edge, once a collection, however many holders there are; a
// chain of any length needs no stack. Only full collections are told of graphs: the young ones,
// which happen all the time, would walk the same graph again and again.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"

#include <cstdint>

namespace thunkvm {

/// The answers of one holder to a collection; see `visit_graph`. All of these take one reference
/// that the holder has; of a thing that it holds twice it has to tell twice. To tell of too few is
/// safe: what hangs on the rest is not collected. To tell of too many is not.
class GraphVisit {
 public:
  GraphVisit(visitproc visit, void* arg) : visit_(visit), arg_(arg) {}

  void node(const Apply* node);
  void shared(const SharedValue& value);
  void type(const Type& type);
  /// The object in a cell, if it has one.
  void value(const Cell& cell);
  void object(PyObject* object);

  /// The value that `tp_traverse` returns.
  int status() const { return status_; }

 private:
  void enter(const Apply* node);
  void look_at(const Apply& node);
  bool complete(const void* thing, std::uint32_t references);

  visitproc visit_;
  void* arg_;
  int status_ = 0;
};

/// Whether the collection that asks a holder now is to be told of graphs. `counted` is the holder's
/// own, zero at first: the stage in which it was counted last.
bool tells_of_graphs(visitproc visit, std::uint64_t& counted);

/// The part of a holder's `tp_traverse` that is about graphs: `tell(GraphVisit&)` tells of the
/// references that it has. Other visitors than a full collection's are told nothing.
template <class Tell>
int visit_graph(std::uint64_t& counted, visitproc visit, void* arg, Tell&& tell) {
  if (!tells_of_graphs(visit, counted)) return 0;
  GraphVisit graph(visit, arg);
  tell(graph);
  return graph.status();
}

/// Whether any graph may hold an object of the user's. As long as none was ever made that could,
/// holders need not be shown to the collector.
extern bool graphs_may_hold_objects;

void init_collection(PyObject* module);

}  // namespace thunkvm
