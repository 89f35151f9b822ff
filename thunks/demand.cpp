// demand.cpp: the two ways in which a lazy body waits for an input: on a fiber, or in a
// nested call.
#include "thunks/demand.h"

#include "thunks/error.h"
#include "thunks/input_failure.h"
#include "thunks/stack_pool.h"

#include <boost/context/fiber.hpp>
#include <cxxabi.h>

#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <utility>

namespace thunkvm {

namespace {

/// Thrown through a lazy body that is given up, so that its locals are destroyed. Not an
/// std::exception, since a body may well catch those.
struct BodyAbandoned {};

/// Sets an output that is not set yet.
void set_first(LazyCall& call, int j, Cell value) {
  if (j < 0 || j >= call.n_outputs())
    throw Error(ErrorKind::Index, "the lazy thunk set output " + std::to_string(j) +
                                      ", but it has " + std::to_string(call.n_outputs()) +
                                      " outputs: it may set those from 0 to " +
                                      std::to_string(call.n_outputs() - 1));
  if (!call.computed(j)) call.set_output(j, std::move(value));
}

/// The exceptions that are caught and in flight: the C++ runtime keeps them in a list for each
/// thread, so each fiber has to bring its own, or a `force` within a catch block would mix up two
/// stacks.
class ExceptionState {
 public:
  /// Exchanges this state with the thread's.
  void swap() noexcept {
    ExceptionState mine = *this;
    std::memcpy(this, abi::__cxa_get_globals(), sizeof(*this));
    std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &mine, sizeof(mine));
  }

 private:
  // As the Itanium C++ ABI lays out __cxa_eh_globals.
  void* caught_ = nullptr;
  unsigned int uncaught_ = 0;
};

/// Boost.Context's view of the StackPool.
struct PooledStack {
  boost::context::stack_context allocate() { return StackPool::instance().allocate(); }
  void deallocate(boost::context::stack_context& stack) noexcept {
    StackPool::instance().release(stack);
  }
};

/// Runs a lazy body on a fiber, which lives from the first entry of a call until it ends or the
/// call does.
class FiberThunk final : public BoundThunk, public FailureHandler, private Demand {
 public:
  explicit FiberThunk(std::shared_ptr<const LazyBody> body) : body_(std::move(body)) {}
  ~FiberThunk() override { reset(); }

  Status enter(LazyCall& call) override {
    call_ = &call;
    if (!begun_) {
      fiber_ = boost::context::fiber(std::allocator_arg, PooledStack{},
                                     [this](boost::context::fiber&& base) {
                                       base_ = std::move(base);
                                       run_body();
                                       return std::move(base_);
                                     });
      begun_ = true;
    }
    // A body that has ended says nothing more; the machine sees whether the output is there.
    if (fiber_) resume();
    call_ = nullptr;
    if (error_ == nullptr) return Status::Done;
    call.activation().failure.error = std::exchange(error_, nullptr);
    return Status::Failed;
  }

  /// `force` throws it.
  Status raised(LazyCall& call, int input, const Failure& failure) override {
    failures_.try_emplace(input, failure.error);
    return enter(call);
  }

  void reset() noexcept override {
    abandoned_ = true;
    while (fiber_) resume();
    abandoned_ = begun_ = false;
    error_ = nullptr;
    failures_.clear();
  }

 private:
  void run_body() noexcept {
    try {
      (*body_)(*this);
    } catch (const BodyAbandoned&) {
    } catch (...) {
      if (!abandoned_) error_ = std::current_exception();
    }
  }

  void resume() noexcept {
    exceptions_.swap();
    fiber_ = std::move(fiber_).resume();
    exceptions_.swap();
  }

  /// Lets the machine run until it enters this thunk again, or gives it up: then `call` throws.
  void suspend() { base_ = std::move(base_).resume(); }

  int n_inputs() const override { return call().n_inputs(); }
  int n_outputs() const override { return call().n_outputs(); }
  std::uint32_t demanded() const override { return call().demanded(); }

