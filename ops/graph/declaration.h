// declaration.h: an Op in one expression: its documentation, inputs, attributes, kernel and rules.
//
//   DECLARE_OP(inv)
//       .family("linear algebra")
//       .expose(Exposure::Package)
//       .comment("The inverse of each matrix.")
//       .example(">>> ...")
//       .input("a", "square matrices", Takes::Inexact)
//       .output("out", "their inverses", Gives::Same)
//       .cores("(n,n)->(n,n)", lapack_kernel<Inverse>)
//       .flops([](const CoreLengths& n) { return 2.0 * n["n"] * n["n"] * n["n"]; })
//       .grad([](Apply& node, Gradients g) -> std::vector<Variable> { ... });
//
// An attribute is followed by its rules, in a chain:
//
//       .attr("scale", AttrType::Float, "the factor").by_default(1.0).greater_than(0.0)
//
// The prototype, the checks of inputs, the types of outputs, `infer_shape`, `batch` and the loop
// over stacks follow from the signature of the cores (core_signature.h). NumPy's function of the
// Op's name, or of its path in `numpy`, is its `perform`, unless the table of performs has another.
//
// An Op that is no function of cores has a class, a constructor of which takes its attributes. The
// class has the rules, and the declaration says the rest: `.made_by<ReshapeOp>()` ends it.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/core_kernel.h"
#include "ops/graph/core_signature.h"
#include "ops/graph/work.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// The dtypes that an input may have. All inputs of numbers get the dtype that they have in common.
enum class Takes : std::uint8_t {
  Numbers,   ///< any
  Inexact,   ///< what LAPACK knows; integers become float64, float16 is refused
  Integers,  ///< int64; the others have no part in it
};
/// The dtype of an output.
enum class Gives : std::uint8_t {
  Same,     ///< that of the inputs
  Real,     ///< of complex inputs that of their parts
  Complex,  ///< of real inputs complex too
  Int64,
};

using Gradients = std::span<const Variable>;
/// The gradients of an Op whose outputs do not change where its inputs change a little.
std::vector<Variable> no_gradients(Apply& node, Gradients g);

/// All that a DeclaredOp does.
struct OpRules {
  explicit OpRules(const char* name) { proto.name = name; }

  OpProto proto;
  std::vector<Takes> takes;
  std::vector<Gives> gives;
  OpRegistry::Creator creator = nullptr;  ///< of an Op with a class of its own
  std::unique_ptr<const CoreSignature> signature;
  CoreCode code = nullptr;
  bool in_place = false;
  double (*flops)(const CoreLengths&) = nullptr;
  std::vector<Variable> (*grad)(Apply&, Gradients) = nullptr;
  Linearity linearity = Linearity::None;
};

class Declaration {
 public:
  explicit Declaration(const char* name) : rules_(std::make_shared<OpRules>(name)) {}

  Declaration& family(std::string text) { return proto().family = std::move(text), *this; }
  Declaration& comment(std::string text) { return proto().comment = std::move(text), *this; }
  Declaration& example(std::string text) { return proto().example = std::move(text), *this; }
  Declaration& expose(Exposure exposure, std::vector<std::string> aliases = {});
  Declaration& numpy(const char* path) { return proto().numpy.emplace_back(path), *this; }
  Declaration& hint(std::optional<ErrorKind> kind, const char* text) {
    return proto().hints.push_back({kind, text}), *this;
  }
  Declaration& algebra(Algebra algebra) { return proto().algebra = std::move(algebra), *this; }
  Declaration& written(Notation notation) { return proto().notation = notation, *this; }
  /// It asks for its inputs by need, or a graph is among its attributes.
  Declaration& not_plain() { return proto().is_plain = false, *this; }
  Declaration& input(const char* name, const char* comment, Takes takes = Takes::Numbers);
  /// An input that may be left out, behind all that may not.
  Declaration& optional_input(const char* name, const char* comment);
  /// All inputs that remain.
  Declaration& inputs(const char* name, const char* comment);
  Declaration& optional_inputs(const char* name, const char* comment);
  Declaration& output(const char* name, const char* comment, Gives gives = Gives::Same);
  /// The last output may be a value of any Type, or, where there are none yet, the last input.
  Declaration& of_any_type();
  /// An attribute that has to be given, unless one of the next two follows.
  Declaration& attr(const char* name, AttrType type, const char* comment);
  /// The last attribute may be left out.
  Declaration& by_default(AttrValue value) { return last().by_default(std::move(value)), *this; }
  Declaration& optional() { return last().optional(), *this; }  ///< then it is None
  /// Rules of the last attribute, and of each number where it is a list.
  Declaration& at_least(double value) { return last().at_least(value), *this; }
  Declaration& at_most(double value) { return last().at_most(value), *this; }
  Declaration& greater_than(double value) { return last().greater_than(value), *this; }
  Declaration& in_enum(std::vector<AttrValue> values) {
    return last().in_enum(std::move(values)), *this;
  }
  Declaration& checked_by(std::string (*checker)(const AttrValue&)) {
    return last().checked_by(checker), *this;
  }
  /// An attribute of a type that may be left out.
  Declaration& attr(const char* name, AttrValue by_default, const char* comment);
  /// An attribute that is one of these; the first one by default.
  Declaration& attr(const char* name, std::vector<AttrValue> allowed, const char* comment);
  /// The axes that it works on, and the kernel of one core: see core_kernel.h.
  Declaration& cores(const char* signature, CoreCode code);
  /// Output 0 may take the memory of input 0 if nobody else needs that: the kernel may be given the
  /// same address for both.
  Declaration& in_place() { return rules_->in_place = true, *this; }
  /// The floating-point operations for one core.
  Declaration& flops(double (*rule)(const CoreLengths&)) { return rules_->flops = rule, *this; }
  /// See `Op::grad`.
  Declaration& grad(std::vector<Variable> (*rule)(Apply&, Gradients)) {
    return rules_->grad = rule, *this;
  }
  /// See `Op::linearity`.
  Declaration& linear(Linearity linearity) { return rules_->linearity = linearity, *this; }
  /// What several Ops have in common: a function that goes on with a declaration.
  Declaration& with(void (*part)(Declaration&)) { return part(*this), *this; }
  /// An Op of this class.
  template <class OpClass>
  Declaration& made_by() {
    return made_by([](const Attributes& attrs) { return Ref<Op>(new OpClass(attrs)); });
  }
  Declaration& made_by(OpRegistry::Creator creator) {
    return rules_->creator = std::move(creator), *this;
  }

 private:
  friend struct Declared;
  OpProto& proto() { return rules_->proto; }
  AttrProto& last() { return proto().attrs.back(); }
  std::shared_ptr<OpRules> rules_;
};

/// Registers what was declared.
struct Declared {
  Declared(const Declaration& declaration);  // NOLINT: DECLARE_OP converts by it
};

#define DECLARE_OP(op_name) \
  static const ::thunkvm::Declared op_name##_declared = ::thunkvm::Declaration(#op_name)

}  // namespace thunkvm
