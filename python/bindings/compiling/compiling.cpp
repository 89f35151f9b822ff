#include "python/bindings/compiling/compiling.h"

#include "linkers/compilation.h"
#include "linkers/compiler/compiler.h"
#include "linkers/compiler/module_store.h"
#include "linkers/compiler/toolchain.h"
#include "ops/kernels/nest_threads.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/pybind.h"
#include "python/bindings/python/topics.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// ---- modules

using Modules = std::vector<std::shared_ptr<NativeModule>>;

Modules load(std::span<const ModuleSource> sources, const CompilerSettings& settings) {
  Modules modules;
  for (const ModulePtr& module :
       interruptible([&](Host& host) { return load_modules(sources, settings, host); }))
    modules.push_back(std::const_pointer_cast<NativeModule>(module));  // pybind11 knows no const
  return modules;
}

std::string path_of(const py::str& text) {
  PyRef bytes = PyRef::take(PyUnicode_EncodeFSDefault(text.ptr()));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

using Texts = std::vector<Text>;
using CxxSource = std::tuple<Text, Text, Texts, Texts, Texts>;

Modules compile_cxx(std::vector<CxxSource> sources, std::optional<py::str> command) {
  std::vector<ModuleSource> list;
  for (auto& [header, text, flags, left_out, libraries] : sources)
    list.push_back({.text = std::move(text.text),
                    .flags = strings(std::move(flags)),
                    .libraries = strings(std::move(libraries)),
                    .left_out = strings(std::move(left_out)),
                    .header = std::move(header.text)});
  CompilerSettings settings = default_settings(Language::Cxx);
  if (command) settings.command = path_of(*command);
  return load(list, settings);
}

Modules compile_modules(std::vector<Text> sources, std::vector<Text> flags,
                        std::vector<Text> libraries) {
  ModuleSource common;
  common.flags = strings(std::move(flags));
  common.libraries = strings(std::move(libraries));
  std::vector<ModuleSource> list;
  for (Text& source : sources) {
    list.push_back(common);
    list.back().text = std::move(source.text);
  }
  return load(list, default_settings());
}

std::string compiler_version(bool is_cxx) {
  const CompilerSettings settings = default_settings(is_cxx ? Language::Cxx : Language::C);
  const std::shared_ptr<const Toolchain> toolchain =
      interruptible([&](Host& host) { return find_toolchain(settings, host); });
  if (!toolchain->usable()) throw CompileError(toolchain->fault, toolchain->problem);
  return toolchain->version();
}

// ---- settings

using Seconds = std::chrono::duration<double>;

Typed<"thunkvm._core._CompilerSettings"> compiler_settings() {
  const CompilerSettings now = default_settings();
  return py::dict("cc"_a = path_str(now.command),
                  "cxx"_a = path_str(default_settings(Language::Cxx).command),
                  "cache_dir"_a = path_str(now.cache_directory), "cache_size"_a = now.cache_size,
                  "compile_timeout"_a = Seconds(now.timeout).count());
}

void override_compiler_settings(std::optional<py::str> cc, std::optional<py::str> cxx,
                                std::optional<py::str> cache_dir,
                                std::optional<std::uint64_t> cache_size,
                                std::optional<double> compile_timeout) {
  CompilerOverrides overrides;
  const auto command = [](const std::optional<py::str>& given,
                          std::optional<std::string>& override) {
    if (!given) return;
    override = path_of(*given);
    split_command(*override);
  };
  command(cc, overrides.command);
  command(cxx, overrides.cxx_command);
  if (cache_dir) overrides.cache_directory = path_of(*cache_dir);
  overrides.cache_size = cache_size;
  if (compile_timeout)
    overrides.timeout =
        std::chrono::milliseconds(std::llround(std::ceil(*compile_timeout * 1000.0)));
  set_compiler_overrides(std::move(overrides));
}

// ---- the cache

ModuleStore store() {
  const CompilerSettings settings = default_settings();
  return ModuleStore(settings.cache_directory, settings.cache_size);
}

std::vector<std::tuple<std::string, py::str, std::uint64_t, double>> cache_list() {
  std::vector<std::tuple<std::string, py::str, std::uint64_t, double>> rows;
  for (const StoreEntry& entry : store().list())
    rows.emplace_back(entry.key, readable(entry.description), entry.bytes,
                      Seconds(entry.last_used.time_since_epoch()).count());
  return rows;
}

// Once the interpreter is going, a thread that logs would never end, nor be waited for.
void stop_compiling_at_exit() {
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    PythonHost host;
    Compilation::stop_all(host);
  }));
}

}  // namespace

ModulePtr native_module(PyObject* object) {
  if (!py::isinstance<NativeModule>(object))
    throw Error(ErrorKind::Type,
                "a NativeModule is wanted, but this is a " + class_name(object) + ".");
  return py::cast<std::shared_ptr<NativeModule>>(py::handle(object));
}

void init_compiling(PyObject* module) {
  py::class_<NativeModule, std::shared_ptr<NativeModule>>(
      module, "NativeModule", "Native code, loaded for as long as this lives.")
      .def_property_readonly("key", &NativeModule::key,
                             "The SHA-256 of all that the code was made from.")
      .def_property_readonly(
          "path", [](const NativeModule& native) { return path_str(native.path()); },
          "The file that it was loaded from.")
      .def(
          "symbol",
          [](const NativeModule& native, const std::string& name) {
            return reinterpret_cast<std::uintptr_t>(native.symbol(name.c_str()));
          },
          "name"_a, "The address of a function or object; good while the module lives.");
  Functions(module)
      .def(
          "set_nest_threads",
          [](int count, std::uint32_t size) { set_nest_threads({count, size}); }, "count"_a,
          "size"_a, "On how many threads nests run, and from how many elements on.")
      .def("compile_cxx", &compile_cxx, "sources"_a, "command"_a,
           "The modules of C++ sources, each (header, text, flags, left_out, libraries); `command` "
           "is the compiler's, None for the one that there is. A CompileError has an `index`.")
      .def("compiler_version", &compiler_version, "cxx"_a = false,
           "The C or C++ compiler's name and version.")
      .def("compiler_settings", &compiler_settings,
           "How modules are compiled now, environment included.")
      .def("override_compiler_settings", &override_compiler_settings, "cc"_a, "cxx"_a,
           "cache_dir"_a, "cache_size"_a, "compile_timeout"_a,
           "Sets what comes before the environment; None leaves it to that.")
      .def("cache_list", &cache_list,
           "(key, description, bytes, time of last use) of each module of the cache, the latest "
           "first.")
      .def(
          "cache_clear", [] { return store().clear(); },
          "Empties the cache; returns how many modules were in it.");
  testing_functions(module).def(
      "compile_modules", &compile_modules, "sources"_a, "flags"_a = py::tuple(),
      "libraries"_a = py::tuple(),
      "The native modules of C sources: loaded already, from the cache, or compiled in parallel.");
  stop_compiling_at_exit();
}

}  // namespace thunkvm
