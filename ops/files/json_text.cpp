#include "ops/files/json_text.h"

#include "ops/descriptions/graph_file_error.h"
#include "ops/files/graph_json.h"

#include <nlohmann/json.hpp>

namespace thunkvm {
namespace {

nlohmann::json parsed(const std::string& text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw GraphFileError(printable(error.what()));
  }
}

}  // namespace

GraphDesc graph_of_json(const std::string& text,
                        const std::function<Array(const std::string&)>& array,
                        const HostOps& host) {
  return GraphReader(array, host).graph(parsed(text));
}

std::vector<OpDesc> ops_of_json(const std::string& text,
                                const std::function<Array(const std::string&)>& array,
                                const HostOps& host) {
  return GraphReader(array, host).ops(parsed(text), false);
}

}  // namespace thunkvm
