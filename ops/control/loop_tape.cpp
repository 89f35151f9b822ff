#include "ops/control/loop_tape.h"

#include "ops/graph/array_op.h"
#include "thunks/error.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace thunkvm {
namespace {

/// So many rows a tape has when its first value comes.
constexpr std::int64_t kFirstRows = 8;

std::vector<std::int64_t> with_rows(std::int64_t rows, Dims row) {
  std::vector<std::int64_t> shape = {rows};
  shape.insert(shape.end(), row.begin(), row.end());
  return shape;
}

/// An array in C order of more rows, the first `rows` of which are those of `tape`.
Array enlarged(const Array& tape, std::int64_t rows, DType dtype, Dims row) {
  const std::vector<std::int64_t> shape = with_rows(std::max(kFirstRows, 2 * rows), row);
  Array larger = Array::zeros(dtype, shape);
  if (rows != 0)
    std::memcpy(
        larger.data(), tape.data(),
        larger.bytes() / static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(rows));
  return larger;
}

void append(Activation& activation, const Operands& operands) {
  const Cell& held = activation.input(operands, 0);
  const std::int64_t step = read_integer(activation, operands, 1);
  const Cell& value = activation.input(operands, 2);
  const CellMemory row(value);
  const ArrayBody& body = *held.body();
  const Dims rows(body.dims + 1, static_cast<std::size_t>(body.ndim) - 1);
  if (step != 0 && !std::ranges::equal(rows, row.shape))
    throw Error(ErrorKind::Value, "a loop keeps the values of its steps, and that of step " +
                                      std::to_string(step) + " has the shape " +
                                      format_shape(row.shape) + ", those before it " +
                                      format_shape(rows) + ": all have to have one shape");
  activation.output(operands, 0).clear();  // what a mode that keeps values has there: the last tape
  const bool fits = step != 0 && step < body.dims[0] && Array::exclusive(body);
  Array tape = fits ? held.array() : enlarged(held.array(), step, body.dtype, row.shape);
  const std::size_t bytes =
      tape.bytes() / static_cast<std::size_t>(std::max<std::int64_t>(1, tape.length(0)));
  char* const at = tape.data() + bytes * static_cast<std::size_t>(step);
  if (value.is_scalar()) {
    std::memcpy(at, value.address(), bytes);
  } else if (bytes != 0) {
    std::vector<std::int64_t> strides(tape.strides().begin() + 1, tape.strides().end());
    if (strides.empty())
      std::memcpy(at, value.address(), bytes);
    else
      copy_elements(value.array(), tape.view(row.shape, strides, at));
  }
  activation.output(operands, 0) = Cell::of_array(std::move(tape));
}

void take_rows(Activation& activation, const Operands& operands) {
  const Array tape = activation.input(operands, 0).array();
  const std::int64_t rows = read_integer(activation, operands, 1);
  const std::vector<std::int64_t> shape = with_rows(rows, tape.shape().subspan(1));
  activation.output(operands, 0) = Cell::of_array(tape.view(shape, tape.strides(), tape.data()));
}

class AppendOp final : public Op {
 public:
  std::string name() const override { return "loop_append"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  ThunkCode kernel(const Apply&) const override {
    return {.eager = &guarded<append>, .state = {}, .make = {}};
  }
  const AliasMap& destroy_map() const override {
    static const AliasMap kMap = {{0, {0}}};
    return kMap;
  }
};

class RowsOp final : public Op {
 public:
  std::string name() const override { return "loop_rows"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  ThunkCode kernel(const Apply&) const override {
    return {.eager = &guarded<take_rows>, .state = {}, .make = {}};
  }
  const AliasMap& view_map() const override {
    static const AliasMap kMap = {{0, {0}}};
    return kMap;
  }
};

template <class TapeOp>
const Op& the() {
  static const Ref<const Op> kOp(new TapeOp);
  return *kOp;
}

}  // namespace

bool is_of_tapes(const Apply& node) {
  return node.op() == &the<AppendOp>() || node.op() == &the<RowsOp>();
}

Variable empty_tape(const Type& value) {
  const TensorType& type = *value.tensor();
  StaticShape row = type.shape();
  for (std::int64_t& length : row) length = std::max<std::int64_t>(length, 0);
  StaticShape shape = {kUnknownLength};
  shape.insert(shape.end(), type.shape().begin(), type.shape().end());
  return Variable::constant(Cell::of_array(Array::zeros(type.dtype(), with_rows(0, row))),
                            TensorType::of(type.dtype(), shape));
}

Variable append_to_tape(const Variable& tape, const Variable& step, const Variable& value) {
  const Variable inputs[] = {tape, step, value};
  return the<AppendOp>().call(inputs).front();
}

Variable rows_of_tape(const Variable& tape, const Variable& steps) {
  const Variable inputs[] = {tape, steps};
  return the<RowsOp>().call(inputs).front();
}

}  // namespace thunkvm
