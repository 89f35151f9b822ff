#include "python/bindings/thunks/c_thunk.h"

#include "python/bindings/compiling/compiling.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/thunks/c_block.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

// The compiler is slow with more nodes in one function, and a change of one compiles all again.
constexpr std::size_t kLargestBlock = 32;

// The member of a block that runs a node; `block` is known once the program is.
struct BlockMember {
  CNode node;
  std::shared_ptr<const CBlock> block;
  std::uint32_t member = 0;
};

// The node's C in messages, and in reports of crashes.
std::string location_of(const Apply& apply) {
  const Variable output = const_cast<Apply&>(apply).output(0);
  const std::string origin = apply.origin_text();
  return "the C code of " + apply.op()->name() + " (node " + output.text() +
         (origin.empty() ? "" : ", made at " + origin) + ")";
}

}  // namespace

struct CNodes::State {
  struct Known {
    std::size_t index = 0;  // in what the Python side was asked about
    long number = -1;       // nodes with the same one may share a block; -1: there is no C
    std::shared_ptr<BlockMember> as_member = std::make_shared<BlockMember>();
  };

  PyRef object;
  std::unordered_map<const Apply*, Known> known;

  const Known* find(const Apply* node) const {
    const auto found = known.find(node);
    return found == known.end() || found->second.number < 0 ? nullptr : &found->second;
  }
};

CNodes::CNodes(std::span<const Variable> roots, PyObject* make) {
  if (make == Py_None || !graphs_may_hold_objects) return;
  std::vector<Apply*> nodes;
  for (Apply* node : topological_order(roots)) {
    const PythonOp* op = node->leaf() == Leaf::None ? python_op(node->op()) : nullptr;
    if (op != nullptr && op->own_method("c_code")) nodes.push_back(node);
  }
  if (nodes.empty()) return;
  auto state = std::make_shared<State>();
  PyRef handles = PyRef::take(PyList_New(static_cast<Py_ssize_t>(nodes.size())));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    PyList_SET_ITEM(handles.get(), static_cast<Py_ssize_t>(i), wrap_node(nodes[i]));
  state->object = PyRef::take(PyObject_CallNoArgs(make));
  PyRef numbers =
      PyRef::take(PyObject_CallMethod(state->object.get(), "prepare", "O", handles.get()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PyObject* number = PyList_GetItem(numbers.get(), static_cast<Py_ssize_t>(i));
    if (number == nullptr) throw PythonError{};
    State::Known& known = state->known[nodes[i]];
    known.index = i;
    known.number = PyLong_AsLong(number);
    if (PyErr_Occurred() != nullptr) throw PythonError{};
  }
  state_ = std::move(state);
}

ThunkSource CNodes::source(std::shared_ptr<PythonNodes> nodes) const {
  return [nodes, state = state_](const Apply& apply) -> ThunkCode {
    const State::Known* const known = state == nullptr ? nullptr : state->find(&apply);
    if (known == nullptr) return {};
    CNode& node = known->as_member->node;
    node.node = std::make_shared<const PythonNode>(
        apply, PyRef::take(wrap_node(const_cast<Apply*>(&apply))));
    node.location = location_of(apply);
    nodes->push_back(node.node);
    ThunkCode result;
    result.make = [as_member = known->as_member] {
      return c_block_thunk(as_member->block, as_member->member);
    };
    result.form = "c";
    return result;
  };
}

namespace {

/// A block while it is put together.
struct Draft {
  std::vector<Statement*> runs;
  std::vector<std::uint32_t> leaving;  // registers
};

PyRef numbers(std::span<const std::uint32_t> list) {
  PyRef result = PyRef::take(PyList_New(static_cast<Py_ssize_t>(list.size())));
  for (std::size_t i = 0; i < list.size(); ++i)
    PyList_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                    PyRef::take(PyLong_FromUnsignedLong(list[i])).release());
  return result;
}

// The outputs that others read: what is read by nobody else dies within the block.
void find_leaving(const Schedule& schedule, Draft& draft) {
  std::vector<std::uint32_t> dead;
  for (const Statement* run : draft.runs)
    dead.insert(dead.end(), schedule.dying_in(*run).begin(), schedule.dying_in(*run).end());
  for (const Statement* run : draft.runs)
    for (const std::uint32_t reg : schedule.outputs_of(*run))
      if (std::ranges::find(dead, reg) == dead.end()) draft.leaving.push_back(reg);
}

// The values that these runs read and none of them computes, in the order in which they are named.
std::vector<CBlock::Port> entering(const Schedule& schedule, std::span<Statement* const> runs) {
  std::vector<CBlock::Port> ports;
  std::vector<std::uint32_t> known;
  for (std::uint32_t member = 0; member < runs.size(); ++member) {
    const std::span<const std::uint32_t> inputs = schedule.inputs_of(*runs[member]);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      // A node alone gets an input twice that it names twice.
      if (runs.size() > 1 && std::ranges::find(known, inputs[i]) != known.end()) continue;
      known.push_back(inputs[i]);
      ports.push_back({member, i, inputs[i]});
    }
    const std::span<const std::uint32_t> outputs = schedule.outputs_of(*runs[member]);
    known.insert(known.end(), outputs.begin(), outputs.end());
  }
  return ports;
}

