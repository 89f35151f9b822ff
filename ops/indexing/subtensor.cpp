// subtensor.cpp: `subtensor`, a basic index of an array as a view; `set_subtensor` and
// `inc_subtensor`, new arrays in which that part is replaced or added to.
#include "ops/graph/cut_gradient.h"
#include "ops/graph/declaration.h"
#include "ops/graph/index_map.h"
#include "ops/graph/limits.h"
#include "ops/indexing/indexing.h"
#include "ops/kernels/stretches.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <array>

namespace thunkvm {

namespace {

/// The further inputs, from input `first` on, which are int64 scalars.
struct IndexInputs {
  std::array<std::int64_t, 3 * kMaxDims> values;
  std::size_t count = 0;

  IndexInputs(const Activation& activation, const Operands& operands, int first) {
    for (int i = first; i < operands.n_inputs; ++i)
      values[count++] = read_integer(activation, operands, i);
  }
  std::span<const std::int64_t> span() const { return {values.data(), count}; }
};

struct SubtensorState {
  BasicIndex index;
};

/// The indexed part of input 0, by the integers from input kFirst on.
template <int kFirst>
void find_part(const Activation& activation, const Operands& operands, const Layout& x,
               View& part) {
  const IndexInputs inputs(activation, operands, kFirst);
  kernel_state<SubtensorState>(operands).index.find(x, inputs.span(), part);
}

/// One element: no view is made for it.
template <class T>
void run_element(Activation& activation, const Operands& operands) {
  const BasicIndex& index = kernel_state<SubtensorState>(operands).index;
  const CellMemory x(activation.input(operands, 0));
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.items().size(); ++axis) {
    const IndexNumber& number = index.items()[axis].start;
    std::int64_t i = number.value;
    if (number.from == IndexNumber::From::Input)
      i = read_integer(activation, operands, 1 + static_cast<int>(number.value));
    const std::int64_t length = x.shape[axis];
    if (i < -length || i >= length)
      throw Error(ErrorKind::Index, "[subtensor] index " + std::to_string(i) +
                                        " is out of bounds for axis " + std::to_string(axis) +
                                        " with size " + std::to_string(length));
    offset += (i < 0 ? i + length : i) * x.strides[axis];
  }
  activation.output(operands, 0).set(*reinterpret_cast<const T*>(x.data + offset));
}

/// The common base of the three: the index, and the integers that are inputs of it.
class IndexOp : public ArrayOp {
 public:
  IndexOp(std::string name, const Attributes& attrs)
      : ArrayOp(std::move(name), attrs), items_(parse_index(this->name(), texts())) {}

 protected:
  const std::vector<std::string>& texts() const {
    return attributes().get<std::vector<std::string>>("index");
  }
  BasicIndex index(int ndim) const { return {name(), items_, ndim}; }

  /// Checks `inputs`, of which the first `first` are no part of the index, and returns them as they
  /// go into the node.
  std::vector<Variable> checked(std::span<const Variable> inputs, std::size_t first) const {
    expect_inputs(inputs, first, SIZE_MAX);
    const BasicIndex basic = index(inputs[0].ndim());
    const std::size_t wanted = first + static_cast<std::size_t>(basic.n_inputs());
    if (inputs.size() != wanted)
      fail(ErrorKind::Type, "the index " + thunkvm::text(AttrValue(texts())) + " takes " +
                                std::to_string(basic.n_inputs()) + " integers as inputs, but got " +
                                std::to_string(inputs.size() - first));
    std::vector<Variable> all(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < inputs.size(); ++i)
      all.push_back(integer_scalar(inputs[i], "an index"));
    return all;
  }
  StaticShape part_shape(std::span<const Variable> inputs, std::size_t first) const {
    std::vector<KnownInteger> known;
    for (std::size_t i = first; i < inputs.size(); ++i)
      known.push_back(known_integers(inputs[i])->front());
    return index(inputs[0].ndim()).known_lengths(inputs[0].static_shape(), known);
  }
  /// The same index behind a batch axis; its integers are the same in all examples.
  Variable apply_batched(std::vector<Variable> operands, const std::vector<bool>& batched,
                         std::size_t first) const {
    for (std::size_t i = first; i < operands.size(); ++i) {
      if (!batched[i]) continue;
      operands[i] = common_to_batch(operands[i]);
      if (!operands[i])
        fail(ErrorKind::NotImplemented,
             "cannot be batched over its indices, only over what is indexed: use `take`");
    }
    IndexItems longer = items_;
    longer.insert(longer.begin(), IndexItem{});
    return call_op(name(), operands, {{"index", index_texts(longer)}});
  }
  Variable apply(std::string_view op, Apply& node, std::vector<Variable> operands,
                 std::size_t first) const {
    for (std::size_t i = first; i < node.n_inputs(); ++i)
      operands.push_back(node.input(static_cast<int>(i)));
    return call_op(op, operands, {{"index", texts()}});
  }

