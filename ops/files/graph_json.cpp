#include "ops/files/graph_json.h"

#include "ops/descriptions/graph_file_error.h"
#include "ops/files/json_fields.h"
#include "ops/graph/attributes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 100;  // of graphs in graphs: each one is a few calls on the stack

[[noreturn]] void refuse(const std::string& message) { throw GraphFileError(message); }

template <class Read>
auto at(const std::string& place, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Memory || error.kind() == ErrorKind::Interrupted ||
        error.kind() == ErrorKind::Host)
      throw;
    refuse(place + ": " + error.what());
  }
}

TypeRef type_of(const json& row) {
  if (row == "generic") return GenericType::instance();
  json_of_kind(row, json::value_t::object, "a type");
  const std::string name = text_at(row, "dtype");
  const auto dtype = dtype_from_name(name);
  if (!dtype || *dtype == DType::Object) refuse("there is no dtype '" + name + "'");
  StaticShape shape;
  for (const json& length : list_at(row, "shape")) {
    if (length.is_null()) {
      shape.push_back(kUnknownLength);
      continue;
    }
    shape.push_back(length.is_number_integer() ? integer_of(length) : -1);
    if (shape.back() < 0)
      refuse("a shape has the length " + length.dump() + "; it has to be >= 0 or null");
  }
  return TensorType::of(*dtype, shape);
}

bool fits(const Array& array, const TensorType& type) {
  bool fits = array.dtype() == type.dtype() && array.ndim() == type.ndim();
  for (int axis = 0; fits && axis < type.ndim(); ++axis)
    fits = type.shape()[static_cast<std::size_t>(axis)] == kUnknownLength ||
           type.shape()[static_cast<std::size_t>(axis)] == array.length(axis);
  return fits;
}

Variable leaf_of(Leaf kind, const TypeRef& type, Array array, bool is_weak) {
  if (!fits(array, *type->tensor()))
    refuse("its array is " + std::string(name(array.dtype())) + " " + format_shape(array.shape()) +
           ", and its type " + type->text());
  Cell value = Cell::of_array(std::move(array));
  if (kind == Leaf::Constant) return Variable::constant(std::move(value), type, is_weak);
  return Variable::shared(Ref(new SharedValue(type, std::move(value))));
}

// An infinity or NaN: {"float": "inf"}.
double special_number(const json& value) {
  if (value.size() == 1 && value.contains("float")) {
    const json& name = value["float"];
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "-inf") return -std::numeric_limits<double>::infinity();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  refuse("an attribute is " + value.dump() + ", which is no number");
}

/// A graph inside of an attribute, that was made.
class ReadGraph final : public InnerGraph {
 public:
  explicit ReadGraph(BuiltGraph graph)
      : inputs_(std::move(graph.inputs)), outputs_(std::move(graph.outputs)) {}
  std::vector<Variable> inputs() const override { return inputs_; }
  std::vector<Variable> outputs() const override { return outputs_; }

 private:
  std::vector<Variable> inputs_, outputs_;
};

// A list of one kind of values, as an attribute.
AttrValue list_of(const std::vector<AttrValue>& items) {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const AttrValue& item : items) {
    if (const auto* integer = std::get_if<std::int64_t>(&item)) integers.push_back(*integer);
    if (const auto* number = std::get_if<double>(&item)) numbers.push_back(*number);
    if (const auto* text = std::get_if<std::string>(&item)) texts.push_back(*text);
  }
  if (integers.size() == items.size()) return integers;
  if (texts.size() == items.size()) return texts;
  if (integers.size() + numbers.size() != items.size())
    refuse("an attribute is a list of values that are not of one kind");
  numbers.clear();
  for (const AttrValue& item : items)
    numbers.push_back(std::holds_alternative<double>(item)
                          ? std::get<double>(item)
                          : static_cast<double>(std::get<std::int64_t>(item)));
  return numbers;
}

}  // namespace

GraphDesc GraphReader::graph(const json& row) {
  json_of_kind(row, json::value_t::object, "the graph");
  GraphDesc graph;
  for (const auto& [name, each] :
       json_of_kind(member_of(row, "leaves"), json::value_t::object, "leaves").items())
    graph.leaves.emplace_back(name, at("leaves." + name, [&] { return leaf(each); }));
  graph.inputs = texts_at(row, "inputs");
  graph.ops = ops(list_at(row, "ops"), true);
  graph.outputs = texts_at(row, "outputs");
  return graph;
}

