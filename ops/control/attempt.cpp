#include "ops/control/attempt.h"

#include "ops/control/conditional.h"
#include "ops/graph/declaration.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

#include <algorithm>
#include <map>
#include <new>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

class AttemptThunk final : public BoundThunk, public FailureHandler {
 public:
  explicit AttemptThunk(Ref<const AttemptOp> op) : op_(std::move(op)) {}

  Status enter(LazyCall& call) override {
    for (int i = 0; i < call.n_inputs(); ++i)
      if (!call.available(i)) call.request(i);
    if (call.requested().empty()) call.set_output(0, Cell::of(false));
    return Status::Done;
  }

  Status raised(LazyCall& call, int, const Failure& failure) override {
    if (op_->catches(failure)) {
      call.set_output(0, Cell::of(true));
      return Status::Done;
    }
    call.activation().failure = failure;
    return Status::Failed;
  }

 private:
  Ref<const AttemptOp> op_;
};

// Each kind of failure has the names of its class and of the classes above that, as Python has
// them.
using Names = std::vector<std::string_view>;
const std::map<ErrorKind, Names>& names_of_kinds() {
  static const std::map<ErrorKind, Names> kNames = {
      {ErrorKind::Type, {"TypeError", "Exception"}},
      {ErrorKind::Value, {"ValueError", "Exception"}},
      {ErrorKind::Index, {"IndexError", "LookupError", "Exception"}},
      {ErrorKind::Key, {"KeyError", "LookupError", "Exception"}},
      {ErrorKind::ZeroDivision, {"ZeroDivisionError", "ArithmeticError", "Exception"}},
      {ErrorKind::Overflow, {"OverflowError", "ArithmeticError", "Exception"}},
      {ErrorKind::LinAlg, {"numpy.linalg.LinAlgError", "ValueError", "Exception"}},
      {ErrorKind::NotImplemented, {"NotImplementedError", "RuntimeError", "Exception"}},
      {ErrorKind::Runtime, {"RuntimeError", "Exception"}},
      {ErrorKind::Memory, {"MemoryError", "Exception"}},
      {ErrorKind::Host, {"Exception"}},
  };
  return kNames;
}

// What ends the call is asked of nobody. What C++ throws besides is to Python a RuntimeError.
ErrorKind kind_of(const Failure& failure) {
  try {
    std::rethrow_exception(failure.error);
  } catch (const Error& error) {
    return error.kind();
  } catch (const std::bad_alloc&) {
    return ErrorKind::Memory;
  } catch (...) {
    return ErrorKind::Runtime;
  }
}

bool is_known(std::string_view name) {
  return std::ranges::any_of(names_of_kinds(), [&](const auto& each) {
    return std::ranges::find(each.second, name) != each.second.end();
  });
}

Ref<Op> (*attempt_maker)(const Attributes&) = nullptr;

DECLARE_OP(attempt)
    .family("conditional")
    .comment(
        "Whether computing any of the values fails. The core of attempt, which is a conditional "
        "on it.")
    .example(R"(>>> x = tv.scalar("x")
>>> failed = tv.ops.attempt(tv.Assert("positive")(x, x > 0.0), on=["AssertionError"])
>>> f = tv.function([x], failed)
>>> bool(f(1.0)), bool(f(-1.0))
(False, True)
)")
    .inputs("values", "what is computed, one after the other, up to the first that fails")
    .of_any_type()
    .attr("on", AttrType::Strings, "names of the classes of exceptions that count as a failure")
    .by_default(std::vector<std::string>{"Exception"})
    .output("out", "a bool scalar; any other exception is raised")
    .not_plain()
    .made_by([](const Attributes& attributes) {
      return attempt_maker != nullptr ? attempt_maker(attributes)
                                      : Ref<Op>(new AttemptOp(attributes));
    });

}  // namespace

AttemptOp::AttemptOp(const Attributes& attributes)
    : on_(attributes.get<std::vector<std::string>>("on")) {
  for (const std::string& name : on_)
    if (!is_known(name))
      throw Error(ErrorKind::Key, "[attempt] it catches " + name +
                                      ", which is a class of Python's: without Python there are "
                                      "the exceptions of its own Ops alone");
}

std::string AttemptOp::text() const {
  std::string list;
  for (const std::string& name : attributes().get<std::vector<std::string>>("on"))
    list += (list.empty() ? "" : ", ") + name;
  return "attempt{on=" + list + "}";
}

std::vector<Variable> AttemptOp::call(std::span<const Variable> inputs) const {
  if (inputs.empty()) throw Error(ErrorKind::Type, "[attempt] takes at least one value; got none");
  return {Apply::make1(*this, inputs, TensorType::scalar(DType::Bool))};
}

ThunkCode AttemptOp::kernel(const Apply&) const {
  ThunkCode code;
  code.lazy = true;
  code.form = ThunkForm::Lazy;
  code.make = [op = Ref<const AttemptOp>(this)] { return std::make_unique<AttemptThunk>(op); };
  return code;
}

std::vector<Variable> AttemptOp::grad(Apply& node, std::span<const Variable>) const {
  return std::vector<Variable>(node.n_inputs());
}

bool AttemptOp::catches(const Failure& failure) const {
  const auto found = names_of_kinds().find(kind_of(failure));
  if (found == names_of_kinds().end()) return false;  // it ends the call
  return std::ranges::any_of(
      on_, [&](const std::string& name) { return std::ranges::count(found->second, name) > 0; });
}

void set_attempt_maker(Ref<Op> (*make)(const Attributes& attributes)) { attempt_maker = make; }

Ref<const AttemptOp> attempt_op(std::vector<std::string> on) {
  const Ref<const Op> op = OpRegistry::create("attempt", {{"on", std::move(on)}});
  return &dynamic_cast<const AttemptOp&>(*op);
}

std::vector<Variable> attempt(Ref<const AttemptOp> op, std::span<const Variable> values,
                              std::span<const Variable> otherwise) {
  const Variable failed = op->call(values).front();
  const std::vector<Variable> arms[] = {{values.begin(), values.end()},
                                        {otherwise.begin(), otherwise.end()}};
  const ArmNames names{"attempt", {"value", "otherwise"}};
  return conditional(failed, Decoding::Truth, arms, false, &names);
}

}  // namespace thunkvm
