// npz.h: arrays by name in files, as numpy.savez writes them and numpy.load reads them.
#pragma once

#include "thunks/array.h"

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// The arrays of a .npz file. Throws Error that begins with the path if it cannot be read, or has a
/// member that is no array.
NamedArrays read_npz(const std::string& path);

/// Writes arrays beside a file and puts them in its place: it is there whole or as it was.
void write_npz(const std::string& path, const NamedArrays& arrays);

}  // namespace thunkvm
