// c_blocks.h: a pass over schedules: the Runs of users' C that are compiled as one function.
#pragma once

#include "linkers/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// Runs of users' C, behind each other, that are one C function: values that they hand on to each
/// other are variables there. A Run alone is a block too.
struct ScheduledCBlock {
  /// A value that comes from outside the block, or leaves it.
  struct Port {
    std::uint32_t member = 0;  ///< the index of its Run in the block
    std::uint32_t slot = 0;    ///< input or output of the Run
    std::uint32_t reg = 0;

    bool operator==(const Port&) const = default;
  };

  std::vector<StatementIndex> runs;
  /// The values that no Run of the block computes, each once, in the order in which they are named;
  /// a Run alone gets each as often as it names it.
  std::vector<Port> inputs;
  /// The outputs that others read: those that do not die within the block. All those of a Run
  /// alone.
  std::vector<Port> outputs;
};

/// Divides the Runs of users' C into blocks of at most `largest`. A block's Runs have nothing
/// between them, and nodes with the same number in `sharing`, by node: kNone for one that runs no
/// C. Linear, but for a search among the values of a block.
std::vector<ScheduledCBlock> c_blocks(const Schedule& schedule,
                                      const IndexedVector<ProgramNode, std::uint32_t>& sharing,
                                      std::size_t largest);

/// One Run of a block, as a block.
ScheduledCBlock block_of_one(const Schedule& schedule, const ScheduledCBlock& block,
                             std::size_t member);

/// Gives the block's first Run the inputs of all of them: it runs them. Before the schedule is
/// assembled.
void read_at_first(Schedule& schedule, const ScheduledCBlock& block);

}  // namespace thunkvm
