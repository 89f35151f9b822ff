#include "python/bindings/graph/origin.h"

#include "ops/graph/graph.h"
#include "python/bindings/graph/origin_frames.h"
#include "python/bindings/python/topics.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

PyObject* dunder_name = nullptr;     // "__name__"
PyObject* make_node_name = nullptr;  // "make_node", interned as the names of code objects are

// The demo is inside the package, but it is a user of it.
bool is_package_name(std::string_view name) {
  const auto is_or_is_in = [name](std::string_view package) {
    return name.starts_with(package) &&
           (name.size() == package.size() || name[package.size()] == '.');
  };
  return is_or_is_in("thunkvm") && !is_or_is_in("thunkvm.demo");
}

// The last module name that was looked at, and what came of it: nearly always the same one again.
PyObject* last_name = nullptr;
bool last_is_package = false;

bool in_package(PyObject* globals) {
  PyObject* name = PyDict_GetItemWithError(globals, dunder_name);
  if (name == last_name) return last_is_package;
  if (name == nullptr || !PyUnicode_CheckExact(name)) {
    PyErr_Clear();
    return false;
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  last_is_package = is_package_name({text, static_cast<std::size_t>(size)});
  Py_XSETREF(last_name, Py_NewRef(name));
  return last_is_package;
}

// The innermost frame of the user's code; of any code, where there is none.
bool find_frame(ThunkvmFrame& found) {
  if (thunkvm_innermost_frame(&found) == 0) return false;
  ThunkvmFrame frame = found;
  do {
    if (!in_package(frame.globals) &&
        reinterpret_cast<PyCodeObject*>(frame.code)->co_name != make_node_name) {
      found = frame;
      return true;
    }
  } while (thunkvm_calling_frame(&frame) != 0);
  return true;
}

// The origin of the last node that was made; not held, so only good to be compared.
Origin last_origin;

// The origin of the nodes that are made now, in the place of the line that runs.
const GivenOrigin* given_now = nullptr;

// Sets a pointer as long as it lives.
template <class T>
class Pointed {
 public:
  Pointed(T*& pointer, T& to) : pointer_(pointer) { pointer = &to; }
  ~Pointed() { pointer_ = nullptr; }
  Pointed(const Pointed&) = delete;
  Pointed& operator=(const Pointed&) = delete;

 private:
  T*& pointer_;
};

Origin capture() noexcept {
  if (given_now != nullptr) [[unlikely]]
    return {Py_NewRef(given_now->place.get()), given_now->line};
  ThunkvmFrame frame;
  if (!find_frame(frame)) return {};
  last_origin = {frame.code, frame.last_instruction};
  return {Py_NewRef(frame.code), frame.last_instruction};
}

void hold(void* code) noexcept { Py_INCREF(static_cast<PyObject*>(code)); }

void drop(void* code) noexcept { Py_DECREF(static_cast<PyObject*>(code)); }

// An origin's `code` is a code object, or the place of a given one.
Place read(const Origin& origin) {
  auto* const object = static_cast<PyObject*>(origin.code);
  if (PyTuple_Check(object))
    return {str_of(PyTuple_GET_ITEM(object, 0)),
            origin.offset,
            {},
            str_of(PyTuple_GET_ITEM(object, 1))};
  auto* const code = reinterpret_cast<PyCodeObject*>(object);
  const std::string function = str_of(code->co_name);
  return {str_of(code->co_filename),
          PyCode_Addr2Line(code, origin.offset),
          function == "<module>" ? std::string() : function,
          {}};
}

// Where the parts of the origin go that is printed now; a node shows its origin as text alone.
thread_local Place* sought = nullptr;

std::string text(const Origin& origin) {
  const Place place = read(origin);
  if (sought != nullptr) *sought = place;
  std::string printed = place.file.substr(place.file.find_last_of('/') + 1);
  if (place.line != 0 || PyCode_Check(static_cast<PyObject*>(origin.code)))
    printed += ":" + std::to_string(place.line);
  if (!place.function.empty()) printed += " in " + place.function;
  if (!place.text.empty()) printed += ", " + place.text;
  return printed;
}

// By position in the walk, the given origin that the node gets; null for those that keep theirs.
std::vector<const GivenOrigin*> assigned(const NodeIndex& nodes,
                                         std::span<const GivenOrigin> given) {
  std::vector<const GivenOrigin*> origins(nodes.size());
  std::vector<std::uint32_t> starts;
  for (const GivenOrigin& one : given) {
    const std::uint32_t at = nodes.of(*one.variable.node());
    if (at == NodeIndex::kAbsent || nodes[at]->leaf() != Leaf::None || origins[at] != nullptr)
      continue;
    origins[at] = &one;
    starts.push_back(at);
  }
  std::vector<std::uint32_t> stack;
  for (const std::uint32_t start : starts) {
    stack.push_back(start);
    while (!stack.empty()) {
      const Apply& node = *nodes[stack.back()];
      stack.pop_back();
      for (const Variable& input : node.inputs()) {
        const std::uint32_t at = nodes.of(*input.node());
        if (input.is_leaf() || origins[at] != nullptr) continue;
        origins[at] = origins[start];
        stack.push_back(at);
      }
    }
  }
  return origins;
}

// Output 0 of the node with other inputs, as one that is made now.
Variable made_again(const Apply& node, std::span<const Variable> inputs) {
  std::vector<TypeRef> types;
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) types.emplace_back(&node.output_type(j));
  const Variable made(Apply::make(Ref<const Op>(node.op()), inputs, types), 0);
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    if (const std::string_view name = const_cast<Apply&>(node).output(j).name(); !name.empty())
      made.node()->output(j).set_name(name);
  return made;
}

}  // namespace

