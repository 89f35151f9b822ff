// c_block.h: nodes of users' C that run as one function, and their thunks.
#pragma once

#include "linkers/compiler/module.h"
#include "linkers/passes/c_blocks.h"
#include "ops/graph/graph.h"
#include "python/bindings/thunks/python_thunk.h"

#include <memory>
#include <string>
#include <vector>

namespace thunkvm {

/// One node of users' C, as messages name it.
struct CNode {
  std::shared_ptr<const PythonNode> node;
  std::string location;  ///< "the C code of Scale (node Scale.0, made at model.py:7)"
};

/// Immutable; of one program, whose registers it names.
struct CBlock {
  using Port = ScheduledCBlock::Port;

  std::vector<CNode> nodes;
  std::vector<const char*> locations;  ///< of the nodes
  std::vector<Port> inputs, outputs;
  std::vector<std::unique_ptr<Held>> params;
  std::vector<PyObject*> given;  ///< the params' addresses
  void* (*make)(PyObject* const* params) = nullptr;
  void (*destroy)(void* self) = nullptr;
  int (*run)(void* self, PyObject* const* inputs, PyObject** outputs, volatile int* at) = nullptr;

  /// Takes the functions of block `number` of a module, and loads what its code sets up once a
  /// process. Throws PythonError.
  void load(const std::shared_ptr<const NativeModule>& module, int number);
};

/// The thunk of a block's node, for one frame. That of the first one runs all; it has to be bound
/// right before those of the others.
std::unique_ptr<BoundThunk> c_block_thunk(std::shared_ptr<const CBlock> block,
                                          std::uint32_t member);

}  // namespace thunkvm
