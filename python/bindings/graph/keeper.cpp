// keeper.cpp: a node as the garbage collector sees it. By hand: nothing but its slots.
#include "python/bindings/graph/keeper.h"

#include <utility>

namespace thunkvm {
namespace {

struct KeeperObject {
  PyObject_HEAD
      /// Whose keeper it is; null: a holder's.
      const void* thing;
  /// Other keepers, which it holds; then, from `n_kept` on, objects that hang on its thing, which
  /// that holds.
  std::vector<PyObject*> told;
  std::size_t n_kept;
};
PyTypeObject* keeper_class = nullptr;

KeeperObject* keeper(PyObject* object) { return reinterpret_cast<KeeperObject*>(object); }

int keeper_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (PyObject* object : keeper(self)->told) Py_VISIT(object);
  return 0;
}

int keeper_clear(PyObject* self) {
  let_go(taken_from(self));
  return 0;
}

void keeper_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  mirror().keepers.erase(self);
  if (const auto thing = mirror().things.find(keeper(self)->thing); thing != mirror().things.end())
    thing->second.keeper = nullptr;
  keeper_clear(self);
  keeper(self)->told.~vector();
  free_object(self);
}

}  // namespace

Mirror& mirror() {
  static auto* mirror = new Mirror;  // graphs may outlive the interpreter
  return *mirror;
}

void let_go(std::vector<PyObject*> keepers) {
  static std::vector<PyObject*>* going = nullptr;
  if (going != nullptr) {
    going->insert(going->end(), keepers.begin(), keepers.end());
    return;
  }
  going = &keepers;
  while (!keepers.empty()) {
    PyObject* const last = keepers.back();
    keepers.pop_back();
    Py_DECREF(last);
  }
  going = nullptr;
}

std::vector<PyObject*> taken_from(PyObject* self) {
  std::vector<PyObject*> told = std::exchange(keeper(self)->told, {});
  told.resize(std::exchange(keeper(self)->n_kept, 0));
  return told;
}

PyObject* Kept::made(const void* thing) {
  if (keepers.empty() && objects.empty()) return nullptr;
  PyObject* self = keeper_class->tp_alloc(keeper_class, 0);
  if (self == nullptr) throw PythonError{};
  for (PyObject* kept : keepers) Py_INCREF(kept);
  keeper(self)->thing = thing;
  keeper(self)->n_kept = keepers.size();
  keepers.insert(keepers.end(), objects.begin(), objects.end());
  new (&keeper(self)->told) std::vector(std::move(keepers));
  mirror().keepers.insert(self);
  return self;
}

void init_keepers() {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(keeper_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(keeper_clear)},
      {Py_tp_dealloc, reinterpret_cast<void*>(keeper_dealloc)},
      {Py_tp_doc, const_cast<char*>("What hangs on a node, while the collector runs.")},
      {0, nullptr},
  };
  static PyType_Spec spec = {
      "thunkvm._core.GraphKeeper", sizeof(KeeperObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  keeper_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (keeper_class == nullptr) throw PythonError{};
}

}  // namespace thunkvm
