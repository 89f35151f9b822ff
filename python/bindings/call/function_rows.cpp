#include "python/bindings/call/function_rows.h"

#include "linkers/codegen/emit/emitted_code.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"

#include <string>
#include <vector>

namespace thunkvm {
namespace {

// How a node runs: "branch" for conditionals, else what its thunk says.
std::vector<std::string> forms(const Program& program) {
  std::vector<std::string> forms(program.n_nodes, "branch");
  for (const Step& step : program.steps)
    if (step.node != kNone)
      forms[step.node] = step.run == run_bound ? program.bound[step.operands.bound].form : "kernel";
  for (const Lazy& lazy : program.lazies)
    if (lazy.node != kNone) forms[lazy.node] = program.bound[lazy.operands.bound].form;
  return forms;
}

PyRef index_or_none(std::uint32_t index) {
  return index == kNone ? PyRef::borrow(Py_None) : PyRef::take(PyLong_FromUnsignedLong(index));
}

const char* name(Decoding decoding) {
  switch (decoding) {
    case Decoding::Truth: return "truth";
    case Decoding::Index: return "index";
    case Decoding::IndexOrDefault: break;
  }
  return "default";
}

PyRef block_tuple(const Schedule& schedule, const Block& block) {
  const char* kind = "root";
  const char* decoding = "truth";
  std::uint32_t node = kNone, n_arms = 0;
  switch (block.kind) {
    case Block::Kind::Root: break;
    case Block::Kind::Arm: {
      const ScheduledBranch& branch = schedule.branches[block.owner];
      kind = "arm";
      node = schedule.decided_by(branch).front();
      n_arms = branch.n_arms;
      decoding = name(branch.decoding);
      break;
    }
    case Block::Kind::Memo:
      kind = "memo";
      node = schedule.memos[block.owner].node;
      break;
    case Block::Kind::Input:
    case Block::Kind::Guarded:
      kind = block.kind == Block::Kind::Input ? "input" : "guarded";
      node = schedule.lazies[block.owner].node;
      break;
  }
  return PyRef::take(Py_BuildValue("(sNNIIs)", kind, index_or_none(block.parent).release(),
                                   index_or_none(node).release(), block.number, n_arms, decoding));
}

}  // namespace

PyRef node_rows(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::uint64_t> runs = function.core().recordings().node_runs(function.pool());
  const std::vector<std::string> form = forms(*linked.program);
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

PyRef node_forms(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::string> form = forms(*linked.program);
  Compilation& compilation = function.core().compilation();
  const EmittedCode* code = interruptible([&](Host& host) { return compilation.code(host); });
  using State = Compilation::State;
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(form.size())));
  for (std::size_t i = 0; i < form.size(); ++i) {
    NodeForm how;
    if (code == nullptr)
      how.why = form[i] == "branch" ? "" : "the mode emits no C";
    else if (const State state = compilation.state();
             state == State::Failed || state == State::Unneeded)
      how.why = compilation.why_not();
    else
      how = code->forms()[i];
    if (how.form.empty()) how.form = form[i];
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

PyRef list_regions(const Schedule& schedule) {
  PyRef blocks = PyRef::take(PyList_New(static_cast<Py_ssize_t>(schedule.blocks.size())));
  for (std::size_t b = 0; b < schedule.blocks.size(); ++b)
    PyList_SET_ITEM(blocks.get(), static_cast<Py_ssize_t>(b),
                    block_tuple(schedule, schedule.blocks[b]).release());
  const std::vector<std::uint32_t> block_of = schedule.block_of_nodes();
  PyRef nodes = PyRef::take(PyList_New(static_cast<Py_ssize_t>(block_of.size())));
  for (std::size_t n = 0; n < block_of.size(); ++n)
    PyList_SET_ITEM(nodes.get(), static_cast<Py_ssize_t>(n), index_or_none(block_of[n]).release());
  return PyRef::take(Py_BuildValue("(NN)", blocks.release(), nodes.release()));
}

}  // namespace thunkvm
