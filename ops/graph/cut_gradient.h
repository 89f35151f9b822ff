// cut_gradient.h: gradients that selections cut. Of where(c, x, y) the gradient to x is
// where(c, g, 0): what was not taken has none.
//
// An infinite slope times that 0 would be NaN. So the rule of an elementwise Op gets g without its
// selections, and they are put around what the rule returns. This looks at how the gradient was
// made, never at its values: the NaN of an element that was taken stays.
#pragma once

#include "ops/graph/variable.h"

#include <vector>

namespace thunkvm {

class CutGradient {
 public:
  explicit CutGradient(const Variable& gradient);
  /// The gradient with respect to `of`. If that may have an infinite slope, selections count too
  /// after which the elements of the gradient were moved, summed, or written between zeros. An
  /// element is taken if one that was summed to it is.
  CutGradient(const Variable& gradient, const Variable& of);

  bool is_cut() const { return !cuts_.empty(); }
  /// The gradient without its selections; it may have fewer axes.
  const Variable& value() const { return value_; }
  /// What a rule made of the value, with the selections around it.
  Variable around(const Variable& partial) const;
  /// True for each element that all selections took.
  Variable taken() const;
  bool has_cuts_of(const CutGradient& other) const { return cuts_ == other.cuts_; }

 private:
  void strip();
  /// Elements where the condition is `value` are taken.
  struct Cut {
    Variable condition;
    bool value;
    friend bool operator==(const Cut&, const Cut&) = default;
  };
  Variable gradient_, value_;
  std::vector<Cut> cuts_;  ///< the outermost first
};

/// True if an elementwise function near above `x` has an infinite slope somewhere.
bool may_have_infinite_slope(const Variable& x);
/// `gradient`, cut where `taken` is false.
Variable cut_to(const Variable& gradient, const Variable& taken);
/// False for each element of `x`.
Variable nothing_taken(const Variable& x);

/// The sum of two gradients, cut where neither was taken.
Variable sum_of_gradients(const Variable& a, const Variable& b);

}  // namespace thunkvm
