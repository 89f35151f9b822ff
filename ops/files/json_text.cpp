#include "ops/files/json_text.h"

#include "ops/files/graph_json.h"
#include "ops/files/json_fields.h"

namespace thunkvm {

GraphDesc graph_of_json(const std::string& text,
                        const std::function<Array(const std::string&)>& array,
                        const HostOps& host) {
  return GraphReader(array, host).graph(json_of_text(text));
}

std::vector<OpDesc> ops_of_json(const std::string& text,
                                const std::function<Array(const std::string&)>& array,
                                const HostOps& host) {
  return GraphReader(array, host).ops(json_of_text(text), false);
}

}  // namespace thunkvm
