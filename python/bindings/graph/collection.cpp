// collection.cpp: what holds graphs, for the garbage collector. By hand: a part of it.
#include "python/bindings/graph/collection.h"

#include "ops/control/loop.h"
#include "python/bindings/graph/keeper.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/topics.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {

bool graphs_may_hold_objects = false;
bool graphs_are_mirrored = false;

namespace {

// ---- the two passes

const PythonType* python_type(const Type& type) {
  return type.tensor() != nullptr ? nullptr : dynamic_cast<const PythonType*>(&type);
}

/// Calls `visit` with the nodes that the body of a loop holds, as often as it holds them.
template <class Visit>
void each_node(const LoopBody& body, Visit&& visit) {
  for (const auto* variables : {&body.states, &body.captures, &body.nexts, &body.collected})
    for (const Variable& variable : *variables) visit(variable.node());
  if (body.limit) visit(body.limit.node());
  visit(body.test.node());
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
    if (const LoopOp* loop = closed_loop(node))
      if (complete(loop, loop->references()) && complete(&loop->body(), loop->body().references()))
        each_node(loop->body(), [&](const Apply* inside) { enter(inside); });
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

  static PyObject* of_loop(const LoopOp& loop) {
    return of(&loop, loop.references(), [&](Kept& kept) {
      kept.add(of(&loop.body(), loop.body().references(), [&](Kept& of_body) {
        each_node(loop.body(), [&](const Apply* inside) { of_body.add(of_node(inside)); });
      }));
    });
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
      if (const LoopOp* loop = closed_loop(node)) kept.add(of_loop(*loop));
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
  return std::ranges::find(holder_classes(), Py_TYPE(object)) != holder_classes().end();
}

void put(GraphVisit& question, PyObject* holder) {
  Py_TYPE(holder)->tp_traverse(holder, &ask, &question);
}

// Keepers that somebody holds by now are held by their makers no more.
void hand_over() { let_go(std::exchange(Mirroring::fresh_, {})); }

/// That of module gc: a collection may begin in a frame that can import nothing.
PyObject* get_objects = nullptr;

void mirror_graphs() {
  PyRef objects = PyRef::take(PyObject_CallNoArgs(get_objects));
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
  init_keepers();
  PyRef gc = PyRef::take(PyImport_ImportModule("gc"));
  get_objects = attribute(gc.get(), "get_objects").release();
  PyRef callbacks = attribute(gc.get(), "callbacks");
  PyRef follow = PyRef::take(PyCFunction_New(&follow_collector_method, nullptr));
  check(PyList_Append(callbacks.get(), follow.get()));
}

}  // namespace thunkvm
