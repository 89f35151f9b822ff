// registry.h: the built-in Ops by name, each with a prototype from which its Python function, its
// checks and its documentation are made. Rewrites make one node of equal ones, so the value of a
// registered Op depends on its inputs and attributes alone.
//
// An Op is registered in its family's file:
//
//   class SumMaker : public OpProtoMaker {
//    public:
//     explicit SumMaker(OpProto& proto) : OpProtoMaker(proto) {
//       comment("Sum of the elements over the given axes.");
//       input("x", "any numeric tensor");
//       attr("axis", AttrType::Ints, "the axes to sum over; all of them if None").optional();
//       attr("keepdims", AttrType::Bool, "keep the summed axes with length 1").by_default(false);
//       output("the sums");
//     }
//   };
//   REGISTER_OP(SumOp, SumMaker, sum)        // SumOp has a constructor SumOp(const Attributes&)
#pragma once

#include "ops/graph/op.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

enum class AttrType : std::uint8_t {
  Bool,
  Int,
  Float,
  String,
  DType,
  Ints,
  Floats,
  Strings,
  Graph
};
std::string_view name(AttrType type);

struct AttrProto {
  std::string name;
  AttrType type = AttrType::Int;
  std::string comment;
  bool required = true;
  AttrValue default_value;  ///< where not required; monostate is None
  /// Of numbers, and of each number of a list. The least and the largest are allowed, what they
  /// have to be above is not.
  std::optional<double> minimum, maximum, above;
  std::vector<AttrValue> allowed;  ///< empty: any
  /// Rules of the Op's own: the rule that a value breaks, as "it has to be even"; "" where it
  /// breaks none.
  std::vector<std::string (*)(const AttrValue&)> checkers;

  AttrProto& by_default(AttrValue value);
  AttrProto& optional() { return by_default(std::monostate{}); }
  AttrProto& at_least(double value);
  AttrProto& at_most(double value);
  AttrProto& greater_than(double value);
  AttrProto& in_enum(std::vector<AttrValue> values);
  AttrProto& checked_by(std::string (*checker)(const AttrValue&));

  /// The value in the attribute's type. Throws Error(Type) for another type, Error(Value) for a
  /// value that breaks a rule; each names the attribute, the value and the rule behind `prefix`.
  AttrValue check(const AttrValue& value, const std::string& prefix) const;
};

struct VarProto {
  std::string name;
  std::string comment;
  bool variadic = false;     ///< takes all remaining inputs; the last one only
  bool is_optional = false;  ///< may be left out; after all required ones
  bool is_tensor = true;     ///< else a value of any Type
};

/// The places where the Python package has an Op's function: `thunkvm.ops` always, and the place
/// where users look first.
enum class Exposure : std::uint8_t {
  Ops,      ///< there alone: it is internal, or the package wraps it in NumPy's signature
  Package,  ///< `thunkvm.NAME` too
  Method,   ///< `thunkvm.NAME`, and `x.NAME(...)` of a Variable
};

/// The algebra of an Op, exactly: it says which nodes rewrites may take out of a graph.
struct Algebra {
  /// This number as the second input leaves the first one as it is. If the Op commutes, it may be
  /// the first input too.
  struct Neutral {
    int number = 0;
    bool commutes = false;
    bool of_integers_only = false;
  };
  /// The Op's effect on axes: it takes them in the order of its attribute `axes`, or adds or drops
  /// axes of length 1 that its attribute `axis` names.
  enum class Axes : std::uint8_t { None, Ordered, Added, Dropped };

  bool is_involution = false;  ///< twice in a row is nothing
  bool is_idempotent = false;  ///< twice in a row is once
  std::optional<Neutral> neutral = std::nullopt;
  Axes axes = Axes::None;
  bool selects = false;  ///< input 0 says of each element whether it is input 1's, or input 2's

  bool is_factor = false;  ///< its output is a factor of its input, from which other values follow
  /// An Op with the same outputs that gets one more input, a factor of input 0, and does with it
  /// where it may. It has this Op's attributes; its attribute "factor_x" is the attribute x of the
  /// Op that made the factor. Empty: there is none.
  std::string by_factor = {};
};

/// How a node is written in Python, where its attributes are the defaults or stand in the text.
struct Notation {
  enum class Kind : std::uint8_t {
    Call,       ///< name(x, y)
    Infix,      ///< x text y
    Prefix,     ///< text x
    Attribute,  ///< x.text; "{axis}" in it is that attribute's value
    Part,       ///< x[index]; with a text x[index].text(y)
  };
  Kind kind = Kind::Call;
  const char* text = "";
  int binds = 0;  ///< operators: how tightly; of Python's precedences, tighter is more
};

