// test_module_store.cpp: the module cache: what it keeps, what it does not believe, what it
// removes.
#include "compiling.h"
#include "linkers/compiler/digest.h"
#include "linkers/compiler/module_store.h"
#include "linkers/compiler/scratch.h"
#include "linkers/compiler/sealed_module.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

using namespace thunkvm;
using std::chrono::milliseconds;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

// As if the file had last been used that many seconds after 1970.
void set_last_use(const std::string& path, time_t seconds) {
  const timespec times[] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("the SHA-256 of fields is that of Python's hashlib over each length and field") {
  CHECK(hexadecimal(sha256_of_fields({"abc", ""})) ==
        "3e2f8940c3a0e0fd6f6e07bbf07f015dd7c147431e5fa14bf3f225d782641540");
  CHECK(sha256_of_fields({"ab", "c"}) != sha256_of_fields({"a", "bc"}));
}

TEST_CASE("what is put into a store is found by another one, and is the user's alone") {
  const TemporaryDirectory directory;
  const std::string root = directory / "a/b/cache";

  const std::string path =
      ModuleStore(root, kRoomy).insert(key_of(1), "image", "gcc 1\tfirst").path;

  CHECK(path == root + "/modules/" + key_of(1) + ".so");
  const auto found = ModuleStore(root, kRoomy).find(key_of(1));
  REQUIRE(found.has_value());
  CHECK(found->image == "image");
  CHECK(found->from.path == path);
  CHECK_FALSE(ModuleStore(root, kRoomy).find(key_of(2)).has_value());
  CHECK(mode_of(root) == 0700);
  CHECK(mode_of(root + "/modules") == 0700);
  CHECK(mode_of(path) == 0600);
  CHECK(names_in(root + "/work").empty());
}

TEST_CASE("a file that is not exactly what was put there is removed, not taken") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", kRoomy);
  const std::string image(5000, 'i');
  const std::string good = seal(key_of(1), image, "words");
  std::string changed = good, version = good, other_words = good;
  changed[100] = 'j';
  version[version.size() - 48] += 1;
  other_words[5001] = 'W';
  const std::string wrong[] = {"",
                               good.substr(0, 3000),
                               good.substr(0, good.size() - 1),
                               good + "x",
                               "x" + good,
                               changed,
                               version,
                               other_words,
                               seal(key_of(2), image, "words"),
                               std::string(56, '\0')};
  for (const std::string& contents : wrong) {
    const std::string path = store.insert(key_of(1), image, "words").path;
    REQUIRE(store.find(key_of(1)).has_value());
    put(path, contents);
    CHECK_FALSE(store.find(key_of(1)).has_value());
    CHECK_FALSE(std::filesystem::exists(path));
  }
}

TEST_CASE("modules of the directory that cannot be what they should are compiled again") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(directory);
  ModulePtr module = load_module(answer_source(3), compiler.settings());
  const std::string key = module->key(), path = module->path(), good = contents_of(path);
  module.reset();
  std::string foreign = std::string(open_seal(key, good)->image);
  foreign[18] = '\267';
  const std::string wrong[] = {good.substr(0, good.size() / 2), seal(key, foreign, ""),
                               seal(key, "garbage", ""), seal(key, good.substr(0, 4000), "")};
  std::size_t runs = compiler.runs();
  for (const std::string& contents : wrong) {
    put(path, contents);
    CHECK(answer(load_module(answer_source(3), compiler.settings())) == 3);
    CHECK(compiler.runs() == ++runs);
    CHECK(open_seal(key, contents_of(path))->image == open_seal(key, good)->image);
  }
}

TEST_CASE(
    "where nothing can be kept modules are compiled all the same, and the reason is said once") {
  const TemporaryDirectory directory;
  put(directory / "file", "");
  CompilerSettings settings = settings_in(directory);
  settings.cache_directory = directory / "file/cache";
  const Logged logged;

  const ModulePtr first = load_module(answer_source(1), settings);
  const ModulePtr second = load_module(answer_source(2), settings);

  CHECK(answer(first) == 1);
  CHECK(answer(second) == 2);
  CHECK(first->path().starts_with("memory:"));
  const std::string text = logged.text();
  CHECK(has(text,
            "the module cache " + settings.cache_directory + " is not used: it cannot be made"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("a directory that can be read but not written to still gives what it has") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);
  const std::string kept = load_module(answer_source(1), settings)->path();
  // A read-only directory would not stop root; files in the way of its folders stop everybody.
  std::filesystem::remove_all(directory / "cache/work");
  put(directory / "cache/work", "");
  const Logged logged;

  CHECK(load_module(answer_source(1), settings)->path() == kept);
  const ModulePtr other = load_module(answer_source(2), settings);

  CHECK(answer(other) == 2);
  CHECK(other->path().starts_with("memory:"));
  CHECK(has(logged.text(), "could not be written to: "));
}

TEST_CASE("no directory and no size mean that nothing is kept, and nothing is said") {
  const TemporaryDirectory directory;
  CompilerSettings nowhere = settings_in(directory), nothing = settings_in(directory);
  nowhere.cache_directory.clear();
  nothing.cache_size = 0;
  const Logged logged;
  CHECK(answer(load_module(answer_source(1), nowhere)) == 1);
  CHECK(answer(load_module(answer_source(1), nothing)) == 1);
  CHECK_FALSE(std::filesystem::exists(directory / "cache"));
  CHECK(logged.text().empty());
}

TEST_CASE("a directory that vanishes is made again") {
  const TemporaryDirectory directory;
  const CompilerSettings settings = settings_in(directory);
  const ModulePtr first = load_module(answer_source(1), settings);
  std::filesystem::remove_all(directory / "cache");

  CHECK(answer(first) == 1);
  const ModulePtr second = load_module(answer_source(2), settings);

  CHECK(answer(second) == 2);
  CHECK(std::filesystem::exists(second->path()));
}

TEST_CASE("a directory that vanishes while a module compiles does not fail it") {
  const TemporaryDirectory directory;
  const ScriptedCompiler compiler(
      directory, "case \"$*\" in *-dM*) ;; *) rm -rf " + (directory / "cache") + ";; esac\n$GCC");
  const Logged logged;
  CHECK(answer(load_module(answer_source(1), compiler.settings())) == 1);
}

TEST_CASE("code that may not be mapped where it lies is loaded from memory") {
  const TemporaryDirectory directory;
  const ModulePtr module = load_module(answer_source(6), settings_in(directory));
  const std::string contents = contents_of(module->path());
  const std::string_view image = open_seal(module->key(), contents)->image;

  const StoredFile unmappable{directory.path(), File(open(directory.path().c_str(), O_RDONLY))};
  const NativeModule one("k", image, unmappable), two("k", image);

  CHECK(one.path() != two.path());
  CHECK(one.function<int()>("answer")() == 6);
  CHECK(two.function<int()>("answer")() == 6);
  CHECK(one.symbol("answer") != two.symbol("answer"));
}

TEST_CASE("the least recently used go when the directory is full") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", 64 << 10);
  const std::string image(10 << 10, 'i');
  const auto path = [&](int i) { return directory / "cache/modules/" + key_of(i) + ".so"; };
  for (int i = 0; i < 5; ++i) {
    store.insert(key_of(i), image, "");
    set_last_use(path(i), 1000 + i);
  }
  CHECK(store.find(key_of(0)).has_value());  // used now

  store.insert(key_of(5), image, "");

  for (int i = 0; i < 6; ++i) CHECK(std::filesystem::exists(path(i)) == (i != 1));
  CHECK_THROWS_AS(store.insert(key_of(7), std::string(64 << 10, 'i'), ""), StoreError);
}

