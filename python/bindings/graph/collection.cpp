#include "python/bindings/graph/collection.h"

#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace thunkvm {

bool graphs_may_hold_objects = false;
bool graphs_are_mirrored = false;

namespace {

// ---- keepers

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

// The mirror of this moment. Under the GIL, like all here.
struct Mirror {
  /// A node, an Op, a type, a shared variable's value.
  struct Thing {
    std::uint32_t found = 0;     ///< references to it
    bool mirrored = false;       ///< its keeper is made, or is being made
    PyObject* keeper = nullptr;  ///< not held; null if no object hangs on it
  };
  std::unordered_map<const void*, Thing> things;
  std::unordered_map<PyObject*, PyObject*> of_holders;  // held
  std::unordered_set<PyObject*> keepers;                // all that there are; not held
};
Mirror& mirror() {
  static auto* mirror = new Mirror;  // graphs may outlive the interpreter
  return *mirror;
}

// Lets keepers go, one after the other: a chain of them may be long.
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

int keeper_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (PyObject* object : keeper(self)->told) Py_VISIT(object);
  return 0;
}

// What it held, for whoever lets go of that.
std::vector<PyObject*> taken_from(PyObject* self) {
  std::vector<PyObject*> told = std::exchange(keeper(self)->told, {});
  told.resize(std::exchange(keeper(self)->n_kept, 0));
  return told;
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
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// What a keeper is to be made of.
struct Kept {
  std::vector<PyObject*> keepers, objects;  // not held

  void add(PyObject* keeper_or_null) {
    if (keeper_or_null != nullptr) keepers.push_back(keeper_or_null);
  }
  /// A new keeper of a thing; null where there is nothing to keep.
  PyObject* made(const void* thing = nullptr) {
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
};

// ---- the two passes

const PythonType* python_type(const Type& type) {
  return type.tensor() != nullptr ? nullptr : dynamic_cast<const PythonType*>(&type);
}

/// Counts the references that are found.
class Counting final : public GraphVisit {
 public:
  void node(const Apply* node) override {
    enter(node);
    while (!pending_.empty()) {
      const Apply& next = *pending_.back();
      pending_.pop_back();
      look_at(next);
    }
  }
  void shared(const SharedValue& shared) override {
    if (complete(&shared, shared.references())) type(shared.type());
  }
  void type(const Type& type) override {
    if (const PythonType* python = python_type(type)) complete(python, python->references());
  }
  void value(const Cell&) override {}

 private:
  /// One more reference: true if it was the last one.
  static bool complete(const void* thing, std::uint32_t references) {
    return ++mirror().things[thing].found == references;
  }
  void enter(const Apply* node) {
    if (complete(node, node->references())) pending_.push_back(node);
  }
  void look_at(const Apply& node) {
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j) type(node.output_type(j));
    if (node.leaf() != Leaf::None) {
      const Variable leaf = const_cast<Apply&>(node).output(0);
      if (leaf.leaf() == Leaf::Shared) shared(leaf.shared_value());
      return;
    }
    if (const PythonOp* op = python_op(node.op())) complete(op, op->references());
    for (const Variable& input : node.inputs()) enter(input.node());
  }

  std::vector<const Apply*> pending_;
};

/// Makes the keepers of what one holder holds.
class Mirroring final : public GraphVisit {
 public:
  void node(const Apply* node) override { kept_.add(of_node(node)); }
  void shared(const SharedValue& value) override { kept_.add(of_shared(value)); }
  void type(const Type& type) override { kept_.add(of_type(type)); }
  void value(const Cell& cell) override {
    if (cell.is_object()) kept_.objects.push_back(object_of(cell));
  }
  /// A new reference to the keeper of it all; null where there is nothing to keep.
  PyObject* made() {
    if (kept_.objects.empty() && kept_.keepers.size() == 1) return Py_NewRef(kept_.keepers.front());
    return kept_.made();
  }

 private:
  using Thing = Mirror::Thing;

  /// The keeper of a thing that `keep(Kept&)` says what hangs on, made once, and only if all
  /// references to it are found.
  template <class Keep>
  static PyObject* of(const void* thing, std::uint32_t references, Keep&& keep) {
    Thing& place = mirror().things[thing];
    if (std::exchange(place.mirrored, true) || place.found != references) return place.keeper;
    Kept kept;
    keep(kept);
    return place.keeper = fresh(kept.made(thing));
  }
  static PyObject* fresh(PyObject* made) {
    if (made != nullptr) fresh_.push_back(made);
    return made;
  }
  static PyObject* of_type(const Type& type) {
    const PythonType* const python = python_type(type);
    if (python == nullptr) return nullptr;
    return of(python, python->references(),
              [&](Kept& kept) { kept.objects.push_back(python->object()); });
  }
  static PyObject* of_shared(const SharedValue& shared) {
    return of(&shared, shared.references(), [&](Kept& kept) {
      if (shared.get().is_object()) kept.objects.push_back(object_of(shared.get()));
      kept.add(of_type(shared.type()));
    });
  }
  static PyObject* of_op(const PythonOp& op) {
    return of(&op, op.references(), [&](Kept& kept) { kept.objects.push_back(op.object()); });
  }

  /// The same of a node, after those of all nodes below it.
  static PyObject* of_node(const Apply* root) {
    struct Below {
      const Apply* node;
      Thing* thing;
      bool entered = false;
    };
    std::vector<Below> pending{{root, &mirror().things[root]}};
    while (!pending.empty()) {
      const auto [node, thing, entered] = pending.back();
      if (entered) {
        pending.pop_back();
        thing->keeper = fresh(made_for(*node, thing->found == 0));
      } else if (std::exchange(thing->mirrored, true) ||
                 (thing->found != node->references() && thing->found != 0)) {
        pending.pop_back();
      } else {
        pending.back().entered = true;
        if (node->leaf() == Leaf::None)
          for (const Variable& input : node->inputs())
            if (Thing& below = mirror().things[input.node()]; !below.mirrored)
              pending.push_back({input.node(), &below});
      }
    }
    return mirror().things[root].keeper;
  }
  /// `is_new`: since references were counted. It tells of nothing of its own, but of what it is
  /// made of.
  static PyObject* made_for(const Apply& node, bool is_new) {
    Kept kept;
    for (std::uint32_t j = 0; j < node.n_outputs(); ++j) kept.add(of_type(node.output_type(j)));
    if (node.leaf() == Leaf::None) {
      if (const PythonOp* op = python_op(node.op())) kept.add(of_op(*op));
      for (const Variable& input : node.inputs()) kept.add(mirror().things[input.node()].keeper);
    } else {
      const Variable leaf = const_cast<Apply&>(node).output(0);
      if (leaf.is_constant() && leaf.constant_value().is_object() && !is_new)
        kept.objects.push_back(object_of(leaf.constant_value()));
      if (leaf.leaf() == Leaf::Shared) kept.add(of_shared(leaf.shared_value()));
    }
    return kept.made(&node);
  }

  Kept kept_;

 public:
  /// Keepers that nobody holds yet but who made them.
  static inline std::vector<PyObject*> fresh_;
};

int ask(PyObject*, void*) { return 0; }

std::vector<PyTypeObject*>& holder_classes() {
  static auto* classes = new std::vector<PyTypeObject*>;
  return *classes;
}

bool is_holder(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  for (PyTypeObject* holder : holder_classes())
    if (type == holder) return true;
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) return false;
  for (PyTypeObject* holder : holder_classes())
    if (PyType_IsSubtype(type, holder) != 0) return true;
  return false;
}

