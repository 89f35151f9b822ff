// op.h: the contract of an Op: its outputs, its code, and its gradients.
#pragma once

#include "ops/graph/attributes.h"
#include "ops/graph/variable.h"
#include "thunks/decoding.h"
#include "thunks/error.h"
#include "thunks/thunk.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

struct IndexMap;
struct BlockReduction;
struct ElementCode;
struct OpProto;

/// The demand of a built-in lazy Op, declared: input 0 is the selector; arm a of output j is input
/// 1 + a*n_outputs + j. The linker compiles it into a branch; no thunk is made.
struct Conditional {
  Decoding decoding = Decoding::Truth;
  std::uint32_t n_arms = 2;
  std::uint32_t n_outputs = 1;
  std::uint32_t arm_input(std::uint32_t arm, std::uint32_t output) const {
    return 1 + arm * n_outputs + output;
  }
};

/// Advice on selectors, for messages about one.
inline constexpr const char* kSelectorHint =
    "a comparison such as x > 0 is one bool and never NaN; of an array take .all() or .any()";

/// The lengths of a tensor's axes as values of the graph, a 0-d int64 for each; empty for a 0-d
/// variable, or one that is no tensor. extents.h has the functions that rules compute with.
using Extents = std::vector<Variable>;

/// The source of one integer of an output, if its Op knows it without any value.
struct IntegerSource {
  enum class Kind : std::uint8_t {
    Number,   ///< `at`
    Length,   ///< the length of axis `at` of the input
    Size,     ///< the number of elements of the input
    Element,  ///< element `at` of the input, which is 0-d or a vector
  };
  Kind kind = Kind::Number;
  std::uint32_t input = 0;
  std::int64_t at = 0;
};

/// The second base of an Op with one output that follows from the lengths of its inputs. It reads
/// no element of them, so they need not be computed for it.
class ShapeQuery {
 public:
  /// The value of the output, in its type, from the lengths of the inputs.
  virtual Variable answer(Apply& node, std::span<const Extents> input_shapes) const = 0;

 protected:
  ~ShapeQuery() = default;
};

/// The inputs that an output is a view of, or that it overwrites: (output, inputs).
using AliasMap = std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>;

/// A reduction of blocks, the axes of the input that it reduces, and a flag: the output has them
/// with length 1.
struct BlockwiseReduction {
  const BlockReduction* kernel;
  std::uint32_t axes;  ///< bits
  bool keepdims;
};

/// Advice on a failure of a node, if its message and its inputs do not say enough.
struct Hint {
  std::optional<ErrorKind> kind;  ///< the failures that it is for; none: all
  const char* text;
};

/// How the outputs depend on the inputs that have derivatives.
enum class Linearity : std::uint8_t {
  None,      ///< not linearly, as far as is known
  Each,      ///< linearly on each while the others are held, as a product does
  Together,  ///< linearly on all of them at once, as a concatenation does
};

/// An operation, with its attributes. Immutable; shared by all its nodes.
class Op : public Counted {
 public:
  /// "add", "sum", or a user's class name.
  virtual std::string name() const = 0;
  /// With its attributes: "sum{axis=[0]}".
  virtual std::string text() const { return name(); }
  /// The (checked) attributes that the registry made it with; none for an Op that is not from
  /// there.
  const Attributes& attributes() const { return attributes_; }
  /// For the registry, before anybody else has the Op.
  void set_attributes(Attributes attributes) { attributes_ = std::move(attributes); }
  /// The prototype that the registry made it from; null for an Op that is not from there.
  const OpProto* proto() const { return proto_; }
  /// True if it is from the registry, reads all its inputs, and is a function of these and of its
  /// attributes: equal nodes have equal values, and no effect shows how often they ran. False of
  /// conditionals, attempts and loops.
  bool is_plain() const;
  /// For the registry.
  void set_proto(const OpProto& proto) { proto_ = &proto; }

