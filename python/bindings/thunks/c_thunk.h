// c_thunk.h: thunks whose code is the C of users' Ops, over Python objects.
#pragma once

#include "linkers/schedule/schedule.h"
#include "ops/graph/graph.h"
#include "python/bindings/thunks/python_thunk.h"

#include <memory>
#include <span>
#include <unordered_map>

namespace thunkvm {

/// The C of a function's nodes, compiled for all of them at once, side by side.
///
/// Nodes that run behind each other share a *block*, one function of C in which what they hand on
/// is a C variable: the thunk of the first runs them all, and those of the others only say where it
/// failed. So each node is counted, and named in errors, as if it ran by itself.
///
/// `make` makes the object that does the Python side (thunkvm/c/compiling.py), which is asked
/// which nodes have C and may share a block, and, when the schedule is known, for modules. These
/// have functions of each of their blocks that need the GIL; of block 0:
///
///   int thunkvm_load_0(void)                       once a process, first; -1: it failed
///   void* thunkvm_new_0(PyObject* const* params)   runs the nodes in one frame; null: it failed
///   void thunkvm_delete_0(void*)
///   int thunkvm_run_0(void*, PyObject* const* inputs, PyObject** outputs, int* at)
///
/// `inputs` come from outside the block, in the order in which its nodes first name them, and are
/// borrowed. `outputs` are those that others read, owned, each None or the value of an earlier
/// call. Not 0: node `*at` of the block failed, those before it ran. A failure leaves a Python
/// exception pending. A module that was loaded stays.
class CNodes {
 public:
  /// None where there are no such nodes, or where `make` is None. With `makes_thunks`, an Op's own
  /// `make_thunk` goes before its C.
  CNodes(std::span<const Variable> roots, PyObject* make, bool makes_thunks = false);

  /// The thunk of a node that has C; form "c".
  ThunkSource source(std::shared_ptr<PythonNodes> nodes) const;

  /// Gives the thunks their code, once the nodes' order is known and before it is assembled. The
  /// first node of a block reads what all of the block do. With `alone` no block has two nodes.
  void compile(Schedule& schedule, bool alone) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< null where there are none
};

}  // namespace thunkvm
