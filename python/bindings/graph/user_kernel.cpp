#include "python/bindings/graph/user_kernel.h"

#include "linkers/compiler/compiler.h"
#include "linkers/kernel_run.h"
#include "ops/graph/graph.h"
#include "python/bindings/arrays/input_guard.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/python/crash_report.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/interruption.h"
#include "python/bindings/python/raised.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace thunkvm {
namespace {

std::string location_of(const Apply& node) {
  const std::string origin = node.origin_text();
  return "the C code of " + node.op()->name() + " (node " +
         const_cast<Apply&>(node).output(0).text() + (origin.empty() ? "" : ", made at " + origin) +
         ")";
}

/// The source that thunkvm/c/kernel_source.py made of a node.
struct Source {
  Language language;
  std::optional<std::string> command;
  ModuleSource module;
  std::string function;

  CompilerSettings settings() const {
    CompilerSettings settings = default_settings(language);
    if (command) settings.command = *command;
    return settings;
  }
};

std::vector<std::string> texts(PyObject* list) {
  std::vector<std::string> result;
  for (PyObject* text : Items(list, "a list of str")) result.emplace_back(text_of(text));
  return result;
}

std::optional<Source> source_of(const Apply& node) {
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm.c.kernel_source"));
  PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&node)));
  PyRef made = PyRef::take(PyObject_CallMethod(module.get(), "kernel_source", "O", handle.get()));
  if (made.get() == Py_None) return {};
  int is_cxx = 0;
  PyObject *command, *text, *flags, *left_out, *libraries, *function;
  if (!PyArg_ParseTuple(made.get(), "pOOOOOO", &is_cxx, &command, &text, &flags, &left_out,
                        &libraries, &function))
    throw PythonError{};
  Source source{.language = is_cxx != 0 ? Language::Cxx : Language::C,
                .command = {},
                .module = {.text = std::string(text_of(text)),
                           .flags = texts(flags),
                           .libraries = texts(libraries),
                           .defines = {},
                           .left_out = texts(left_out)},
                .function = std::string(text_of(function))};
  source.module.defines = {source.function};
  if (command != Py_None) source.command = std::string(text_of(command));
  return source;
}

std::vector<ModulePtr> compiled(std::span<const ModuleSource> sources,
                                const CompilerSettings& settings) {
  PythonHost host;
  try {
    return load_modules(sources, settings, host);
  } catch (const CompileError&) {
    if (!host.interruption()) throw;
  } catch (const Error&) {
    if (!host.interruption()) throw;
  }
  set_exception(std::move(host.interruption()));
  throw PythonError{};
}

/// The message, with the lines of the user's C.
std::string with_lines(const CompileError& error, const ModuleSource& source) {
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm.c.diagnosis"));
  return str_of(PyRef::take(PyObject_CallMethod(module.get(), "explained", "ss", error.what(),
                                                source.text.c_str()))
                    .get());
}

/// The immutable data of a node's thunk.
struct PythonKernel : UserKernel {
  std::string location;
  const char* locations[1] = {};
  bool checks_inputs = false;  ///< see InputGuard
};

/// Raises the exception of Python's that the C named.
[[noreturn]] void raise(const KernelFailure& failure) {
  PyObject* const type = PyDict_GetItemString(PyEval_GetBuiltins(), failure.exception().c_str());
  if (type != nullptr && PyExceptionClass_Check(type))
    PyErr_SetString(type, failure.what());
  else
    PyErr_Format(PyExc_RuntimeError, "%s: %s", failure.exception().c_str(), failure.what());
  throw PythonError{};
}

Status run_python_kernel(Activation& activation, const Operands& operands) {
  const auto& kernel = *static_cast<const PythonKernel*>(operands.state);
  try {
    try {
      static constexpr int kFirst = 0;
      const CrashReport report(kernel.locations, &kFirst);
      if (!kernel.checks_inputs) {
        run_kernel(kernel, activation, operands);
      } else {
        InputGuard inputs_stay(kernel.op, kernel.destroyed, activation, operands);
        run_kernel(kernel, activation, operands, [&] { inputs_stay.check(); });
      }
    } catch (const KernelFailure& failure) {
      raise(failure);
    }
    return Status::Done;
  } catch (...) {
    return fail_thunk(activation);
  }
}

}  // namespace

ThunkCode user_kernel(const PythonOp& op, const Apply& node) {
  if (!op.own_method("c_kernel")) return {};
  const std::optional<Source> source = source_of(node);
  if (!source) return {};
  auto kernel = std::make_shared<PythonKernel>();
  kernel->op = op.name();
  kernel->location = location_of(node);
  kernel->locations[0] = kernel->location.c_str();
  try {
    kernel->module = compiled(std::span(&source->module, 1), source->settings()).front();
  } catch (const CompileError& error) {
    if (error.is_no_compiler()) return {};
    throw CompileError(error.fault(),
                       kernel->location + " does not compile: " + with_lines(error, source->module),
                       error.diagnostics(), error.source_path());
  }
  kernel->run = kernel->module->function<KernelFn>(source->function.c_str());
  for (const Variable& input : node.inputs()) kernel->inputs.push_back(input.dtype());
  kernel->checks_inputs = checks_inputs_of_new_nodes();
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
    const TensorType& type = *node.output_type(j).tensor();
    kernel->outputs.push_back({type.dtype(), type.shape(), {}});
  }
  for (const auto* map : {&op.view_map(), &op.destroy_map()})
    for (const auto& [j, inputs] : *map)
      for (const std::uint32_t i : inputs) {
        kernel->outputs[j].looks_at.push_back(i);
        if (map == &op.destroy_map()) kernel->destroyed.push_back(i);
      }
  std::ranges::sort(kernel->destroyed);
  if (const PyRef says = attribute_or_null(op.object(), "release_gil");
      says && says.get() != Py_None)
    kernel->leaves = check(PyObject_IsTrue(says.get())) != 0;

  ThunkCode thunk;
  thunk.form = "kernel";
  thunk.eager = &run_python_kernel;
  thunk.state = std::move(kernel);
  return thunk;
}

KernelsAhead::KernelsAhead(std::span<const Variable> roots) {
  if (!graphs_may_hold_objects) return;
  std::vector<Source> sources;
  for (Apply* node : topological_order(roots)) {
    const PythonOp* op = node->leaf() == Leaf::None ? python_op(node->op()) : nullptr;
    if (op == nullptr || !op->own_method("c_kernel")) continue;
    if (std::optional<Source> source = source_of(*node)) sources.push_back(std::move(*source));
  }
  if (sources.size() < 2) return;
  while (!sources.empty()) {
    const Source first = sources.front();
    std::vector<ModuleSource> alike;
    std::erase_if(sources, [&](const Source& source) {
      const bool is = source.language == first.language && source.command == first.command;
      if (is) alike.push_back(source.module);
      return is;
    });
    try {
      for (const ModulePtr& module : compiled(alike, first.settings())) modules_.push_back(module);
    } catch (const CompileError&) {  // its node says so
    }
  }
}

}  // namespace thunkvm
