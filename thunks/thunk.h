// thunk.h: the contract between the machine and the code that computes one node.
//
// A node of the graph becomes a *thunk*. The machine knows it as a ThunkCode: either a plain
// function (an eager kernel, shared by all calls), or a maker of BoundThunks, which belong to one
// frame and may be lazy.
#pragma once

#include "thunks/cell.h"
#include "thunks/error.h"
#include "thunks/host.h"
#include "thunks/words.h"

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

class BoundThunk;

/// How a thunk's run ended.
enum class Status : std::uint8_t { Done, Failed };

/// The registers that one thunk reads and writes, and the inputs whose memory it may take over.
/// Lives as long as the program.
struct Operands {
  static constexpr int kDyingInputs = 32;  ///< as many as `dying` has bits

  const std::uint32_t* registers = nullptr;  ///< inputs, then outputs
  std::uint16_t n_inputs = 0;
  std::uint16_t n_outputs = 0;
  /// Bit i: input i dies here on every path, and its memory may be taken over. Inputs from
  /// kDyingInputs on have no bit.
  std::uint32_t dying = 0;
  const void* state = nullptr;  ///< the kernel's own immutable data
  std::uint32_t bound = 0;      ///< index of the BoundThunk in the frame, for thunks that have one

  std::uint32_t input(int i) const { return registers[i]; }
  std::uint32_t output(int j) const { return registers[n_inputs + j]; }
  bool dies(int i) const { return i < kDyingInputs && ((dying >> i) & 1u) != 0; }
};

/// A failure of a call: the error, and the node whose thunk raised it.
struct Failure {
  std::exception_ptr error;
  std::uint32_t node = UINT32_MAX;  ///< index of the node in the program; UINT32_MAX: none
};

/// One call in flight, as a thunk sees it.
struct Activation {
  Cell* cells = nullptr;
  Host* host = nullptr;
  BoundThunk* const* bound = nullptr;
  /// The `_nogc` modes: outputs still hold the value of an earlier call. Its memory may be written
  /// again if it is exclusive. No register dies.
  bool retain_intermediates = false;
  bool poll = false;  ///< set by kernels that took long: the machine asks the host whether to stop
  Failure failure;

  Cell& input(const Operands& o, int i) const { return cells[o.input(i)]; }
  Cell& output(const Operands& o, int j) const { return cells[o.output(j)]; }
  /// Records an error and returns Failed.
  Status fail(ErrorKind kind, const std::string& message);
  /// Records the exception in flight (call it in a catch block) and returns Failed.
  Status fail_current() noexcept;
};

/// An eager thunk's code: all inputs are there, all outputs get computed. It never throws.
using EagerFn = Status (*)(Activation&, const Operands&);

/// Makes an EagerFn out of a function that may throw.
template <void (*F)(Activation&, const Operands&)>
Status guarded(Activation& activation, const Operands& operands) {
  try {
    F(activation, operands);
    return Status::Done;
  } catch (...) {
    return activation.fail_current();
  }
}

/// The outcome of a demand of a body in a call (Program::bodies). 0: there was none.
inline constexpr std::uint8_t kComputed = 1;  // or being computed
inline constexpr std::uint8_t kFailed = 2;

/// One entry of a lazy thunk: the inputs that are available to it, the outputs, and the list of
/// inputs that it requests next.
class LazyCall {
 public:
  /// `inputs`: the outcome of each input's body. `requested` is an empty list of the caller's; its
  /// memory is used again from entry to entry.
  LazyCall(Activation& activation, const Operands& operands, const std::uint8_t* inputs,
           std::uint8_t* computed, std::uint32_t demanded, std::vector<std::int64_t>& requested)
      : activation_(activation),
        operands_(operands),
        inputs_(inputs),
        computed_(computed),
        demanded_(demanded),
        requested_(requested) {}

