#include "linkers/compiler/compiler.h"

#include "linkers/compiler/command.h"
#include "linkers/compiler/compile.h"
#include "linkers/compiler/compile_queue.h"
#include "linkers/compiler/digest.h"
#include "linkers/compiler/limits.h"
#include "linkers/compiler/loaded_modules.h"
#include "linkers/compiler/module_store.h"
#include "linkers/compiler/shared_object.h"
#include "linkers/compiler/toolchain.h"
#include "thunks/cell.h"
#include "thunks/log.h"
#include "vm/native.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <optional>

namespace thunkvm {
namespace {

// What code that was emitted and this library agree on, and no source says: how calls and cells lie
// in memory. What they call, the sources declare.
std::string binary_interface() {
  std::string text;
  for (const std::size_t number :
       {sizeof(Cell), alignof(Cell), sizeof(NativeFunction), offsetof(NativeCall, cells),
        offsetof(NativeCall, counters), offsetof(NativeCall, done), offsetof(NativeCall, services),
        offsetof(NativeCall, functions)})
    text += std::to_string(number) + ' ';
  return text;
}

std::string key_of(const ModuleSource& source, const Toolchain& toolchain) {
  return hexadecimal(sha256_of_fields({binary_interface(), toolchain.identity,
                                       join(source.flags, '\0'), join(source.left_out, '\0'),
                                       join(source.libraries, '\0'), source.header, source.text}));
}

// For the list of the cache: the compiler, and the first line of the source.
std::string description(const ModuleSource& source, const Toolchain& toolchain) {
  return toolchain.version() + "\t" +
         source.text.substr(0, std::min<std::size_t>(source.text.find('\n'), kDescribedLine));
}

std::shared_ptr<const Toolchain> usable_toolchain(const CompilerSettings& settings,
                                                  std::stop_token stop) {
  std::shared_ptr<const Toolchain> toolchain = find_toolchain(settings, stop);
  if (!toolchain->usable()) throw CompileError(toolchain->fault, toolchain->problem);
  return toolchain;
}

// The module in an image; null, and the problem, if it does not load or lacks a function.
ModulePtr load_image(const std::string& key, const std::string& image, const StoredFile& file,
                     const ModuleSource& source, std::string& problem) {
  try {
    auto module = std::make_shared<const NativeModule>(key, image, file);
    for (const std::string& name : source.defines)
      if (module->find(name.c_str()) == nullptr) problem = "it has no symbol '" + name + "'";
    return problem.empty() ? std::move(module) : nullptr;
  } catch (const CompileError& error) {
    if (error.fault() == CompileFault::Shortage) throw;
    problem = error.diagnostics();
    return nullptr;
  }
}

// The module that the directory has; null where it has none that loads.
ModulePtr load_stored(const std::string& key, const ModuleSource& source,
                      const std::optional<ModuleStore>& store) {
  const std::optional<StoredModule> stored = store ? store->find(key) : std::nullopt;
  if (!stored || !shared_object_problem(stored->image).empty()) return nullptr;
  std::string problem;
  ModulePtr module = load_image(key, stored->image, stored->from, source, problem);
  if (module == nullptr) log().debug("{}: {}", stored->from.path, problem);
  return module;
}

LoadedModule make(const std::string& key, const ModuleSource& source, const Toolchain& toolchain,
                  const CompilerSettings& settings, std::stop_token stop) {
  std::optional<ModuleStore> store = open_store(settings);
  if (ModulePtr stored = load_stored(key, source, store)) return {stored, false};
  LockedFile lock;  // another process may be compiling it: then it will be there
  if (store) {
    lock = store->lock(key, settings.timeout, stop);
    if (ModulePtr stored = load_stored(key, source, store)) return {stored, false};
  }
  const auto begin = std::chrono::steady_clock::now();
  const CompileTask task{key, source, toolchain, settings, store, stop};
  const std::string image = compile(task);
  StoredFile file;
  try {
    if (store) file = store->insert(key, image, description(source, toolchain));
  } catch (const StoreError& error) {
    warn_once(error);
  }
  log().debug(
      "compiled {} bytes of C in {:.1f} ms: {}", source.text.size(),
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count(),
      file.path.empty() ? key : file.path);
  std::string problem;
  if (ModulePtr module = load_image(key, image, file, source, problem)) return {module, true};
  if (store) store->remove(key);
  throw unloadable(task, problem);
}

// The module where the process has it or the directory does; null where it has to be compiled, or
// another thread is about it.
ModulePtr load_made(const ModuleSource& source, const CompilerSettings& settings) {
  const std::shared_ptr<const Toolchain> toolchain = usable_toolchain(settings, {});
  const std::string key = key_of(source, *toolchain);
  std::stop_source no_waiting;
  no_waiting.request_stop();
  ModuleClaim claim(key, no_waiting.get_token());
  if (!claim.is_held()) return claim.loaded();
  ModulePtr stored = load_stored(key, source, open_store(settings));
  if (stored != nullptr) claim.fulfil(stored);
  return stored;
}

// Compiles what `load_modules` wants.
class LoadJob final : public CompileJob {
 public:
  LoadJob(std::span<const ModuleSource> sources, const CompilerSettings& settings,
          std::vector<LoadedModule>& modules, std::vector<std::size_t> wanted)
      : CompileJob(kWaitedFor),
        sources_(sources),
        settings_(settings),
        modules_(modules),
        wanted_(std::move(wanted)) {}

