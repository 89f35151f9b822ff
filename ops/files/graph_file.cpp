#include "ops/files/graph_file.h"

#include "ops/files/graph_json.h"
#include "ops/files/json_fields.h"
#include "ops/files/npy.h"
#include "ops/files/zip_archive.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace thunkvm {
namespace {

using nlohmann::json;

constexpr const char* kMember = "graph.json";
constexpr const char* kFormat = "thunkvm graph";
constexpr int kVersion = 1;

using Keys = std::unordered_map<std::string, std::vector<std::string>>;

/// Notes the keys of the objects right below the root, in the order of the text: the values that
/// are parsed have them in another one.
class KeyOrder final : public nlohmann::json_sax<json> {
 public:
  explicit KeyOrder(Keys& keys) : keys_(keys) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool key(string_t& key) override {
    if (depth_ == 1) below_root_ = key;
    if (depth_ == 2) keys_[below_root_].push_back(key);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;  // whoever parses the values says it
  }

 private:
  Keys& keys_;
  std::string below_root_;
  int depth_ = 0;
};

/// JSON, and the keys of the objects right below its root in the order of the text.
struct OrderedJson {
  explicit OrderedJson(const std::string& text) : root(json_of_text(text)) {
    KeyOrder order(keys);
    json::sax_parse(text, &order);
  }

  json root;
  Keys keys;
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
  std::string bytes = bytes_of_file(path);
  try {
    return graph_of_bytes(std::move(bytes), host);
  } catch (const GraphFileError& error) {
    throw GraphFileError(std::filesystem::path(path).filename().string() + ": " + error.what());
  }
}

}  // namespace thunkvm
