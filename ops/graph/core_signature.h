// core_signature.h: which axes of its inputs an Op works on, written as NumPy writes the signatures
// of its generalised ufuncs: "(m,n),(n,k)->(m,k)".
//
// The named axes are the last ones; they are an operand's *core*. The axes before them are those of
// a stack of cores, and the stacks of all inputs broadcast. A length that no input has is said
// behind the outputs: "(m,n)->(k)|k=min(m,n)". All rules of shapes follow: those of types, of
// lengths as values, of arrays in a call, and of batches.
#pragma once

#include "ops/graph/extents.h"
#include "thunks/array.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

class CoreSignature {
 public:
  using Core = std::vector<std::size_t>;  ///< for each axis its length's number

  /// Throws std::logic_error for a text that is none.
  explicit CoreSignature(std::string_view text);

  const std::vector<Core>& inputs() const { return inputs_; }
  const std::vector<Core>& outputs() const { return outputs_; }
  /// The number of a length; lengths are numbered as they come in the text.
  std::size_t length(std::string_view name) const;

  /// The static shapes of the outputs; `op` is for messages. Throws Error for an input with too few
  /// axes, and for known lengths that do not fit.
  std::vector<StaticShape> static_shapes(const OpProto& op, std::span<const Variable> inputs) const;
  std::vector<Extents> extents(std::span<const Extents> inputs) const;

  /// The shapes of one call.
  struct Shapes {
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> batch;  ///< of the stack of all inputs together
  };
  /// Throws Error in NumPy's words for arrays that do not fit.
  Shapes shapes(const OpProto& op, std::span<const Dims> inputs) const;
  std::vector<std::int64_t> output_shape(std::size_t output, const Shapes& shapes) const;

  /// The inputs of one node for a batch: those that are batched get axes of length 1 behind the
  /// batch axis, so that it is the first axis of the stack. See `Op::batch`.
  std::vector<Variable> batched_inputs(Apply& node, std::span<const Variable> inputs,
                                       const std::vector<bool>& batched) const;

 private:
  /// A length that no input has: the smaller one of two.
  struct Derived {
    std::size_t length;
    std::size_t smaller_of[2];
  };
  /// A length, and the input that has it.
  struct Seen {
    std::int64_t length = kUnknownLength;
    std::size_t input = 0;
  };
  std::size_t number(std::string_view name);
  std::vector<Core> cores(std::string_view text);
  [[noreturn]] void misfit(const OpProto& op, std::size_t input, std::size_t axis,
                           std::int64_t length, const Seen& other, const std::string& shown) const;

  std::string text_;  ///< without the lengths that are derived
  std::vector<std::string> names_;
  std::vector<Core> inputs_, outputs_;
  std::vector<Derived> derived_;
};

}  // namespace thunkvm
