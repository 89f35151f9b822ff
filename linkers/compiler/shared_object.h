// shared_object.h: what a file says of itself before the loader may see it.
#pragma once

#include <string>
#include <string_view>

namespace thunkvm {

/// Why `image` is no shared object for this process, or no whole one; empty if it is. What the file
/// has within its segments is the loader's to judge, which believes it.
std::string shared_object_problem(std::string_view image);

/// Whether a shared object has a section of this name. It has none where its table of sections is
/// not whole: the loader reads none.
bool has_section(std::string_view image, std::string_view name);

}  // namespace thunkvm
