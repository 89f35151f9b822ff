// array_kernel.h: the common parts of kernels over arrays: reading operands and making outputs.
#pragma once

#include "thunks/array.h"
#include "thunks/thunk.h"

#include <cstdint>
#include <optional>
#include <vector>

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

/// The strides by which an array is read as one of this shape: 0 along axes that it lacks or has
/// once. None if a length differs otherwise.
std::optional<std::vector<std::int64_t>> broadcast_strides(const Array& x, Dims shape);

/// Moves an array out of its register if it is exclusive, in C order, and has this dtype and shape;
/// else an empty handle. The returned array may be written.
Array take_fitting(Cell& cell, DType dtype, Dims shape);

/// A C-order array to be stored in `cell`, uninitialised. In the `_nogc` modes the memory that it
/// had in the last call is used again if it is exclusively ours and fits.
Array take_retained(Cell& cell, DType dtype, Dims shape);  ///< the same in those modes
inline Array output_array(const Activation& activation, Cell& cell, DType dtype, Dims shape) {
  return activation.retain_intermediates ? take_retained(cell, dtype, shape)
                                         : Array::allocate(dtype, shape);
}
inline Array output_array(Activation& activation, const Operands& operands, int j, DType dtype,
                          Dims shape) {
  return output_array(activation, activation.output(operands, j), dtype, shape);
}

/// Makes a cell a number of this dtype, of which these are the bits, from the lowest on.
void store_number(Cell& cell, std::uint64_t bits, DType dtype);

/// True if no other input is the register of input i.
inline bool is_named_once(const Operands& operands, int i) {
  const std::uint32_t* const registers = operands.registers;
  for (int k = 0; k < operands.n_inputs; ++k)
    if (k != i && registers[k] == registers[i]) return false;
  return true;
}

/// Takes the array of input i if it dies here, fits, and no other input is the same register; else
/// an empty handle.
inline Array take_dying(Activation& activation, const Operands& operands, int i, DType dtype,
                        Dims shape) {
  return operands.dies(i) && is_named_once(operands, i)
             ? take_fitting(activation.input(operands, i), dtype, shape)
             : Array();
}

/// Stores an array as output j; a 0-d one of a dtype that fits a cell becomes a Scalar.
inline void store(Activation& activation, const Operands& operands, int j, Array value) {
  activation.output(operands, j).set_array(std::move(value));
}

}  // namespace thunkvm
