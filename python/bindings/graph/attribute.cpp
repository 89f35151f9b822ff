#include "python/bindings/graph/attribute.h"

#include "python/bindings/graph/misfit.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/list_of.h"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

[[noreturn]] void refuse(const OpProto& proto, const AttrProto& attr, PyObject* given) {
  const std::string prefix = "[" + proto.name + "] attribute '" + attr.name + "' = ";
  if (is_variable(given))
    throw Error(ErrorKind::Type, prefix + unwrap(given).text() +
                                     " is a Variable; an attribute has to be known while the "
                                     "graph is built: give a " +
                                     std::string(name(attr.type)));
  throw Error(ErrorKind::Type, prefix + str_of(PyRef::take(PyObject_Repr(given)).get()) + " (" +
                                   class_name(given) + "), but it has to be a " +
                                   std::string(name(attr.type)));
}

// A number as its attribute has it. Throws a Python OverflowError that names the attribute where
// the C type holds no such number.
template <class Convert>
auto converted(const OpProto& proto, const AttrProto& attr, PyObject* given, Convert convert,
               const char* rule) {
  const auto value = convert(given);
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw PythonError{};
  PyErr_Clear();
  PyErr_Format(PyExc_OverflowError, "[%s] attribute '%s' = %s, but it has to be %s",
               proto.name.c_str(), attr.name.c_str(), integer_text(given).c_str(), rule);
  throw PythonError{};
}

std::int64_t integer(const OpProto& proto, const AttrProto& attr, PyObject* object) {
  PyRef index = PyRef::take(PyNumber_Index(object));
  return converted(proto, attr, index.get(), PyLong_AsLongLong, "from -2**63 to 2**63 - 1");
}

bool is_integer(PyObject* object) {
  if (PyArray_Check(object)) {
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_NDIM(array) == 0 && PyArray_ISINTEGER(array);
  }
  return PyIndex_Check(object) != 0 && !is_variable(object);
}
// A bool is a Python int, but none that is meant as one.
bool is_count(PyObject* object) { return is_integer(object) && !PyBool_Check(object); }
bool is_number(PyObject* object) {
  return PyFloat_Check(object) || is_integer(object) || PyArray_IsScalar(object, Floating);
}
double real_number(const OpProto& proto, const AttrProto& attr, PyObject* object) {
  const PyRef number =
      is_integer(object) ? PyRef::take(PyNumber_Index(object)) : PyRef::borrow(object);
  return converted(proto, attr, number.get(), PyFloat_AsDouble, "a number that a float64 holds");
}

// One value, or a list, tuple or array of them.
template <class T, class Fits, class Convert>
AttrValue list_of(const OpProto& proto, const AttrProto& attr, PyObject* given, Fits fits,
                  Convert convert) {
  if (fits(given)) return std::vector<T>{convert(proto, attr, given)};
  if (PyUnicode_Check(given) || is_variable(given) || !PySequence_Check(given))
    refuse(proto, attr, given);
  std::vector<T> values;
  for (PyObject* item : Items(given, "a sequence is expected")) {
    if (!fits(item)) refuse(proto, attr, given);
    values.push_back(convert(proto, attr, item));
  }
  return values;
}

bool is_text(PyObject* object) { return PyUnicode_Check(object); }
std::string text_copy(const OpProto&, const AttrProto&, PyObject* object) {
  return std::string(text_of(object));
}

class GivenGraph final : public InnerGraph {
 public:
  GivenGraph(std::vector<Variable> inputs, std::vector<Variable> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  std::vector<Variable> inputs() const override { return inputs_; }
  std::vector<Variable> outputs() const override { return outputs_; }

 private:
  std::vector<Variable> inputs_, outputs_;
};

// (inputs, outputs)
AttrValue graph_of(PyObject* given) {
  return Ref<const InnerGraph>(
      new GivenGraph(require_variables(PyTuple_GET_ITEM(given, 0), "an input of a graph"),
                     require_variables(PyTuple_GET_ITEM(given, 1), "an output of a graph")));
}

}  // namespace

AttrValue attribute_value(const OpProto& proto, const AttrProto& attr, PyObject* given) {
  if (given == Py_None) return std::monostate{};
  switch (attr.type) {
    case AttrType::Bool:
      if (PyBool_Check(given)) return given == Py_True;
      if (PyArray_IsScalar(given, Bool)) return check(PyObject_IsTrue(given)) != 0;
      if (is_integer(given)) return integer(proto, attr, given);
      break;
    case AttrType::Int:
      if (is_count(given)) return integer(proto, attr, given);
      break;
    case AttrType::Float:
      if (is_number(given)) return real_number(proto, attr, given);
      break;
    case AttrType::String:
      if (PyUnicode_Check(given)) return text_copy(proto, attr, given);
      break;
    case AttrType::DType:
      return dtype_of_object(given, "[" + proto.name + "] attribute '" + attr.name + "'");
    case AttrType::Ints: return list_of<std::int64_t>(proto, attr, given, is_count, integer);
    case AttrType::Floats: return list_of<double>(proto, attr, given, is_number, real_number);
    case AttrType::Strings: return list_of<std::string>(proto, attr, given, is_text, text_copy);
    case AttrType::Graph:
      if (PyTuple_Check(given) && PyTuple_GET_SIZE(given) == 2) return graph_of(given);
      break;
  }
  refuse(proto, attr, given);
}

PyRef attribute_object(const AttrValue& value) {
  return std::visit(
      []<class T>(const T& v) -> PyRef {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return PyRef::borrow(Py_None);
        } else if constexpr (std::is_same_v<T, bool>) {
          return PyRef::borrow(v ? Py_True : Py_False);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return PyRef::take(PyLong_FromLongLong(v));
        } else if constexpr (std::is_same_v<T, double>) {
          return PyRef::take(PyFloat_FromDouble(v));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return to_text(v);
        } else if constexpr (std::is_same_v<T, DType>) {
          return to_text(name(v));
        } else if constexpr (std::is_same_v<T, Ref<const InnerGraph>>) {
          const PyRef inputs = wrap_list(v->inputs()), outputs = wrap_list(v->outputs());
          return PyRef::take(PyTuple_Pack(2, inputs.get(), outputs.get()));
        } else {
          return list_of(v, [](const auto& item) { return attribute_object(AttrValue(item)); });
        }
      },
      value);
}

PyRef attribute_dict(const Attributes& attributes) {
  PyRef dict = PyRef::take(PyDict_New());
  for (const auto& [name, value] : attributes.values())
    check(PyDict_SetItemString(dict.get(), name.c_str(), attribute_object(value).get()));
  return dict;
}

}  // namespace thunkvm
