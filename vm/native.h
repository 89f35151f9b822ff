// native.h: emitted code, as the machine runs it.
//
// Emitted code is an overlay of a program: it has the same registers, counters, memo bodies and
// pcs, so a frame may run its program with it or without, from one call to the next. A function of
// it stands for a stretch of the program's code. Where the interpreter may enter such a stretch,
// the overlay's code has a Native instruction. Everywhere else it has the program's own
// instructions: nodes that were not emitted run by them, and so does a call with a tracer, unless
// the code is traced.
#pragma once

#include "thunks/words.h"
#include "vm/native_steps.h"
#include "vm/program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thunkvm {

class Frame;
class NativeCode;
class Recorder;
class Tracer;
struct NativeCall;
struct ThunkRun;

/// Runs from one of its labels to its end, and returns the pc to go on at; kNone if the call has
/// failed, which has been noted by then.
using NativeFunction = std::uint32_t (*)(NativeCall* call, std::uint32_t label);

/// A call as emitted code sees it. Emitted modules declare the first five members again
/// (linkers/codegen/emit/prelude.cpp): their offsets and types are part of the ABI.
struct NativeCall {
  Cell* cells = nullptr;
  std::uint64_t* counters = nullptr;
  std::uint8_t* done = nullptr;    ///< by body
  const void* services = nullptr;  ///< a table of functions
  const NativeFunction* functions = nullptr;
  const NativeCode* code = nullptr;
  Frame* frame = nullptr;
  Activation* activation = nullptr;
  /// The emitted code's own memory, aligned to a cache line: zeros in a frame's first call. From
  /// then on each call finds it as the last one left it.
  char* memory = nullptr;
  Recorder* recorder = nullptr;  ///< of a profiled program
};

/// How emitted code computes nodes together.
enum class GroupKind : std::uint8_t {
  Expression,  ///< numbers, one after the other
  Nest,        ///< in one loop over elements
  Call,        ///< of a node's own kernel: the group is this node
};
template <>
struct Words<GroupKind> {
  static constexpr const char* name = "GroupKind";
  static constexpr std::array words{"expression", "fused", "call"};
};

/// Nodes with code that is timed as one.
struct NativeGroup {
  std::vector<ProgramNode> nodes;
  GroupKind kind = GroupKind::Call;
};

/// Emitted code for one program. Immutable; shared by all its frames.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  IndexedVector<Pc, Instruction>
      code;  ///< the program's, with Native where a function may be entered
  std::vector<NativeFunction> functions;
  std::vector<NativeSteps> calls;  ///< that the functions have run
  const void* services = nullptr;
  std::size_t memory_bytes = 0;     ///< that a call needs
  bool traced = false;              ///< it tells the run's tracer of each step; there has to be one
  std::vector<NativeGroup> groups;  ///< of a profiled program: each has a site
};

/// The requests of emitted code to the machine.
class NativeSupport {
 public:
  /// Marks a memo body as run, as Need does. False: it has failed already, and so has the call.
  static bool begin_memo(Frame& frame, std::uint32_t memo);
  /// Notes that a memo body failed.
  static void fail_memo(Frame& frame, std::uint32_t memo);
  /// Notes that the call fails at `node`, with steps that were counted as run and were not.
  static void fail(Frame& frame, ProgramNode node);
  static void note_not_reached(Frame& frame, StepIndex first, StepIndex end);
  /// Tells the tracer of a step, before it and after it ran. False: the tracer objects, which was
  /// noted as the node's failure.
  static bool before(Frame& frame, StepIndex step);
  static bool after(Frame& frame, StepIndex step);
  /// Asks the host whether to stop. False: yes, and the failure is noted.
  static bool poll(Frame& frame);
  /// The same if it is time, after so many steps of a loop.
  static bool poll_after(Frame& frame, std::uint32_t steps);
  /// A loop begins.
  static void begin_loop(Frame& frame, std::uint32_t loop);

 private:
  static bool tell(Frame& frame, StepIndex step, void (*tell)(Tracer&, const ThunkRun&));
};

}  // namespace thunkvm
