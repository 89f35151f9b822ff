#include "python/bindings/graph/op_documentation.h"

#include "python/bindings/graph/attribute.h"
#include "python/bindings/python/pybind.h"
#include "python/bindings/python/topics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// A default as Python source.
std::string python_text(const AttrValue& value) {
  PyRef object = attribute_object(value);
  return str_of(PyRef::take(PyObject_Repr(object.get())).get());
}

}  // namespace

bool attribute_by_position(const OpProto& proto) {
  return proto.attrs.size() == 1 && !proto.inputs.empty() &&
         std::none_of(proto.inputs.begin(), proto.inputs.end(),
                      [](const VarProto& input) { return input.variadic || input.is_optional; });
}

std::string op_signature_text(const OpProto& proto) {
  std::string text = "(";
  bool variadic = false;
  for (const VarProto& input : proto.inputs) {
    if (text.size() > 1) text += ", ";
    if (input.variadic && !variadic && text.size() > 1) text += "/, ";
    variadic = variadic || input.variadic;
    text += (input.variadic ? "*" : "") + input.name +
            (input.is_optional && !input.variadic ? "=None" : "");
  }
  if (!proto.attrs.empty() && !variadic && !attribute_by_position(proto))
    text += proto.inputs.empty() ? "*" : ", *";
  for (const AttrProto& attr : proto.attrs) {
    text += ", " + attr.name;
    if (!attr.required) text += "=" + python_text(attr.default_value);
  }
  return text + ")";
}

namespace {

std::string_view name_of(Exposure exposure) {
  switch (exposure) {
    case Exposure::Ops: return "ops";
    case Exposure::Package: return "package";
    case Exposure::Method: return "method";
  }
  return "";
}

py::dict input_dict(const VarProto& var) {
  return py::dict("name"_a = var.name, "comment"_a = var.comment, "variadic"_a = var.variadic,
                  "optional"_a = var.is_optional, "is_tensor"_a = var.is_tensor);
}

py::object value_object(const AttrValue& value) { return object_of(attribute_object(value)); }

py::dict attr_dict(const AttrProto& attr) {
  return py::dict("name"_a = attr.name, "type"_a = name(attr.type), "comment"_a = attr.comment,
                  "required"_a = attr.required, "default"_a = value_object(attr.default_value),
                  "minimum"_a = attr.minimum, "maximum"_a = attr.maximum, "above"_a = attr.above,
                  "allowed"_a = py_list(attr.allowed, value_object));
}

// (kind, text, how tightly it binds); None for an Op that is written as a call.
py::object notation_object(const Notation& notation) {
  constexpr const char* kKinds[] = {"call", "infix", "prefix", "attribute", "part"};
  if (notation.kind == Notation::Kind::Call) return py::none();
  return py::make_tuple(kKinds[static_cast<int>(notation.kind)], notation.text, notation.binds);
}

py::dict proto_dict(const OpProto* proto) {
  return py::dict("name"_a = proto->name, "family"_a = proto->family, "comment"_a = proto->comment,
                  "example"_a = proto->example, "inputs"_a = py_list(proto->inputs, input_dict),
                  "outputs"_a = py_list(proto->outputs, input_dict),
                  "attrs"_a = py_list(proto->attrs, attr_dict),
                  "attribute_by_position"_a = attribute_by_position(*proto),
                  "exposure"_a = name_of(proto->exposure), "aliases"_a = proto->aliases,
                  "numpy"_a = proto->numpy, "notation"_a = notation_object(proto->notation));
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpProto* proto : OpRegistry::protos()) names.push_back(proto->name);
  return names;
}

std::vector<std::tuple<std::string, std::string, bool>> exposed_ops() {
  std::map<std::string, const OpProto*> exposed;
  for (const OpProto* proto : OpRegistry::protos()) {
    if (proto->exposure == Exposure::Ops) continue;
    exposed.emplace(proto->name, proto);
    for (const std::string& alias : proto->aliases) exposed.emplace(alias, proto);
  }
  std::vector<std::tuple<std::string, std::string, bool>> rows;
  for (const auto& [name, proto] : exposed)
    rows.emplace_back(name, proto->name, proto->exposure == Exposure::Method);
  return rows;
}

}  // namespace

PyRef described(const OpProto& proto, const char* by) {
  return restoring([&] {
    const py::module_ docs = py::module_::import("thunkvm._src.graph.op_docs");
    return PyRef::take(docs.attr(by)(proto_dict(&proto)).release().ptr());
  });
}

void init_op_documentation(PyObject* module) {
  Functions(module)
      .def("op_names", &op_names, "The names of all built-in Ops, sorted.")
      .def(
          "op_protos", [] { return py_list(OpRegistry::protos(), proto_dict); },
          "The prototypes of all built-in Ops, as dicts.")
      .def("exposed_ops", &exposed_ops,
           "What the package has of the Ops as they are: (name, the Op's name, whether a method).");
}

}  // namespace thunkvm