 private:
  IndexItems items_;
};

class SubtensorOp final : public IndexOp {
 public:
  explicit SubtensorOp(const Attributes& attrs) : IndexOp("subtensor", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<Variable> all = checked(inputs, 1);
    return {Apply::make1(*this, all, TensorType::of(all[0].dtype(), part_shape(all, 1)))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    return {index(node.input(0).ndim()).extents(input_shapes[0], node.inputs().subspan(1))};
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    const StaticShape& from = node.input(0).static_shape();
    if (from.size() != 1 || from[0] > kMostIntegers || !is_integral(node.input(0).dtype()))
      return std::nullopt;
    const auto positions = index(1).picked(from[0]);
    if (!positions) return std::nullopt;
    std::vector<IntegerSource> all;
    for (const std::int64_t at : *positions)
      all.push_back({.kind = IntegerSource::Kind::Element, .input = 0, .at = at});
    return all;
  }

  ThunkCode kernel(const Apply& node) const override {
    const SubtensorState state{index(node.input(0).ndim())};
    if (!state.index.is_element()) return kernel_code<run_view<find_part<1>>>(state);
    return visit_dtype(node.input(0).dtype(), "subtensor", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_element<T>>(state);
    });
  }

  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }

  const IndexMap* index_map(const Apply& node) const override {
    static const IndexMap slice{.kind = IndexMap::Kind::Slice, .find = &find_part<1>};
    static const IndexMap element{.kind = IndexMap::Kind::Element, .indices = &indices};
    if (node.output_type(0).tensor()->ndim() == 0) return &element;
    return node.n_inputs() == 1 ? &slice : nullptr;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> gradients(node.n_inputs());
    const Variable& x = node.input(0);
    if (g[0] && is_inexact(x.dtype()))
      gradients[0] = apply("set_subtensor", node, {zeros_like(x), g[0]}, 1);
    if (gradients[0] && may_have_infinite_slope(x)) {
      const Variable all = Variable::constant(Cell::of(true));
      gradients[0] = cut_to(gradients[0], apply("set_subtensor", node, {nothing_taken(x), all}, 1));
    }
    return gradients;
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    std::vector<Variable> all(inputs.begin(), inputs.end());
    if (!batched[0]) all[0] = repeat_batch(inputs[0], batch_length(inputs, batched));
    return {apply_batched(std::move(all), batched, 1)};
  }

 private:
  static std::vector<AxisIndex> indices(const Apply& node) {
    const auto& op = static_cast<const SubtensorOp&>(*node.op());
    const BasicIndex index = op.index(node.input(0).ndim());
    std::vector<AxisIndex> all;
    for (const IndexItem& item : index.items()) {
      const auto [from, value] = item.start;
      all.push_back(from == IndexNumber::From::Input
                        ? AxisIndex{.input = 1 + static_cast<int>(value)}
                        : AxisIndex{.number = value});
    }
    return all;
  }
};

template <class T>
void add_elements(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    add_to(*reinterpret_cast<T*>(pointers[0] + i * strides[0]),
           *reinterpret_cast<const T*>(pointers[1] + i * strides[1]));
  }
}

