#include "linkers/lazy_copies.h"

#include "linkers/node_forms.h"
#include "linkers/schedule_rows.h"
#include "ops/graph/op.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace thunkvm {
namespace {

class Readers {
 public:
  Readers(const Linked& linked, const FunctionGraph& graph)
      : nodes_(linked.nodes()),
        rows_(rows_of(*linked.schedule)),
        forms_(thunk_forms(*linked.program)) {
    for (const Variable& output : graph.outputs) kept_.insert(output);
    for (const Update& update : graph.updates) kept_.insert(update.value);
    for (const ProgramNode i : nodes_.indices())
      for (const Variable& read : node(i).inputs()) readers_[read].push_back(i);
  }

  const Apply& node(ProgramNode i) const { return *nodes_[i].node(); }

  /// True if only nodes read a value after this one that not every call runs which runs it.
  bool is_lazy(ProgramNode i, const Variable& value) const {
    if (value.is_leaf() || kept_.contains(value)) return false;  // the caller's, and theirs to keep
    const std::vector<ProgramNode>& readers = readers_.at(value);
    return readers.back() > i && std::ranges::none_of(readers, [&](ProgramNode reader) {
             return reader > i && is_sure(reader, value, i);
           });
  }

 private:
  /// True if a node reads a value wherever another one runs.
  bool is_sure(ProgramNode reader, const Variable& value, ProgramNode i) const {
    if (forms_[reader] == ThunkForm::Lazy) return false;
    if (forms_[reader] == ThunkForm::Branch && !(node(reader).input(0) == value)) return false;
    return !waits(reader) && is_around(region(reader), region(i));
  }

  /// True if a node runs only if another needs it, or a lazy node asks for it.
  bool waits(ProgramNode i) const {
    for (MaybeIndex at = rows_.node_blocks[i]; at; at = rows_.blocks[*at].within) {
      const Block::Kind kind = rows_.blocks[*at].kind;
      if (kind == Block::Kind::Memo || kind == Block::Kind::Input || kind == Block::Kind::Guarded)
        return true;
    }
    return false;
  }

  MaybeIndex region(ProgramNode i) const {
    const MaybeIndex block = rows_.node_blocks[i];
    return block ? rows_.block_regions[*block] : MaybeIndex();
  }
  bool is_around(MaybeIndex outer, MaybeIndex inner) const {
    while (outer && inner && *inner > *outer) inner = rows_.regions[*inner].around;
    return !outer || outer == inner;
  }

  const IndexedVector<ProgramNode, Variable>& nodes_;
  ScheduleRows rows_;
  const IndexedVector<ProgramNode, ThunkForm> forms_;
  std::unordered_set<Variable, VariableHash> kept_;
  std::unordered_map<Variable, std::vector<ProgramNode>, VariableHash> readers_;
};

}  // namespace

IndexedVector<ProgramNode, std::uint32_t> lazy_copies(const Linked& linked,
                                                      const FunctionGraph& graph) {
  const Readers readers(linked, graph);
  IndexedVector<ProgramNode, std::uint32_t> copies(linked.nodes().size());
  for (const ProgramNode i : copies.indices()) {
    const Apply& node = readers.node(i);
    std::set<std::uint32_t> overwritten;
    for (const auto& [output, inputs] : node.op()->destroy_map())
      overwritten.insert(inputs.begin(), inputs.end());
    for (const std::uint32_t input : overwritten)
      copies[i] += readers.is_lazy(i, node.input(static_cast<int>(input))) ? 1 : 0;
  }
  return copies;
}

}  // namespace thunkvm