  const Cell& force(int i) override {
    // A loop, since what is requested when the demanded output is there already is not computed.
    for (;;) {
      LazyCall& now = call();
      if (const auto failed = failures_.find(i); failed != failures_.end())
        std::rethrow_exception(failed->second);
      if (i >= 0 && i < now.n_inputs() && now.available(i)) return now.input(i);
      now.request(i);
      suspend();
    }
  }

  void set_output(int j, Cell value) override { set_first(call(), j, std::move(value)); }

  void wait() override {
    while (call().computed(static_cast<int>(demanded()))) suspend();
  }

  /// The entry in progress. There is none for a body that is being abandoned and caught what should
  /// have ended it.
  LazyCall& call() const {
    if (call_ == nullptr) throw BodyAbandoned{};
    return *call_;
  }

  std::shared_ptr<const LazyBody> body_;
  boost::context::fiber fiber_;  ///< the body, where it is suspended
  boost::context::fiber base_;   ///< the machine, while the body runs
  ExceptionState
      exceptions_;  ///< the body's while the machine runs, the machine's while the body runs
  std::exception_ptr error_;
  std::map<int, std::exception_ptr> failures_;  ///< by input
  LazyCall* call_ = nullptr;
  bool begun_ = false;
  bool abandoned_ = false;
};

/// Runs a lazy body on the native stack. Where it would wait for another output to be demanded, it
/// is given up, and begun anew when that happens; what it set is kept.
class NestedThunk final : public BoundThunk {
 public:
  explicit NestedThunk(std::shared_ptr<const LazyBody> body) : body_(std::move(body)) {}

  Status enter(LazyCall& call) override {
    if (ended_) return Status::Done;
    NestedDemand demand(call);
    try {
      (*body_)(demand);
      ended_ = true;
    } catch (const BodyAbandoned&) {
    } catch (...) {
      // What ends the call stays what it was, whatever the body made of it.
      if (!call.activation().failure.error) return call.activation().fail_current();
    }
    return call.activation().failure.error ? Status::Failed : Status::Done;
  }

  void reset() noexcept override { ended_ = false; }

 private:
  class NestedDemand final : public Demand {
   public:
    explicit NestedDemand(LazyCall& call) : call_(call) {}

    int n_inputs() const override { return call_.n_inputs(); }
    int n_outputs() const override { return call_.n_outputs(); }
    std::uint32_t demanded() const override { return call_.demanded(); }

    const Cell& force(int i) override {
      if (i >= 0 && i < n_inputs() && call_.available(i)) return call_.input(i);
      wait();
      Failure& failure = call_.activation().failure;
      if (failure.error) throw BodyAbandoned{};
      if (!call_.compute_now)
        throw Error(ErrorKind::Runtime,
                    "this machine cannot compute an input within a thunk: use ForceBy::Fiber");
      if (call_.compute_now(i) == Status::Done) return call_.input(i);
      // Not the input's, where the machine refuses to compute it.
      if (is_final(failure) || failure.node == UINT32_MAX) throw BodyAbandoned{};
      std::rethrow_exception(std::exchange(failure, Failure{}).error);
    }

    void set_output(int j, Cell value) override { set_first(call_, j, std::move(value)); }

    void wait() override {
      if (call_.computed(static_cast<int>(demanded()))) throw BodyAbandoned{};
    }

   private:
    LazyCall& call_;
  };

  std::shared_ptr<const LazyBody> body_;
  bool ended_ = false;
};

}  // namespace

ForceBy default_force() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return ForceBy::Nested;
#else
  return ForceBy::Fiber;
#endif
}

ThunkCode straight_line(LazyBody body, ForceBy force) {
  const auto held = std::make_shared<const LazyBody>(std::move(body));
  ThunkCode code;
  code.lazy = true;
  code.form = ThunkForm::Lazy;
  if (force == ForceBy::Fiber)
    code.make = [held] { return std::make_unique<FiberThunk>(held); };
  else
    code.make = [held] { return std::make_unique<NestedThunk>(held); };
  return code;
}

}  // namespace thunkvm