  int n_inputs() const { return operands_.n_inputs; }
  int n_outputs() const { return operands_.n_outputs; }
  /// The output that somebody waits for.
  std::uint32_t demanded() const { return demanded_; }
  /// True once this thunk requested input i and it was computed. An input that ran for others alone
  /// is not available.
  bool available(int i) const { return inputs_[i] == kComputed; }
  /// The value of an available input.
  const Cell& input(int i) const { return activation_.cells[operands_.input(i)]; }
  bool computed(int j) const { return computed_[j] != 0; }
  const Cell& output(int j) const { return activation_.cells[operands_.output(j)]; }
  void set_output(int j, Cell value) {
    activation_.cells[operands_.output(j)] = std::move(value);
    computed_[j] = 1;
  }
  /// Requests an input. Inputs are computed in the order of their requests, before the thunk is
  /// entered again.
  void request(std::int64_t input) { requested_.push_back(input); }
  std::vector<std::int64_t>& requested() { return requested_; }
  Activation& activation() const { return activation_; }
  const Operands& operands() const { return operands_; }

  /// For nested implementations of Demand::force only. Computes input i at once, by running the
  /// machine on the native stack, at most kMaxNesting (vm/limits.h) calls deep. After Failed the
  /// call is lost: let it end. Null if the machine cannot nest.
  std::function<Status(int)> compute_now;

 private:
  Activation& activation_;
  const Operands& operands_;
  const std::uint8_t* inputs_;
  std::uint8_t* computed_;
  std::uint32_t demanded_;
  std::vector<std::int64_t>& requested_;
};

/// A thunk that belongs to one frame: it may keep state between the entries of one call.
///
/// An eager one is `run`, and holds no value when it returns. A lazy one is `enter`ed for a
/// demanded output. It sets outputs through the call and requests inputs, and is entered again with
/// them, until the demanded output is there. After each call in which it was entered, failed or
/// not, `reset` drops all that it holds.
class BoundThunk {
 public:
  virtual ~BoundThunk() = default;
  virtual Status run(Activation& activation, const Operands& operands);
  virtual Status enter(LazyCall& call);
  /// The call in which this lazy thunk was entered is over. Drop every value, and end a suspended
  /// run.
  virtual void reset() noexcept {}
};

/// How a thunk runs. Texts name it, and it decides who allocates the outputs.
enum class ThunkForm : std::uint8_t {
  Kernel,   ///< an eager function
  Perform,  ///< a `perform` in Python
  C,        ///< a user's C
  Lazy,     ///< names its inputs at run time
  Thunk,    ///< a user's eager thunk in Python
  Branch,   ///< none: a conditional, which the machine itself decides
  Emitted,  ///< none: an expression of emitted C
  Fused,    ///< none: a member of a nest of emitted C
};
template <>
struct Words<ThunkForm> {
  static constexpr const char* name = "Form";
  static constexpr std::array words{"kernel", "perform", "c",       "lazy",
                                    "thunk",  "branch",  "emitted", "fused"};
};

/// How one node runs. Exactly one of `eager` and `make` is set; a lazy thunk always has `make`.
struct ThunkCode {
  EagerFn eager = nullptr;
  std::shared_ptr<const void> state;                  ///< kept for as long as the program
  std::function<std::unique_ptr<BoundThunk>()> make;  ///< once for each frame
  bool lazy = false;
  ThunkForm form = ThunkForm::Kernel;

  explicit operator bool() const { return eager != nullptr || make != nullptr; }
};

/// An eager ThunkCode that calls `run(activation, operands)`. The function may have captured
/// attributes of its Op, and may throw. All calls share it, on several threads at a time too.
template <class F>
ThunkCode eager_thunk(F run) {
  ThunkCode code;
  code.state = std::make_shared<const F>(std::move(run));
  code.eager = [](Activation& activation, const Operands& operands) {
    try {
      (*static_cast<const F*>(operands.state))(activation, operands);
      return Status::Done;
    } catch (...) {
      return activation.fail_current();
    }
  };
  return code;
}

/// The EagerFn of a node that has a BoundThunk.
Status run_bound(Activation& activation, const Operands& operands);

}  // namespace thunkvm
