// graph_json.h: described graphs as JSON, as docs/graph_files.md and docs/graph.schema.json say.
#pragma once

#include "ops/descriptions/graph_desc.h"
#include "thunks/array.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <unordered_map>

namespace thunkvm {

/// Reads graphs, one inside another, over the same arrays: leaves of one array are one leaf.
class GraphReader {
 public:
  /// `array` gives the arrays beside the JSON by name. Both live as long as the reader.
  GraphReader(const std::function<Array(const std::string&)>& array, const HostOps& host)
      : array_(array), host_(host) {}

  /// The description that JSON has: its `leaves`, `inputs`, `ops` and `outputs`, a list. Throws
  /// GraphFileError with the place where it is not as the schema says.
  GraphDesc graph(const nlohmann::json& row);
  /// The nodes of `ops`, a list. If they are not `typed`, they need not say the types of outputs.
  std::vector<OpDesc> ops(const nlohmann::json& rows, bool typed);

 private:
  Variable leaf(const nlohmann::json& row);
  OpDesc op(const nlohmann::json& row, bool typed);
  AttrValue attribute(const nlohmann::json& value);
  AttrValue inner_graph(const nlohmann::json& row);

  const std::function<Array(const std::string&)>& array_;
  const HostOps& host_;
  std::unordered_map<std::string, Variable> leaves_;  ///< by array
  std::unordered_map<std::string, bool> is_of_host_;  ///< by type
  int depth_ = 0;                                     ///< of graphs in graphs
};

}  // namespace thunkvm
