#include "python/bindings/graph/op_documentation.h"

#include "python/bindings/graph/attribute.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {
namespace {

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

PyRef input_dict(const VarProto& var) {
  return PyRef::take(Py_BuildValue(
      "{s:s,s:s,s:O,s:O}", "name", var.name.c_str(), "comment", var.comment.c_str(), "variadic",
      var.variadic ? Py_True : Py_False, "optional", var.is_optional ? Py_True : Py_False));
}

PyRef optional_number(const std::optional<double>& value) {
  return value ? PyRef::take(PyFloat_FromDouble(*value)) : PyRef::borrow(Py_None);
}

PyRef attr_dict(const AttrProto& attr) {
  PyRef allowed = PyRef::take(PyList_New(0));
  for (const AttrValue& value : attr.allowed)
    check(PyList_Append(allowed.get(), attribute_object(value).get()));
  const std::string type(name(attr.type));
  return PyRef::take(Py_BuildValue(
      "{s:s,s:s,s:s,s:O,s:N,s:N,s:N,s:N}", "name", attr.name.c_str(), "type", type.c_str(),
      "comment", attr.comment.c_str(), "required", attr.required ? Py_True : Py_False, "default",
      attribute_object(attr.default_value).release(), "minimum",
      optional_number(attr.minimum).release(), "maximum", optional_number(attr.maximum).release(),
      "allowed", allowed.release()));
}

template <class T, class Convert>
PyRef list_of(const std::vector<T>& values, Convert convert) {
  PyRef list = PyRef::take(PyList_New(0));
  for (const T& value : values) check(PyList_Append(list.get(), convert(value).get()));
  return list;
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
  PyRef inspect = PyRef::take(PyImport_ImportModule("inspect"));
  PyRef parameter = attribute(inspect.get(), "Parameter");
  PyRef parameters = PyRef::take(PyList_New(0));
  const auto add = [&](const std::string& name, const char* kind, PyRef default_value) {
    PyRef args = PyRef::take(
        Py_BuildValue("(sN)", name.c_str(), attribute(parameter.get(), kind).release()));
    PyRef kwargs = PyRef::take(PyDict_New());
    if (default_value) check(PyDict_SetItemString(kwargs.get(), "default", default_value.get()));
    PyRef made = PyRef::take(PyObject_Call(parameter.get(), args.get(), kwargs.get()));
    check(PyList_Append(parameters.get(), made.get()));
  };
  for (const VarProto& input : proto.inputs)
    add(input.name, input.variadic ? "VAR_POSITIONAL" : "POSITIONAL_ONLY",
        input.is_optional && !input.variadic ? PyRef::borrow(Py_None) : PyRef());
  for (const AttrProto& attr : proto.attrs)
    add(attr.name, attribute_by_position(proto) ? "POSITIONAL_OR_KEYWORD" : "KEYWORD_ONLY",
        attr.required ? PyRef() : attribute_object(attr.default_value));
  return PyRef::take(PyObject_CallMethod(inspect.get(), "Signature", "O", parameters.get()));
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

PyRef text_object(const std::string& text) { return to_text(text); }

// (kind, text, how tightly it binds); None for an Op that is written as a call.
PyRef notation_object(const Notation& notation) {
  constexpr const char* kKinds[] = {"call", "infix", "prefix", "attribute", "part"};
  if (notation.kind == Notation::Kind::Call) return PyRef::borrow(Py_None);
  return PyRef::take(Py_BuildValue("(ssi)", kKinds[static_cast<int>(notation.kind)], notation.text,
                                   notation.binds));
}

}  // namespace

PyRef op_proto_dict(const OpProto& proto) {
  return PyRef::take(Py_BuildValue(
      "{s:s,s:s,s:s,s:s,s:N,s:N,s:N,s:O,s:s,s:N,s:N,s:N}", "name", proto.name.c_str(), "family",
      proto.family.c_str(), "comment", proto.comment.c_str(), "example", proto.example.c_str(),
      "inputs", list_of(proto.inputs, input_dict).release(), "outputs",
      list_of(proto.outputs, input_dict).release(), "attrs",
      list_of(proto.attrs, attr_dict).release(), "attribute_by_position",
      attribute_by_position(proto) ? Py_True : Py_False, "exposure", name_of(proto.exposure).data(),
      "aliases", list_of(proto.aliases, text_object).release(), "numpy",
      list_of(proto.numpy, text_object).release(), "notation",
      notation_object(proto.notation).release()));
}

}  // namespace thunkvm
