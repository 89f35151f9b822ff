// scratch.h: a directory to compile in.
#pragma once

#include "linkers/compiler/file.h"

#include <cstddef>
#include <string>

namespace thunkvm {

/// A new directory of mode 0700 that is removed with its files when this goes. While this lives it
/// holds a `flock` on the directory, which tells a directory in use from that of a killed process.
class Scratch {
 public:
  /// Makes one in `parent`; throws Error (Runtime) with the reason if that fails. Then it leaves
  /// nothing there.
  explicit Scratch(const std::string& parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

  /// Removes those in `parent` that no living process holds, as far as they are among the first
  /// `most` that are found: one compilation should not pay for all that others left.
  static void remove_abandoned(const std::string& parent, std::size_t most);

 private:
  std::string path_;
  File lock_;
};

}  // namespace thunkvm
