// test_compiler.cpp: from a source to code that runs, and every way in which that can fail.
#include "compiling.h"
#include "linkers/compiler/compiler.h"
#include "linkers/compiler/toolchain.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <csignal>
#include <thread>

using namespace thunkvm;
using std::chrono::milliseconds;

TEST_CASE("a source becomes code that runs, and is unloaded with the last reference") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);

  ModulePtr module = load_module(answer_source(42), settings);

  CHECK(answer(module) == 42);
  CHECK(module->path() == directory / "cache/modules/" + module->key() + ".so");
  CHECK(load_module(answer_source(42), settings) == module);
  CHECK(answer(load_module(answer_source(43), settings)) == 43);
  CHECK_THROWS_WITH_AS(
      module->symbol("question"),
      ("the compiled module " + module->key() + " has no symbol 'question'.").c_str(), Error);
  const std::weak_ptr<const NativeModule> unloaded = module;
  module.reset();
  CHECK(unloaded.expired());
}

TEST_CASE("a module that was compiled once is read from the directory from then on") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);

  CHECK(answer(load_module(answer_source(1), compiler.settings())) == 1);
  const std::size_t first = compiler.runs();
  CHECK(answer(load_module(answer_source(1), compiler.settings())) == 1);

  CHECK(first == 2);  // asked what it compiles for, and compiled
  CHECK(compiler.runs() == 2);
}

TEST_CASE("flags and libraries of a module's own reach the compiler") {
  const TemporaryDirectory directory;
  const ModuleSource source{
      "double cbrt(double);\ndouble root(double x) { return cbrt(x) + MORE; }\n",
      {"-DMORE=10"},
      {"-l:libm.so.6"}};

  const ModulePtr module = load_module(source, settings_in(directory));

  CHECK(module->function<double(double)>("root")(27.0) == 13.0);
}

TEST_CASE("what libgcc has is there without asking") {
  const TemporaryDirectory directory;
  const ModuleSource source{
      "long quotient(long a, long b) { return (long)(((__int128)a << 64) / ((__int128)b << 60)); "
      "}\n",
      {},
      {}};
  CHECK(load_module(source, settings_in(directory))->function<long(long, long)>("quotient")(6, 2) ==
        48);
}

TEST_CASE("another source, flag, library or compiler is another module") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);
  const ScriptedCompiler other_path(directory);
  CompilerSettings other_flags = settings;
  other_flags.flags.push_back("-O2");
  ModuleSource with_flag = answer_source(1), with_library = answer_source(1);
  with_flag.flags = {"-l:libm.so.6"};
  with_library.libraries = {"-l:libm.so.6"};

  const std::vector<ModulePtr> modules = {load_module(answer_source(1), settings),
                                          load_module(answer_source(2), settings),
                                          load_module(answer_source(1), other_flags),
                                          load_module(with_flag, settings),
                                          load_module(with_library, settings),
                                          load_module(answer_source(1), other_path.settings())};

  for (std::size_t i = 0; i < modules.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) CHECK(modules[i]->key() != modules[k]->key());
}

TEST_CASE(
    "a source that the compiler rejects is an error with its words, the command and the source") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);
  const ModuleSource source{"int answer(void) {\n  return fourty_two;\n}\n", {}, {}};

  const CompileError error = error_of(source, settings);

  CHECK(error.fault() == CompileFault::Rejected);
  CHECK_FALSE(error.is_no_compiler());
  CHECK(has(error.diagnostics(), "<stdin>:2:10: error:"));
  CHECK(has(error.what(), "rejected a module (exit status 1)\n  <stdin>: In function"));
  CHECK(has(error.what(), "\ncommand: " + find_toolchain(settings)->command[0] +
                              " -pipe -std=gnu11 -O1 -march=native"));
  CHECK(has(error.what(), "\nsource: " + (directory / "cache/failed/")));
  CHECK(contents_of(error.source_path()) == source.text);
  CHECK(answer(load_module(answer_source(1), settings)) == 1);
}

