// lone_thunk.h: an eager thunk of a node that runs by itself, without a program.
#pragma once

#include "linkers/schedule/schedule.h"
#include "ops/graph/variable.h"
#include "thunks/cell.h"
#include "thunks/counted.h"
#include "thunks/host.h"
#include "thunks/thunk.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace thunkvm {

/// Runs over cells of its caller: the node's inputs, then its outputs.
class LoneThunk {
 public:
  LoneThunk(Apply& node, ThunkCode code);

  Apply& node() const { return *node_; }
  const ThunkCode& code() const { return code_; }
  std::size_t n_cells() const { return registers_.size(); }
  /// Runs it once, as in the first call of a frame. `retain_intermediates`: as in Activation.
  /// `dying`: it may take over the memory of its inputs. Returns its exception; null if it
  /// succeeded.
  std::exception_ptr run(std::span<Cell> cells, bool retain_intermediates, bool dying,
                         Host& host) const;

 private:
  Ref<Apply> node_;
  ThunkCode code_;
  std::vector<std::uint32_t> registers_;
};

/// The schedule of a node by itself, whose Run has these registers: its inputs, then its outputs.
Schedule schedule_of_node(Apply& node);

}  // namespace thunkvm
