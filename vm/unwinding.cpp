#include "vm/unwinding.h"

#include "thunks/input_failure.h"
#include "vm/frame.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {

[[gnu::cold]] Status Unwinding::fail_at(Frame& frame, ProgramNode node) {
  Failure& failure = frame.activation_.failure;
  if (!failure.error)
    frame.activation_.fail(
        ErrorKind::Runtime,
        "the thunk failed without an error: use Activation::fail or Activation::fail_current");
  if (failure.node == kNone) failure.node = node;
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::stop_segment(Frame& frame, const Instruction& instruction,
                                             StepIndex from) {
  NativeSupport::note_not_reached(frame, from, StepIndex(instruction.a + instruction.b));
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::fail_again(Frame& frame, std::uint32_t body) {
  frame.activation_.failure = frame.failures_.at(body);
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::fail_lazy(Frame& frame, std::uint32_t index) {
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const Lazy& lazy = frame.program_->lazies[index];
  for (std::uint32_t body = lazy.first_body; body < lazy.first_body + lazy.operands.n_inputs;
       ++body)
    if (frame.done_[body] == kFailed &&
        frame.failures_.at(body).error == activation.failure.error) {
      activation.failure = frame.failures_.at(body);  // it passes on that of an input
      break;
    }
  fail_at(frame, lazy.node);
  state.failure = activation.failure;
  frame.release(index);
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::raise(Frame& frame, std::uint32_t index, LazyCall& call) {
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const std::uint32_t body = std::exchange(state.raising, kNone);
  const Failure failure = frame.failures_.at(body);
  auto* const handler =
      dynamic_cast<FailureHandler*>(activation.bound[frame.program_->lazies[index].operands.bound]);
  if (handler != nullptr)
    return handler->raised(call, static_cast<int>(frame.program_->bodies[body].number), failure);
  activation.failure = failure;
  return Status::Failed;
}

[[gnu::cold]] Pc Unwinding::wind_down(Frame& frame, std::size_t base) {
  std::vector<Resume>& resumes = frame.resumes_;
  const std::vector<Body>& bodies = frame.program_->bodies;
  const auto is_input = [&](const Resume& resume) {
    return bodies[resume.body].kind == Body::Kind::Input;
  };
  const bool may_go_on =
      frame.nesting_ != 0 || std::any_of(resumes.rbegin(), resumes.rend(), is_input);
  if (!may_go_on || is_final(frame.activation_.failure)) return {};
  while (resumes.size() > base) {
    const Resume resume = resumes.back();
    resumes.pop_back();
    if (const Body& body = bodies[resume.body]; body.kind == Body::Kind::Loop) {
      frame.reset_step(body.number);
      frame.failed_bodies_.push_back(resume.body);
      continue;
    }
    frame.fail_body(resume.body);
    if (!is_input(resume)) continue;
    LazyState& state = frame.lazies_[bodies[resume.body].owner];
    state.raising = resume.body;
    state.waiting.clear();
    frame.activation_.failure = Failure{};
    return resume.pc;
  }
  return {};
}

}  // namespace thunkvm
