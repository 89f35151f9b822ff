// sealed_module.h: a compiled module as a file of the cache holds it.
//
//     | shared object | description | seal: magic, version, sizes, SHA-256 |
//
// The loader reads a shared object from its beginning and does not look behind it. The hash is over
// the key and all the rest, so a file that was cut off, changed, renamed, or written by another
// version of this layout is not taken for a module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thunkvm {

/// The contents of a file: the shared object `image`, with a line for people.
std::string seal(std::string_view key, std::string_view image, std::string_view description);

struct SealedModule {
  std::string_view image;
  std::string_view description;
};

/// The parts that `seal` put together; nullopt if the contents are not exactly that, for this key.
std::optional<SealedModule> open_seal(std::string_view key, std::string_view contents);

/// The description alone, read from the last bytes of a file and not verified: for lists.
std::string description_of(int file);

}  // namespace thunkvm
