// code_regions.h: the block of the schedule that each part of a program's code is in.
#pragma once

#include "vm/indices.h"

#include <cstdint>

namespace thunkvm {

/// The regions that recorders add time up by: the blocks of the program's schedule
/// (linkers/schedule/code_regions.h), or one for all.
struct CodeRegions {
  std::uint32_t n_regions = 1;
  /// By pc: the region of a Need or a Lazy, which may run a body; 0 of other instructions.
  IndexedVector<Pc, std::uint32_t> at_pc;

  std::uint32_t at(Pc pc) const { return pc < at_pc.size() ? at_pc[pc] : 0; }
};

}  // namespace thunkvm
