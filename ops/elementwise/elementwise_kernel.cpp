// elementwise_kernel.cpp: how an elementwise loop is run over arrays and numbers that broadcast.
#include "ops/elementwise/elementwise_loop.h"
#include "ops/kernels/array_kernel.h"
#include "ops/kernels/stretches.h"
#include "thunks/strided.h"

#include <vector>

namespace thunkvm {
namespace {

using Pointers = std::array<char*, kMaxElementInputs + 1>;
using Strides = std::array<std::int64_t, kMaxElementInputs + 1>;

/// Memory of a dying input if it fits, else new memory.
Array output_of_walk(Activation& activation, const Operands& operands, const ElementCode& code,
                     Dims shape) {
  if (operands.dying != 0) {
    for (int i = 0; i < operands.n_inputs; ++i) {
      if (Array reused = take_dying(activation, operands, i, code.output, shape)) return reused;
    }
  }
  return output_array(activation, operands, 0, code.output, shape);
}

/// Where the inputs need no walk (arrays in C order of one shape, and numbers): their addresses and
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

/// The first input of inputs that need no walk that may be written here, moved out of its register:
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
                      const ArrayBody& array, Pointers& pointers, Strides& strides) {
  Array output;
  if (operands.dying != 0) output = take_plain(activation, operands, code.output);
  // The dims stay where they are even if this very array becomes the output.
  if (!output)
    output = output_array(activation, operands, 0, code.output, {array.dims, array.ndim});
  pointers[operands.n_inputs] = output.data();
  strides[operands.n_inputs] = static_cast<std::int64_t>(item_size(code.output));
  const std::int64_t n = output.size(), work = n * code.cost;
  if (work <= kStretch) {  // counting what is done would cost small arrays 2 ns
    const HostLeave leave(*activation.host, work);
    if (n != 0) code.loop(pointers.data(), strides.data(), n);
  } else {
    StretchedLoop(*activation.host, n, code.cost)
        .run(code.loop, std::span(pointers).first(operands.n_inputs + 1), strides.data(), n);
  }
  if (work >= kWorthLeaving) activation.poll = true;
  store(activation, operands, 0, std::move(output));
}

[[gnu::noinline]] void run_walk(Activation& activation, const Operands& operands,
                                const ElementCode& code) {
  std::vector<Dims> shapes;
  std::vector<StridedWalk::Operand> walked;
  for (int i = 0; i < operands.n_inputs; ++i) {
    const Cell& cell = activation.input(operands, i);
    char* address = static_cast<char*>(const_cast<void*>(cell.address()));
    if (cell.is_scalar()) {
      walked.push_back({address, {}, {}});
    } else {
      const ArrayBody* body = cell.body();
      walked.push_back({address, {body->dims, body->ndim}, {body->dims + body->ndim, body->ndim}});
    }
    shapes.push_back(walked.back().shape);
  }
  const std::vector<std::int64_t> shape = broadcast_shapes(shapes, code.op);
  Array output = output_of_walk(activation, operands, code, shape);
  walked.push_back(operand(output));
  StridedWalk walk(shape, walked);
  const std::int64_t work = output.size() * code.cost;
  {
    StretchedLoop loop(*activation.host, output.size(), code.cost);
    walk.run([&](char* const* pointers, const std::int64_t* strides, std::int64_t n) {
      loop.run(code.loop, {pointers, walked.size()}, strides, n);
    });
  }
  if (work >= kWorthLeaving) activation.poll = true;
  store(activation, operands, 0, std::move(output));
}

void run(Activation& activation, const Operands& operands) {
  const auto& code = *static_cast<const ElementCode*>(operands.state);
  Pointers pointers;
  Strides strides;
  if (const ArrayBody* array = plain_inputs(activation, operands, pointers, strides))
    run_plain(activation, operands, code, *array, pointers, strides);
  else
    run_walk(activation, operands, code);
}

}  // namespace

Status run_element_code(Activation& activation, const Operands& operands) {
  return guarded<&run>(activation, operands);
}

}  // namespace thunkvm
