// elementwise_kernel.cpp: how an elementwise nest is run over arrays and numbers that broadcast.
#include "ops/elementwise/element_functions.h"
#include "ops/kernels/array_kernel.h"
#include "ops/kernels/nest_execution.h"
#include "ops/kernels/nest_threads.h"
#include "ops/kernels/stretches.h"
#include "thunks/strided.h"

#include <vector>

namespace thunkvm {
namespace {

/// True if a nest is worth no blocks, pauses and threads where its inputs need none.
bool is_short(std::int64_t n, const ElementCode& code) {
  const NestThreads threads = nest_threads();
  return n * code.cost <= kStretch && (threads.count == 1 || n < threads.from);
}

using Pointers = std::array<char*, kMaxElementInputs + 1>;
using Strides = std::array<std::int64_t, kMaxElementInputs + 1>;

/// Where the inputs need no nest (arrays in C order of one shape, and numbers): their addresses and
/// strides, and one of the arrays. Else null.
inline const ArrayBody* plain_inputs(const Activation& activation, const Operands& operands,
                                     Pointers& pointers, Strides& strides) {
  const ArrayBody* array = nullptr;
  for (unsigned i = 0, n = operands.n_inputs; i < n; ++i) {
    const Cell& cell = activation.cells[operands.registers[i]];
    strides[i] = 0;
    if (cell.is_scalar()) {
      pointers[i] = static_cast<char*>(const_cast<void*>(cell.address()));
      continue;
    }
    const ArrayBody& body = *cell.body();
    pointers[i] = body.data;
    if (body.ndim == 0) continue;
    if (!body.contiguous ||
        (array != nullptr && !same_lengths({body.dims, body.ndim}, {array->dims, array->ndim})))
      return nullptr;
    strides[i] = static_cast<std::int64_t>(item_size(body.dtype));
    array = &body;
  }
  return array;
}

/// The first input of inputs that need no nest that may be written here, moved out of its register:
/// all arrays among them have the shape of the output. An empty handle if there is none.
Array take_plain(Activation& activation, const Operands& operands, DType dtype) {
  for (int i = 0; i < operands.n_inputs; ++i) {
    Cell& cell = activation.input(operands, i);
    if (operands.dies(i) && cell.is_array() && cell.body()->ndim != 0 &&
        cell.body()->dtype == dtype && is_named_once(operands, i) && Array::exclusive(*cell.body()))
      return cell.take_array();
  }
  return {};
}

inline void run_plain(Activation& activation, const Operands& operands, const ElementCode& code,
                      const ArrayBody& array, std::int64_t n, Pointers& pointers,
                      Strides& strides) {
  Array output;
  if (operands.dying != 0) output = take_plain(activation, operands, code.output);
  // The dims stay where they are even if this very array becomes the output.
  if (!output)
    output = output_array(activation, operands, 0, code.output, {array.dims, array.ndim});
  pointers[operands.n_inputs] = output.data();
  strides[operands.n_inputs] = static_cast<std::int64_t>(item_size(code.output));
  const std::int64_t work = n * code.cost;
  {
    const HostLeave leave(*activation.host, work);
    if (n != 0) code.function(pointers.data(), strides.data(), n);
  }
  if (work >= kWorthLeaving) activation.poll = true;
  store(activation, operands, 0, std::move(output));
}

/// Memory of a dying input if it fits, else new memory.
Array output_of_loop(Activation& activation, const Operands& operands, const ElementCode& code,
                     Dims shape) {
  for (int i = 0; operands.dying != 0 && i < operands.n_inputs; ++i)
    if (Array reused = take_dying(activation, operands, i, code.output, shape)) return reused;
  return output_array(activation, operands, 0, code.output, shape);
}

/// One element function, over inputs that lie anywhere.
Nest nest_of(const ElementCode& code, int ndim, std::size_t n_inputs) {
  Nest nest;
  nest.ndim = ndim;
  nest.n_inputs = n_inputs;
  nest.n_outputs = 1;
  nest.item_sizes.reserve(n_inputs + 1);
  for (std::size_t i = 0; i < n_inputs; ++i)
    nest.item_sizes.push_back(static_cast<std::int64_t>(item_size(code.inputs[i])));
  nest.item_sizes.push_back(static_cast<std::int64_t>(item_size(code.output)));
  nest.element_functions = {code.function};
  nest.cost = code.cost;
  return nest;
}

[[gnu::noinline]] void run_loop(Activation& activation, const Operands& operands,
                                const ElementCode& code) {
  const std::size_t n_inputs = operands.n_inputs;
  std::array<Layout, kMaxElementInputs> inputs;
  std::array<Dims, kMaxElementInputs> shapes;
  for (std::size_t i = 0; i < n_inputs; ++i) {
    const Cell& cell = activation.cells[operands.registers[i]];
    inputs[i] = cell.is_scalar() ? Layout::of_number(cell.address()) : Layout::of(*cell.body());
    shapes[i] = inputs[i].shape();
  }
  const std::vector<std::int64_t> shape = broadcast_shapes({shapes.data(), n_inputs}, code.op);
  Array output = output_of_loop(activation, operands, code, shape);
  if (char* const to = output.data(); output.size() != 0)
    execute_once(nest_of(code, static_cast<int>(shape.size()), n_inputs), {shape},
                 {inputs.data(), n_inputs}, {&to, 1}, {}, *activation.host);
  if (output.size() * code.cost >= kWorthLeaving) activation.poll = true;
  store(activation, operands, 0, std::move(output));
}

void run(Activation& activation, const Operands& operands) {
  const auto& code = *static_cast<const ElementCode*>(operands.state);
  Pointers pointers;
  Strides strides;
  const ArrayBody* const array = plain_inputs(activation, operands, pointers, strides);
  if (array != nullptr) {
    const std::int64_t n = array->size();
    if (is_short(n, code))
      return run_plain(activation, operands, code, *array, n, pointers, strides);
  }
  run_loop(activation, operands, code);
}

}  // namespace

Status run_element_code(Activation& activation, const Operands& operands) {
  return guarded<&run>(activation, operands);
}

}  // namespace thunkvm
