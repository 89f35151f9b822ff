// json_text.h: described graphs as text.
#pragma once

#include "ops/descriptions/graph_desc.h"
#include "thunks/array.h"

#include <functional>
#include <string>
#include <vector>

namespace thunkvm {

/// The graph in a text of JSON, with the arrays beside it by name. Throws GraphFileError with the
/// place if it is none.
GraphDesc graph_of_json(const std::string& text,
                        const std::function<Array(const std::string&)>& array, const HostOps& host);

/// The same of a list of nodes alone.
std::vector<OpDesc> ops_of_json(const std::string& text,
                                const std::function<Array(const std::string&)>& array,
                                const HostOps& host);

}  // namespace thunkvm
