// shared_object.h: checks of a file before the loader may see it.
#pragma once

#include <string>
#include <string_view>

namespace thunkvm {

/// Why `image` is no shared object for this process, or no whole one; empty if it is. The contents
/// of its segments are not checked: the loader believes them.
std::string shared_object_problem(std::string_view image);

}  // namespace thunkvm
