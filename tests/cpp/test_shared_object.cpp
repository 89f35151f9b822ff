// test_shared_object.cpp: shared objects that a broken compiler may make.
#include "compiling.h"
#include "linkers/compiler/module.h"
#include "linkers/compiler/sealed_module.h"
#include "linkers/compiler/shared_object.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <link.h>

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

}  // namespace

TEST_CASE("what a compiler makes of a source is a shared object, by any linker") {
  const TemporaryDirectory directory;
  for (const char* flag : {"-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu", "-Wl,--hash-style=both",
                           "-Wl,-z,now", "-Wl,-z,norelro"}) {
    ModuleSource source = kSource;
    source.flags = {flag};
    const std::string image = image_of(source, settings_in(directory));
    CHECK(shared_object_problem(image) == "");
  }
}

TEST_CASE("an image that is no whole shared object for this process is refused") {
  const TemporaryDirectory directory;
  const std::string good = image_of(kSource, settings_in(directory));
  const auto with = [&](std::size_t at, char byte) {
    std::string image = good;
    image[at] = byte;
    return shared_object_problem(image);
  };
  CHECK(shared_object_problem("") == "it is too short");
  CHECK(with(0, 'x') == "it is no ELF file");
  CHECK(has(with(EI_CLASS, 7), "it is for another architecture (ELF machine"));
  CHECK(has(with(offsetof(ElfW(Ehdr), e_machine), 77), "ELF machine 77, class"));
  CHECK(with(offsetof(ElfW(Ehdr), e_type), ET_EXEC) == "it is no shared object");
  CHECK(with(offsetof(ElfW(Ehdr), e_phoff) + 7, '\x7f') == "it is cut off");
  CHECK(shared_object_problem(good.substr(0, good.size() / 4)) == "it is cut off");
}

TEST_CASE("a module that its compiler cut off is an error, not a crash") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory,
                                  "case \"$*\" in *'-dM -E'*) $GCC; exit;; esac\n"
                                  "$GCC; truncate -s 2000 $OUTPUT");
  const CompileError error = error_of(answer_source(1), compiler.settings());
  CHECK(error.fault() == CompileFault::BrokenCompiler);
  CHECK(has(error.what(), "it made no module (it is cut off)"));
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
