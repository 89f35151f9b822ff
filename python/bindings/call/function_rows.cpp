#include "python/bindings/call/function_rows.h"

#include "linkers/node_forms.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"

#include <string>
#include <vector>

namespace thunkvm {
PyRef node_rows(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::uint64_t> runs = function.core().recordings().node_runs(function.pool());
  const std::vector<ThunkForm> forms = thunk_forms(*linked.program);
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(runs.size())));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Variable& output = linked.nodes()[i];
    const std::string text = linked.program->text->node(static_cast<std::uint32_t>(i)),
                      op = output.node()->op()->name(), origin = output.node()->origin_text();
    const std::string_view form = name(forms[i]);
    PyRef row = PyRef::take(Py_BuildValue(
        "(s#s#s#s#K)", text.data(), static_cast<Py_ssize_t>(text.size()), op.data(),
        static_cast<Py_ssize_t>(op.size()), form.data(), static_cast<Py_ssize_t>(form.size()),
        origin.data(), static_cast<Py_ssize_t>(origin.size()),
        static_cast<unsigned long long>(runs[i])));
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row.release());
  }
  return list;
}

PyRef node_form_rows(PythonFunction& function) {
  const std::vector<NodeForm> forms = interruptible([&](Host& host) {
    return node_forms(*function.linked().program, function.core().compilation(), host);
  });
  return list_of(forms, [](const NodeForm& how) {
    return PyRef::take(
        Py_BuildValue("(sss)", how.form.c_str(), how.region.c_str(), how.why.c_str()));
  });
}

PyRef node_counts(PythonFunction& function) {
  const auto integer = [](std::uint64_t n) { return PyRef::take(PyLong_FromUnsignedLongLong(n)); };
  Recordings& recordings = function.core().recordings();
  const std::vector<std::uint64_t> counters = recordings.counters(function.pool());
  const PyRef runs = list_of(recordings.node_runs(function.pool()), integer);
  const PyRef arms = list_of(function.linked().program->branches, [&](const Branch& branch) {
    return list_of(branch.arm_counts(counters), integer);
  });
  return PyRef::take(PyTuple_Pack(2, runs.get(), arms.get()));
}

}  // namespace thunkvm