std::vector<OpDesc> GraphReader::ops(const json& rows, bool typed) {
  std::vector<OpDesc> ops;
  for (const json& row : json_of_kind(rows, json::value_t::array, "ops"))
    ops.push_back(at("ops[" + std::to_string(ops.size()) + "]" + named_type(row),
                     [&] { return op(row, typed); }));
  return ops;
}

Variable GraphReader::leaf(const json& row) {
  json_of_kind(row, json::value_t::object, "it");
  const std::string kind = text_at(row, "kind");
  const TypeRef type = type_of(member_of(row, "type"));
  const std::string name = row.contains("name") ? text_at(row, "name") : "";
  const bool is_weak = row.contains("weak") && row["weak"] == true;
  if (kind == "input") return Variable::input(type, name);
  if (kind != "constant" && kind != "shared")
    refuse("its kind is '" + kind + "'; there are input, constant and shared");
  const Leaf of = kind == "constant" ? Leaf::Constant : Leaf::Shared;
  if (type->tensor() == nullptr) return host_.none(of, name);
  const std::string array = text_at(row, "array");
  Variable& known = leaves_[array];
  if (!known) {
    known = leaf_of(of, type, array_(array), is_weak);
    if (!name.empty()) known.set_name(name);
  }
  if (known.leaf() != of || !known.type().equals(*type) || known.name() != name ||
      (of == Leaf::Constant && known.weak() != is_weak))
    refuse("its array is that of a leaf of another kind, type or name");
  return known;
}

OpDesc GraphReader::op(const json& row, bool typed) {
  json_of_kind(row, json::value_t::object, "it");
  OpDesc desc;
  desc.type = text_at(row, "type");
  for (const auto& [slot, names] :
       json_of_kind(member_of(row, "inputs"), json::value_t::object, "'inputs'").items())
    desc.inputs.push_back({slot, texts_of(names, "'" + slot + "'")});
  desc.outputs = texts_at(row, "outputs");
  if (typed || row.contains("types"))
    for (const json& type : list_at(row, "types")) desc.types.push_back(type_of(type));
  if (row.contains("names")) desc.names = texts_at(row, "names");
  const json& attributes =
      json_of_kind(member_of(row, "attributes"), json::value_t::object, "'attributes'");
  auto of_host = is_of_host_.find(desc.type);
  if (of_host == is_of_host_.end())
    of_host = is_of_host_.emplace(desc.type, host_.inputs(desc.type).has_value()).first;
  if (of_host->second) {
    desc.host_attributes = attributes.dump();
  } else {
    for (const auto& [name, value] : attributes.items()) {
      const bool is_graph = value.is_object() && value.contains("graph");
      desc.attributes.set(name, is_graph ? at(name, [&] { return inner_graph(value["graph"]); })
                                         : attribute(value));
    }
  }
  return desc;
}

AttrValue GraphReader::attribute(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return std::monostate{};
    case json::value_t::boolean: return value.get<bool>();
    case json::value_t::number_integer:
    case json::value_t::number_unsigned: return integer_of(value);
    case json::value_t::number_float: return value.get<double>();
    case json::value_t::string: return value.get<std::string>();
    case json::value_t::object: return special_number(value);
    case json::value_t::array: {
      std::vector<AttrValue> items;
      for (const json& item : value) {
        if (item.is_array()) refuse("an attribute is a list of lists");
        items.push_back(attribute(item));
      }
      return list_of(items);
    }
    default: refuse("an attribute is " + value.dump());
  }
}

AttrValue GraphReader::inner_graph(const json& row) {
  if (depth_ == kMostDepth) refuse("graphs are nested too deep");
  ++depth_;
  BuiltGraph built = build(graph(row), host_);
  --depth_;
  for (const auto& [name, value] : built.values) {
    if (!value.is_leaf() || value.is_constant()) continue;
    if (std::ranges::find(built.inputs, value) == built.inputs.end())
      refuse("the leaf " + value.text() + " is neither an input nor a constant");
  }
  return Ref<const InnerGraph>(new ReadGraph(std::move(built)));
}

}  // namespace thunkvm
