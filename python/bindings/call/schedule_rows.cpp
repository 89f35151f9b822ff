#include "python/bindings/call/schedule_rows.h"

#include "linkers/schedule/code_regions.h"
#include "python/bindings/python/list_of.h"

namespace thunkvm {
namespace {

PyRef index_or_none(std::uint32_t index) {
  return index == kNone ? PyRef::borrow(Py_None) : PyRef::take(PyLong_FromUnsignedLong(index));
}

PyRef block_row(const Schedule& schedule, const Block& block, bool idle) {
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
    case Block::Kind::Loop:
      kind = "step";
      node = schedule.loops[block.owner].node;
      break;
    case Block::Kind::Input:
    case Block::Kind::Guarded:
      kind = block.kind == Block::Kind::Input ? "input" : "guarded";
      node = schedule.lazies[block.owner].node;
      break;
  }
  return PyRef::take(Py_BuildValue("(sNINIIsO)", kind, index_or_none(block.parent).release(),
                                   block.owner, index_or_none(node).release(), block.number, n_arms,
                                   decoding, idle ? Py_True : Py_False));
}

PyRef branch_row(const Schedule& schedule, const ScheduledBranch& branch) {
  return PyRef::take(Py_BuildValue("(IsIII)", branch.selector, name(branch.decoding), branch.n_arms,
                                   schedule.decided_by(branch).front(),
                                   schedule.arm(branch, 0).parent));
}

}  // namespace

PyRef schedule_rows(const Schedule& schedule) {
  PyRef dict = PyRef::take(PyDict_New());
  const auto set = [&](const char* key, const PyRef& value) {
    check(PyDict_SetItemString(dict.get(), key, value.get()));
  };
  const std::vector<bool> idle = idle_blocks(schedule);
  std::size_t b = 0;
  set("blocks", list_of(schedule.blocks,
                        [&](const Block& block) { return block_row(schedule, block, idle[b++]); }));
  set("node_blocks", list_of(schedule.block_of_nodes(), index_or_none));
  set("branches", list_of(schedule.branches, [&](const ScheduledBranch& branch) {
        return branch_row(schedule, branch);
      }));
  set("memos",
      list_of(schedule.memos, [](const ScheduledMemo& memo) { return index_or_none(memo.node); }));
  set("lazies",
      list_of(schedule.lazies, [](const ScheduledLazy& lazy) { return index_or_none(lazy.node); }));
  set("demanders", list_of(demanders_of(schedule), index_or_none));
  return dict;
}

}  // namespace thunkvm
