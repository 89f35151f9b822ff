// region_sums.h: sums of values of which each exists only in a region.
//
// The backward pass of an arm lives in that arm, so that a gradient is put together from parts of
// which some call has some. This is the tree of the regions that they live in, and how their sum is
// written down so that no absent part is ever computed, not even as a zero.
#pragma once

#include "ops/graph/regions.h"
#include "ops/graph/variable.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// A value that exists only where `present` is true; everywhere where it is null. Without a value:
/// nowhere.
struct Partial {
  Variable value;
  Variable present;
  bool nowhere() const { return !value; }
  bool everywhere() const { return value && !present; }
};

/// A part of a sum, made where control is in `region`.
struct Contribution {
  Region region;
  Variable value;
};

/// The regions of one backward pass, and sums over them.
///
/// The graph of a sum of k parts has O(k) nodes however deep their regions lie: a part is not
/// carried out of the arms around it one by one, but chosen by one condition, which says whether
/// control gets to its region, and which all sums share.
class RegionSums {
 public:
  RegionTree& regions() { return regions_; }
  /// A selector's number in the tree.
  std::uint32_t number(const Variable& selector);
  /// The region under `region` where `condition` is true.
  Region under(Region region, const Variable& condition);

  /// The innermost region that all parts share. There is at least one part, here and in `sum`.
  Region common_region(std::span<const Contribution> parts) const;
  /// The sum of the parts, seen from `region`, which is around all of them.
  Partial sum(Region region, std::span<const Contribution> parts);
  /// The sum seen from the root, zeros like `x` where no part is; null where there are no parts.
  Variable total(std::span<const Contribution> parts, const Variable& x);

 private:
  struct Arm {
    std::uint32_t arm;
    Partial part;
  };
  /// The arms of one key that hold something, in order.
  struct Arms {
    std::uint32_t key;
    std::vector<Arm> arms;
  };
  /// The parts in a region itself, and those in the arms under it.
  struct Gathered {
    Region region;
    Variable sum;
    std::vector<Arms> keys;
  };

  bool comes_before(Region a, Region b) const;
  Gathered gather(Region region, std::span<const Contribution> parts);
  void close_down_to(Region region, std::vector<Gathered>& open);
  Partial add_up(const Gathered& gathered);
  bool is_everywhere(const Arms& arms) const;
  bool in_one_branch(const Arms& arms) const;
  Variable added_to(const Variable& base, const Arms& arms);
  Partial of_arms(const Arms& arms);
  Variable present_in(const Arms& arms, const Arm& arm);
  Variable pick(std::uint32_t key, std::span<const Variable> values);
  Variable arm_number(std::uint32_t key);
  Variable taken(Region arm);
  Variable reached(Region region);

  RegionTree regions_;
  std::vector<Variable> selectors_;
  std::unordered_map<Variable, std::uint32_t, VariableHash> selector_numbers_;
  std::vector<Variable> taken_, reached_;  // by region, made on first use
  std::unordered_map<std::uint32_t, Variable> arm_numbers_;
};

}  // namespace thunkvm
