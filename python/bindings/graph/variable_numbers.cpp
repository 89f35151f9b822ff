#include "python/bindings/graph/variable_numbers.h"

#include "ops/graph/registry.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"

#include <array>
#include <string>

namespace thunkvm {
namespace {

// An operator's Op: looked up at its first use, when all Ops are registered, and kept for the
// process.
template <std::size_t n>
struct OperatorName {
  constexpr OperatorName(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT
  char text[n];
};
template <OperatorName op_name>
const Op& operator_op() {
  static const Op* op = [] {
    const Ref<const Op> made = OpRegistry::create(op_name.text, {});
    made->retain();
    return made.get();
  }();
  return *op;
}

// Things that an operand may be besides a Variable. Strings and None are iterable or convertible to
// arrays in NumPy's eyes; they are never meant as numbers.
bool may_be_operand(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
         PyArray_Check(object) || PyArray_CheckScalar(object) || PyList_Check(object) ||
         PyTuple_Check(object) || PyObject_HasAttrString(object, "__array__") ||
         is_float_like(object);
}

template <OperatorName op_name>
PyObject* binary(PyObject* a, PyObject* b) {
  if ((!is_variable(a) && !may_be_operand(a)) || (!is_variable(b) && !may_be_operand(b)))
    Py_RETURN_NOTIMPLEMENTED;
  return guard([&] {
    const Op& op = operator_op<op_name>();
    const std::array<Variable, 2> inputs{as_operand_beside(a, b, op), as_operand_beside(b, a, op)};
    return wrap(op.call(inputs).front());
  });
}

template <OperatorName op_name>
PyObject* unary(PyObject* a) {
  return guard([&] { return wrap(operator_op<op_name>().call(std::span(&unwrap(a), 1)).front()); });
}

}  // namespace

PyObject* variable_add(PyObject* a, PyObject* b) { return binary<"add">(a, b); }
PyObject* variable_subtract(PyObject* a, PyObject* b) { return binary<"sub">(a, b); }
PyObject* variable_multiply(PyObject* a, PyObject* b) { return binary<"mul">(a, b); }
PyObject* variable_true_divide(PyObject* a, PyObject* b) { return binary<"true_div">(a, b); }
PyObject* variable_floor_divide(PyObject* a, PyObject* b) { return binary<"floor_div">(a, b); }
PyObject* variable_remainder(PyObject* a, PyObject* b) { return binary<"mod">(a, b); }
PyObject* variable_matrix_multiply(PyObject* a, PyObject* b) { return binary<"matmul">(a, b); }
PyObject* variable_and(PyObject* a, PyObject* b) { return binary<"bitwise_and">(a, b); }
PyObject* variable_or(PyObject* a, PyObject* b) { return binary<"bitwise_or">(a, b); }
PyObject* variable_xor(PyObject* a, PyObject* b) { return binary<"bitwise_xor">(a, b); }
PyObject* variable_left_shift(PyObject* a, PyObject* b) { return binary<"left_shift">(a, b); }
PyObject* variable_right_shift(PyObject* a, PyObject* b) { return binary<"right_shift">(a, b); }

PyObject* variable_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError,
                    "pow() of Variables takes no modulus; write tv.mod(tv.pow(a, b), m)");
    return nullptr;
  }
  return binary<"pow">(a, b);
}

PyObject* variable_negative(PyObject* a) { return unary<"neg">(a); }
PyObject* variable_positive(PyObject* a) {
  return guard([&] {
    const TensorType* type = unwrap(a).type().tensor();
    if (type != nullptr && type->dtype() == DType::Bool)
      throw Error(ErrorKind::Type, unwrap(a).text() +
                                       " is of bools, which have no sign, as in NumPy: the `+` "
                                       "operator is not supported; cast it to an integer");
    return Py_NewRef(a);
  });
}
PyObject* variable_absolute(PyObject* a) { return unary<"abs">(a); }
PyObject* variable_invert(PyObject* a) { return unary<"invert">(a); }

namespace {

void require_tensor(const Variable& variable, const char* sign) {
  if (variable.type().tensor() != nullptr) return;
  throw Error(
      ErrorKind::Type,
      variable.text() + " (" + variable.type().text() + ") cannot be compared by `" + sign +
          "`: elements are compared, and it is no tensor. Write `a is b` to ask whether two "
          "names stand for one Variable, and `any(v is x for v in xs)` instead of `x in "
          "xs`; to compare its values, give tv.function an Op of your own.");
}

// An operand of a comparison with `other`; null for what cannot become a Variable, an array of
// strings say.
Variable comparable(PyObject* object, PyObject* other, const Op& op) {
  if (!is_variable(object) && !may_be_operand(object)) return {};
  try {
    return as_operand_beside(object, other, op);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Type) throw;
    return {};
  }
}

// What cannot become a Variable is unequal to one: NotImplemented makes Python say so.
template <OperatorName op_name>
PyObject* equality(PyObject* a, PyObject* b, const char* sign) {
  return guard([&] {
    const std::array<Variable, 2> inputs{unwrap(a), comparable(b, a, operator_op<op_name>())};
    if (!inputs[1]) return Py_NewRef(Py_NotImplemented);
    for (const Variable& input : inputs) require_tensor(input, sign);
    return wrap(operator_op<op_name>().call(inputs).front());
  });
}

bool is_equality(const Variable& variable) {
  if (variable.is_leaf()) return false;
  const Op* op = variable.node()->op();
  return op == &operator_op<"eq">() || op == &operator_op<"neq">();
}

// How to ask what `==` between Variables does not answer.
std::string identity_advice(const Variable& variable) {
  if (!is_equality(variable)) return {};
  if (made_by_this_instruction())
    return " Python compared Variables with `==` by itself here, to find one of them in a sequence "
           "(by `in`, `index`, `count` or `remove`) or to compare two sequences; where the same "
           "Variable is meant write `any(v is x for v in xs)`. Sets and the keys of dicts go by "
           "identity.";
  return " Whether two names stand for the same Variable is what `a is b` says.";
}

}  // namespace

PyObject* compare_variables(PyObject* a, PyObject* b, int comparison) {
  switch (comparison) {
    case Py_EQ: return equality<"eq">(a, b, "==");
    case Py_NE: return equality<"neq">(a, b, "!=");
    case Py_LT: return binary<"lt">(a, b);
    case Py_LE: return binary<"le">(a, b);
    case Py_GT: return binary<"gt">(a, b);
    default: return binary<"ge">(a, b);
  }
}

int variable_bool(PyObject* self) {
  return guard([&]() -> int {
    const Variable& variable = unwrap(self);
    const std::string origin = variable.node()->origin_text();
    const std::string named = std::string(variable.name());
    const std::string condition = named.empty() ? "condition" : named;
    throw Error(ErrorKind::Type,
                variable.text() + " (" + variable.type().text() +
                    (origin.empty() ? "" : ", made at " + origin) +
                    ") has no truth value: it is symbolic, and its value is not known while the "
                    "graph is built. Instead of `a if " +
                    condition + " else b` write `tv.ifelse(" + condition +
                    ", a, b)`, instead of `while` a `tv.while_loop`; instead of `and`, `or`, `not` "
                    "write `tv.and_`, `tv.or_`, "
                    "`tv.logical_not`; instead of `x < y < z` write `tv.and_(x < y, y < z)`." +
                    identity_advice(variable));
  });
}

}  // namespace thunkvm
