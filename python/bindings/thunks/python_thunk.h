// python_thunk.h: thunks whose code is Python: an Op's `perform`, `make_thunk` or generator
// `demand`, and the NumPy implementations of built-in Ops.
#pragma once

#include "linkers/linker.h"
#include "linkers/user_code/input_guard.h"
#include "ops/graph/op.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/python/python.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

/// The common part of the thunks of one node, in all frames.
struct PythonNode {
  PythonNode(const Apply& apply, PyRef handle);

  PyRef node;      ///< the Apply that the Op's methods are given, always the same object
  std::string op;  ///< the Op's name, for messages
  std::vector<TypeRef> inputs;
  std::vector<TypeRef> outputs;
  std::vector<std::string> output_names;  ///< "output 0 of Double"

  std::vector<std::uint32_t> destroyed;  ///< inputs that the Op may overwrite, in order
  bool checks_inputs = false;            ///< see `guard_inputs`

  /// Input i as an object to hand to the Op's code. One that the Op may overwrite is the value
  /// itself if it ends here and nobody else can see it, and then its register is empty; else a
  /// copy.
  PyRef input(Activation& activation, const Operands& operands, int i) const;
  /// After a failure: what `input` took out of register i goes back, so that the report shows it.
  void give_back(Activation& activation, const Operands& operands, std::uint32_t i,
                 PyObject* value) const noexcept;

  /// Before a run of its code: a guard of the inputs, if they are to be checked.
  std::optional<InputGuard> guard_inputs(const Activation& activation,
                                         const Operands& operands) const;

  /// The object that the thunk stored as output j, as a value; of exactly the output's type. Throws
  /// Error(Type) that names the Op.
  Cell output(std::size_t j, PyObject* value) const;

  /// The objects that its thunks hold, as often as they hold them: see Held.
  const std::vector<PyObject*>& held() const { return held_; }

 private:
  friend class Held;
  PyRef exclusive_input(Activation& activation, const Operands& operands, int i) const;

  mutable std::vector<PyObject*> held_;
};

/// An object of the user's that a thunk of a node holds; the node knows of it, so that the garbage
/// collector can be told.
class Held {
 public:
  Held(std::shared_ptr<const PythonNode> node, PyRef object);
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  PyObject* get() const { return object_.get(); }

 private:
  std::shared_ptr<const PythonNode> node_;
  PyRef object_;
};

/// The input that a lazy thunk asks for by this object; `asks` begins the message: "the lazy thunk
/// of Pick asked for". Any integer will do, NumPy's too. Throws Error(Type) for what is none, a
/// bool included, Error(Index) for one beyond 64 bits.
std::int64_t asked_input(PyObject* index, const std::string& asks);

using PythonNodes = std::vector<std::shared_ptr<const PythonNode>>;

/// For the `tp_traverse` of what alone has these nodes: their objects, and of graphs their Types.
int visit_objects(const PythonNodes& nodes, visitproc visit, void* arg);
void tell_types(const PythonNodes& nodes, GraphVisit& graph);

/// A thunk for each Python Op, and for each built-in Op to which `performs` gives one: a callable
/// that takes the Apply and returns a function `perform(node, inputs, output_storage)`, or None.
/// Nothing for other nodes. `nodes` gets what it made.
///
/// `make_thunk` comes before `demand`, and that before `perform`, where an Op may run in several
/// ways; what it inherits from `thunkvm.Op` does not count. Where the linker runs no C of users'
/// (`runs_c`), an Op whose `implementation` asks for C gets the thunk of `thunkvm.Op.make_thunk`.
/// Throws Error(NotImplemented) for an Op with none of them.
ThunkSource perform_source(PyObject* performs, std::shared_ptr<PythonNodes> nodes, bool runs_c);

/// The thunk of `perform`.
ThunkCode perform_thunk(std::shared_ptr<const PythonNode> node, PyRef perform, bool built_in);
/// The thunk of `make_thunk`, which is called here for the first frame, and for each further one
/// when that is made.
ThunkCode register_thunk(std::shared_ptr<const PythonNode> node, PyRef make_thunk);
/// The lazy thunk of a generator method `demand(node)`.
ThunkCode generator_thunk(std::shared_ptr<const PythonNode> node, PyRef demand);

}  // namespace thunkvm
