#include "linkers/compiler/precompiled.h"

#include "linkers/compiler/command.h"
#include "linkers/compiler/digest.h"
#include "linkers/compiler/scratch.h"
#include "thunks/log.h"

#include <mutex>
#include <set>

namespace thunkvm {
namespace {

// Those that could not be made are not tried again by this process.
std::mutex known_lock;
std::set<std::string>& refused() {
  static auto* keys = new std::set<std::string>;
  return *keys;
}

bool is_refused(const std::string& key) {
  const std::lock_guard lock(known_lock);
  return refused().contains(key);
}

void refuse(const std::string& key, const std::string& why) {
  log().debug("no header is precompiled: {}", why);
  const std::lock_guard lock(known_lock);
  refused().insert(key);
}

}  // namespace

std::string precompiled_header(const CompileTask& task) {
  const auto& [task_key, source, toolchain, settings, store, stop] = task;
  const std::string& text = source.header;
  if (!store || text.empty()) return {};
  const std::string key =
      hexadecimal(sha256_of_fields({"header", toolchain.identity, join(source.flags, '\0'), text}));
  if (is_refused(key)) return {};
  const std::string name = "headers/" + key + ".h", compiled = name + ".gch";
  const std::string path = store->directory() + "/" + name;
  if (store->touch(compiled) && store->touch(name)) return path;
  const LockedFile lock = store->lock(key, settings.timeout, stop);
  if (store->touch(compiled) && store->touch(name)) return path;
  try {
    store->write_text(name, text);
    const Scratch scratch(store->work_directory());
    const std::string output = scratch.path() + "/header.gch";
    std::vector<std::string> words = toolchain.words();
    words.insert(words.end(), source.flags.begin(), source.flags.end());
    words.insert(words.end(), {"-x", "c++-header", path, "-o", output});
    const CommandResult result = run_command(words, compiler_environment(settings, scratch.path()),
                                             "", settings.timeout, stop);
    if (!result.may_have_succeeded() || !store->take_over(output, compiled)) {
      if (result.end != CommandResult::End::Stopped) refuse(key, result.how());
      return {};
    }
  } catch (const Error& error) {
    refuse(key, error.what());
    return {};
  }
  return path;
}

}  // namespace thunkvm
