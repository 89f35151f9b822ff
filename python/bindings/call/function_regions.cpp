#include "python/bindings/call/function_regions.h"

namespace thunkvm {
namespace {

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
