// index_maps.h: the nodes of a segment that say where elements lie, while nests are put together.
//
// Such a node waits until a nest reads it, and is a member of each nest that does: each finds the
// elements for itself. The rule of its kind (IndexMap::rule) says which nests may have it. Its
// kernel runs if other code than nests reads the value, or if no nest could do without it; from
// then on it is a value as any other. A rematerialised view (RegisterForm::rematerialised_view) is
// a member of every nest that reads it, in any segment. In a segment where other code reads it, its
// kernel runs too.
#pragma once

#include "linkers/codegen/plan/plan.h"
#include "ops/graph/index_map.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace thunkvm {

class IndexMaps {
 public:
  /// A segment's: the steps [first, end). None waits yet.
  IndexMaps(const Plan& plan, StepIndex first, StepIndex end);

  /// True if nests that read the step's value could do without its kernel, and its only readers are
  /// steps of the segment that may become members of nests.
  bool may_wait(StepIndex step) const;
  void wait(StepIndex step);
  /// The index maps by way of which a step reads its inputs, each behind those that it reads.
  std::vector<StepIndex> read_by(StepIndex step) const;
  /// Makes the register a value. Returns the step that mapped it; kNone if none did.
  StepIndex mark_computed(std::uint32_t reg);
  /// The steps that wait, in the order of the program.
  std::vector<StepIndex> waiting() const;

  /// True if the register has lengths that a waiting step reads.
  bool is_lengths(std::uint32_t reg) const { return rule_of(reg).is_lengths; }

 private:
  /// The step that maps a register's value; kNone if none does.
  StepIndex step_of(std::uint32_t reg) const;
  /// The rule of the waiting step that maps a register; a default one if none does.
  IndexMap::Rule rule_of(std::uint32_t reg) const;
  /// True if the step maps a number.
  bool is_number(StepIndex step) const;
  bool is_part_of_number(std::uint32_t reg) const;
  bool is_array(std::uint32_t reg) const;
  bool is_filled(std::uint32_t reg) const;
  int depth_of(StepIndex step) const;
  void collect(std::uint32_t reg, std::vector<StepIndex>& steps) const;

  const Plan& plan_;
  std::unordered_set<StepIndex> escaping_;  // other code than loops reads their values
  struct Mapped {
    StepIndex step;
    int depth;  // of index maps of index maps
  };
  std::unordered_map<std::uint32_t, Mapped> mapped_;  // by register
  std::unordered_set<std::uint32_t> computed_;        // registers; which are values by now
};

}  // namespace thunkvm
