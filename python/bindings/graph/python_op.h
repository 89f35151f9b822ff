// python_op.h: Ops that users write in Python, as Ops of the graph.
#pragma once

#include "ops/graph/op.h"
#include "ops/graph/work.h"
#include "python/bindings/python/python.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

class UserElements;

/// An Op whose behaviour is a Python object's: an object with `make_node` and one of `perform`,
/// `make_thunk`, `demand`.
///
/// One for each Python object at a time; it holds the object, the object does not hold it. It has
/// no kernel but that of `c_element` or `c_kernel`: its other thunks come from the bindings
/// (python_thunk.h). All of this needs the GIL.
class PythonOp final : public Op, public StatesWork {
 public:
  explicit PythonOp(PyObject* object);
  ~PythonOp() override;

  PyObject* object() const { return object_.get(); }
  std::string name() const override { return name_; }
  /// `str(op)`.
  std::string text() const override;
  /// Calls `make_node(*inputs)`.
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  const AliasMap& view_map() const override { return view_map_; }
  const AliasMap& destroy_map() const override { return destroy_map_; }
  /// Throws Error(Value) where one of the maps names an input or output that such a node has not.
  void check_alias_maps(std::size_t n_inputs, std::size_t n_outputs) const;
  /// Calls `grad(inputs, output_gradients)`, or `L_op(inputs, outputs, output_gradients)`. An
  /// output that the cost does not depend on comes with zeros of its shape; with None where asking
  /// for its shape could run a lazy Op.
  std::vector<Variable> grad(Apply& node,
                             std::span<const Variable> output_gradients) const override;
  /// Calls `R_op(inputs, eval_points)`, or `pushforward(inputs, outputs, tangents)`, where the
  /// object has one: None in the last list says that an input does not change, None in the result
  /// that an output does not.
  std::optional<std::vector<Variable>> push_forward(
      Apply& node, std::span<const Variable> tangents) const override;
  /// That of `c_element` or `c_kernel`, where the object has one: see
  /// linkers/user_code/user_element.h, linkers/user_code/user_kernel.h.
  ThunkCode kernel(const Apply& node) const override;
  const ElementCode* element_code(const Apply& node) const override;
  /// Calls `infer_shape(node, input_shapes)`, where the object has it.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override;
  /// Where the object has `flops` or `bytes_moved`; 0 for the one that it has not.
  bool states_work() const override;
  /// False: outputs of users' code may be of any shape.
  bool shapes_follow() const override { return false; }
  double flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const override;
  double bytes_moved(const Apply& node, OperandShapes inputs, OperandShapes outputs) const override;
  /// Calls `batch(node, inputs, batched)`, where the object has it.
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;

  /// `perform` as a function of (node, inputs, output_storage): one that takes a fourth argument
  /// gets the node's params there. Null where there is none.
  PyRef perform(PyObject* node) const;

  /// The method of this name, or null where there is none: what `thunkvm.Op` itself offers is a
  /// default, not an implementation.
  PyRef own_method(const char* name) const;

  /// The same of `perform`, `demand`, `make_thunk`, `c_element`, `c_kernel` or `c_code`; null also
  /// where the object's `implementation` leaves it out. Throws Error(Value) where that is none.
  PyRef way(const char* name) const;
  /// Whether the object's `implementation` asks for C in a mode that has none.
  bool prefers_c() const;
  /// Whether it has a `c_kernel` that forces its inputs itself.
  bool is_lazy_kernel() const;

 private:
  /// The object's `implementation`; "" where the mode chooses.
  std::string implementation() const;

  /// The C of an element, where the object has a `c_element` that gives some for this node, and
  /// there is a compiler for it.
  std::optional<std::string> c_element(const Apply& node) const;

  PyRef object_;
  std::string name_;
  AliasMap view_map_;
  AliasMap destroy_map_;
  std::unique_ptr<UserElements> elements_;
};

/// The result of a method of the user's; if it raised, its exception gets a note that names the
/// node.
PyRef result_of(const char* method, const Apply& node, PyObject* result);

/// How many arguments a method of Python has to get; 0 where that cannot be told.
long required_arguments(PyObject* method);

/// The PythonOp of an Op of this kind, else null.
inline const PythonOp* python_op(const Op* op) { return dynamic_cast<const PythonOp*>(op); }

/// A new reference to an Op's Python object: the user's, or a `BuiltinOp`.
PyObject* wrap_op(const Op& op);
/// The Op of a user's Python Op or of a `BuiltinOp`. Throws Error(Type) for what is none.
Ref<const Op> unwrap_op(PyObject* object);

}  // namespace thunkvm
