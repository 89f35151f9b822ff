// type.h: the types of variables.
#pragma once

#include "thunks/array.h"
#include "thunks/cell.h"
#include "thunks/counted.h"

#include <cstdint>
#include <string>
#include <vector>

namespace thunkvm {

class TensorType;

/// The values that a variable may hold. Hosts add their own kinds (a Python `Type`); the machine
/// knows tensors and `GenericType`.
class Type : public Counted {
 public:
  /// As errors print it: "vector float64 (?,)", "generic".
  virtual std::string text() const = 0;
  virtual bool equals(const Type& other) const { return this == &other; }
  /// A value with memory of its own, for thunks that destroy their input. Arrays are copied by the
  /// machine.
  virtual Cell copy(const Cell& value) const;
  /// This type if it is a tensor's, else null.
  virtual const TensorType* tensor() const { return nullptr; }
};
using TypeRef = Ref<const Type>;

inline constexpr std::int64_t kUnknownLength = -1;
using StaticShape = std::vector<std::int64_t>;
/// "(3, ?)"
std::string format_static_shape(const StaticShape& shape);

/// Numbers of one dtype with a known number of dimensions; each length may be known (>= 0) or not
/// (-1).
///
/// Interned: two live tensor types with the same dtype and shape are one object, so they compare by
/// address. `of` throws Error(Value) for known lengths that no array can have (thunks/lengths.h).
class TensorType final : public Type {
 public:
  static Ref<const TensorType> of(DType dtype, const StaticShape& shape);
  /// `ndim` unknown lengths.
  static Ref<const TensorType> of_ndim(DType dtype, int ndim);
  static Ref<const TensorType> scalar(DType dtype) { return of(dtype, {}); }
  ~TensorType() override;

  DType dtype() const { return dtype_; }
  int ndim() const { return static_cast<int>(shape_.size()); }
  const StaticShape& shape() const { return shape_; }
  std::string text() const override;
  const TensorType* tensor() const override { return this; }
  Ref<const TensorType> with_dtype(DType dtype) const { return of(dtype, shape_); }

 private:
  TensorType(DType dtype, StaticShape shape) : dtype_(dtype), shape_(std::move(shape)) {}
  DType dtype_;
  StaticShape shape_;
};

/// Any object of the host; never looked into.
class GenericType final : public Type {
 public:
  static TypeRef instance();
  std::string text() const override { return "generic"; }
};

/// The static shape that NumPy broadcasting gives. Throws Error(Value) naming `op` and both shapes
/// if known lengths clash.
StaticShape broadcast_static(const std::string& op, const StaticShape& a, const StaticShape& b);

}  // namespace thunkvm
