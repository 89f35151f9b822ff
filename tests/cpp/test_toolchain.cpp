// test_toolchain.cpp: finding a compiler, and telling one that works from one that does not.
#include "compiling.h"
#include "linkers/compiler/toolchain.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>

using namespace thunkvm;
using std::chrono::milliseconds;

namespace {

// An environment whose PATH is one directory.
std::vector<std::string> path_of(const std::string& directory) { return {"PATH=" + directory}; }

// A variable of this process, for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a command is split into words as a shell does it") {
  using Words = std::vector<std::string>;
  CHECK(split_command("gcc") == Words{"gcc"});
  CHECK(split_command("  ccache  gcc -m64 ") == Words{"ccache", "gcc", "-m64"});
  CHECK(split_command("'/a b/gcc' \"-DX=\\\"1 2\\\"\" c\\ d''") ==
        Words{"/a b/gcc", "-DX=\"1 2\"", "c d"});
  CHECK(split_command("gcc '' x") == Words{"gcc", "", "x"});
  CHECK(split_command(" ").empty());
  CHECK_THROWS_WITH_AS(split_command("gcc '-DX"),
                       "the compiler's command gcc '-DX has a ' that is not closed.", Error);
}

TEST_CASE("settings come from the environment, and what a program sets comes first") {
  const Variable own("THUNKVM_CC", "clang"), cc("CC", "gcc -m64"), cache("THUNKVM_CACHE", "/cache");
  CHECK(default_settings().command == "clang");
  CHECK(default_settings().cache_directory == "/cache");
  {
    const Variable none("THUNKVM_CC", ""), no_cache("THUNKVM_CACHE", nullptr);
    const Variable xdg("XDG_CACHE_HOME", "/xdg");
    CHECK(default_settings().command == "gcc -m64");
    CHECK(default_settings().cache_directory == "/xdg/thunkvm");
    const Variable relative("XDG_CACHE_HOME", "xdg"), home("HOME", "/home/me");
    CHECK(default_settings().cache_directory == "/home/me/.cache/thunkvm");
  }
  {
    const Variable home("HOME", "/home/me"), in_home("THUNKVM_CACHE", "~/modules");
    CHECK(default_settings().cache_directory == "/home/me/modules");
    const Variable relative("THUNKVM_CACHE", "modules");
    CHECK(default_settings().cache_directory == std::filesystem::current_path() / "modules");
    const Variable nowhere("THUNKVM_CACHE", "");
    CHECK(default_settings().cache_directory.empty());
  }
  set_compiler_overrides(
      {.command = "tcc", .cache_directory = "/mine", .cache_size = 7, .timeout = milliseconds(9)});
  const CompilerSettings set = default_settings();
  set_compiler_overrides({});
  CHECK(set.command == "tcc");
  CHECK(set.cache_directory == "/mine");
  CHECK(set.cache_size == 7);
  CHECK(set.timeout == milliseconds(9));
}

TEST_CASE("gcc, then clang, then cc is looked for on the path") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  const std::string script = "exec " + find_toolchain(settings)->command[0] + " \"$@\"";
  settings.command.clear();
  settings.environment = path_of(directory.path());
  const auto found = [&] { return find_toolchain(settings)->command; };

  CHECK(find_toolchain(settings)->fault == CompileFault::NoCompiler);
  CHECK(find_toolchain(settings)->problem ==
        "no C compiler was found: there is no gcc, clang or cc on the PATH (" + directory.path() +
            "). Install gcc, or set THUNKVM_CC to a C compiler.");
  const std::string cc = make_script(directory / "cc", script);
  CHECK(found() == std::vector<std::string>{cc});
  const std::string clang = make_script(directory / "clang", script);
  CHECK(found() == std::vector<std::string>{clang});
  put(directory / "gcc", "");  // no program
  CHECK(found() == std::vector<std::string>{clang});
  const std::string gcc = make_script(directory / "gcc", script);
  CHECK(found() == std::vector<std::string>{gcc});
  CHECK(find_toolchain(settings)->usable());
}

TEST_CASE("the arguments of a command are kept") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  settings.command = "env -u NOTHING gcc -DANSWER=42";

  CHECK(find_toolchain(settings)->macro("ANSWER") == "42");
  CHECK(find_toolchain(settings)->command[0].ends_with("/env"));
  CHECK(answer(load_module({"int answer(void) { return ANSWER; }", {}, {}}, settings)) == 42);
}

