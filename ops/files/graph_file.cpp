#include "ops/files/graph_file.h"

#include "ops/files/graph_json.h"
#include "ops/files/json_fields.h"
#include "ops/files/npy.h"
#include "ops/files/zip_archive.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace thunkvm {
namespace {

using nlohmann::json;

constexpr const char* kMember = "graph.json";
constexpr const char* kFormat = "thunkvm graph";
constexpr int kVersion = 1;

/// JSON, and the keys of the objects right below its root in the order of the text.
struct OrderedJson {
  explicit OrderedJson(const std::string& text) {
    std::string below_root;
    const auto note = [&](int depth, json::parse_event_t event, json& parsed) {
      if (event != json::parse_event_t::key) return true;
      if (depth == 1) below_root = parsed.get<std::string>();
      if (depth == 2) keys[below_root].push_back(parsed.get<std::string>());
      return true;
    };
    try {
      root = json::parse(text, note);
    } catch (const json::exception& error) {
      throw GraphFileError(printable(error.what()));
    }
  }

  json root;
  std::unordered_map<std::string, std::vector<std::string>> keys;
};

void check_version(const json& root) {
  if (!root.is_object() || !root.contains("format") || root["format"] != kFormat)
    throw GraphFileError(std::string("its format is not '") + kFormat + "'");
  const json version = root.contains("version") ? root["version"] : json();
  if (!version.is_number_integer() || version < 1 || version > kVersion)
    throw GraphFileError("its version is " + version.dump() + ", and this program reads 1 to " +
                         std::to_string(kVersion));
}

// The outputs in their form; a list of them takes their place.
void read_form(OrderedJson& text, FileGraph& graph) {
  json& outputs = text.root["outputs"];
  if (outputs.is_string()) {
    graph.form = FileGraph::Outputs::One;
    outputs = json::array({outputs});
  } else if (outputs.is_object()) {
    graph.form = FileGraph::Outputs::Named;
    graph.output_names = text.keys["outputs"];
    json list = json::array();
    for (const std::string& name : graph.output_names) list.push_back(outputs[name]);
    outputs = std::move(list);
  }
}

void check_is_closed(const GraphDesc& desc) {
  const std::unordered_set<std::string_view> given(desc.inputs.begin(), desc.inputs.end());
  for (const auto& [name, leaf] : desc.leaves)
    if (leaf.leaf() == Leaf::Input && !given.contains(name))
      throw GraphFileError("the free variable " + leaf.text() +
                           " is not among the inputs of the graph");
}

FileGraph graph_of_text(const std::string& bytes, const ZipArchive& file, const HostOps& host) {
  OrderedJson text(bytes);
  check_version(text.root);
  FileGraph graph;
  read_form(text, graph);
  const std::function<Array(const std::string&)> array = [&](const std::string& name) {
    const std::string npy = file.member(name);
    try {
      return array_of_npy(npy);
    } catch (const GraphFileError& error) {
      throw GraphFileError(name + ": " + error.what());
    }
  };
  const GraphDesc desc = GraphReader(array, host).graph(text.root);
  BuiltGraph built = build(desc, host);
  check_is_closed(desc);
  graph.inputs = std::move(built.inputs);
  graph.outputs = std::move(built.outputs);
  for (const std::string& name : text.keys["leaves"])
    if (const Variable& leaf = built.values.at(name);
        leaf.leaf() == Leaf::Shared && !leaf.name().empty())
      graph.shared.emplace_back(leaf.name(), leaf);
  return graph;
}

}  // namespace

FileGraph graph_of_bytes(std::string bytes, const HostOps& host) {
  const ZipArchive file(std::move(bytes));
  const std::string text = file.member(kMember);
  try {
    return graph_of_text(text, file, host);
  } catch (const GraphFileError& error) {
    throw GraphFileError(std::string(kMember) + ": " + error.what());
  }
}

FileGraph load_graph(const std::string& path, const HostOps& host) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    throw Error(ErrorKind::Value, path + " cannot be read: " + std::strerror(errno));
  try {
    return graph_of_bytes(std::move(bytes), host);
  } catch (const GraphFileError& error) {
    throw GraphFileError(std::filesystem::path(path).filename().string() + ": " + error.what());
  }
}

}  // namespace thunkvm
