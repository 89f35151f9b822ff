#include "linkers/compiler/loaded_modules.h"

#include "linkers/compiler/limits.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

namespace thunkvm {
namespace {

struct Entry {
  bool claimed = false;
  std::weak_ptr<const NativeModule> module;
};

struct Table {
  std::mutex lock;  // held for a look, never while something is made
  std::condition_variable_any unclaimed;
  std::map<std::string, Entry> entries;
  std::size_t prune_at = kFewModules;

  // Forgets what was unloaded, each time that the table has grown to twice its size.
  void prune() {
    if (entries.size() < prune_at) return;
    std::erase_if(entries, [](const auto& item) {
      return !item.second.claimed && item.second.module.expired();
    });
    prune_at = 2 * entries.size() + kFewModules;
  }
};

// Never destroyed: a thread may still be loading while the process ends.
std::atomic<Table*> current{nullptr};

// The threads that hold claims are not in the child, nor is the state of who waits worth anything.
void in_child() {
  auto* table = new Table;
  for (const auto& [key, entry] : current.load()->entries)
    table->entries[key].module = entry.module;
  current = table;
}

Table& table() {
  [[maybe_unused]] static const bool made = [] {
    current = new Table;
    pthread_atfork([] { current.load()->lock.lock(); }, [] { current.load()->lock.unlock(); },
                   in_child);
    return true;
  }();
  return *current;
}

}  // namespace

ModuleClaim::ModuleClaim(std::string key, std::stop_token stop) : key_(std::move(key)) {
  Table& all = table();
  std::unique_lock lock(all.lock);
  all.prune();
  const bool free = all.unclaimed.wait(lock, stop, [&] { return !all.entries[key_].claimed; });
  if (!free) return;
  Entry& entry = all.entries[key_];
  loaded_ = entry.module.lock();
  held_ = entry.claimed = loaded_ == nullptr;
}

ModuleClaim::~ModuleClaim() {
  if (!held_) return;
  Table& all = table();
  {
    const std::lock_guard lock(all.lock);
    all.entries[key_].claimed = false;
  }
  all.unclaimed.notify_all();
}

void ModuleClaim::fulfil(const std::shared_ptr<const NativeModule>& module) {
  Table& all = table();
  const std::lock_guard lock(all.lock);
  all.entries[key_].module = module;
}

}  // namespace thunkvm
