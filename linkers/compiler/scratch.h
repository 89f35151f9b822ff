// scratch.h: a directory to compile in.
#pragma once

#include "linkers/compiler/file.h"

#include <cstddef>
#include <string>

namespace thunkvm {

/// A new directory of mode 0700 that is removed, with what is in it, when this goes. While this
/// lives it holds a `flock` on the directory, so that what a killed process left can be told from
/// what is in use.
class Scratch {
 public:
  /// Makes one in `parent`; throws Error (Runtime) with the reason where that cannot be. Then
  /// nothing is left there.
  explicit Scratch(const std::string& parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

  /// Removes those in `parent` that no living process holds, as far as they are among the first
  /// `most` that are found: what others left is not for one compilation to pay for.
  static void remove_abandoned(const std::string& parent, std::size_t most);

 private:
  std::string path_;
  File lock_;
};

}  // namespace thunkvm
