#include "linkers/compiler/trusted_path.h"

#include "linkers/compiler/file.h"
#include "linkers/compiler/limits.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <system_error>
#include <vector>

namespace thunkvm {
namespace {

namespace fs = std::filesystem;

// Where every user has a group, umasks let the group write. It is as good as the user alone.
bool is_group_of_one(gid_t group, uid_t owner) {
  passwd user_entry{}, *user = nullptr;
  struct group group_entry{}, *found = nullptr;
  std::vector<char> user_text(kLongestUser), group_text(kLongestGroup);
  if (getpwuid_r(owner, &user_entry, user_text.data(), user_text.size(), &user) != 0 ||
      user == nullptr || user->pw_gid != group)
    return false;
  if (getgrgid_r(group, &group_entry, group_text.data(), group_text.size(), &found) != 0 ||
      found == nullptr)
    return false;
  const std::string name = user->pw_name;
  for (char** member = found->gr_mem; *member != nullptr; ++member)
    if (*member != name) return false;
  return found->gr_name == name;
}

bool has_access_list(const std::string& path) {
  return lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

std::string belongs_to(const std::string& path, uid_t user) {
  return path + ", which is on the way to it, belongs to user " + std::to_string(user);
}

std::string problem_of(const std::string& directory, const struct stat& status, uid_t owner) {
  if (status.st_uid != owner && status.st_uid != 0) return belongs_to(directory, status.st_uid);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (status.st_mode & S_ISVTX) != 0) return {};
  if ((status.st_mode & S_IWOTH) == 0 && !has_access_list(directory) &&
      is_group_of_one(status.st_gid, owner))
    return {};
  return "others may write to " + directory + ", which is on the way to it; use chmod go-w";
}

}  // namespace

std::string who_may_replace(const std::string& path, uid_t owner) {
  std::deque<std::string> left;
  for (const fs::path& name : fs::path(path)) left.push_back(name.string());
  fs::path here = "/";
  for (int links = 0; !left.empty();) {
    const std::string name = std::move(left.front());
    left.pop_front();
    if (name == "..") here = here.parent_path();
    if (name.empty() || name == "." || name == ".." || name == "/") continue;
    struct stat above, status;
    if (stat(here.c_str(), &above) != 0) return here.string() + ": " + error_text(errno);
    if (std::string problem = problem_of(here.string(), above, owner); !problem.empty())
      return problem;
    here /= name;
    if (lstat(here.c_str(), &status) != 0) return here.string() + ": " + error_text(errno);
    if (!S_ISLNK(status.st_mode)) continue;
    if (status.st_uid != owner && status.st_uid != 0)
      return belongs_to(here.string(), status.st_uid);
    std::error_code gone;
    const fs::path target = fs::read_symlink(here, gone);
    if (gone || ++links > kMostLinks) return here.string() + " is a link that leads nowhere";
    here = target.is_absolute() ? fs::path("/") : here.parent_path();
    std::deque<std::string> names;
    for (const fs::path& part : target) names.push_back(part.string());
    left.insert(left.begin(), names.begin(), names.end());
  }
  return {};
}

}  // namespace thunkvm
