#include "python/bindings/thunks/attempt.h"

#include "ops/control/attempt.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

// "ValueError", "numpy.linalg.LinAlgError".
std::string class_text(PyObject* exception_class) {
  const std::string module = str_of(attribute(exception_class, "__module__").get());
  const std::string name = str_of(attribute(exception_class, "__qualname__").get());
  return module == "builtins" ? name : module + "." + name;
}

class PythonAttempt final : public AttemptOp {
 public:
  /// `on`: a tuple of classes of Exceptions.
  explicit PythonAttempt(PyRef on) : on_(std::move(on)) {
    std::vector<std::string> names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(on_.get()); ++i) {
      names.push_back(class_text(PyTuple_GET_ITEM(on_.get(), i)));
      text_ += (i == 0 ? "" : ", ") + names.back();
    }
    set_attributes({{"on", std::move(names)}});
  }
  ~PythonAttempt() override { release_object(on_.release()); }

  std::string text() const override { return "attempt{on=" + text_ + "}"; }
  bool catches(const Failure& failure) const override {
    PyRef exception = exception_of(failure);
    return PyErr_GivenExceptionMatches(exception.get(), on_.get()) != 0;
  }

 private:
  PyRef on_;
  std::string text_;
};

PyObject* attempt_of(PyObject*, PyObject* args) {
  PyObject *values, *otherwise, *on;
  if (!PyArg_ParseTuple(args, "OOO!:attempt", &values, &otherwise, &PyTuple_Type, &on))
    return nullptr;
  return guard([&] {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(on); ++i) {
      PyObject* const type = PyTuple_GET_ITEM(on, i);
      if (!PyExceptionClass_Check(type) || PyObject_IsSubclass(type, PyExc_Exception) != 1)
        throw Error(ErrorKind::Type, "[attempt] on has " +
                                         str_of(PyRef::take(PyObject_Repr(type)).get()) +
                                         ", which is no subclass of Exception; Ctrl-C and exit end "
                                         "every call, and are not for a fallback to catch.");
    }
    const Ref<const AttemptOp> op(new PythonAttempt(PyRef::borrow(on)));
    return wrap_list(attempt(op, require_variables(values, "attempt: a value"),
                             require_variables(otherwise, "attempt: otherwise")));
  });
}

PyMethodDef functions[] = {
    {"attempt", attempt_of, METH_VARARGS,
     "attempt(values, otherwise, on)\n--\n\n"
     "The values, or the others where computing the values raises one of `on`."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_attempt(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
