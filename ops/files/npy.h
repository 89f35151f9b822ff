// npy.h: arrays as the bytes of NumPy's .npy files.
#pragma once

#include "thunks/array.h"

#include <string>
#include <string_view>

namespace thunkvm {

/// The array of a .npy file, in C order and with memory of its own. Throws GraphFileError if the
/// bytes are none, or it has other elements than numbers in this machine's order of bytes.
Array array_of_npy(std::string_view bytes);

/// A .npy file of an array.
std::string npy_of(const Array& array);

}  // namespace thunkvm
