#include "python/bindings/graph/op_documentation.h"

#include "python/bindings/graph/attribute.h"
#include "python/bindings/python/pybind.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
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

std::string number_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// "int or list of ints, optional": what a caller may give.
std::string given_type(const AttrProto& attr) {
  std::string type;
  switch (attr.type) {
    case AttrType::Ints: type = "int or list of ints"; break;
    case AttrType::Floats: type = "float or list of floats"; break;
    case AttrType::Strings: type = "str or list of strs"; break;
    default: type = std::string(name(attr.type));
  }
  if (!attr.allowed.empty()) {
    type = "{";
    for (const AttrValue& value : attr.allowed)
      type += (type.size() == 1 ? "" : ", ") + python_text(value);
    type += "}";
  }
  if (attr.required) return type;
  if (std::holds_alternative<std::monostate>(attr.default_value)) return type + ", optional";
  return type + ", default " + python_text(attr.default_value);
}

std::string range(const AttrProto& attr) {
  if (attr.minimum && attr.maximum)
    return "; from " + number_text(*attr.minimum) + " to " + number_text(*attr.maximum);
  if (attr.minimum) return "; at least " + number_text(*attr.minimum);
  if (attr.maximum) return "; at most " + number_text(*attr.maximum);
  return "";
}

// "the axes to sum over" -> "The axes to sum over."
std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (text.back() != '.') text += '.';
  return text;
}

/// Where the first sentence of a comment ends, behind its full stop: initials stand in parentheses.
std::size_t end_of_sentence(std::string_view comment) {
  int depth = 0;
  for (std::size_t i = 0; i < comment.size(); ++i) {
    depth += comment[i] == '(' ? 1 : comment[i] == ')' ? -1 : 0;
    if (depth == 0 && comment.substr(i, 2) == ". ") return i + 1;
  }
  return comment.size();
}

void add_section(std::string& doc, std::string_view title) {
  doc += "\n" + std::string(title) + "\n" + std::string(title.size(), '-') + "\n";
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
  if (!proto.inputs.empty() && !variadic) text += ", /";
  if (!proto.attrs.empty() && !variadic && !attribute_by_position(proto))
    text += proto.inputs.empty() ? "*" : ", *";
  for (const AttrProto& attr : proto.attrs) {
    text += ", " + attr.name;
    if (!attr.required) text += "=" + python_text(attr.default_value);
  }
  return text + ")";
}

PyRef op_signature(const OpProto& proto) {
  return restoring([&] {
    const py::module_ inspect = py::module_::import("inspect");
    const py::object parameter = inspect.attr("Parameter");
    py::list parameters;
    const auto add = [&](const std::string& name, const char* kind, PyRef default_value) {
      py::dict rest;
      if (default_value) rest["default"] = std::move(default_value);
      parameters.append(parameter(name, parameter.attr(kind), **rest));
    };
    for (const VarProto& input : proto.inputs)
      add(input.name, input.variadic ? "VAR_POSITIONAL" : "POSITIONAL_ONLY",
          input.is_optional && !input.variadic ? PyRef::borrow(Py_None) : PyRef());
    for (const AttrProto& attr : proto.attrs)
      add(attr.name, attribute_by_position(proto) ? "POSITIONAL_OR_KEYWORD" : "KEYWORD_ONLY",
          attr.required ? PyRef() : attribute_object(attr.default_value));
    return PyRef::take(inspect.attr("Signature")(parameters).release().ptr());
  });
}

std::string op_docstring(const OpProto& proto) {
  std::string_view comment = proto.comment;
  const std::size_t end = end_of_sentence(comment);
  std::string doc = sentence(std::string(comment.substr(0, end))) + "\n";
  if (end < comment.size()) doc += "\n" + std::string(comment.substr(end + 1)) + "\n";

  if (!proto.inputs.empty() || !proto.attrs.empty()) add_section(doc, "Parameters");
  for (const VarProto& input : proto.inputs)
    doc += (input.variadic ? "*" : "") + input.name + " : Variable" +
           (input.is_optional ? ", optional" : "") + "\n    " + sentence(input.comment) + "\n";
  for (const AttrProto& attr : proto.attrs)
    doc += attr.name + " : " + given_type(attr) + "\n    " + sentence(attr.comment + range(attr)) +
           "\n";

  add_section(doc, "Returns");
  for (const VarProto& output : proto.outputs)
    doc += (proto.outputs.size() == 1 ? "" : output.name + " : ") + "Variable\n    " +
           sentence(output.comment) + "\n";

  if (!proto.example.empty()) {
    add_section(doc, "Examples");
    doc += proto.example;
    if (doc.back() != '\n') doc += '\n';
  }
  return doc;
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
                  "optional"_a = var.is_optional);
}

py::object value_object(const AttrValue& value) { return object_of(attribute_object(value)); }

py::dict attr_dict(const AttrProto& attr) {
  return py::dict("name"_a = attr.name, "type"_a = name(attr.type), "comment"_a = attr.comment,
                  "required"_a = attr.required, "default"_a = value_object(attr.default_value),
                  "minimum"_a = attr.minimum, "maximum"_a = attr.maximum,
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
