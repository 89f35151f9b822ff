// array_kernel.h: what kernels over arrays have in common: reading operands and making outputs.
#pragma once

#include "thunks/array.h"
#include "thunks/thunk.h"

namespace thunkvm {

/// Input i as an array. A Scalar cell is copied into a 0-d array.
inline Array input_array(const Activation& activation, const Operands& operands, int i) {
  return activation.input(operands, i).to_array();
}

/// A C-order array for output j, uninitialised. In the `_nogc` modes the memory that the output of
/// the last call had is used again where it is exclusively ours and fits.
Array output_array(Activation& activation, const Operands& operands, int j, DType dtype,
                   Dims shape);

/// Moves input i out of its register if it dies here, is exclusive, in C order, and has this dtype
/// and shape, and no other input is the same register; else an empty handle. What comes back may be
/// written.
Array take_dying(Activation& activation, const Operands& operands, int i, DType dtype, Dims shape);

/// Stores an array as output j; a 0-d one of a dtype that fits a cell becomes a Scalar.
inline void store(Activation& activation, const Operands& operands, int j, Array value) {
  activation.output(operands, j).set_array(std::move(value));
}

}  // namespace thunkvm
