#include "ops/control/attempt.h"

#include "ops/control/conditional.h"
#include "thunks/error.h"

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

}  // namespace

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

bool AttemptOp::catches(const Failure&) const { return true; }

std::vector<Variable> attempt(Ref<const AttemptOp> op, std::span<const Variable> values,
                              std::span<const Variable> otherwise) {
  const Variable failed = op->call(values).front();
  const std::vector<Variable> arms[] = {{values.begin(), values.end()},
                                        {otherwise.begin(), otherwise.end()}};
  const ArmNames names{"attempt", {"value", "otherwise"}};
  return conditional(failed, Decoding::Truth, arms, false, &names);
}

}  // namespace thunkvm
