// kernels.h: what the thunks of programs written by hand do.
#pragma once

#include "thunks/error.h"
#include "vm/frame.h"

#include <functional>
#include <memory>
#include <utility>

namespace thunkvm::testing {

/// What an eager thunk of a test does.
using Kernel = std::function<void(Activation&, const Operands&)>;

/// Output 0 = the sum, or the product, of all inputs, as float64.
inline void sum(Activation& a, const Operands& o) {
  double result = 0;
  for (int i = 0; i < o.n_inputs; ++i) result += a.input(o, i).get<double>();
  a.output(o, 0).set(result);
}
inline void product(Activation& a, const Operands& o) {
  double result = 1;
  for (int i = 0; i < o.n_inputs; ++i) result *= a.input(o, i).get<double>();
  a.output(o, 0).set(result);
}
inline void fails(Activation&, const Operands&) {
  throw Error(ErrorKind::Value, "this thunk always fails");
}

/// A BoundThunk out of a function: lazy, by the re-entrant protocol.
class LazyFunction final : public BoundThunk {
 public:
  using Enter = std::function<void(LazyCall&)>;
  LazyFunction(Enter enter, std::function<void()> reset)
      : enter_(std::move(enter)), reset_(std::move(reset)) {}
  Status enter(LazyCall& call) override {
    enter_(call);
    return Status::Done;
  }
  void reset() noexcept override {
    if (reset_) reset_();
  }

 private:
  Enter enter_;
  std::function<void()> reset_;
};

inline ThunkCode lazy_function(LazyFunction::Enter enter, std::function<void()> reset = nullptr) {
  ThunkCode code;
  code.lazy = true;
  code.form = ThunkForm::Lazy;
  code.make = [enter, reset] { return std::make_unique<LazyFunction>(enter, reset); };
  return code;
}

}  // namespace thunkvm::testing
