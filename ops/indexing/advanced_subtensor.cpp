// advanced_subtensor.cpp: `advanced_subtensor`, the elements that an index with arrays picks;
// `advanced_set_subtensor` and `advanced_inc_subtensor`, new arrays in which they are replaced or
// added to, once for every time that one is picked.
#include "ops/graph/cut_gradient.h"
#include "ops/graph/declaration.h"
#include "ops/indexing/index_arrays.h"
#include "ops/indexing/picked_walk.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <algorithm>

namespace thunkvm {

namespace {

struct ArrayIndexState {
  ArrayIndex index;
};

template <class T>
void run_get(Activation& activation, const Operands& operands) {
  const Array x = input_array(activation, operands, 0);
  const PickedElements found = kernel_state<ArrayIndexState>(operands).index.find(
      activation, operands, 1, Layout::of(*x.body()));
  const Array out = output_array(activation, operands, 0, dtype_of<T>, found.shape());
  if (out.size() > 0) walk<T, Access::Get>(*activation.host, found, found.part.data, out);
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

/// The value in C order and in this shape, which it is broadcast to.
Array broadcast_value(const std::string& op, const Array& value, Dims shape) {
  if (same_lengths(value.shape(), shape)) return value.as_contiguous();
  const auto strides = broadcast_strides(value, shape);
  if (!strides)
    throw Error(ErrorKind::Value, "[" + op + "] could not broadcast input array from shape " +
                                      format_shape(value.shape()) + " into shape " +
                                      format_shape(shape));
  return value.view(shape, *strides, value.data()).copy();
}

/// Takes over an x that dies here.
template <class T, Access kAccess>
void run_write(Activation& activation, const Operands& operands) {
  const ArrayIndex& index = kernel_state<ArrayIndexState>(operands).index;
  const CellMemory seen(activation.input(operands, 0));
  const std::vector<std::int64_t> shape(seen.shape.begin(), seen.shape.end());
  // Whatever can fail does so before the memory of x is touched: in what is written to, the
  // elements lie in C order.
  const std::vector<std::int64_t> strides = dense_strides(shape, sizeof(T));
  char origin = 0;
  const PickedElements found =
      index.find(activation, operands, 2,
                 {&origin, static_cast<int>(shape.size()), shape.data(), strides.data()});
  const Array value =
      broadcast_value(index.op(), input_array(activation, operands, 1), found.shape());
  Array out = take_dying(activation, operands, 0, dtype_of<T>, shape);
  const std::int64_t work = std::max(value.size(), out ? 0 : product_of_lengths(shape).value_or(0));
  if (!out) {
    const Array all = input_array(activation, operands, 0);
    out = output_array(activation, operands, 0, dtype_of<T>, shape);
    copy_in_stretches(*activation.host, all, out);
  }
  if (value.size() > 0)
    walk<T, kAccess>(*activation.host, found, out.data() + (found.part.data - &origin), value);
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

/// The common base of the three: the index, and batching of what it picks.
class ArrayIndexOp : public ArrayOp {
 public:
  /// `first` of the inputs are no part of the index.
  ArrayIndexOp(std::string name, const Attributes& attrs, std::size_t first)
      : ArrayOp(std::move(name), attrs),
        first_(first),
        items_(parse_index(this->name(), texts())) {}

 protected:
  const std::vector<std::string>& texts() const {
    return attributes().get<std::vector<std::string>>("index");
  }
  ArrayIndex index(std::span<const Variable> inputs) const {
    return {name(), items_, inputs[0].ndim(), inputs.subspan(first_)};
  }
  ArrayIndexState index_state(const Apply& node) const { return {index(node.inputs())}; }

  /// The inputs as they go into the node: integers and arrays of them in int64.
  std::vector<Variable> checked(std::span<const Variable> inputs) const {
    expect_inputs(inputs, first_, SIZE_MAX);
    std::vector<Variable> all(inputs.begin(), inputs.end());
    for (std::size_t i = first_; i < all.size(); ++i) {
      if (!is_integral(all[i].dtype()))
        fail(ErrorKind::Type, "an index is made of integers and bools, but " + all[i].text() +
                                  " is a " + all[i].type().text());
      if (all[i].dtype() != DType::Bool) all[i] = cast_now(all[i], DType::Int64);
    }
    return all;
  }

  /// The same Op of other operands, with the index that the node has.
  Variable apply(std::string_view op, Apply& node, std::vector<Variable> operands) const {
    for (std::size_t i = first_; i < node.n_inputs(); ++i)
      operands.push_back(node.input(static_cast<int>(i)));
    return call_op(op, operands, {{"index", texts()}});
  }

  /// A batch of it. `operands` are x and the value, where there is one, with a batch axis both; the
  /// value is what is put there, with all its axes.
  std::vector<Variable> apply_batched(Apply& node, std::vector<Variable> operands,
                                      std::span<const Variable> inputs,
                                      const std::vector<bool>& batched) const {
    const ArrayIndex single = index(node.inputs());
    const bool own = std::find(batched.begin() + static_cast<std::ptrdiff_t>(first_), batched.end(),
                               true) != batched.end();
    IndexItems longer = items_;
    longer.insert(longer.begin(), {.kind = own ? IndexItem::Kind::Array : IndexItem::Kind::Slice});
    if (own) operands.push_back(entries(length_of(operands[0], 0), single.n_picked()));
    for (std::size_t i = first_; i < inputs.size(); ++i)
      operands.push_back(batched[i] ? entry_by_entry(node, static_cast<int>(i), inputs[i], longer,
                                                     single.n_picked())
                                    : inputs[i]);
    // Where the axes of the arrays come out, and where those of each example are to be.
    const int n_picked = single.n_picked(), n_before = single.n_before();
    Axes order;  // of the result of the longer index, for the result of the batch
    if (own && !single.separated() && n_before > 0) {
      order = axis_range(0, 1);
      for (int axis = 0; axis < n_before; ++axis) order.push_back(1 + n_picked + axis);
      for (int axis = 0; axis < n_picked; ++axis) order.push_back(1 + axis);
      for (int axis = n_before; axis < single.n_rest(); ++axis)
        order.push_back(1 + n_picked + axis);
    } else if (!own && single.separated()) {
      order = {n_picked};
      for (int axis = 0; axis < n_picked + single.n_rest(); ++axis)
        order.push_back(axis < n_picked ? axis : axis + 1);
    }
    const auto call = [&] { return call_op(name(), operands, {{"index", index_texts(longer)}}); };
    if (order.empty()) return {call()};
    if (first_ == 1) return {transpose(call(), order)};
    Axes back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    operands[1] = transpose(operands[1], back);
    return {call()};
  }

 private:
  /// 0, 1, ... one for each example, with so many axes of length 1 behind.
  static Variable entries(const Variable& length, int ndim) {
    const Variable counts = call_op(
        "arange", {Variable::number(std::int64_t{0}), length, Variable::number(std::int64_t{1})});
    return ndim == 0 ? counts : expand_dims(counts, axis_range(1, 1 + ndim));
  }
  /// A batched input of the index, as an array with the batch axis before the arrays' own.
  Variable entry_by_entry(Apply& node, int i, const Variable& input, IndexItems& longer,
                          int n_picked) const {
    const Variable& single = node.input(i);
    if (single.dtype() == DType::Bool)
      fail(ErrorKind::NotImplemented,
           "cannot be batched over the mask " + single.text() +
               ": every example could pick another number of elements; use `where`");
    if (single.ndim() == 0) {
      // An integer of each example is an array of the batch, unless it is the end of a slice.
      const std::vector<std::size_t> wanted{static_cast<std::size_t>(i) - first_};
      for (IndexItem& item : longer) {
        if (item.kind == IndexItem::Kind::Slice || item.inputs() != wanted) continue;
        item.kind = IndexItem::Kind::Array;
        return n_picked == 0 ? input : expand_dims(input, axis_range(1, 1 + n_picked));
      }
      const Variable common = common_to_batch(input);
      if (!common) fail(ErrorKind::NotImplemented, "cannot be batched over the ends of slices");
      return common;
    }
    const int missing = n_picked - single.ndim();
    return missing == 0 ? input : expand_dims(input, axis_range(1, 1 + missing));
  }

  std::size_t first_;
  IndexItems items_;
};

class AdvancedSubtensorOp final : public ArrayIndexOp {
 public:
  explicit AdvancedSubtensorOp(const Attributes& attrs)
      : ArrayIndexOp("advanced_subtensor", attrs, 1) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<Variable> all = checked(inputs);
    const StaticShape shape =
        index(all).known_shape(all[0].static_shape(), std::span(all).subspan(1));
    return {Apply::make1(*this, all, TensorType::of(all[0].dtype(), shape))};
  }

  /// How often a mask is true is a value: the mask is demanded, and what it picks from is not.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    return {index(node.inputs())
                .extents(input_shapes[0], node.inputs().subspan(1), input_shapes.subspan(1))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_get<T>>(index_state(node));
    });
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> gradients(node.n_inputs());
    const Variable& x = node.input(0);
    if (g[0] && is_inexact(x.dtype()))
      gradients[0] = apply("advanced_inc_subtensor", node, {zeros_like(x), g[0]});
    if (gradients[0] && may_have_infinite_slope(x)) {
      const Variable all = Variable::constant(Cell::of(true));
      gradients[0] =
          cut_to(gradients[0], apply("advanced_set_subtensor", node, {nothing_taken(x), all}));
    }
    return gradients;
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable x =
        batched[0] ? inputs[0] : repeat_batch(inputs[0], batch_length(inputs, batched));
    return apply_batched(node, {x}, inputs, batched);
  }
};