  const std::exception_ptr& error() const { return error_; }

 private:
  std::size_t begin(const std::stop_token&) override { return wanted_.size(); }
  void do_part(std::size_t part, const std::stop_token& stop) override {
    const std::size_t index = wanted_[part];
    try {
      modules_[index] = find_module(sources_[index], settings_, stop);
    } catch (CompileError& error) {
      error.set_index(index);
      throw;
    }
  }
  void end(std::exception_ptr error, bool) noexcept override { error_ = std::move(error); }

  const std::span<const ModuleSource> sources_;
  const CompilerSettings& settings_;
  std::vector<LoadedModule>& modules_;
  const std::vector<std::size_t> wanted_;
  std::exception_ptr error_;
};

// The host is left for as long as this lives.
class Away {
 public:
  explicit Away(Host& host) : host_(host) { host_.leave(); }
  ~Away() { host_.enter(); }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;

  bool interrupted() {
    host_.enter();
    const bool stop = host_.interrupted();
    host_.leave();
    return stop;
  }

 private:
  Host& host_;
};

// Asks a compiler that may hang, on a thread of its own.
std::shared_ptr<const Toolchain> ask_toolchain(const CompilerSettings& settings, Away& away) {
  std::stop_source stop;
  auto answer =
      std::async(std::launch::async, [&] { return find_toolchain(settings, stop.get_token()); });
  while (answer.wait_for(kAskHost) != std::future_status::ready)
    if (away.interrupted()) {
      stop.request_stop();
      answer.wait();
      throw Error(ErrorKind::Interrupted, "the search for a C compiler was interrupted.");
    }
  return answer.get();
}

}  // namespace

std::shared_ptr<const Toolchain> find_toolchain(const CompilerSettings& settings, Host& host) {
  if (auto known = known_toolchain(settings)) return known;
  Away away(host);
  return ask_toolchain(settings, away);
}

LoadedModule find_module(const ModuleSource& source, const CompilerSettings& settings,
                         std::stop_token stop) {
  const std::shared_ptr<const Toolchain> toolchain = usable_toolchain(settings, stop);
  const std::string key = key_of(source, *toolchain);
  ModuleClaim claim(key, stop);
  if (claim.loaded() != nullptr) return {claim.loaded(), false};
  if (!claim.is_held())
    throw CompileError(CompileFault::Stopped, "the wait for a module was stopped.");
  LoadedModule made = make(key, source, *toolchain, settings, stop);
  claim.fulfil(made.module);
  return made;
}

namespace {

thread_local LoadingCost loading_cost;

/// Adds to it what passes while this lives.
struct LoadingTimer {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  ~LoadingTimer() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    loading_cost.seconds += taken.count();
  }
};

}  // namespace

const LoadingCost& loading_cost_of_thread() { return loading_cost; }

std::vector<ModulePtr> load_modules(std::span<const ModuleSource> sources,
                                    const CompilerSettings& settings, Host& host) {
  const LoadingTimer timer;
  std::vector<LoadedModule> found(sources.size());
  std::vector<std::size_t> wanted;
  Away away(host);
  if (known_toolchain(settings) == nullptr) ask_toolchain(settings, away);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    found[i].module = load_made(sources[i], settings);
    if (found[i].module == nullptr) wanted.push_back(i);
  }
  if (!wanted.empty()) {
    LoadJob job(sources, settings, found, std::move(wanted));
    CompileQueue& queue = CompileQueue::of_process();
    queue.add(job, false);
    while (!queue.wait(job, kAskHost))
      if (away.interrupted()) {
        queue.stop(job);
        throw Error(ErrorKind::Interrupted, "the compilation was interrupted.");
      }
    if (job.error()) std::rethrow_exception(job.error());
  }
  std::vector<ModulePtr> modules;
  for (LoadedModule& one : found) {
    if (!one.compiled) ++loading_cost.cache_hits;
    modules.push_back(std::move(one.module));
  }
  return modules;
}

}  // namespace thunkvm
