// nest_values.h: the values that members of a fused nest read and compute, and their order.
//
// The members come in phases: in even ones every member with a template is an expression of a loop
// over the block; in odd ones, element functions are called for the block, one after the other. A
// member is in the first phase that follows what it reads. Members that only say where elements lie
// become inputs, or stand for values of other members.
#pragma once

#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/fused_nest.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace thunkvm {

/// An array that the nest reads, a number, or the value of a member.
struct NestValue {
  enum class Kind : std::uint8_t { Input, Number, Member };
  Kind kind = Kind::Input;
  DType dtype = DType::Float64;
  std::size_t index = 0;  ///< among its kind
  int phase = -1;         ///< the phase of a member; -1: before the body
  bool reduced = false;
  std::vector<std::uint32_t> outputs{};  ///< registers that it goes to
  /// Where its block is, if it has one: among those that the body is given, or in the body's own
  /// memory.
  enum class Storage : std::uint8_t { None, Given, Own };
  Storage storage = Storage::None;
  std::size_t block = 0;   ///< among those of its storage
  std::size_t own_at = 0;  ///< the byte of the memory that the body is given
  int last_read = -1;      ///< the order of the last read of an input or a number; -1: none

  bool is_output() const { return !outputs.empty(); }
  bool is_consumed() const { return is_output() || reduced; }
};

struct NestMember {
  StepIndex step;
  std::size_t value;
  std::vector<std::size_t> inputs;  ///< values
  const StepForm* form;
};

class NestValues {
 public:
  NestValues(const Plan& plan, const Group& group);

  const std::vector<NestValue>& values() const { return values_; }
  /// Those that compute elements, in the order of the program.
  const std::vector<NestMember>& members() const { return members_; }
  int last_phase() const { return last_phase_; }

  /// The nest, but for its body. `after`: the steps that are not reached if it fails.
  FusedNest nest(std::vector<StepRange> after, std::vector<ElementFunction> element_functions);

 private:
  /// The meaning of a register within the nest.
  struct Operand {
    std::size_t value;
    bool shaped;  ///< known to have the nest's shape
  };

  void find_values();
  Operand operand_of(StepIndex step, int input);
  std::size_t new_number(std::uint32_t reg, const Type& type);
  std::size_t new_input(std::uint32_t source, DType dtype);

  FusedNest::Slice slice(StepIndex step) const;
  FusedNest::Source source_of(std::uint32_t reg, const Type& type) const;
  std::uint32_t index_of(FusedNest::Source source);
  std::uint32_t index_of(std::size_t value) const {
    return static_cast<std::uint32_t>(values_[value].index);
  }
  void require_given_shape(StepIndex step);
  void require_shape_of_value(StepIndex step);
  std::span<const ShapeFacts::Length> shape_of(StepIndex step) const {
    return plan_.shapes().shape(plan_.node(step));
  }
  bool is_new_shape(std::span<const ShapeFacts::Length> shape);
  void find_space();
  void add_map(StepIndex step);
  std::size_t pad(StepIndex step);

  void give(std::size_t value, std::uint32_t reg);

  void find_phases();
  void find_storage();
  /// When a member is computed: the members of an even phase all at once.
  static int order(const NestValue& value) {
    return value.phase * kNestOperands + (value.phase % 2 == 0 ? 0 : static_cast<int>(value.index));
  }

  bool is_value(StepIndex step) const;
  bool dies(std::uint32_t reg) const;
  void note_temporaries(StepIndex step);
  void finish_outputs();
  void finish_reductions();

  const Plan& plan_;
  const Program& program_;
  const Group& group_;
  std::vector<NestValue> values_;
  std::vector<NestMember> members_;
  std::vector<std::pair<StepIndex, std::size_t>> reductions_;  // with values
  // By register: its meaning, and parts of arrays.
  std::unordered_map<std::uint32_t, Operand> operand_of_;
  std::unordered_map<std::uint32_t, FusedNest::Source> part_of_;
  int last_phase_ = 0;
  // The iteration space follows from these: steps and the inputs (bits) that give them their own
  // spaces, steps that are given lengths, and the known shapes of these.
  std::vector<std::pair<StepIndex, std::uint64_t>> own_spaces_;
  std::vector<StepIndex> given_;
  std::vector<std::span<const ShapeFacts::Length>> shapes_;
  FusedNest fused_;
};

}  // namespace thunkvm