/// Puts `value` into the indexed part of x, or adds it. Takes over an x that dies here.
template <class T, bool kAdd>
void run_write(Activation& activation, const Operands& operands) {
  const CellMemory seen(activation.input(operands, 0));
  // Whatever can fail does so before the memory of x is touched.
  const CellMemory value(activation.input(operands, 1));
  const Layout x{const_cast<char*>(seen.data), static_cast<int>(seen.shape.size()),
                 seen.shape.data(), seen.strides.data()};
  View wanted;
  find_part<2>(activation, operands, x, wanted);
  const std::size_t extra = wanted.shape().size() - value.shape.size();
  for (std::size_t axis = 0; axis < value.shape.size(); ++axis)
    if (value.shape[axis] != 1 && value.shape[axis] != wanted.lengths[axis + extra])
      throw Error(ErrorKind::Value, "[" + kernel_state<SubtensorState>(operands).index.op() +
                                        "] could not broadcast input array from shape " +
                                        format_shape(value.shape) + " into shape " +
                                        format_shape(wanted.shape()));
  Array out = take_dying(activation, operands, 0, dtype_of<T>, x.shape());
  if (!out) {
    const Array all = input_array(activation, operands, 0);
    out = output_array(activation, operands, 0, dtype_of<T>, x.shape());
    copy_in_stretches(*activation.host, all, out);
  }
  View part;
  find_part<2>(activation, operands, Layout::of(*out.body()), part);
  StridedWalk walk(
      part.shape(),
      std::array{StridedWalk::Operand{part.data, part.shape(), part.steps()},
                 StridedWalk::Operand{const_cast<char*>(value.data), value.shape, value.strides}});
  LongWork work(*activation.host, *product_of_lengths(part.shape()));
  walk.run([&](char* const* pointers, const std::int64_t* strides, std::int64_t n) {
    work.in_parts(n, 1, [&](std::int64_t begin, std::int64_t end) {
      char* const there[] = {pointers[0] + begin * strides[0], pointers[1] + begin * strides[1]};
      if constexpr (kAdd) {
        add_elements<T>(there, strides, end - begin);
      } else {
        for (std::int64_t i = 0; i < end - begin; ++i)
          *reinterpret_cast<T*>(there[0] + i * strides[0]) =
              *reinterpret_cast<const T*>(there[1] + i * strides[1]);
      }
    });
  });
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

template <bool kAdd>
class WriteOp final : public IndexOp {
 public:
  explicit WriteOp(const Attributes& attrs)
      : IndexOp(kAdd ? "inc_subtensor" : "set_subtensor", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    std::vector<Variable> all = checked(inputs, 2);
    const StaticShape part = part_shape(all, 2);
    all[1] = value_for_part(name(), all[1], all[0], part);
    return {Apply::make1(*this, all, all[0].type_ref())};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  ThunkCode kernel(const Apply& node) const override {
    const SubtensorState state{index(node.input(0).ndim())};
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_write<T, kAdd>>(state);
    });
  }

  const IndexMap* index_map(const Apply& node) const override {
    static const IndexMap pad{.kind = IndexMap::Kind::Pad, .value = 1, .find = &find_part<2>};
    return !kAdd && node.n_inputs() == 2 ? &pad : nullptr;
  }

  Linearity linearity() const override { return Linearity::Together; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> gradients(node.n_inputs());
    const Variable& value = node.input(1);
    if (!g[0] || !is_inexact(value.dtype())) return gradients;
    gradients[0] = kAdd ? g[0]
                        : apply("set_subtensor", node,
                                {g[0], cast_now(Variable::number(0.0), value.dtype())}, 2);
    gradients[1] = unbroadcast(apply("subtensor", node, {g[0]}, 2), shape(value), value.ndim());
    return gradients;
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    std::vector<Variable> all(inputs.begin(), inputs.end());
    if (!batched[0]) all[0] = repeat_batch(inputs[0], batch_length(inputs, batched));
    const int missing = index(node.input(0).ndim()).result_ndim() - node.input(1).ndim();
    if (batched[1] && missing > 0) all[1] = expand_dims(all[1], axis_range(1, 1 + missing));
    return {apply_batched(std::move(all), batched, 2)};
  }
};

void takes_index(Declaration& d) {
  d.optional_inputs("integers", "0-d integers, one for each '?' in `index`")
      .attr(
          "index", AttrType::Strings,
          "one string for each item: an integer \"3\", a slice \"1:5:2\", \"newaxis\" or \"...\"; "
          "\"?\" stands for the next of `integers`");
}

}  // namespace

DECLARE_OP(subtensor)
    .family("indexing")
    .comment(
        "Part of an array, as a view: `x[...]` with integers, slices, new axes and an ellipsis.")
    .written({Notation::Kind::Part})
    .input("x", "any numeric tensor")
    .with(takes_index)
    .output("out", "a view of `x`")
    .example(
        ">>> x, i = tv.vector(\"x\"), tv.scalar(\"i\", dtype=\"int64\")\n"
        ">>> tv.function([x, i], x[i:])([1.0, 2.0, 3.0], 1)\n"
        "array([2., 3.])")
    .made_by<SubtensorOp>();

DECLARE_OP(set_subtensor)
    .family("indexing")
    .comment("A new array like `x`, with a part of it replaced.")
    .written({Notation::Kind::Part, "set"})
    .input("x", "any numeric tensor")
    .input("value", "what is put there; broadcast to the part")
    .with(takes_index)
    .output("out", "as `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], x[1:].set(0.0))([1.0, 2.0, 3.0])\n"
        "array([1., 0., 0.])")
    .made_by<WriteOp<false>>();

DECLARE_OP(inc_subtensor)
    .family("indexing")
    .comment("A new array like `x`, with something added to a part of it.")
    .written({Notation::Kind::Part, "inc"})
    .input("x", "any numeric tensor")
    .input("value", "what is added there; broadcast to the part")
    .with(takes_index)
    .output("out", "as `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], x[1:].inc(10.0))([1.0, 2.0, 3.0])\n"
        "array([ 1., 12., 13.])")
    .made_by<WriteOp<true>>();

}  // namespace thunkvm
