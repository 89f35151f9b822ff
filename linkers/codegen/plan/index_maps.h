// index_maps.h: the nodes of a segment that say where elements lie, while loops are put together.
//
// Such a node waits until a loop reads it, and is a member of each loop that does: each finds the
// elements for itself. Which loop may have it as a member, the rule of its kind says
// (IndexMap::rule). Its kernel runs where other code than loops reads the value, or where no loop
// could do without it; from then on it is a value as any other. A rematerialised view
// (RegisterForm::rematerialised_view) is a member of every loop that reads it, in any segment; a
// segment of which other code reads it has its kernel run there.
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
  IndexMaps(const Plan& plan, std::uint32_t first, std::uint32_t end);

  /// True if loops that read what the step maps could do without its kernel, and nothing but steps
  /// of the segment that may become members of loops reads it.
  bool may_wait(std::uint32_t step) const;
  void wait(std::uint32_t step);
  /// The index maps by way of which a step reads its inputs, each behind those that it reads.
  std::vector<std::uint32_t> read_by(std::uint32_t step) const;
  /// The register is a value from now on. The step that mapped it; kNone if none did.
  std::uint32_t mark_computed(std::uint32_t reg);
  /// The steps that wait, in the order of the program.
  std::vector<std::uint32_t> waiting() const;

  /// True if the register has lengths, which a step that waits reads.
  bool is_lengths(std::uint32_t reg) const { return rule_of(reg).is_lengths; }

 private:
  /// The step that maps a register's value; kNone if none does.
  std::uint32_t step_of(std::uint32_t reg) const;
  /// The rule of how a register's value is found, by a step that waits: a default one if by none.
  IndexMap::Rule rule_of(std::uint32_t reg) const;
  /// True if the step maps a number.
  bool is_number(std::uint32_t step) const;
  bool is_part_of_number(std::uint32_t reg) const;
  bool is_array(std::uint32_t reg) const;
  bool is_filled(std::uint32_t reg) const;
  int depth_of(std::uint32_t step) const;
  void collect(std::uint32_t reg, std::vector<std::uint32_t>& steps) const;

  const Plan& plan_;
  std::unordered_set<std::uint32_t> escaping_;  // steps; other code than loops reads their values
  struct Mapped {
    std::uint32_t step;
    int depth;  // of index maps of index maps
  };
  std::unordered_map<std::uint32_t, Mapped> mapped_;  // by register
  std::unordered_set<std::uint32_t> computed_;        // registers; which are values by now
};

}  // namespace thunkvm