TEST_CASE("an error shows the first ten lines that a compiler prints") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "#error number " + std::to_string(i) + " here\n";

  const std::string message = error_of({text, {}, {}}, settings_in(directory)).what();

  CHECK(has(message, "number 0 here"));
  CHECK_FALSE(has(message, "number 39 here"));
  CHECK(has(message, " more lines)\ncommand:"));
}

TEST_CASE("without a cache directory the rejected source is kept in a temporary file") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  settings.cache_directory.clear();
  settings.environment.push_back("TMPDIR=" + directory.path());

  const CompileError error = error_of({"wrong", {}, {}}, settings);

  CHECK(error.source_path().starts_with(directory / "thunkvm-"));
  CHECK(contents_of(error.source_path()) == "wrong");
}

TEST_CASE("a module that calls what is nowhere cannot be loaded, and the error names it") {
  const TemporaryDirectory directory;
  const CompileError error =
      error_of({"int nowhere(void);\nint answer(void) { return nowhere(); }\n", {}, {}},
               settings_in(directory));
  CHECK(error.fault() == CompileFault::NotLoadable);
  CHECK(has(error.what(), "undefined symbol: nowhere"));
  CHECK(has(error.what(), "\nsource: "));
}

TEST_CASE("a compiler that takes too long on a module is killed, with its children") {
  const TemporaryDirectory directory;
  // The first line of the source says whether it hangs. A child of it writes its number down.
  const ScriptedCompiler compiler(directory,
                                  "grep -q hang /proc/self/fd/0 || { $GCC; exit; }\n"
                                  "sleep infinity & echo $! > " +
                                      (directory / "child") + "\nwait");
  CompilerSettings settings = compiler.settings();
  CHECK(answer(load_module(answer_source(1), settings)) == 1);
  settings.timeout = milliseconds(2000);

  const CompileError error = error_of({"// hang\n", {}, {}}, settings);

  CHECK(error.fault() == CompileFault::TimedOut);
  CHECK(has(error.what(), "took longer than 2000 ms on a module, and was killed"));
  const std::string status =
      "/proc/" + std::to_string(std::stoi(contents_of(directory / "child"))) + "/stat";
  const auto runs = [&] {
    const std::string text = contents_of(status);
    return !text.empty() && !has(text, ") Z ") && !has(text, ") X ");
  };
  while (runs()) std::this_thread::yield();  // killed means that it dies soon
  CHECK_FALSE(runs());
}

TEST_CASE("a compilation can be stopped, and so can the wait for somebody else's") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory,
                                  "grep -q hang /proc/self/fd/0 || { $GCC; exit; }\necho > " +
                                      (directory / "hangs") + "\nsleep infinity");
  const CompilerSettings settings = compiler.settings();
  CHECK(answer(load_module(answer_source(1), settings)) == 1);
  const ModuleSource source{"// hang\n", {}, {}};
  std::atomic<int> stopped = 0;
  const auto load = [&](const std::stop_token& stop) {
    try {
      load_module(source, settings, stop);
    } catch (const CompileError& error) {
      stopped += error.fault() == CompileFault::Stopped;
    }
  };

  std::jthread compiles(load);
  while (!std::filesystem::exists(directory / "hangs")) std::this_thread::yield();
  std::jthread waits(load);
  waits.request_stop();
  waits.join();
  CHECK(stopped == 1);
  compiles.request_stop();
  compiles.join();
  CHECK(stopped == 2);
}

TEST_CASE("threads that want the same module compile it once") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);
  const CompilerSettings settings = compiler.settings();
  load_module(answer_source(0), settings);
  std::vector<ModulePtr> modules(8);
  {
    std::vector<std::jthread> threads;
    for (ModulePtr& module : modules)
      threads.emplace_back([&] { module = load_module(answer_source(1), settings); });
  }
  CHECK(compiler.runs() == 3);
  for (const ModulePtr& module : modules) CHECK(module == modules[0]);
  CHECK(answer(modules[0]) == 1);
}