template <Access kAccess>
class AdvancedWriteOp final : public ArrayIndexOp {
 public:
  explicit AdvancedWriteOp(const Attributes& attrs)
      : ArrayIndexOp(kAccess == Access::Inc ? "advanced_inc_subtensor" : "advanced_set_subtensor",
                     attrs, 2) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    std::vector<Variable> all = checked(inputs);
    const StaticShape part =
        index(all).known_shape(all[0].static_shape(), std::span(all).subspan(2));
    all[1] = value_for_part(name(), all[1], all[0], part);
    return {Apply::make1(*this, all, all[0].type_ref())};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_write<T, kAccess>>(index_state(node));
    });
  }

  Linearity linearity() const override { return Linearity::Together; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> gradients(node.n_inputs());
    const Variable& value = node.input(1);
    if (!g[0] || !is_inexact(value.dtype())) return gradients;
    const Variable zero = cast_now(Variable::number(0.0), value.dtype());
    Variable part = apply("advanced_subtensor", node, {g[0]});
    gradients[0] = g[0];
    if (kAccess == Access::Set) {
      gradients[0] = apply("advanced_set_subtensor", node, {g[0], zero});
      if (index(node.inputs()).may_repeat()) part = where(is_last(node, part), part, zero);
    }
    gradients[1] = unbroadcast(part, shape(value), value.ndim());
    return gradients;
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable length = batch_length(inputs, batched);
    const Variable x = batched[0] ? inputs[0] : repeat_batch(inputs[0], length);
    Variable value = batched[1] ? inputs[1] : repeat_batch(inputs[1], length);
    const ArrayIndex single = index(node.inputs());
    const int missing = single.n_rest() + single.n_picked() - node.input(1).ndim();
    if (missing > 0) value = expand_dims(value, axis_range(1, 1 + missing));
    return apply_batched(node, {x, value}, inputs, batched);
  }

 private:
  /// Where a part of the value stays, since no later one is put into the same element.
  Variable is_last(Apply& node, const Variable& part) const {
    const auto number = [](std::int64_t n) { return Variable::number(n); };
    const Variable& x = node.input(0);
    const Variable counts =
        reshape(call_op("arange", {number(0), call_op("size", {part}), number(1)}), shape(part),
                part.ndim());
    const Variable none = full(shape(x), number(0), x.ndim(), DType::Int64);
    const Variable last = apply("advanced_set_subtensor", node, {none, counts});
    return eq(apply("advanced_subtensor", node, {last}), counts);
  }
};

