#include "python/bindings/call/function_rows.h"

#include "linkers/node_forms.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"

#include <string>
#include <vector>

namespace thunkvm {
PyRef node_rows(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::uint64_t> runs = function.core().recordings().node_runs(function.pool());
  const std::vector<std::string> form = thunk_forms(*linked.program);
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(runs.size())));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Variable& output = linked.nodes()[i];
    const std::string text = linked.program->text->node(static_cast<std::uint32_t>(i)),
                      op = output.node()->op()->name(), origin = output.node()->origin_text();
    PyRef row = PyRef::take(Py_BuildValue(
        "(s#s#s#s#K)", text.data(), static_cast<Py_ssize_t>(text.size()), op.data(),
        static_cast<Py_ssize_t>(op.size()), form[i].data(), static_cast<Py_ssize_t>(form[i].size()),
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
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(forms.size())));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const NodeForm& how = forms[i];
    PyRef row =
        PyRef::take(Py_BuildValue("(sss)", how.form.c_str(), how.region.c_str(), how.why.c_str()));
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row.release());
  }
  return list;
}

PyRef node_counts(PythonFunction& function) {
  const auto list = [](auto first, auto last) {
    PyRef numbers = PyRef::take(PyList_New(0));
    for (; first != last; ++first)
      check(PyList_Append(numbers.get(), PyRef::take(PyLong_FromUnsignedLongLong(*first)).get()));
    return numbers;
  };
  Recordings& recordings = function.core().recordings();
  const std::vector<std::uint64_t> runs = recordings.node_runs(function.pool()),
                                   counters = recordings.counters(function.pool());
  PyRef arms = PyRef::take(PyList_New(0));
  for (const Branch& branch : function.linked().program->branches) {
    const auto first = counters.begin() + branch.first_counter;
    check(PyList_Append(arms.get(), list(first, first + branch.n_arms).get()));
  }
  return PyRef::take(
      Py_BuildValue("(NN)", list(runs.begin(), runs.end()).release(), arms.release()));
}

}  // namespace thunkvm
