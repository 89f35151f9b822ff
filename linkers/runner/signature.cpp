#include "linkers/runner/signature.h"

#include "thunks/cast.h"
#include "thunks/error.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace thunkvm {
namespace {

std::string name_of_place(std::size_t i) { return "arr_" + std::to_string(i); }

std::vector<std::string> input_names(const FileGraph& graph) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string name(graph.inputs[i].name());
    names.push_back(name.empty() ? name_of_place(i) : name);
    if (std::ranges::count(names, names.back()) > 1)
      throw Error(ErrorKind::Value, "two inputs of the graph are called '" + names.back() +
                                        "': give them other names, and save it again");
  }
  return names;
}

// What is wrong with an array for an input; "" if it fits.
std::string misfit(const Array& array, const TensorType& type) {
  std::string shape = format_static_shape(type.shape());
  bool fits = array.ndim() == type.ndim();
  for (int axis = 0; fits && axis < type.ndim(); ++axis) {
    const std::int64_t known = type.shape()[static_cast<std::size_t>(axis)];
    fits = known == kUnknownLength || known == array.length(axis);
  }
  if (!fits) return "has the shape " + format_shape(array.shape()) + ", not " + shape;
  if (can_cast_safely(array.dtype(), type.dtype())) return "";
  return "is " + std::string(name(array.dtype())) + ", which is no " +
         std::string(name(type.dtype())) + " without loss";
}

}  // namespace

std::vector<Cell> arguments_of(const FileGraph& graph, const NamedArrays& given) {
  const std::vector<std::string> names = input_names(graph);
  std::map<std::string, Array> arrays(given.begin(), given.end());
  std::string wrong;
  std::vector<Cell> arguments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TensorType* const type = graph.inputs[i].type().tensor();
    const auto found = arrays.find(names[i]);
    std::string reason;
    if (type == nullptr) {
      reason = "is " + graph.inputs[i].type().text() + ", which needs Python";
    } else if (found == arrays.end()) {
      reason = "is missing: it is a " + type->text();
    } else {
      reason = misfit(found->second, *type);
    }
    if (!reason.empty()) {
      wrong += "\n  the input '" + names[i] + "' " + reason;
    } else {
      arguments.push_back(Cell::of_array(cast_array(found->second, type->dtype())));
    }
  }
  for (const auto& [name, array] : arrays)
    if (std::ranges::find(names, name) == names.end())
      wrong += "\n  '" + name + "' is no input of the graph";
  if (!wrong.empty()) throw Error(ErrorKind::Type, "the inputs do not fit the graph:" + wrong);
  return arguments;
}

NamedArrays results_of(const FileGraph& graph, std::vector<Cell> values) {
  NamedArrays results;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const std::string name =
        graph.form == FileGraph::Outputs::Named ? graph.output_names[j] : name_of_place(j);
    if (values[j].is_object() || values[j].empty())
      throw Error(ErrorKind::Type, "the output '" + name + "' is no array");
    results.emplace_back(name, values[j].to_array());
  }
  return results;
}

}  // namespace thunkvm
