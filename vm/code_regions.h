// code_regions.h: which block of its schedule each part of a program's code is in.
#pragma once

#include <cstdint>
#include <vector>

namespace thunkvm {

/// The regions that recorders add time up by: the blocks of the program's schedule
/// (linkers/schedule/code_regions.h), or one for all.
struct CodeRegions {
  std::uint32_t n_regions = 1;
  /// By pc of a Need or a Lazy, which may have a body run: the region that it stands in. Others: 0.
  std::vector<std::uint32_t> at_pc;

  std::uint32_t at(std::uint32_t pc) const { return pc < at_pc.size() ? at_pc[pc] : 0; }
};

}  // namespace thunkvm
