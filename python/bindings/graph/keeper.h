// keeper.h: the objects that mirror graphs while the garbage collector runs; see collection.h.
#pragma once

#include "python/bindings/python/python.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace thunkvm {

/// The mirror of this moment. Under the GIL.
struct Mirror {
  /// A node, an Op, the body of a loop, a type, a shared variable's value.
  struct Thing {
    std::uint32_t found = 0;     ///< references to it
    bool mirrored = false;       ///< its keeper is made, or is being made
    PyObject* keeper = nullptr;  ///< not held; null if no object hangs on it
  };
  std::unordered_map<const void*, Thing> things;
  std::unordered_map<PyObject*, PyObject*> of_holders;  ///< held
  std::unordered_set<PyObject*> keepers;                ///< all that there are; not held
};
Mirror& mirror();

/// What a keeper is to be made of.
struct Kept {
  std::vector<PyObject*> keepers;  ///< which it holds
  std::vector<PyObject*> objects;  ///< that hang on its thing, which holds them

  void add(PyObject* keeper_or_null) {
    if (keeper_or_null != nullptr) keepers.push_back(keeper_or_null);
  }
  /// A new keeper of a thing, or of a holder; null where there is nothing to keep.
  PyObject* made(const void* thing = nullptr);
};

/// Lets keepers go, one after the other: a chain of them may be long.
void let_go(std::vector<PyObject*> keepers);
/// Takes from a keeper what it holds.
std::vector<PyObject*> taken_from(PyObject* keeper);

void init_keepers();

}  // namespace thunkvm
