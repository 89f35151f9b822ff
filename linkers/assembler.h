// assembler.h: programs, instruction by instruction.
#pragma once

#include "linkers/placement.h"
#include "vm/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// `Operands::dying` of a thunk after which these registers are emptied. An input that is named
/// twice does not die: the other slot still reads it.
std::uint32_t dying_inputs(const Operands& operands, std::span<const std::uint32_t> retired);

/// Builds a Program from a FlatGraph. Linkers decide what comes where; the assembler knows
/// registers, operand lists, segments and counters.
///
/// Every value gets a register when it is first named; two values may be given one (`share`).
class Assembler {
 public:
  /// A Run instruction gets at most `segment` thunks. `traced`: no input dies at its last use, so
  /// that a tracer finds it after the run as it was before.
  Assembler(const FlatGraph& graph, bool keep, bool traced, std::uint32_t segment);

  std::uint32_t pc() const { return static_cast<std::uint32_t>(program_.code.size()); }
  /// Marks this pc as a target: a segment does not run across it.
  std::uint32_t label();

  std::uint32_t reg(Value v);
  /// The register of a value that was named; kNone otherwise.
  std::uint32_t known_register(Value v) const { return register_of_[v]; }
  /// `v` lives in the register of `other`, which has one already or gets it now.
  void share(Value v, Value other) { register_of_[v] = reg(other); }

  /// The eager node's thunk; `retired` are emptied after it. A retired value that is an input of
  /// its own may be taken over.
  void run(std::uint32_t node, std::span<const Value> retired);
  void need(std::uint32_t memo) { emit(Opcode::Need, memo); }
  void lazy(std::uint32_t node, std::uint32_t output);
  void move(Value to, Value from, bool take, std::uint32_t counted_node);
  void retire(std::span<const Value> values);
  /// The lazy thunk of an opaque node is not demanded any more.
  void release(std::uint32_t node) { emit(Opcode::Release, lazy_index(node)); }
  void ret() { emit(Opcode::Return); }
  void halt() { emit(Opcode::Halt); }

  /// A branch whose targets are set by `target`; `nodes` are the conditionals that it decides. With
  /// `take` the selector dies in it.
  std::uint32_t branch(Value selector, bool take, Decoding decoding, std::uint32_t n_arms,
                       std::span<const std::uint32_t> nodes);
  void target(std::uint32_t branch, std::uint32_t arm) {
    program_.targets[program_.branches[branch].first_target + arm] = label();
  }
  /// A jump to be set by `land`.
  std::uint32_t jump();
  void land(std::uint32_t jump) { program_.code[jump].a = label(); }

  std::uint32_t new_memo(std::uint32_t node);
  void memo_body(std::uint32_t memo) { program_.memos[memo].pc = label(); }
  /// The lazy thunk of an opaque node, made on first use.
  std::uint32_t lazy_index(std::uint32_t node);
  void input_body(std::uint32_t node, std::uint32_t input) {
    program_.lazies[lazy_index(node)].input_pcs[input] = label();
  }
  std::size_t n_lazies() const { return program_.lazies.size(); }
  std::uint32_t lazy_node(std::size_t lazy) const { return lazy_nodes_[lazy]; }

  /// The finished program, with inputs, shared values, outputs and updates in the graph's order.
  Program finish(const FunctionGraph& function, std::vector<Ref<SharedValue>>& shared);

  /// A node's index in the program: leaves have none.
  std::uint32_t program_node(std::uint32_t node) const { return program_nodes_[node]; }

 private:
  void emit(Opcode op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
            std::uint8_t flag = 0) {
    program_.code.push_back({op, flag, 0, a, b, c});
  }
  Operands operands(std::uint32_t node);
  std::uint32_t bound(std::uint32_t node);
  void count(std::uint32_t node, std::uint32_t counter) {
    program_.node_counters.push_back({program_nodes_[node], counter});
  }

  const FlatGraph& graph_;
  const bool traced_;
  const std::uint32_t segment_;
  Program program_;
  std::vector<std::uint32_t> register_of_;  // by value
  std::vector<std::size_t>
      operand_offsets_;  // by step: where its list starts; pointers are set at the end
  std::vector<std::size_t> lazy_offsets_;
  std::vector<std::uint32_t> lazy_of_;  // by node
  std::vector<std::uint32_t> lazy_nodes_;
  std::vector<std::uint32_t> program_nodes_;  // by node
  std::uint32_t barrier_ = 0;                 // the last label
  std::uint32_t uncounted_ = kNone;           // the counter of moves that are no node's run
};

}  // namespace thunkvm