  /// Builds the node (and the casts that it needs) for these inputs, and returns its outputs.
  /// Throws Error(Type) or Error(Value) that names the Op, the input, its type or value, and the
  /// rule.
  virtual std::vector<Variable> call(std::span<const Variable> inputs) const = 0;

  /// The native code of one node, or nothing if there is none.
  virtual ThunkCode kernel(const Apply& node) const;

  /// The code of an elementwise node for single elements, for the emitter: its results are the
  /// kernel's, bit for bit. Null for all other nodes.
  virtual const ElementCode* element_code(const Apply& node) const;

  /// The declared demand of a built-in lazy Op; null for all others.
  virtual const Conditional* conditional() const { return nullptr; }
  /// True if the failure of an input may be its value.
  virtual bool guards_inputs() const { return false; }

  /// For a reduction: the reduction of blocks that gives each output, in C order of the reduced
  /// axes, for callers that have its input in blocks. Nothing for all others.
  virtual std::optional<BlockwiseReduction> block_reduction(const Apply& node) const;

  /// For a node that computes no elements, but says where some lie: its index map, by which a nest
  /// does without running it. Null for all others.
  virtual const IndexMap* index_map(const Apply& node) const;

  /// The advice in errors of its nodes, the first that fits; the prototype's by default.
  virtual std::span<const Hint> hints() const;

  virtual const AliasMap& view_map() const;
  virtual const AliasMap& destroy_map() const;

  /// The shapes of the outputs, a 0-d int64 for each axis, as graph over the shapes of the inputs.
  /// Nodes that ask for lengths use it, and compute no element. A length that the type knows counts
  /// first. It may use the values of inputs too (`x` in `full(x, 0.0)`), which are then demanded.
  /// It must not use the outputs, unless an output has to be computed to know:
  /// `extents_of(node.output(j))`, which is the default for all. If only the shape is asked for,
  /// the node checks nothing but that lengths broadcast.
  virtual std::vector<Extents> infer_shape(Apply& node,
                                           std::span<const Extents> input_shapes) const;

  /// For an Op whose value follows from the lengths of its inputs; null for all others.
  virtual const ShapeQuery* shape_query() const { return nullptr; }

  /// For an output of integers with at most one axis: the source of each; nothing if one is
  /// unknown.
  virtual std::optional<std::vector<IntegerSource>> integers(const Apply& node) const;

  /// The gradients with respect to the inputs, as graph. `output_gradients[j]` is null if nothing
  /// depends on output j. A result is null if the output does not depend differentiably on that
  /// input. Each has its input's shape. The default is an Error(NotImplemented) that names the Op.
  virtual std::vector<Variable> grad(Apply& node, std::span<const Variable> output_gradients) const;

  /// The same operation for a batch: `inputs[i]` has one more leading axis than the node's input i
  /// if `batched[i]` is set; otherwise it is the node's input itself. Every output gets the leading
  /// axis. At least one is batched. The default is an Error(NotImplemented) that names the Op.
  virtual std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                                      const std::vector<bool>& batched) const;

  /// If not None, the Op takes tangents for inputs: that is its forward derivative.
  virtual Linearity linearity() const { return Linearity::None; }

  /// The tangents of the outputs, as graph: how they change where the inputs change along
  /// `tangents`. `tangents[i]` is null if input i does not change; at least one is not. A result is
  /// null if that output does not change. Each has its value's shape and dtype.
  ///
  /// Nothing if the Op has no rule: then its gradient is asked twice, the second time for the
  /// gradient of the first with respect to what came in (`ops/gradient/push_forward.h`). The
  /// default follows from `linearity`. Elementwise Ops apply the rule of their gradient to the
  /// tangent, since each element depends on its own alone.
  virtual std::optional<std::vector<Variable>> push_forward(
      Apply& node, std::span<const Variable> tangents) const;

 private:
  Attributes attributes_;
  const OpProto* proto_ = nullptr;
};

}  // namespace thunkvm
