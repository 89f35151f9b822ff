// graph_file.h: graphs in files, a zip with graph.json and the arrays as npy beside it.
#pragma once

#include "ops/descriptions/graph_file_error.h"
#include "ops/descriptions/host_ops.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// The graph of a file. Docs/graph_files.md says more.
struct FileGraph {
  /// The form of the outputs, as they were given to who wrote the file.
  enum class Outputs : std::uint8_t { One, List, Named };

  std::vector<Variable> inputs, outputs;
  Outputs form = Outputs::List;
  std::vector<std::string> output_names;                 ///< if they are named
  std::vector<std::pair<std::string, Variable>> shared;  ///< the shared variables that have names
};

/// The graph in the bytes of a file. It runs nothing of it.
///
/// Throws GraphFileError that begins with the place, if it is no graph file, is damaged, is of a
/// later version, or has an Op, an attribute or a graph that cannot be.
FileGraph graph_of_bytes(std::string bytes, const HostOps& host = HostOps());

/// The graph in a file; its errors have the name of the file. Throws Error(Value) if it cannot be
/// read.
FileGraph load_graph(const std::string& path, const HostOps& host = HostOps());

}  // namespace thunkvm
