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
// The prototype, the checks of inputs, the types of outputs, `infer_shape`, `batch` and the loop
// over stacks follow from the signature of the cores (core_signature.h). NumPy's function of the
// Op's name, or of its path in `numpy`, is its `perform`, unless the table of performs has another.
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

  Declaration& family(const char* text) { return proto().family = text, *this; }
  Declaration& comment(const char* text) { return proto().comment = text, *this; }
  Declaration& example(const char* text) { return proto().example = text, *this; }
  Declaration& expose(Exposure exposure, std::vector<std::string> aliases = {});
  Declaration& numpy(const char* path) { return proto().numpy.emplace_back(path), *this; }
  Declaration& hint(ErrorKind kind, const char* text) {
    return proto().hints.push_back({kind, text}), *this;
  }
  Declaration& input(const char* name, const char* comment, Takes takes = Takes::Numbers);
  Declaration& output(const char* name, const char* comment, Gives gives = Gives::Same);
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

 private:
  friend struct Declared;
  OpProto& proto() { return rules_->proto; }
  std::shared_ptr<OpRules> rules_;
};

/// Registers what was declared.
struct Declared {
  Declared(const Declaration& declaration);  // NOLINT: DECLARE_OP converts by it
};

#define DECLARE_OP(op_name) \
  static const ::thunkvm::Declared op_name##_declared = ::thunkvm::Declaration(#op_name)

}  // namespace thunkvm
