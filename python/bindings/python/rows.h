// rows.h: rows as NamedTuples, whose classes are made from the rows' declarations.
#pragma once

#include "python/bindings/python/pybind.h"
#include "thunks/fields.h"
#include "thunks/index.h"
#include "thunks/words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace thunkvm {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class K, class V>
inline constexpr bool kIsMap<std::map<K, V>> = true;
template <class T>
inline constexpr bool kIsIndex = false;
template <class Kind>
inline constexpr bool kIsIndex<Index<Kind>> = true;

/// The type that Python has of a C++ value, as a stub says it.
template <class T>
std::string type_text() {
  if constexpr (HasFields<T>)
    return Fields<T>::name;
  else if constexpr (HasWords<T>)
    return Words<T>::name;
  else if constexpr (kIsOptional<T>)
    return type_text<typename T::value_type>() + " | None";
  else if constexpr (kIsList<T>)
    return "list[" + type_text<typename T::value_type>() + "]";
  else if constexpr (kIsMap<T>) {
    using Key = typename T::key_type;
    std::string key;
    if constexpr (kIsList<Key>)
      key = "tuple[" + type_text<typename Key::value_type>() + ", ...]";
    else
      key = type_text<Key>();
    return "dict[" + key + ", " + type_text<typename T::mapped_type>() + "]";
  } else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T> || kIsIndex<T>)
    return "int";
  else if constexpr (std::is_floating_point_v<T>)
    return "float";
  else
    return "str";
}

/// The NamedTuple of a row; `declared` in it has (name, type, unit, documentation, merging) of each
/// field. Made once, and never released.
py::object make_row_class(const char* name, const char* doc, const py::list& declared);

template <HasFields Row>
py::handle row_class() {
  static const py::handle made = [] {
    py::list declared;
    for_each_field<Row>([&](const auto& field) {
      using T = std::remove_cvref_t<decltype(Row{}.*field.member)>;
      constexpr std::array kMergings{"by hand", "added", "greatest"};
      declared.append(py::make_tuple(field.name, type_text<T>(), field.unit, field.doc,
                                     kMergings[static_cast<std::size_t>(field.merging)]));
    });
    return make_row_class(Fields<Row>::name, Fields<Row>::doc, declared).release();
  }();
  return made;
}

/// A value as Python has it: a row as its NamedTuple, a value of an enum with words as its word.
template <class T>
py::object as_python(const T& value) {
  if constexpr (HasFields<T>) {
    // As tuple.__new__ does it for a class derived from tuple.
    auto* const type = reinterpret_cast<PyTypeObject*>(row_class<T>().ptr());
    constexpr auto kSize = std::tuple_size_v<std::remove_cvref_t<decltype(Fields<T>::fields)>>;
    auto row = py::reinterpret_steal<py::object>(
        PyRef::take(type->tp_alloc(type, static_cast<Py_ssize_t>(kSize))).release());
    Py_ssize_t at = 0;
    for_each_field<T>([&](const auto& field) {
      PyTuple_SET_ITEM(row.ptr(), at++, as_python(value.*field.member).release().ptr());
    });
    return row;
  } else if constexpr (HasWords<T>) {
    return py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name(value)));
  } else if constexpr (kIsOptional<T>) {
    return value ? as_python(*value) : py::none();
  } else if constexpr (kIsList<T>) {
    return py_list(value, [](const auto& element) { return as_python(element); });
  } else if constexpr (kIsMap<T>) {
    py::dict dict;
    for (const auto& [key, mapped] : value) {
      const py::object made = as_python(key);
      dict[kIsList<typename T::key_type> ? py::object(py::tuple(made)) : made] = as_python(mapped);
    }
    return dict;
  } else if constexpr (kIsIndex<T>) {
    return py::int_(std::uint32_t{value});
  } else {
    return py::cast(value);
  }
}

/// Adds the NamedTuples of rows to a module.
template <HasFields... Row>
void add_row_classes(PyObject* module) {
  const py::module_ to = py::reinterpret_borrow<py::module_>(module);
  py::list names;
  ((to.attr(Fields<Row>::name) = row_class<Row>(), names.append(Fields<Row>::name)), ...);
  to.attr("ROWS") = py::tuple(names);
}

/// Adds an enum to a module, whose members are called by the words of its values. Rows have the
/// words themselves.
template <HasWords Enum>
void add_enum(PyObject* module, const char* doc) {
  py::native_enum<Enum> made(module, Words<Enum>::name, "enum.Enum", doc);
  std::size_t value = 0;
  for (const char* word : Words<Enum>::words) made.value(word, static_cast<Enum>(value++));
  made.finalize();
}

}  // namespace thunkvm
