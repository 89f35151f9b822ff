// extent_op.h: the base of the small Ops that compute one length from lengths and other integers.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// An Op of 0-d integers with a 0-d int64 output, that is computed from at most kMostTerms of them.
/// It is a constant if its inputs are, unless it fails: then it fails when it runs.
class ExtentOp : public ArrayOp {
 public:
  using ArrayOp::ArrayOp;

  /// The length; throws Error if there is none.
  virtual std::int64_t length(std::span<const std::int64_t> integers) const = 0;

  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  ThunkCode kernel(const Apply& node) const override;
  /// No gradient comes back from a length: it is an integer.
  std::vector<Variable> grad(Apply& node, std::span<const Variable>) const override {
    return std::vector<Variable>(node.n_inputs());
  }
  /// Examples of one batch have one shape, so that each integer is the same in all.
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;

 protected:
  /// Throws Error if there cannot be so many inputs.
  virtual void expect_count(std::size_t count) const;
};

}  // namespace thunkvm