TEST_CASE(
    "a compiler is asked once, then remembered, also in the cache directory, until it changes") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);

  const auto first = find_toolchain(compiler.settings());

  CHECK(first->usable());
  CHECK(first->version().starts_with("gcc "));
  CHECK(first->macro("__STDC__") == "1");
  CHECK(first->macro("STDC__").empty());
  CHECK(find_toolchain(compiler.settings()) == first);
  CHECK(compiler.runs() == 1);
  CHECK(names_in(directory / "cache/compilers") == std::vector<std::string>{first->found});
  compiler.rewrite("$GCC -DCHANGED");
  CHECK(find_toolchain(compiler.settings())->macro("CHANGED") == "1");
  CHECK(find_toolchain(compiler.settings())->identity != first->identity);
  CHECK(compiler.runs() == 2);
}

TEST_CASE("a flag for this processor is left out where the compiler does not know it") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(
      directory, "case \"$*\" in *-march=native*) echo 'no such flag' >&2; exit 1;; esac\n$GCC");
  const auto toolchain = find_toolchain(compiler.settings());
  CHECK(toolchain->usable());
  CHECK(std::count(toolchain->flags.begin(), toolchain->flags.end(), "-march=native") == 0);
  CHECK(answer(load_module(answer_source(5), compiler.settings())) == 5);
}

TEST_CASE("a compiler that is named but not there is no compiler") {
  const TemporaryDirectory directory;
  CompilerSettings settings = settings_in(directory);
  settings.environment = path_of("/usr/bin");
  settings.command = "no-such-cc -O1";
  const CompileError error = error_of(answer_source(1), settings);
  CHECK(error.fault() == CompileFault::NoCompiler);
  CHECK(error.is_no_compiler());
  CHECK(error.what() ==
        std::string(
            "the C compiler 'no-such-cc -O1' was not found: there is no program "
            "'no-such-cc' on the PATH (/usr/bin). Set THUNKVM_CC or CC to one, or unset them."));
  settings.command = "gcc '";
  CHECK(error_of(answer_source(1), settings).is_no_compiler());
}

TEST_CASE("a broken compiler is told from a broken source, and not tried again until it changes") {
  struct Broken {
    std::string script, says;
  };
  const std::string asked =
      "case \"$*\" in *'-dM -E'*) $GCC; exit;; esac\n";  // it answers, at least
  const Broken kinds[] = {
      {"exit 1", "asked for its macros it ended with exit status 1."},
      {"echo internal error >&2; kill -SEGV $$",
       "killed by signal 11 (Segmentation fault), and printed: internal error"},
      {"echo a b c", "printed none of gcc's."},
      {"exec sleep infinity", "ended with timed out."},
      {asked + "echo cannot find ld >&2; exit 1",
       "of a function of one line it made no module (exit status 1)\n  cannot find ld"},
      {asked + "exit 0", "made no module (it wrote no file)"},
      {asked + "yes garbage | head -n 1000 > $OUTPUT", "made no module (it is no ELF file)"},
      {asked + "$GCC; printf '\\267\\000' | dd of=$OUTPUT bs=1 seek=18 conv=notrunc status=none",
       "made no module (it is for another architecture (ELF machine 183"},
      {asked + "$GCC; truncate -s 4000 $OUTPUT", "made no module (it is cut off)"},
  };
  for (const Broken& broken : kinds) {
    const TemporaryDirectory directory;
    const ScriptedCompiler compiler(directory, broken.script);
    CompilerSettings settings = compiler.settings();
    if (has(broken.says, "timed out")) settings.timeout = milliseconds(200);

    const CompileError error = error_of(answer_source(1), settings);
    const std::size_t runs = compiler.runs();

    CHECK(error.fault() == CompileFault::BrokenCompiler);
    CHECK(error.is_no_compiler());
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(has(message, broken.says));
    CHECK(error_of(answer_source(2), settings).what() == std::string(error.what()));
    CHECK(compiler.runs() == runs);
    CHECK(answer(load_module(answer_source(1), settings_in(directory))) == 1);
    settings.timeout = milliseconds(30000);
    compiler.rewrite("$GCC # mended");
    CHECK(answer(load_module(answer_source(1), settings)) == 1);
  }
}