// The first run of a block says that it reads what all of them do.
void read_at_first(Schedule& schedule, Statement& first, std::span<const CBlock::Port> inputs) {
  const std::vector<std::uint32_t> own(schedule.inputs_of(first).begin(),
                                       schedule.inputs_of(first).end());
  const std::vector<std::uint32_t> outputs(schedule.outputs_of(first).begin(),
                                           schedule.outputs_of(first).end());
  first.first_operand = static_cast<std::uint32_t>(schedule.operands.size());
  schedule.operands.insert(schedule.operands.end(), own.begin(), own.end());
  for (const CBlock::Port& port : inputs)
    if (std::ranges::find(own, port.reg) == own.end()) {
      schedule.operands.push_back(port.reg);
      ++first.n_inputs;
    }
  schedule.operands.insert(schedule.operands.end(), outputs.begin(), outputs.end());
}

}  // namespace

void CNodes::compile_alone(Apply& node, std::span<const std::uint32_t> registers) const {
  Schedule schedule;
  schedule.nodes = {node.output(0)};
  schedule.operands.assign(registers.begin(), registers.end());
  Statement& run = schedule.statements.emplace_back();
  run.kind = Statement::Kind::Run;
  run.n_inputs = static_cast<std::uint16_t>(node.n_inputs());
  run.n_outputs = static_cast<std::uint16_t>(node.n_outputs());
  run.node = 0;
  compile(schedule, true);
}

void CNodes::compile(Schedule& schedule, bool alone) const {
  if (state_ == nullptr) return;
  const auto known_of = [&](const Statement& run) {
    return state_->find(schedule.nodes[run.node].node());
  };
  std::vector<Draft> drafts;
  long number = -1;  // of the block that goes on; -1: none does
  for (Statement& statement : schedule.statements) {
    const State::Known* const known =
        statement.kind == Statement::Kind::Run ? known_of(statement) : nullptr;
    if (known == nullptr) {
      number = -1;
      continue;
    }
    const bool goes_on =
        !alone && number == known->number && drafts.back().runs.size() < kLargestBlock;
    if (!goes_on) drafts.emplace_back();
    drafts.back().runs.push_back(&statement);
    number = known->number;
  }

  PyRef blocks = PyRef::take(PyList_New(0));
  for (Draft& draft : drafts) {
    find_leaving(schedule, draft);
    PyRef indices = PyRef::take(PyList_New(0)), inputs = PyRef::take(PyList_New(0)),
          outputs = PyRef::take(PyList_New(0));
    for (const Statement* run : draft.runs) {
      PyRef index = PyRef::take(PyLong_FromSize_t(known_of(*run)->index));
      check(PyList_Append(indices.get(), index.get()));
      check(PyList_Append(inputs.get(), numbers(schedule.inputs_of(*run)).get()));
      check(PyList_Append(outputs.get(), numbers(schedule.outputs_of(*run)).get()));
    }
    PyRef block = PyRef::take(Py_BuildValue("(OOOO)", indices.get(), inputs.get(), outputs.get(),
                                            numbers(draft.leaving).get()));
    check(PyList_Append(blocks.get(), block.get()));
  }
  PyRef made = PyRef::take(PyObject_CallMethod(state_->object.get(), "compile", "O", blocks.get()));
  for (std::size_t b = 0; b < drafts.size(); ++b) {
    Draft& draft = drafts[b];
    for (PyObject* unit : Items(PyList_GetItem(made.get(), static_cast<Py_ssize_t>(b)),
                                "the parts of a block have to be a list")) {
      Py_ssize_t first, n;
      PyObject *module, *params;
      int number;
      if (!PyArg_ParseTuple(unit, "nnOiO", &first, &n, &module, &number, &params))
        throw PythonError{};
      const std::span runs =
          std::span(draft.runs)
              .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
      auto block = std::make_shared<CBlock>();
      block->inputs = entering(schedule, runs);
      for (std::uint32_t member = 0; member < runs.size(); ++member) {
        block->nodes.push_back(known_of(*runs[member])->as_member->node);
        const std::span<const std::uint32_t> outputs = schedule.outputs_of(*runs[member]);
        for (std::uint32_t j = 0; j < outputs.size(); ++j)
          if (n == 1 || std::ranges::find(draft.leaving, outputs[j]) != draft.leaving.end())
            block->outputs.push_back({member, j, outputs[j]});
        block->params.push_back(std::make_unique<Held>(
            block->nodes.back().node, PyRef::borrow(PyTuple_GetItem(params, member))));
        block->given.push_back(block->params.back()->get());
      }
      for (const CNode& node : block->nodes) block->locations.push_back(node.location.c_str());
      block->load(native_module(module), number);
      if (n > 1) read_at_first(schedule, *runs[0], block->inputs);
      for (std::uint32_t member = 0; member < runs.size(); ++member) {
        const State::Known* const known = known_of(*runs[member]);
        known->as_member->member = member;
        known->as_member->block = block;
      }
    }
  }
}

}  // namespace thunkvm