TEST_CASE("modules compile while the process ignores the end of its children") {
  const TemporaryDirectory directory;
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);

  CHECK(answer(load_module(answer_source(7), settings_in(directory))) == 7);
  const CompileError error = error_of({"wrong", {}, {}}, settings_in(directory));
  CHECK(has(error.diagnostics(), "<stdin>:1:1: error:"));

  sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("what is preloaded into this process is not preloaded into the compiler") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  settings.environment.push_back("LD_PRELOAD=" + (directory / "nowhere.so"));
  settings.environment.push_back("LC_ALL=de_DE.UTF-8");
  CHECK_FALSE(has(error_of({"wrong", {}, {}}, settings).diagnostics(), "nowhere.so"));
}

TEST_CASE("clang compiles what gcc does") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  settings.command = "clang";
  const auto clang = find_toolchain(settings);
  if (!clang->usable()) {
    CHECK(clang->fault == CompileFault::NoCompiler);  // not installed here
    return;
  }
  CHECK(clang->version().starts_with("clang "));
  const ModuleSource source{
      "typedef double v8 __attribute__((vector_size(64)));\n"
      "double answer(double x) { v8 a = {x, 1, 1, 1, 1, 1, 1, 2}; a += a; return a[0] * a[7]; }\n",
      {},
      {}};
  CHECK(load_module(source, settings)->function<double(double)>("answer")(3.0) == 24.0);
  CHECK(error_of({"wrong", {}, {}}, settings).fault() == CompileFault::Rejected);
}

namespace {

class CountingHost : public Host {
 public:
  explicit CountingHost(bool stops = false) : stops_(stops) {}
  void leave() override { away_ += 1; }
  void enter() override { away_ -= 1; }
  bool interrupted() override {
    CHECK(away_ == 0);
    return stops_;
  }
  int away() const { return away_; }

 private:
  int away_ = 0;
  bool stops_;
};

}  // namespace

TEST_CASE("many modules are compiled in parallel and come back in order") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);
  std::vector<ModuleSource> sources;
  for (int i = 0; i < 6; ++i) sources.push_back(answer_source(i % 5));
  CountingHost host;

  const std::vector<ModulePtr> modules = load_modules(sources, compiler.settings(), host);

  for (int i = 0; i < 6; ++i) CHECK(answer(modules[static_cast<std::size_t>(i)]) == i % 5);
  CHECK(modules[0] == modules[5]);
  CHECK(compiler.runs() == 6);  // asked once, and five modules
  const std::uint64_t hits = loading_cost_of_thread().cache_hits;
  CHECK(load_modules(sources, compiler.settings(), host) == modules);
  CHECK(loading_cost_of_thread().cache_hits == hits + 6);
  CHECK(compiler.runs() == 6);
  CHECK(host.away() == 0);
}

TEST_CASE("the first module that fails is the error of many") {
  const TemporaryDirectory directory;
  const std::vector<ModuleSource> sources = {answer_source(1), {"wrong", {}, {}}, answer_source(2)};
  CountingHost host;
  try {
    load_modules(sources, settings_in(directory), host);
    FAIL("it was compiled");
  } catch (const CompileError& error) {
    CHECK(error.fault() == CompileFault::Rejected);
  }
  CHECK(host.away() == 0);
}

TEST_CASE("the host can interrupt the compilation of many modules") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory,
                                  "case \"$*\" in *-dM*) $GCC;; *) sleep infinity;; esac");
  const std::vector<ModuleSource> sources = {answer_source(1), answer_source(2), answer_source(3)};
  CountingHost host(true);
  try {
    load_modules(sources, compiler.settings(), host);
    FAIL("it was compiled");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::Interrupted);
  }
  CHECK(host.away() == 0);
}
