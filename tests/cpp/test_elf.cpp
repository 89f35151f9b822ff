// test_elf.cpp: shared objects that a broken compiler may make, and the loader that believes them.
#include "compiling.h"
#include "linkers/compiler/elf_image.h"
#include "linkers/compiler/module.h"
#include "linkers/compiler/sealed_module.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <elf.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

using namespace thunkvm;

namespace {

const ModuleSource kSource{
    "double cos(double);\n"
    "static const char *names[] = {\"first\", \"second\"};\n"
    "double first(double x) { return cos(x) + names[(int)x][0]; }\n"
    "double second(double x) { return first(x) + cos(x); }\n",
    {},
    {"-lm"},
    {"first", "second"}};

std::string image_of(const ModuleSource& source, const CompilerSettings& settings) {
  const ModulePtr module = load_module(source, settings);
  return std::string(open_seal(module->key(), contents_of(module->path()))->image);
}

/// The parts of an image that its segments name, without the code itself.
std::vector<std::pair<std::size_t, std::size_t>> what_the_loader_reads(const std::string& image) {
  ElfW(Ehdr) header;
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<std::pair<std::size_t, std::size_t>> parts{{0, 64}};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) == 0)
      parts.emplace_back(segment.p_offset, segment.p_offset + segment.p_filesz);
  }
  return parts;
}

/// How a process ends that loads the image and looks for its functions: 0, or a signal's number.
int signal_of_loading(const std::string& image) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      const NativeModule module("flipped", image);
      module.find("first");
      module.find("second");
    } catch (const CompileError&) {
      // The loader saw it for itself.
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("what a compiler makes of a source is a shared object, by any linker") {
  const TemporaryDirectory directory;
  for (const char* flag : {"-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu", "-Wl,--hash-style=both",
                           "-Wl,-z,now", "-Wl,-z,norelro"}) {
    ModuleSource source = kSource;
    source.flags = {flag};
    const std::string image = image_of(source, settings_in(directory));
    CHECK(elf_problem(image) == "");
  }
}

TEST_CASE("a module has sections for a debugger if its compiler was asked for them") {
  const TemporaryDirectory directory;
  ModuleSource source = kSource;
  CHECK(!has_section(image_of(source, settings_in(directory)), ".debug_info"));
  source.flags = {"-g"};
  std::string image = image_of(source, settings_in(directory));
  CHECK(has_section(image, ".debug_info"));
  CHECK(!has_section(image, ".debug"));
  std::memset(image.data() + offsetof(ElfW(Ehdr), e_shoff), 0xff, sizeof(ElfW(Off)));
  CHECK(!has_section(image, ".debug_info"));  // the table is nowhere
}

TEST_CASE("a module with any bit flipped of what the loader reads is refused, or does no harm") {
  const TemporaryDirectory directory;
  const std::string good = image_of(kSource, settings_in(directory));
  REQUIRE(signal_of_loading(good) == 0);
  // Each byte, and a bit of it that is another one from byte to byte.
  for (const auto& [begin, end] : what_the_loader_reads(good))
    for (std::size_t i = begin; i < end; ++i) {
      std::string flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i * 3 % 8)));
      if (!elf_problem(flipped).empty()) continue;
      CAPTURE(i);
      CHECK(signal_of_loading(flipped) == 0);
    }
}

TEST_CASE("a module whose compiler flips a bit in its segments is an error, not a crash") {
  const TemporaryDirectory directory;
  // The low byte of the memory address of the first segment.
  const ScriptedCompiler compiler(
      directory,
      "case \"$*\" in *'-dM -E'*) $GCC; exit;; esac\n"
      "$GCC; printf '\\001' | dd of=$OUTPUT bs=1 seek=80 conv=notrunc status=none");
  const CompileError error = error_of(answer_source(1), compiler.settings());
  CHECK(error.fault() == CompileFault::BrokenCompiler);
  CHECK(has(error.what(), "it made no module (its segments do not fit together)"));
}

TEST_CASE("a function of a library that a module needs is no symbol of it") {
  const TemporaryDirectory directory;
  const ModulePtr module = load_module(kSource, settings_in(directory));
  CHECK(module->find("first") != nullptr);
  CHECK(module->find("cos") == nullptr);
}

TEST_CASE("a module without a function that its source defines is not taken, and not kept") {
  const TemporaryDirectory directory;
  // A compiler that leaves out functions, other than that of the trial.
  const ScriptedCompiler compiler(directory,
                                  "case \"$*\" in *'-dM -E'*) $GCC; exit;; esac\n"
                                  "real -Danswer=other \"$@\"");
  ModuleSource source = answer_source(1);
  source.defines = {"answer"};

  const CompileError error = error_of(source, compiler.settings());

  CHECK(error.fault() == CompileFault::NotLoadable);
  CHECK(has(error.what(), "made a module that cannot be loaded: it has no symbol 'answer'"));
  CHECK(names_in(directory / "cache/modules").empty());
}

TEST_CASE("a kept module without a function that its source defines is compiled again") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);
  ModuleSource source = answer_source(1);
  source.defines = {"answer"};
  ModulePtr module = load_module(source, compiler.settings());
  const std::string key = module->key(), path = module->path();
  put(path, seal(key, image_of({"int other;\n", {}, {}, {}}, compiler.settings()), ""));
  module.reset();
  const std::size_t runs = compiler.runs();

  CHECK(answer(load_module(source, compiler.settings())) == 1);
  CHECK(compiler.runs() == runs + 1);
}
