// test_shortage.cpp: compiling where the system has no file descriptor, process or room left.
#include "compiling.h"
#include "linkers/compiler/scratch.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

using namespace thunkvm;
using std::chrono::milliseconds;

namespace {

/// While it lives, the process may open so many more files. The programs that it starts, which do
/// not get its files, may open as many as they need.
class FreeDescriptors {
 public:
  explicit FreeDescriptors(std::size_t count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &now);
    while (File file = File(open("/dev/null", O_RDONLY | O_CLOEXEC)))
      taken_.push_back(std::move(file));
    REQUIRE(taken_.size() > count);
    taken_.resize(taken_.size() - count);
  }
  ~FreeDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  std::vector<File> taken_;
};

}  // namespace

TEST_CASE("without a free file descriptor no directory to compile in is made, nor left") {
  const TemporaryDirectory directory;
  std::string says;
  {
    const FreeDescriptors none(0);
    try {
      const Scratch scratch(directory.path());
    } catch (const CompileError& error) {
      CHECK(error.fault() == CompileFault::Shortage);
      says = error.what();
    }
  }
  CHECK(says ==
        "no directory to compile in can be made in " + directory.path() + ": Too many open files");
  CHECK(names_in(directory.path()).empty());
}

TEST_CASE("a directory to compile in goes with what is in it, without a free descriptor") {
  const TemporaryDirectory directory;
  auto scratch = std::make_unique<Scratch>(directory.path());
  put(scratch->path() + "/module.so", "half of it");
  {
    const FreeDescriptors none(0);
    scratch.reset();
  }
  CHECK(names_in(directory.path()).empty());
}

TEST_CASE("with few free descriptors a module is compiled, or the shortage is named") {
  std::size_t n_compiled = 0;
  for (std::size_t count = 0; count < 24; ++count) {
    CAPTURE(count);
    const TemporaryDirectory directory;
    const ScriptedCompiler compiler(directory);
    {
      const FreeDescriptors few(count);
      try {
        const ModulePtr module = load_module(answer_source(1), compiler.settings());
        CHECK(answer(module) == 1);
        ++n_compiled;
      } catch (const CompileError& error) {
        const std::string message = error.what();
        CAPTURE(message);
        CHECK(error.fault() == CompileFault::Shortage);
        CHECK_FALSE(error.is_no_compiler());
        CHECK(has(message, "Too many open files"));
      }
    }
    CHECK(names_in(directory / "cache/work").empty());
    CHECK(answer(load_module(answer_source(1), compiler.settings())) == 1);
  }
  CHECK(n_compiled > 0);
  CHECK(n_compiled < 24);
}

TEST_CASE("a compiler that the system has no memory for is asked again, and not blamed") {
  const char* const shortages[] = {
      "echo 'cc1: out of memory: Cannot allocate memory' >&2; exit 1",
      "echo 'gcc: fatal error: vfork: Resource temporarily unavailable' >&2; exit 4",
      "echo 'ld: final link failed: No space left on device' >&2; exit 1", "kill -KILL $$"};
  for (const char* script : shortages)
    for (const char* asked : {"", "case \"$*\" in *'-dM -E'*) $GCC; exit;; esac\n"}) {
      const TemporaryDirectory directory;
      const ScriptedCompiler compiler(directory, std::string(asked) + "[ -e " +
                                                     (directory / "enough") + " ] || { " + script +
                                                     "; }\n$GCC");
      const CompileError error = error_of(answer_source(1), compiler.settings());
      CHECK(error.fault() == CompileFault::Shortage);
      CHECK(has(error.what(), "the system lacked something that the C compiler"));
      put(directory / "enough", "");
      CHECK(answer(load_module(answer_source(1), compiler.settings())) == 1);
    }
}

TEST_CASE("what killed processes left is removed by and by, a bounded part at a time") {
  const TemporaryDirectory directory;
  const ModuleStore store(directory / "cache", 1 << 24);
  const std::string work = store.work_directory();
  for (int i = 0; i < 200; ++i)
    std::filesystem::create_directory(work + "/thunkvm-" + std::to_string(i));
  store.work_directory();
  const std::size_t left = names_in(work).size();
  CHECK(left > 100);
  CHECK(left < 200);
  for (int turn = 0; turn < 3; ++turn) store.work_directory();
  CHECK(names_in(work).empty());
}