/// All that a front end knows of an Op.
struct OpProto {
  std::string name;
  std::string family;   ///< "arithmetic", "reduction", ...: for the reference
  std::string comment;  ///< first sentence: summary; the rest: details, the method's source
  std::string example;  ///< Python, doctest style, `tv` and `np` imported
  std::vector<VarProto> inputs;
  std::vector<VarProto> outputs;
  std::vector<AttrProto> attrs;
  Exposure exposure = Exposure::Ops;
  std::vector<std::string> aliases;  ///< further names in the package, NumPy's: "subtract" of `sub`
  std::vector<std::string> numpy;    ///< NumPy's functions that it stands for: "linalg.inv"
  Algebra algebra;
  Notation notation;
  bool is_singular = false;  ///< its slope may be infinite at a finite element
  bool is_plain = true;      ///< see Op::is_plain
  std::vector<Hint> hints;

  const AttrProto* attr(std::string_view name) const;
  /// "a, b", and "*arrays" for an input that takes all that remain.
  std::string input_names() const;
  /// Fills in defaults and checks names, types and ranges. Throws Error naming the Op, the
  /// attribute, the value and the rule, with a suggestion for a misspelt name.
  Attributes check(const Attributes& given) const;
};

/// Fills in a prototype; derive one for each Op.
class OpProtoMaker {
 public:
  explicit OpProtoMaker(OpProto& proto) : proto_(proto) {}

 protected:
  void comment(std::string text) { proto_.comment = std::move(text); }
  void family(std::string text) { proto_.family = std::move(text); }
  void example(std::string text) { proto_.example = std::move(text); }
  VarProto& input(std::string name, std::string comment) {
    return proto_.inputs.emplace_back(VarProto{std::move(name), std::move(comment)});
  }
  void expose(Exposure exposure, std::vector<std::string> aliases = {}) {
    proto_.exposure = exposure;
    proto_.aliases = std::move(aliases);
  }
  /// A function of NumPy's that it stands for, by its path in `numpy`, if the names in the package
  /// do not say so.
  void numpy(std::string path) { proto_.numpy.push_back(std::move(path)); }
  void algebra(Algebra algebra) { proto_.algebra = algebra; }
  void written(Notation notation) { proto_.notation = notation; }
  /// It asks for its inputs by need, or a graph is among its attributes.
  void not_plain() { proto_.is_plain = false; }
  void hint(std::optional<ErrorKind> kind, const char* text) {
    proto_.hints.push_back({kind, text});
  }
  void output(std::string comment) { proto_.outputs.push_back({"out", std::move(comment)}); }
  AttrProto& attr(std::string name, AttrType type, std::string comment) {
    AttrProto& proto = proto_.attrs.emplace_back();
    proto.name = std::move(name);
    proto.type = type;
    proto.comment = std::move(comment);
    return proto;
  }

 private:
  OpProto& proto_;
};

class OpRegistry {
 public:
  using Creator = std::function<Ref<Op>(const Attributes&)>;

  /// An Op that `creator` gave attributes keeps those. A name that is registered twice is an error
  /// when somebody asks for it.
  static void add(OpProto proto, Creator creator);
  /// All prototypes, by name.
  static std::vector<const OpProto*> protos();
  /// Throws Error(Key) with the nearest name.
  static const OpProto& proto(std::string_view name);
  /// The Op with these attributes, checked. Without any, always the same object.
  static Ref<const Op> create(std::string_view name, const Attributes& attrs);
};

/// Applies a registered Op of one output. Throws Error(Type) for another number of inputs than it
/// takes.
Variable call_op(std::string_view name, std::initializer_list<Variable> inputs,
                 const Attributes& attrs = {});
Variable call_op(std::string_view name, std::span<const Variable> inputs,
                 const Attributes& attrs = {});
/// All outputs of a registered Op, applied. Throws Error(Type) as `call_op`.
std::vector<Variable> apply_op(std::string_view name, std::span<const Variable> inputs,
                               const Attributes& attrs = {});

/// `words` and the name in `names` nearest to `name` by edits: ". Did you mean 'cvm'?"; "" where
/// none is near.
std::string suggestion(std::string_view words, std::string_view name,
                       std::span<const std::string> names);
/// All `names`, and the one nearest to `name`, if one is near: "vm, cvm. Did you mean 'cvm'?"
std::string choices(std::string_view name, std::span<const std::string> names);

template <class OpClass, class Maker>
struct OpRegistration {
  explicit OpRegistration(const char* name) {
    OpProto proto;
    proto.name = name;
    Maker{proto};
    OpRegistry::add(std::move(proto),
                    [](const Attributes& attrs) { return Ref<Op>(new OpClass(attrs)); });
  }
};

#define REGISTER_OP(op_class, maker_class, op_name) \
  static const ::thunkvm::OpRegistration<op_class, maker_class> op_name##_registration(#op_name);

}  // namespace thunkvm
