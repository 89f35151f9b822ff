// c_thunk.h: thunks whose code is the C of a user's Op, over Python objects.
#pragma once

#include "ops/graph/graph.h"
#include "python/bindings/thunks/python_thunk.h"

#include <memory>
#include <span>
#include <unordered_map>

namespace thunkvm {

/// The C of a function's nodes, made for all of them at once, so that it is compiled side by side.
///
/// `compile` is a callable that takes the list of the Applys whose Op has a `c_code`, and returns a
/// list with what each is: None (there is no C of it; another implementation is looked for), or a
/// triple of a NativeModule, the params, and what is said of the node. The module has these
/// functions, which need the GIL:
///
///   int thunkvm_load(void)                 once a process, before the others; -1: it failed
///   void* thunkvm_new(PyObject* params)    what runs the node in one frame; null: it failed
///   void thunkvm_delete(void*)
///   int thunkvm_run(void*, PyObject* const* inputs, PyObject** outputs)
///
/// `inputs` are borrowed, `outputs` owned, each None or the value of an earlier call; not 0: it
/// failed. A failure leaves a Python exception pending. A module that was loaded stays.
class CNodes {
 public:
  /// None where there are no such nodes, or where `compile` is None.
  CNodes(std::span<const Variable> roots, PyObject* compile);

  /// The thunk of a node that has C; form "c".
  ThunkSource source(std::shared_ptr<PythonNodes> nodes) const;

 private:
  std::shared_ptr<const std::unordered_map<const Apply*, PyRef>> compiled_;
};

}  // namespace thunkvm
