// work.h: the cost of a node's run, by the shapes of its operands: for profiles.
#pragma once

#include "ops/graph/variable.h"
#include "thunks/array.h"

#include <span>

namespace thunkvm {

/// The lengths of the axes of each operand, as they were in a run.
using OperandShapes = std::span<const Dims>;

/// The second base of an Op that knows its work by the shapes of its operands.
class StatesWork {
 public:
  /// False for an Op that states none after all.
  virtual bool states_work() const { return true; }
  /// False if runs with the same shapes of inputs may make outputs of different shapes.
  virtual bool shapes_follow() const { return true; }
  /// The floating-point operations of a run of the node; 0 if its numbers are no floats. An
  /// operation on complex numbers counts as one; so does a function such as exp of an element.
  virtual double flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const = 0;
  /// The bytes that it reads and writes: those of all operands that have axes, each once.
  virtual double bytes_moved(const Apply& node, OperandShapes inputs, OperandShapes outputs) const;

 protected:
  ~StatesWork() = default;
};

/// True for a tensor that is no number, and for a node with such an operand.
bool has_axes(const Type& type);
bool has_axes(const Apply& node);

/// The number of elements.
double n_elements(Dims shape);

}  // namespace thunkvm
