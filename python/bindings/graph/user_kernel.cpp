#include "python/bindings/graph/user_kernel.h"

#include "linkers/user_code/kernel_run.h"
#include "ops/graph/graph.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/python/host.h"

#include <memory>
#include <optional>
#include <utility>

namespace thunkvm {
namespace {

std::optional<KernelSource> source_of(const Apply& node) {
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm.c.kernel_source"));
  PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&node)));
  PyRef made = PyRef::take(PyObject_CallMethod(module.get(), "kernel_source", "O", handle.get()));
  if (made.get() == Py_None) return {};
  const Items parts(made.get(), "the source of a kernel is a tuple");
  const bool is_cxx = check(PyObject_IsTrue(parts[0])) != 0;
  PyObject* const command = parts[1];
  KernelSource source{
      .language = is_cxx ? Language::Cxx : Language::C,
      .command = {},
      .module = {.text = std::string(text_of(parts[2])),
                 .flags = texts_of(parts[3], "flags have to be a sequence of str"),
                 .libraries = texts_of(parts[5], "libraries have to be a sequence of str"),
                 .defines = {},
                 .left_out = texts_of(parts[4], "left_out has to be a sequence of str")},
      .function = std::string(text_of(parts[6]))};
  source.module.defines = {source.function};
  if (command != Py_None) source.command = std::string(text_of(command));
  return source;
}

/// The message, with the lines of the user's C.
std::string with_lines(const CompileError& error, const ModuleSource& source) {
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm.c.diagnosis"));
  return str_of(PyRef::take(PyObject_CallMethod(module.get(), "explained", "ss", error.what(),
                                                source.text.c_str()))
                    .get());
}

}  // namespace

ThunkCode user_kernel(const PythonOp& op, const Apply& node) {
  if (!op.way("c_kernel")) return {};
  const std::optional<KernelSource> source = source_of(node);
  if (!source) return {};
  auto kernel = std::make_shared<UserKernel>(node);
  if (const PyRef says = attribute_or_null(op.object(), "release_gil");
      says && says.get() != Py_None)
    kernel->leaves = check(PyObject_IsTrue(says.get())) != 0;
  try {
    interruptible([&](Host& host) { kernel->load(*source, host); });
  } catch (const CompileError& error) {
    if (error.is_no_compiler()) return {};
    throw CompileError(error.fault(),
                       kernel->location + " does not compile: " + with_lines(error, source->module),
                       error.diagnostics(), error.source_path());
  }
  return kernel_thunk(std::move(kernel), op.is_lazy_kernel());
}

std::shared_ptr<const void> kernels_ahead(std::span<const Variable> roots) {
  std::vector<KernelSource> sources;
  if (graphs_may_hold_objects)
    for (Apply* node : topological_order(roots)) {
      const PythonOp* op = node->leaf() == Leaf::None ? python_op(node->op()) : nullptr;
      if (op == nullptr || !op->way("c_kernel")) continue;
      if (std::optional<KernelSource> source = source_of(*node))
        sources.push_back(std::move(*source));
    }
  if (sources.size() < 2) return nullptr;
  return std::make_shared<const std::vector<ModulePtr>>(
      interruptible([&](Host& host) { return load_kernels(std::move(sources), host); }));
}

}  // namespace thunkvm
