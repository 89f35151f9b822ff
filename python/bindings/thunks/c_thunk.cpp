// c_thunk.cpp: thunks of users' C. By hand: what Python made of a block is read as it comes.
#include "python/bindings/thunks/c_thunk.h"

#include "linkers/passes/c_blocks.h"
#include "linkers/passes/limits.h"
#include "linkers/user_code/user_kernel.h"
#include "python/bindings/compiling/compiling.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/thunks/c_block.h"

#include <utility>
#include <vector>

namespace thunkvm {
namespace {

// The member of a block that runs a node; `block` is known once the program is.
struct BlockMember {
  CNode node;
  std::shared_ptr<const CBlock> block;
  std::uint32_t member = 0;
};

PyRef integer(std::uint32_t value) { return PyRef::take(PyLong_FromUnsignedLong(value)); }

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

CNodes::CNodes(std::span<const Variable> roots, PyObject* make, bool makes_thunks) {
  if (make == Py_None || !graphs_may_hold_objects) return;
  std::vector<Apply*> nodes;
  for (Apply* node : topological_order(roots)) {
    const PythonOp* op = node->leaf() == Leaf::None ? python_op(node->op()) : nullptr;
    if (op != nullptr && op->way("c_code") && !(makes_thunks && op->way("make_thunk")))
      nodes.push_back(node);
  }
  if (nodes.empty()) return;
  auto state = std::make_shared<State>();
  const PyRef handles = list_of(nodes, wrap_node);
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
    node.location = c_location(apply);
    nodes->push_back(node.node);
    return {.eager = nullptr,
            .state = nullptr,
            .make =
                [as_member = known->as_member] {
                  return c_block_thunk(as_member->block, as_member->member);
                },
            .lazy = false,
            .form = ThunkForm::C};
  };
}

void CNodes::compile(Schedule& schedule, bool alone) const {
  if (state_ == nullptr) return;
  IndexedVector<ProgramNode, std::uint32_t> sharing;
  for (const Variable& output : schedule.nodes) {
    const State::Known* const known = state_->find(output.node());
    sharing.push_back(known == nullptr ? kNone : static_cast<std::uint32_t>(known->number));
  }
  const std::vector<ScheduledCBlock> blocks =
      c_blocks(schedule, sharing, alone ? 1 : kLargestCBlock);
  const auto run_of = [&](StatementIndex run) -> const Statement& {
    return schedule.statements[run];
  };
  const auto known_of = [&](StatementIndex run) {
    return state_->find(schedule.nodes[run_of(run).node].node());
  };
  const PyRef asked = list_of(blocks, [&](const ScheduledCBlock& block) {
    const PyRef indices = list_of(block.runs, [&](StatementIndex run) {
      return PyRef::take(PyLong_FromSize_t(known_of(run)->index));
    });
    const PyRef inputs = list_of(block.runs, [&](StatementIndex run) {
      return list_of(schedule.inputs_of(run_of(run)), integer);
    });
    const PyRef outputs = list_of(block.runs, [&](StatementIndex run) {
      return list_of(schedule.outputs_of(run_of(run)), integer);
    });
    const PyRef leaving =
        list_of(block.outputs, [](const ScheduledCBlock::Port& port) { return integer(port.reg); });
    return PyRef::take(PyTuple_Pack(4, indices.get(), inputs.get(), outputs.get(), leaving.get()));
  });
  const PyRef made =
      PyRef::take(PyObject_CallMethod(state_->object.get(), "compile", "O", asked.get()));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (PyObject* part : Items(PyList_GetItem(made.get(), static_cast<Py_ssize_t>(b)),
                                "the parts of a block have to be a list")) {
      Py_ssize_t first, n;
      PyObject *module, *params;
      int number;
      if (!PyArg_ParseTuple(part, "nnOiO", &first, &n, &module, &number, &params))
        throw PythonError{};
      // One that does not compile together is made node by node.
      const ScheduledCBlock runs =
          n == 1 ? block_of_one(schedule, blocks[b], static_cast<std::size_t>(first)) : blocks[b];
      auto block = std::make_shared<CBlock>();
      block->inputs = runs.inputs;
      block->outputs = runs.outputs;
      for (std::uint32_t member = 0; member < runs.runs.size(); ++member) {
        const State::Known& known = *known_of(runs.runs[member]);
        known.as_member->member = member;
        known.as_member->block = block;
        block->nodes.push_back(known.as_member->node);
        block->params.push_back(std::make_unique<Held>(
            block->nodes.back().node, PyRef::borrow(PyTuple_GetItem(params, member))));
        block->given.push_back(block->params.back()->get());
      }
      for (const CNode& node : block->nodes) block->locations.push_back(node.location.c_str());
      block->load(native_module(module), number);
      read_at_first(schedule, runs);
    }
  }
}

}  // namespace thunkvm