void takes_index(Declaration& d) {
  d.optional_inputs("items",
                    "what the '?' and '[]' of `index` stand for, in their order: 0-d "
                    "integers, and arrays of integers or bools")
      .attr(
          "index", AttrType::Strings,
          "one string for each item: an integer \"3\", a slice \"1:5:2\", \"newaxis\", \"...\" or "
          "\"[]\", an array; \"?\" stands for an integer that is an input");
}

}  // namespace

DECLARE_OP(advanced_subtensor)
    .family("indexing")
    .comment(
        "What an index with arrays picks, as a copy: `x[...]` with arrays of integers and masks "
        "beside integers, slices, new axes and an ellipsis, by NumPy's rules.")
    .input("x", "any numeric tensor")
    .with(takes_index)
    .output("out", "the elements")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], x[:, [1, 0]])([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([[2., 1.],\n"
        "       [4., 3.]])")
    .made_by<AdvancedSubtensorOp>();

DECLARE_OP(advanced_set_subtensor)
    .family("indexing")
    .comment(
        "A new array like `x`, with what an index with arrays picks replaced. Where something is "
        "picked twice, the later value stays.")
    .input("x", "any numeric tensor")
    .input("value", "what is put there; broadcast to what is picked")
    .with(takes_index)
    .output("out", "as `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], x[x < 0].set(0.0))([-1.0, 2.0, -3.0])\n"
        "array([0., 2., 0.])")
    .made_by<AdvancedWriteOp<Access::Set>>();

DECLARE_OP(advanced_inc_subtensor)
    .family("indexing")
    .comment(
        "A new array like `x`, with something added to what an index with arrays picks, as often "
        "as it is picked: `numpy.add.at` on a copy.")
    .input("x", "any numeric tensor")
    .input("value", "what is added there; broadcast to what is picked")
    .with(takes_index)
    .output("out", "as `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], x[[0, 0], [1, 1]].inc(10.0))([[1.0, 2.0]])\n"
        "array([[ 1., 22.]])")
    .made_by<AdvancedWriteOp<Access::Inc>>();

}  // namespace thunkvm
