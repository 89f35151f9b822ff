// host_ops.h: the Ops that a host adds to those of the registry, and its values.
#pragma once

#include "ops/graph/registry.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// The part of graphs that a host alone can make. This is that of no host.
class HostOps {
 public:
  virtual ~HostOps() = default;
  /// The inputs of an Op of the host's; nothing if it has none of that name.
  virtual std::optional<std::vector<VarProto>> inputs(const std::string& type) const;
  /// The outputs of a node of such an Op. `attributes` is JSON.
  virtual std::vector<Variable> apply(const std::string& type, const std::string& attributes,
                                      std::span<const Variable> inputs) const;
  /// A constant or shared variable whose value is the host's None.
  virtual Variable none(Leaf kind, const std::string& name) const;
};

}  // namespace thunkvm
