#include "ops/graph/core_kernel.h"

#include "ops/graph/core_signature.h"
#include "ops/graph/declaration.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <cstring>

namespace thunkvm {
namespace {

/// Copies elements of a size that the compiler knows.
template <std::size_t kItem>
void copy_matrix(const char* from, std::int64_t from_row, std::int64_t from_column, char* to,
                 std::int64_t to_row, std::int64_t to_column, std::int64_t rows,
                 std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      std::memcpy(to + i * to_row + j * to_column, from + i * from_row + j * from_column, kItem);
}

using CopyMatrix = decltype(&copy_matrix<1>);
CopyMatrix copy_of(std::size_t item) {
  switch (item) {
    case 1: return &copy_matrix<1>;
    case 2: return &copy_matrix<2>;
    case 4: return &copy_matrix<4>;
    case 8: return &copy_matrix<8>;
    default: return &copy_matrix<16>;
  }
}

}  // namespace

std::int64_t CoreLengths::operator[](std::string_view name) const {
  return lengths_[signature_->length(name)];
}

CoreState core_state(const Apply& node, const OpRules& rules) {
  CoreState state{&rules, node.op()->attributes(), {}};
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    state.outputs.push_back(node.output_type(j).tensor()->dtype());
  return state;
}

CoreRun::CoreRun(Activation& activation, const Operands& operands, Order order)
    : activation_(activation),
      operands_(operands),
      state_(kernel_state<CoreState>(operands)),
      order_(order) {
  const OpRules& rules = *state_.rules;
  const CoreSignature& signature = *rules.signature;
  std::vector<Dims> seen;
  for (std::size_t i = 0; i < signature.inputs().size(); ++i) {
    inputs_.push_back(input_array(activation, operands, static_cast<int>(i)));
    seen.push_back(inputs_[i].shape());
  }
  const CoreSignature::Shapes shapes = signature.shapes(rules.proto, seen);
  lengths_ = shapes.lengths;
  batch_ = shapes.batch;
  for (std::size_t j = 0; j < state_.outputs.size(); ++j) {
    const std::vector<std::int64_t> shape = signature.output_shape(j, shapes);
    Array& out = outputs_.emplace_back();
    if (j == 0 && rules.in_place) {
      inputs_[0] = Array();  // a handle on it would stand in the way
      out = take_dying(activation, operands, 0, state_.outputs[0], shape);
      inputs_[0] = out ? out : input_array(activation, operands, 0);
    }
    if (!out)
      out = output_array(activation, operands, static_cast<int>(j), state_.outputs[j], shape);
  }
  work_ = 1;
  for (const std::int64_t length : batch_) work_ = work_of({work_, length});
  for (const std::int64_t length : lengths_) work_ = work_of({work_, length});
}

CoreCall CoreRun::call() const {
  return {state_.rules->proto.name, state_.attributes,
          CoreLengths(*state_.rules->signature, lengths_), inputs_};
}

CoreRun::Packing CoreRun::packing(const Array& array, std::size_t n_core) const {
  Packing packing;
  packing.item = item_size(array.dtype());
  const int ndim = array.ndim();
  if (n_core > 0) {
    packing.columns = array.length(ndim - 1);
    packing.column_stride = array.stride(ndim - 1);
  }
  if (n_core > 1) {
    packing.rows = array.length(ndim - 2);
    packing.row_stride = array.stride(ndim - 2);
  }
  const auto item = static_cast<std::int64_t>(packing.item);
  const bool is_column = n_core > 1 && order_ == Order::Fortran;
  const auto [inner, outer] = is_column ? std::pair(packing.rows, packing.columns)
                                        : std::pair(packing.columns, packing.rows);
  const auto [step, stride] = is_column ? std::pair(packing.row_stride, packing.column_stride)
                                        : std::pair(packing.column_stride, packing.row_stride);
  packing.dense = (inner <= 1 || step == item) && (outer <= 1 || stride == item * inner);
  if (!packing.dense) packing.copy.resize(packing.item * static_cast<std::size_t>(inner * outer));
  return packing;
}

void CoreRun::pack(Packing& packing, const char* from) const {
  const auto item = static_cast<std::int64_t>(packing.item);
  const bool by_columns = order_ == Order::Fortran;
  copy_of(packing.item)(from, packing.row_stride, packing.column_stride, packing.copy.data(),
                        by_columns ? item : item * packing.columns,
                        by_columns ? item * packing.rows : item, packing.rows, packing.columns);
}

void CoreRun::unpack(const Packing& packing, char* to) const {
  const auto item = static_cast<std::int64_t>(packing.item);
  const bool by_columns = order_ == Order::Fortran;
  copy_of(packing.item)(packing.copy.data(), by_columns ? item : item * packing.columns,
                        by_columns ? item * packing.rows : item, to, packing.row_stride,
                        packing.column_stride, packing.rows, packing.columns);
}

void CoreRun::each(const std::function<void(const Core&)>& kernel) {
  const CoreSignature& signature = *state_.rules->signature;
  const std::size_t n_inputs = inputs_.size(), n_outputs = outputs_.size();
  std::vector<StridedWalk::Operand> walked;
  std::vector<Packing> packings;
  const auto add = [&](const Array& array, std::size_t n_core) {
    const std::size_t n_stack = array.shape().size() - n_core;
    walked.push_back({array.data(), array.shape().first(n_stack), array.strides().first(n_stack)});
    packings.push_back(packing(array, n_core));
  };
  for (std::size_t i = 0; i < n_inputs; ++i) add(inputs_[i], signature.inputs()[i].size());
  for (std::size_t j = 0; j < n_outputs; ++j) add(outputs_[j], signature.outputs()[j].size());

  Core core(n_inputs, n_outputs);
  std::vector<const char*> packed(n_inputs, nullptr);
  StridedWalk(batch_, walked)
      .run([&](char* const* pointers, const std::int64_t* steps, std::int64_t count) {
        for (std::int64_t at = 0; at < count; ++at) {
          for (std::size_t i = 0; i < n_inputs; ++i) {
            const char* const address = pointers[i] + at * steps[i];
            // A core that several others meet is packed once.
            if (!packings[i].dense && address != packed[i]) pack(packings[i], address);
            packed[i] = address;
            core.inputs_[i] = packings[i].dense ? address : packings[i].copy.data();
          }
          for (std::size_t j = 0; j < n_outputs; ++j) {
            Packing& packing = packings[n_inputs + j];
            core.outputs_[j] = packing.dense ? pointers[n_inputs + j] + at * steps[n_inputs + j]
                                             : packing.copy.data();
          }
          kernel(core);
          for (std::size_t j = 0; j < n_outputs; ++j)
            if (const Packing& packing = packings[n_inputs + j]; !packing.dense)
              unpack(packing, pointers[n_inputs + j] + at * steps[n_inputs + j]);
        }
      });
}

void CoreRun::store() {
  poll_after(activation_, work_);
  for (std::size_t j = 0; j < outputs_.size(); ++j)
    thunkvm::store(activation_, operands_, static_cast<int>(j), std::move(outputs_[j]));
}

}  // namespace thunkvm
