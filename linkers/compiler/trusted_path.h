// trusted_path.h: a check that nobody else can replace a directory.
#pragma once

#include <sys/types.h>

#include <string>

namespace thunkvm {

/// The reason why others could replace the directory `path`, as the end of a sentence; empty if
/// only `owner` and root can.
///
/// It looks at every directory above it, from the root down, and at every symbolic link on the way.
/// Each has to belong to `owner` or root, and nobody else may write to it. There are two
/// exceptions: a sticky directory such as /tmp, where others may not touch our entries, and one
/// that the owner's own group of one may write to. It does not look at the last component itself.
std::string who_may_replace(const std::string& path, uid_t owner);

}  // namespace thunkvm
