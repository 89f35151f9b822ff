// trusted_path.h: whether nobody else can put something in the place of a directory.
#pragma once

#include <sys/types.h>

#include <string>

namespace thunkvm {

/// Why others could put something of their own in the place of the directory `path`, as the end of
/// a sentence; empty if only `owner` and root can.
///
/// Looked at is every directory above it, from the root down, and every symbolic link on the way.
/// Each has to belong to `owner` or root, and nobody else may write to it; but for a sticky
/// directory such as /tmp, where others may make entries and may not touch ours, and for one that
/// the owner's own group of one may write to. The last component itself is not looked at.
std::string who_may_replace(const std::string& path, uid_t owner);

}  // namespace thunkvm
