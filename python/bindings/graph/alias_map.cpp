#include "python/bindings/graph/alias_map.h"

#include "python/bindings/graph/collection.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

std::string repr_of(PyObject* object) {
  PyRef text = PyRef::adopt(PyObject_Repr(object));
  if (text && PyUnicode_Check(text.get())) return std::string(text_of(text.get()));
  PyErr_Clear();
  return "a " + class_name(object);
}

// "[Scale] destroy_map has the entry {0: [5]}, but ".
std::string alias_entry(const std::string& what, const std::string& output,
                        const std::string& inputs) {
  return what + " has the entry {" + output + ": " + inputs + "}, but ";
}

constexpr const char* kAliasRule =
    "; it has to be a dict {output: [inputs]} of positions, which count from 0";

std::uint32_t position(PyObject* number, const std::string& entry) {
  const Py_ssize_t value = PyNumber_AsSsize_t(number, nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw Error(ErrorKind::Type,
                entry + repr_of(number) + " is a " + class_name(number) + kAliasRule);
  }
  if (value < 0 || value > UINT32_MAX)
    throw Error(ErrorKind::Value, entry + repr_of(number) + " is no position" + kAliasRule);
  return static_cast<std::uint32_t>(value);
}

}  // namespace

AliasMap alias_map(PyObject* object, const std::string& op, const char* name) {
  PyRef declared = attribute_or_null(object, name);
  AliasMap map;
  if (!declared || declared.get() == Py_None) return map;
  const std::string what = "[" + op + "] " + name;
  if (!PyDict_Check(declared.get()))
    throw Error(ErrorKind::Type, what + " is a " + class_name(declared.get()) + kAliasRule);
  const PyRef pairs = PyRef::take(PyDict_Items(declared.get()));
  for (PyObject* pair : Items(pairs.get(), "a dict is expected")) {
    PyObject* const key = PyTuple_GET_ITEM(pair, 0);
    PyObject* const value = PyTuple_GET_ITEM(pair, 1);
    const std::string entry = alias_entry(what, repr_of(key), repr_of(value));
    PyRef inputs = PyRef::adopt(PyUnicode_Check(value) ? nullptr : PySequence_Tuple(value));
    if (!inputs) {
      PyErr_Clear();
      throw Error(ErrorKind::Type,
                  entry + repr_of(value) + " is a " + class_name(value) + kAliasRule);
    }
    std::vector<std::uint32_t> positions;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(inputs.get()); ++k)
      positions.push_back(position(PyTuple_GET_ITEM(inputs.get(), k), entry));
    map.emplace_back(position(key, entry), std::move(positions));
  }
  std::sort(map.begin(), map.end());
  return map;
}

void check_alias_map(const AliasMap& map, const std::string& what, std::size_t n_inputs,
                     std::size_t n_outputs) {
  const auto missing = [](const char* kind, std::uint32_t at, std::size_t n) {
    return std::string("the node has no ") + kind + " " + std::to_string(at) + ": it has " +
           std::to_string(n) + " " + kind + (n == 1 ? "" : "s");
  };
  for (const auto& [output, inputs] : map) {
    std::string list;
    for (const std::uint32_t i : inputs) list += (list.empty() ? "" : ", ") + std::to_string(i);
    const std::string entry = alias_entry(what, std::to_string(output), "[" + list + "]");
    if (output >= n_outputs)
      throw Error(ErrorKind::Value, entry + missing("output", output, n_outputs) + kAliasRule);
    for (const std::uint32_t i : inputs)
      if (i >= n_inputs)
        throw Error(ErrorKind::Value, entry + missing("input", i, n_inputs) + kAliasRule);
  }
}

}  // namespace thunkvm