TEST_CASE("old rejected sources and compilers give way too") {
  const TemporaryDirectory directory;
  const ModuleStore store(directory / "cache", 32 << 10);
  for (int i = 0; i < 4; ++i) {
    const std::string path =
        store.write_text("failed/" + std::to_string(i) + ".c", std::string(10 << 10, 'c'));
    set_last_use(path, 1000 + i);
    CHECK(store.read_text("failed/0.c").has_value());  // used now
  }
  CHECK(names_in(directory / "cache/failed") == std::vector<std::string>{"0.c", "2.c", "3.c"});
}

TEST_CASE("the size is looked at when a sixteenth of it was added, and not for every module") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", 1 << 20);
  const std::string image(15 << 10, 'i');
  std::vector<std::uintmax_t> written;
  for (int i = 0; i < 5; ++i) {
    store.insert(key_of(i), image, "");
    written.push_back(std::filesystem::file_size(directory / "cache/written"));
  }
  CHECK(written == std::vector<std::uintmax_t>{16, 32, 48, 0, 16});  // KiB
}

TEST_CASE("the list has the latest first, and clearing leaves nothing") {
  const TemporaryDirectory directory;
  ModuleStore store(directory / "cache", kRoomy);
  set_last_use(store.insert(key_of(1), "image", "gcc 1\tfirst").path, 1000);
  set_last_use(store.insert(key_of(2), "image", "gcc 1\tsecond").path, 3000);
  put(directory / "cache/modules/strange.so", "");
  set_last_use(directory / "cache/modules/strange.so", 2000);

  const std::vector<StoreEntry> entries = store.list();

  REQUIRE(entries.size() == 3);
  CHECK(entries[0].key == key_of(2));
  CHECK(entries[0].description == "gcc 1\tsecond");
  CHECK(entries[0].bytes == 5 + 12 + 56);
  CHECK(std::chrono::system_clock::to_time_t(entries[0].last_used) == 3000);
  CHECK(entries[1].description.empty());
  CHECK(store.clear() == 3);
  CHECK(store.list().empty());
  CHECK_FALSE(store.find(key_of(1)).has_value());
}

TEST_CASE("a key that is locked can be locked by nobody else, and any other one can") {
  const TemporaryDirectory directory;
  const ModuleStore one(directory / "cache", kRoomy), two(directory / "cache", kRoomy);
  LockedFile held = one.lock(key_of(1), milliseconds(0), {});
  CHECK(held);
  CHECK_FALSE(two.lock(key_of(1), milliseconds(0), {}));
  CHECK(two.lock(key_of(2), milliseconds(0), {}));
  std::jthread waits([&] { CHECK(two.lock(key_of(1), std::chrono::minutes(1), {})); });
  held.unlock();
}

TEST_CASE("a key is unlocked even while a process lives that was forked meanwhile") {
  const TemporaryDirectory directory;
  const ModuleStore store(directory / "cache", kRoomy);
  LockedFile held = store.lock(key_of(1), milliseconds(0), {});
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  held.unlock();
  CHECK(store.lock(key_of(1), milliseconds(0), {}));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("what a killed process left is removed, and what a living one uses is not") {
  const TemporaryDirectory directory;
  const ModuleStore store(directory / "cache", kRoomy);
  const std::string work = store.work_directory();
  const Scratch living(work);
  std::filesystem::create_directory(work + "/thunkvm-killed");
  put(work + "/thunkvm-killed/module.so", "half of it");

  CHECK(store.work_directory() == work);

  CHECK(names_in(work) ==
        std::vector<std::string>{std::filesystem::path(living.path()).filename()});
}
