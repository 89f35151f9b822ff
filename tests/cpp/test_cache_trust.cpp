// test_cache_trust.cpp: whose the module cache is, and what in it is believed.
#include "compiling.h"
#include "linkers/compiler/module_store.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

using namespace thunkvm;

namespace {

std::string refusal(const std::string& directory, uid_t owner = geteuid()) {
  try {
    ModuleStore(directory, kRoomy, owner);
  } catch (const StoreError& error) {
    return error.what();
  }
  return "it was taken";
}

}  // namespace

TEST_CASE("a directory that others may have put something into is refused") {
  const TemporaryDirectory directory;
  const std::string ours = directory / "ours";
  CHECK(refusal(ours) == "it was taken");
  CHECK(has(refusal(ours, geteuid() + 1),
            "it belongs to user " + std::to_string(geteuid()) + ", this process to user "));
  CHECK(chmod(ours.c_str(), 0720) == 0);
  CHECK(refusal(ours) ==
        "the module cache " + ours + " is not used: others may write to it; use chmod 700.");
  CHECK(chmod(ours.c_str(), 0702) == 0);
  CHECK(has(refusal(ours), "others may write to it"));
  CHECK(chmod(ours.c_str(), 0700) == 0);
  std::filesystem::create_symlink(ours, directory / "link");
  CHECK(has(refusal(directory / "link"), "it is a symbolic link"));
  CHECK(has(refusal(directory / "link/"), "it is a symbolic link"));
  put(directory / "file", "");
  CHECK(has(refusal(directory / "file"), "is not used: Not a directory."));
  CHECK(has(refusal(directory / "file/cache"), "it cannot be made: "));
}

TEST_CASE("a directory that others may put another one in the place of is refused") {
  const TemporaryDirectory directory;
  const std::string above = directory / "above", ours = above + "/ours";
  CHECK(refusal(ours) == "it was taken");
  CHECK(chmod(above.c_str(), 0707) == 0);
  CHECK(refusal(ours) == "the module cache " + ours + " is not used: others may write to " + above +
                             ", which is on the way to it; use chmod go-w.");
  CHECK(has(refusal(above + "/new/one"), "others may write to " + above));
  CHECK(chmod(above.c_str(), 01777) == 0);  // as /tmp is
  CHECK(refusal(ours) == "it was taken");
  CHECK(chmod(above.c_str(), 0700) == 0);
  std::filesystem::create_directory(directory / "open");
  std::filesystem::create_directory_symlink(above, directory / "open/link");
  CHECK(refusal(directory / "open/link/ours") == "it was taken");
  CHECK(chmod((directory / "open").c_str(), 0707) == 0);
  CHECK(has(refusal(directory / "open/link/ours"),
            "others may write to " + (directory / "open") + ", which is on the way to it"));
}

TEST_CASE("a directory within one of another user, or of a group of several, is refused") {
  if (geteuid() != 0) return;  // giving a directory away takes root
  const TemporaryDirectory directory;
  const std::string above = directory / "above", ours = above + "/ours";
  CHECK(refusal(ours) == "it was taken");
  CHECK(chown(above.c_str(), 65534, 0) == 0);
  CHECK(has(refusal(ours), above + ", which is on the way to it, belongs to user 65534."));
  CHECK(chown(above.c_str(), 0, 65534) == 0);
  CHECK(chmod(above.c_str(), 0770) == 0);
  CHECK(has(refusal(ours), "others may write to " + above));
  CHECK(chown(above.c_str(), 0, 0) == 0);  // the group of root alone
  CHECK(refusal(ours) == "it was taken");
}

TEST_CASE("a module that is a link or somebody else's is not looked at") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", kRoomy);
  const std::string path = store.insert(key_of(1), "image", "").path;
  std::filesystem::rename(path, directory / "elsewhere");
  std::filesystem::create_symlink(directory / "elsewhere", path);
  CHECK_FALSE(store.find(key_of(1)).has_value());
}

namespace {

/// What has a name in a directory and is no file: each is made by a call with its path.
const std::pair<const char*, void (*)(const std::string&)> kNoFiles[] = {
    {"a pipe", [](const std::string& path) { REQUIRE(mkfifo(path.c_str(), 0600) == 0); }},
    {"a directory", [](const std::string& path) { std::filesystem::create_directory(path); }},
    {"a link", [](const std::string& path) { std::filesystem::create_symlink("/dev/zero", path); }},
    {"a socket",
     [](const std::string& path) {
       const File made(socket(AF_UNIX, SOCK_STREAM, 0));
       sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
       REQUIRE(path.size() < sizeof address.sun_path);
       path.copy(address.sun_path, path.size());
       REQUIRE(bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
     }},
    {"a device",
     [](const std::string& path) {
       if (mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) put(path, "");  // takes root
     }},
};

}  // namespace

TEST_CASE("what is no file is neither read nor waited for, whatever name of the cache's it has") {
  const ModuleSource source = answer_source(1);
  for (const auto& [kind, make] : kNoFiles) {
    CAPTURE(kind);
    const TemporaryDirectory directory;
    const ScriptedCompiler compiler(directory);
    ModulePtr module = load_module(source, compiler.settings());
    std::vector<std::string> names = {"lock",    "written",   "work",
                                      "modules", "compilers", "modules/" + module->key() + ".so"};
    for (const std::string& name : names_in(directory / "cache/compilers"))
      names.push_back("compilers/" + name);
    module.reset();
    for (const std::string& name : names) {
      CAPTURE(name);
      const std::string path = directory / "cache/" + name;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      std::filesystem::remove_all(path);
      make(path);
      const Logged ignored;
      CHECK(answer(load_module(source, compiler.settings())) == 1);
      CHECK(answer(load_module(answer_source(2), compiler.settings())) == 2);
      ModuleStore(directory / "cache", 1 << 10).list();
      ModuleStore(directory / "cache", kRoomy).clear();
      std::filesystem::remove_all(path);
    }
  }
}

TEST_CASE("a folder of the cache that is a link to elsewhere is not emptied there") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "elsewhere");
  put(directory / "elsewhere/document", "text");
  ModuleStore store(directory / "cache", kRoomy);
  std::filesystem::create_directory_symlink(directory / "elsewhere", directory / "cache/modules");
  CHECK(store.clear() == 0);
  CHECK(contents_of(directory / "elsewhere/document") == "text");
}

TEST_CASE("the size is kept within bounds where it cannot be counted what was added") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", 64 << 10);
  REQUIRE(mkfifo((directory / "cache/written").c_str(), 0600) == 0);
  for (int i = 0; i < 12; ++i) store.insert(key_of(i), std::string(10 << 10, 'i'), "");
  CHECK(names_in(directory / "cache/modules").size() <= 6);
}

TEST_CASE("what is loaded is the file that was verified, whatever has its path by then") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);
  ModulePtr module = load_module(answer_source(1), settings),
            other = load_module(answer_source(2), settings);
  const std::string key = module->key(), path = module->path(), other_path = other->path();
  module.reset();
  other.reset();
  const std::optional<StoredModule> found = ModuleStore(directory / "cache", kRoomy).find(key);
  REQUIRE(found.has_value());
  std::filesystem::rename(other_path, path);

  const auto loaded = std::make_shared<const NativeModule>(key, found->image, found->from);

  CHECK(answer(loaded) == 1);
  CHECK(loaded->path() == path);
}
