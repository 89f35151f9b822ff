// array_kernel.h: what kernels over arrays have in common: reading operands and making outputs.
#pragma once

#include "thunks/array.h"
#include "thunks/thunk.h"

namespace thunkvm {

/// Input i as an array. A Scalar cell is copied into a 0-d array.
inline Array input_array(const Activation& activation, const Operands& operands, int i) {
  return activation.input(operands, i).to_array();
}

/// True if two shapes are the same. (std::equal calls memcmp, which costs more than short shapes.)
inline bool same_lengths(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// A C-order array for output j, uninitialised. In the `_nogc` modes the memory that the output of
/// the last call had is used again where it is exclusively ours and fits.
Array take_kept(Activation& activation, const Operands& operands, int j, DType dtype,
                Dims shape);  ///< the same in those modes
inline Array output_array(Activation& activation, const Operands& operands, int j, DType dtype,
                          Dims shape) {
  return activation.keep ? take_kept(activation, operands, j, dtype, shape)
                         : Array::allocate(dtype, shape);
}

/// True if no other input is the register of input i.
inline bool is_named_once(const Operands& operands, int i) {
  const std::uint32_t* const registers = operands.registers;
  for (int k = 0; k < operands.n_inputs; ++k)
    if (k != i && registers[k] == registers[i]) return false;
  return true;
}

/// Moves input i out of its register if it dies here, is exclusive, in C order, and has this dtype
/// and shape, and no other input is the same register; else an empty handle. What comes back may be
/// written.
Array take_fitting(Activation& activation, const Operands& operands, int i, DType dtype,
                   Dims shape);  ///< the same of an input that dies
inline Array take_dying(Activation& activation, const Operands& operands, int i, DType dtype,
                        Dims shape) {
  return operands.dies(i) ? take_fitting(activation, operands, i, dtype, shape) : Array();
}

/// Stores an array as output j; a 0-d one of a dtype that fits a cell becomes a Scalar.
inline void store(Activation& activation, const Operands& operands, int j, Array value) {
  activation.output(operands, j).set_array(std::move(value));
}

}  // namespace thunkvm
