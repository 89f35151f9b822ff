// attempt.h: values, or others where computing them fails.
#pragma once

#include "ops/graph/op.h"
#include "thunks/input_failure.h"

#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// Whether computing any of its inputs fails, as a bool scalar: a lazy Op that demands them one
/// after the other, up to the first that fails. A failure that it does not catch is passed on.
///
/// Its attribute `on` names the failures that it catches as Python does: "ValueError" is
/// ErrorKind::Value and what Python derives from that, "Exception" everything but what ends the
/// call (`is_final`). A host makes it with the classes of its own.
class AttemptOp : public Op {
 public:
  /// Throws Error(Key) for a name that is no kind of Error's.
  explicit AttemptOp(const Attributes& attributes);
  std::string name() const override { return "attempt"; }
  std::string text() const override;
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  ThunkCode kernel(const Apply& node) const override;
  bool guards_inputs() const final { return true; }
  std::vector<Variable> grad(Apply& node,
                             std::span<const Variable> output_gradients) const override;
  /// Whether it stands for a failure. Called while the call goes on.
  virtual bool catches(const Failure& failure) const;

 protected:
  /// For hosts: what it catches is theirs to say.
  AttemptOp() = default;

 private:
  std::vector<std::string> on_;
};

/// From now on the registry makes attempts by the host.
void set_attempt_maker(Ref<Op> (*make)(const Attributes& attributes));

/// The attempt that catches what these names say.
Ref<const AttemptOp> attempt_op(std::vector<std::string> on = {"Exception"});

/// `values`, or `otherwise` where computing any of `values` fails and `op` catches that: a
/// conditional on the Op's output, so that gradients, sharing and placement are a conditional's.
///
/// All of `values` are demanded as soon as one result is, `otherwise` where it counts alone. What
/// ran before a failure is not run again, and what failed stays failed: where `otherwise` or
/// anybody else demands it in the same call, the same failure is raised. Types are joined as arms
/// are.
std::vector<Variable> attempt(Ref<const AttemptOp> op, std::span<const Variable> values,
                              std::span<const Variable> otherwise);

}  // namespace thunkvm
