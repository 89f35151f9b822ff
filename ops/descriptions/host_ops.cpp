#include "ops/descriptions/host_ops.h"

#include "ops/descriptions/graph_file_error.h"

namespace thunkvm {

std::optional<std::vector<VarProto>> HostOps::inputs(const std::string& type) const {
  try {
    OpRegistry::proto(type);
  } catch (const Error& error) {
    throw GraphFileError(std::string(error.what()) +
                         ". If a program of Python's registers it, it needs Python");
  }
  return {};
}

std::vector<Variable> HostOps::apply(const std::string& type, const std::string&,
                                     std::span<const Variable>) const {
  throw GraphFileError("there is no Op called '" + type + "'");
}

Variable HostOps::none(Leaf, const std::string&) const {
  throw GraphFileError("its value is Python's None, which is nothing without Python");
}

}  // namespace thunkvm
