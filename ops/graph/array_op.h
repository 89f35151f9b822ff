// array_op.h: the base of the built-in Ops over whole arrays, and the checks and graph pieces that
// they share.
#pragma once

#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "ops/kernels/array_kernel.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

/// A built-in Op with a name and checked attributes. Its text shows the attributes that are not
/// None.
class ArrayOp : public Op {
 public:
  ArrayOp(std::string name, const Attributes& attrs) : name_(std::move(name)) {
    set_attributes(attrs);
  }
  std::string name() const override { return name_; }
  std::string text() const override;

 protected:
  /// Throws an Error whose message starts with "[name] ".
  [[noreturn]] void fail(ErrorKind kind, const std::string& message) const;
  /// Checks the number of inputs and that all are numeric tensors.
  void expect_inputs(std::span<const Variable> inputs, std::size_t count) const;
  void expect_inputs(std::span<const Variable> inputs, std::size_t at_least,
                     std::size_t at_most) const;
  /// The input as an int64 vector; throws Error(Type) if it is no vector of integers.
  Variable integer_vector(const Variable& input, const char* what) const;
  /// The input as a 0-d int64; throws Error(Type) if it is no 0-d integer.
  Variable integer_scalar(const Variable& input, const char* what) const;
  /// `axis` counted from the front; throws Error(Value) in NumPy's words.
  int normalize_axis(std::int64_t axis, int ndim) const;
  std::vector<int> normalize_axes(const std::vector<std::int64_t>& axes, int ndim) const;
  /// The number of axes that a shape vector describes: attribute `ndim`, or the vector's known
  /// length.
  int ndim_of_shape(const Variable& shape) const;
  /// A batch of inputs that are lengths, the same in every example: the output of one example,
  /// repeated. Throws Error(NotImplemented) if an input may differ between examples.
  std::vector<Variable> batch_in_common(std::span<const Variable> inputs,
                                        const std::vector<bool>& batched) const;

 private:
  std::string name_;
};

/// The code of an eager kernel that may throw; `state` is copied and kept with the program.
template <void (*F)(Activation&, const Operands&), class State>
ThunkCode kernel_code(State state) {
  return {.eager = &guarded<F>,
          .state = std::make_shared<const State>(std::move(state)),
          .make = {},
          .lazy = false,
          .form = ThunkForm::Kernel};
}
template <class State>
const State& kernel_state(const Operands& operands) {
  return *static_cast<const State*>(operands.state);
}

/// A numeric cell as memory to walk over, without taking a reference.
struct CellMemory {
  const char* data;
  Dims shape;
  Dims strides;

  explicit CellMemory(const Cell& cell) : data(static_cast<const char*>(cell.address())) {
    if (cell.is_scalar()) return;
    const ArrayBody& body = *cell.body();
    shape = Dims(body.dims, body.ndim);
    strides = Dims(body.dims + body.ndim, body.ndim);
  }
};

/// An element as a number to compute with.
template <class Acc, class T>
Acc widen(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<Acc>(static_cast<float>(value));
  else
    return static_cast<Acc>(value);
}

/// An integer, or a length, that is known before anything runs; empty if it is not.
using KnownInteger = std::optional<std::int64_t>;
/// The elements of an integer vector (or the one of a 0-d integer) as far as they are known:
/// constants, and the known lengths of a shape, also through casts, joins and views. Empty where
/// not even their number is known.
std::optional<std::vector<KnownInteger>> known_integers(const Variable& integers);
/// The static shape that a shape vector of `ndim` elements describes.
StaticShape known_shape(const Variable& shape, int ndim);

/// The run-time shape in input `i`, an int64 vector.
std::vector<std::int64_t> read_integers(const Activation& activation, const Operands& operands,
                                        int i);
/// The value of a 0-d int64 in input `i`.
inline std::int64_t read_integer(const Activation& activation, const Operands& operands, int i) {
  return activation.input(operands, i).get<std::int64_t>();
}

/// After so many elements of work, if they are many, the machine asks the host whether to stop.
inline void poll_after(Activation& activation, std::int64_t work) {
  if (work >= kWorthLeaving) activation.poll = true;
}

/// The dtype in which these are joined: weak numbers yield.
DType common_dtype(std::span<const Variable> inputs);
/// `x` cast; a constant is cast at once.
Variable cast_now(const Variable& x, DType dtype);
/// An int64 constant vector.
Variable constant_vector(std::span<const std::int64_t> values);
/// The length of an axis, as a 0-d int64; a constant where it is known.
Variable length_of(const Variable& x, int axis);
/// The product of the lengths of these axes, as a 0-d int64.
Variable count_along(const Variable& x, std::span<const int> axes);
/// The shape vector with one more length at the front.
Variable prepend_length(const Variable& length, const Variable& shape);
/// The value of a batched integer in every example, where it is a repetition (of a length, say);
/// else null.
Variable common_to_batch(const Variable& x);
/// The shape vector that a batched shape vector has in every row.
Variable unbatched_shape(const Variable& shape, bool batched);
/// The batch length of the first batched input.
Variable batch_length(std::span<const Variable> inputs, const std::vector<bool>& batched);
/// Every input with the batch axis: those without it are repeated.
std::vector<Variable> batch_all(std::span<const Variable> inputs, const std::vector<bool>& batched);
/// The axes moved by `by`.
std::vector<std::int64_t> shift_axes(std::span<const int> axes, int by);
/// `first`, first + 1, ... up to `last`, which is not one of them.
std::vector<std::int64_t> axis_range(int first, int last);
/// One basic index: `x[index]` (indexing.h says how an index is written).
Variable subtensor(const Variable& x, const std::vector<std::string>& index);

}  // namespace thunkvm
