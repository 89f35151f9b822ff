// shape_tally.h: the shapes of a node's operands in its runs, and how often each came.
#pragma once

#include "vm/limits.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// The runs with one tuple of shapes.
struct ShapedRuns {
  std::uint64_t runs = 0;
  std::uint64_t bytes = 0;       ///< of a nest: read and written in all of these runs
  std::uint64_t last_bytes = 0;  ///< in the last of them
};

/// The runs by shapes. Each operand has its number of axes and their lengths, one operand after the
/// other; an operand that is no tensor, or was not computed, has kNoShape.
using ShapeCounts = std::map<std::vector<std::int64_t>, ShapedRuns>;
inline constexpr std::int64_t kNoShape = -1;

/// Counts runs by shapes. Most nodes see the same shapes again and again: that costs a comparison.
class ShapeTally {
 public:
  ShapeTally() = default;
  ShapeTally(const ShapeTally&) = delete;
  ShapeTally& operator=(const ShapeTally&) = delete;
  ShapeTally(ShapeTally&&) = default;  // what is in a map stays where it is
  ShapeTally& operator=(ShapeTally&&) = default;

  /// The shapes of the last run; nothing before the first.
  const std::int64_t* begin() const { return begin_; }
  const std::int64_t* end() const { return end_; }
  bool is_latest(std::span<const std::int64_t> shapes) const {
    if (static_cast<std::size_t>(end_ - begin_) != shapes.size() || latest_ == nullptr)
      return false;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      if (begin_[i] != shapes[i]) return false;
    return true;
  }

  /// A run with the shapes of the last one, that reads and writes as much.
  void add_again() {
    ++latest_->runs;
    latest_->bytes += latest_->last_bytes;
  }
  void add(std::span<const std::int64_t> shapes, std::uint64_t bytes = 0) {
    if (!is_latest(shapes) && !find(shapes)) return;
    latest_->last_bytes = bytes;
    add_again();
  }
  /// A run that reads and writes as much as the last one with these shapes did.
  void add_as_before(std::span<const std::int64_t> shapes) {
    if (is_latest(shapes) || find(shapes)) add_again();
  }
  const ShapeCounts& counts() const { return counts_; }

 private:
  bool find(std::span<const std::int64_t> shapes) {
    std::vector<std::int64_t> key(shapes.begin(), shapes.end());
    if (counts_.size() >= kMostShapes && !counts_.contains(key)) return false;
    ShapeCounts::value_type& found = *counts_.try_emplace(std::move(key)).first;
    begin_ = found.first.data();
    end_ = begin_ + found.first.size();
    latest_ = &found.second;
    return true;
  }

  // The last run.
  const std::int64_t* begin_ = nullptr;
  const std::int64_t* end_ = nullptr;
  ShapedRuns* latest_ = nullptr;
  ShapeCounts counts_;
};

}  // namespace thunkvm