std::string origin_here() {
  const Origin origin = capture();
  if (origin.code == nullptr) return {};
  PyRef held = PyRef::adopt(static_cast<PyObject*>(origin.code));
  return text(origin);
}

Place origin_place(const Apply& node) {
  Place place;
  const Pointed scope(sought, place);
  static_cast<void>(node.origin_text());
  return place;
}

std::vector<Variable> with_origins(std::span<const Variable> roots,
                                   std::span<const GivenOrigin> given) {
  const NodeIndex nodes = topological_order(roots);
  const std::vector<const GivenOrigin*> origins = assigned(nodes, given);
  std::vector<Variable> held;  // an output of each node that stands for another one
  std::vector<Apply*> now(nodes.begin(), nodes.end());
  std::vector<Variable> inputs;
  const auto standing_for = [&](const Variable& variable) {
    return Variable(now[nodes.of(*variable.node())], variable.index());
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n]->leaf() != Leaf::None) continue;
    bool changed = false;
    inputs.clear();
    for (const Variable& input : nodes[n]->inputs()) {
      inputs.push_back(standing_for(input));
      changed |= inputs.back() != input;
    }
    if (origins[n] != nullptr) {
      const Pointed scope(given_now, *origins[n]);
      held.push_back(made_again(*nodes[n], inputs));
    } else if (changed) {
      held.emplace_back(Apply::copy(*nodes[n], inputs), 0);
    } else {
      continue;
    }
    now[n] = held.back().node();
  }
  std::vector<Variable> found;
  for (const Variable& root : roots) found.push_back(standing_for(root));
  return found;
}

bool made_by_this_instruction() {
  ThunkvmFrame frame;
  return find_frame(frame) && frame.code == last_origin.code &&
         frame.last_instruction == last_origin.offset;
}

void init_origin(PyObject*) {
  dunder_name = PyRef::take(PyUnicode_InternFromString("__name__")).release();
  make_node_name = PyRef::take(PyUnicode_InternFromString("make_node")).release();
  set_origin_hooks({capture, hold, drop, text});
}

}  // namespace thunkvm
