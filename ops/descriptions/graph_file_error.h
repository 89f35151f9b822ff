// graph_file_error.h: the one error of graphs that are read.
#pragma once

#include "thunks/error.h"

#include <string>

namespace thunkvm {

/// A file, or a description, is no graph, or not one that this program can read. The message begins
/// with the place: "graph.json: ops[3] (add): ".
class GraphFileError : public Error {
 public:
  explicit GraphFileError(const std::string& message) : Error(ErrorKind::Value, message) {}
};

/// A text of bytes that may be damaged, with '?' for what is no ASCII.
inline std::string printable(std::string text) {
  for (char& letter : text)
    if (letter < ' ' || letter > '~') letter = '?';
  return text;
}

}  // namespace thunkvm
