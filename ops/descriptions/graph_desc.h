// graph_desc.h: graphs as lists of descriptions: of each node the name of its Op, its attributes,
// and the names of its inputs and outputs. Graph files are made of them.
//
// The description of `x.sum() * 2.0`, with the leaves x and 2.0 beside it:
//
//   {type: "sum", inputs: {x: [v0]}, outputs: [v2], attributes: {axis: None, ...}}
//   {type: "mul", inputs: {x: [v2], y: [v1]}, outputs: [v3], attributes: {}}
#pragma once

#include "ops/descriptions/host_ops.h"
#include "ops/graph/op.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thunkvm {

/// The values of one input of an Op: one, or several if it is variadic.
struct SlotDesc {
  std::string name;
  std::vector<std::string> values;
};

/// One node.
struct OpDesc {
  std::string type;  ///< a name of the registry, or of the host's Ops
  std::vector<SlotDesc> inputs = {};
  std::vector<std::string> outputs;
  Attributes attributes = {};
  std::string host_attributes = {};     ///< of a host's Op: its attributes as JSON
  std::vector<TypeRef> types = {};      ///< of the outputs; none: they are as the Op makes them
  std::vector<std::string> names = {};  ///< of the outputs, as users gave them; "" for none
};

/// A graph. Leaves stand beside the descriptions as what they are.
struct GraphDesc {
  std::vector<std::pair<std::string, Variable>> leaves;
  std::vector<std::string> inputs;
  std::vector<OpDesc> ops;  ///< each behind those whose outputs it reads
  std::vector<std::string> outputs;
};

/// A description's nodes, made.
struct BuiltGraph {
  std::unordered_map<std::string, Variable> values;  ///< all, leaves too
  std::vector<Variable> inputs, outputs;
};

/// Makes the nodes of a description anew, each by its Op, which checks its inputs and attributes.
/// It runs none of them.
///
/// Throws GraphFileError for a type that nobody knows, inputs or attributes that the Op refuses, a
/// value that is read before it is computed (a cycle) or never computed, two values of one name,
/// inputs that are no free variables, and outputs of other types than the description says.
BuiltGraph build(const GraphDesc& graph, const HostOps& host);

}  // namespace thunkvm