void put(GraphVisit& question, PyObject* holder) {
  Py_TYPE(holder)->tp_traverse(holder, &ask, &question);
}

// Keepers that somebody holds by now are held by their makers no more.
void hand_over() { let_go(std::exchange(Mirroring::fresh_, {})); }

void mirror_graphs() {
  PyRef gc = PyRef::take(PyImport_ImportModule("gc"));
  PyRef objects = PyRef::take(PyObject_CallMethod(gc.get(), "get_objects", nullptr));
  std::vector<PyObject*> holders;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects.get()); ++i)
    if (PyObject* const object = PyList_GET_ITEM(objects.get(), i); is_holder(object))
      holders.push_back(object);
  Counting counting;
  for (PyObject* holder : holders) put(counting, holder);
  graphs_are_mirrored = true;
  for (PyObject* holder : holders) keep_what_it_holds(holder);
}

void drop_mirror() {
  graphs_are_mirrored = false;
  std::vector<PyObject*> held;
  for (const auto& [holder, keeper_of_it] : mirror().of_holders) held.push_back(keeper_of_it);
  for (PyObject* each : mirror().keepers) {
    const std::vector<PyObject*> kept = taken_from(each);
    held.insert(held.end(), kept.begin(), kept.end());
  }
  mirror().things = {};
  mirror().of_holders = {};
  let_go(std::move(held));
}

PyObject* follow_collector(PyObject*, PyObject* const* arguments, Py_ssize_t n) {
  return guard([&] {
    if (n != 2) throw Error(ErrorKind::Type, "a callback of the collector gets (phase, info)");
    PyObject* generation = PyDict_GetItemString(arguments[1], "generation");
    const bool starts = text_of(arguments[0]) == "start";
    if (graphs_are_mirrored) drop_mirror();
    if (starts && graphs_may_hold_objects && generation != nullptr &&
        PyLong_AsLong(generation) == 2)
      mirror_graphs();
    return PyRef::borrow(Py_None);
  });
}

PyMethodDef follow_collector_method = {
    "follow_collector",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(follow_collector)), METH_FASTCALL,
    "Tells thunkvm's graphs that a collection begins or has ended."};

}  // namespace

GraphVisit* question_of(visitproc visit, void* arg) {
  return visit == &ask ? static_cast<GraphVisit*>(arg) : nullptr;
}

int visit_keeper(PyObject* holder, visitproc visit, void* arg) {
  if (!graphs_are_mirrored) return 0;
  const auto found = mirror().of_holders.find(holder);
  if (found != mirror().of_holders.end()) Py_VISIT(found->second);
  return 0;
}

void keep_what_it_holds(PyObject* holder) {
  forget_keeper(holder);
  Mirroring mirroring;
  put(mirroring, holder);
  if (PyObject* const made = mirroring.made()) mirror().of_holders[holder] = made;
  hand_over();
}

void forget_keeper(PyObject* holder) {
  const auto found = mirror().of_holders.find(holder);
  if (found == mirror().of_holders.end()) return;
  PyObject* const held = found->second;
  mirror().of_holders.erase(found);
  let_go({held});
}

void add_holder_class(PyTypeObject* type) { holder_classes().push_back(type); }

void init_collection(PyObject*) {
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
  PyRef gc = PyRef::take(PyImport_ImportModule("gc"));
  PyRef callbacks = attribute(gc.get(), "callbacks");
  PyRef follow = PyRef::take(PyCFunction_New(&follow_collector_method, nullptr));
  check(PyList_Append(callbacks.get(), follow.get()));
}

}  // namespace thunkvm
