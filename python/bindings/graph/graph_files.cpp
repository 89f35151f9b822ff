// graph_files.cpp: graphs of files and descriptions, read for Python.
#include "ops/files/graph_file.h"
#include "ops/files/json_text.h"
#include "ops/files/npy.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/python/refusal.h"
#include "python/bindings/python/topics.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

using Variables = std::vector<Variable>;
using Values = std::map<std::string, Variable>;

/// The Ops that programs registered, and None, by an object with methods of these names.
class PythonOps final : public HostOps {
 public:
  explicit PythonOps(py::object host) : host_(std::move(host)) {}

  std::optional<std::vector<VarProto>> inputs(const std::string& type) const override {
    using Slots = std::vector<std::tuple<std::string, bool, bool>>;
    const auto slots = asked<std::optional<Slots>>("inputs_of", type);
    if (!slots) return {};
    std::vector<VarProto> inputs;
    for (const auto& [name, is_variadic, is_optional] : *slots)
      inputs.push_back({name, "", is_variadic, is_optional});
    return inputs;
  }
  Variables apply(const std::string& type, const std::string& attributes,
                  std::span<const Variable> inputs) const override {
    return asked<Variables>("outputs_of", type, attributes,
                            Variables(inputs.begin(), inputs.end()));
  }
  Variable none(Leaf kind, const std::string& name) const override {
    return asked<Variable>("none", kind == Leaf::Constant ? "constant" : "shared", name);
  }

 private:
  template <class Result, class... Arguments>
  Result asked(const char* method, const Arguments&... arguments) const {
    return with_refusals([&] {
      return restoring([&] { return host_.attr(method)(arguments...).template cast<Result>(); });
    });
  }

  py::object host_;
};

/// The result of `f()`; a GraphFileError is Python's exception of that name.
template <class F>
auto with_file_errors(F&& f) {
  try {
    return f();
  } catch (const GraphFileError& error) {
    PyRef module = PyRef::take(PyImport_ImportModule("thunkvm._src.files.errors"));
    PyErr_SetString(attribute(module.get(), "GraphFileError").get(), error.what());
    throw PythonError{};
  }
}

// (inputs, outputs, their names if they have some, whether there is but one, shared variables).
using ReadFile = std::tuple<Variables, Variables, std::optional<std::vector<std::string>>, bool,
                            std::vector<std::pair<std::string, Variable>>>;

ReadFile read_graph_file(const py::bytes& data, py::object host) {
  return with_file_errors([&] {
    FileGraph graph = graph_of_bytes(std::string(data), PythonOps(std::move(host)));
    std::optional<std::vector<std::string>> names;
    if (graph.form == FileGraph::Outputs::Named) names = std::move(graph.output_names);
    return ReadFile(std::move(graph.inputs), std::move(graph.outputs), std::move(names),
                    graph.form == FileGraph::Outputs::One, std::move(graph.shared));
  });
}

/// The arrays beside a text: `npy_of` gives the bytes of each by name.
std::function<Array(const std::string&)> arrays_by(const py::object& npy_of) {
  return [npy_of](const std::string& name) {
    return array_of_npy(
        with_refusals([&] { return restoring([&] { return npy_of(name).cast<std::string>(); }); }));
  };
}

Values values_of(BuiltGraph built) { return {built.values.begin(), built.values.end()}; }

Values read_graph_json(const std::string& text, const py::object& npy_of, py::object host) {
  return with_file_errors([&] {
    const PythonOps ops(std::move(host));
    const auto arrays = arrays_by(npy_of);
    return values_of(build(graph_of_json(text, arrays, ops), ops));
  });
}

Values build_graph(const std::vector<std::pair<std::string, Variable>>& leaves,
                   const std::string& ops_text, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const py::object& npy_of,
                   py::object host) {
  return with_file_errors([&] {
    const PythonOps ops(std::move(host));
    const auto arrays = arrays_by(npy_of);
    return values_of(build({leaves, inputs, ops_of_json(ops_text, arrays, ops), outputs}, ops));
  });
}

}  // namespace

void init_graph_files(PyObject* module) {
  Functions(module)
      .def("read_graph_file", &read_graph_file, "data"_a, "host"_a,
           "Of the bytes of a graph file: inputs, outputs, the names of these or None, whether "
           "there is one that is no list, and the shared variables with names.")
      .def("read_graph_json", &read_graph_json, "text"_a, "npy_of"_a, "host"_a,
           "All values of a graph in JSON by name; `npy_of` gives the bytes of an array.")
      .def("build_graph", &build_graph, "leaves"_a, "ops"_a, "inputs"_a, "outputs"_a, "npy_of"_a,
           "host"_a, "All values by name of a graph over these leaves, of a JSON list of its ops.");
}

}  // namespace thunkvm
