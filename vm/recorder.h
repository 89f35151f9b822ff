// recorder.h: the records of a program's calls: the runs and the time of each part, and the arms
// that branches took.
//
// The machine's loop writes here, and so does the emitted C of a profiled program, by services. A
// program that is not profiled knows nothing of it. Time is taken in *laps*: at the end of each
// thunk or group the clock is read once, and the time since the last lap is that thunk's. So the
// rows of a call add up to the call.
#pragma once

#include "thunks/fields.h"
#include "thunks/words.h"
#include "vm/clock.h"
#include "vm/code_regions.h"
#include "vm/decisions.h"
#include "vm/limits.h"
#include "vm/program.h"
#include "vm/shape_tally.h"
#include "vm/step_tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace thunkvm {

/// The records to keep beyond counts.
struct RecordOptions {
  bool times = false;
  bool events = false;  ///< the latest laps, one by one
  bool memory = false;  ///< bytes that each thunk has allocated
  bool calls = true;    ///< the latest calls, one by one
  bool steps = false;   ///< the decisions in loops of each call, too
};

/// The counts of a site beside its runs and times. A new counter of nodes is a member here, and its
/// line below: rows, columns, files and documentation of profiles are made from that.
struct SiteCounts {
  std::uint64_t suspended = 0, failed = 0, bytes = 0, peak = 0, copies = 0;
};
template <>
struct Fields<SiteCounts> {
  static constexpr const char* name = "SiteCounts";
  static constexpr const char* doc = "The counts of one node, beside its runs and times.";
  static constexpr std::tuple fields{
      Field{&SiteCounts::suspended, "suspended", "",
            "How often it stopped to wait for an input; only lazy nodes do.", Merging::Added},
      Field{&SiteCounts::failed, "failed", "", "How often it failed.", Merging::Added},
      Field{&SiteCounts::bytes, "bytes_allocated", "bytes",
            "The memory of its new outputs, those in memory of an input's aside.", Merging::Added},
      Field{&SiteCounts::peak, "peak_bytes", "bytes",
            "The most memory that was in use when it ended.", Merging::Greatest},
      Field{&SiteCounts::copies, "copies", "",
            "How many copies it made of inputs that it overwrites and others may still read.",
            Merging::Added}};
};

/// The runs of a site, and their times in ticks.
struct SiteRuns {
  std::uint64_t runs = 0;
  std::uint64_t self = 0;                          ///< all runs together
  std::uint64_t min = ~std::uint64_t{0}, max = 0;  ///< of all runs but the first
  std::uint64_t first = 0;                         ///< of the first run
  /// A histogram of all runs but the first: class 4k+j begins at 16 * 2^k * (1 + j/4) ticks.
  std::array<std::uint32_t, kTickClasses> classes{};
};

/// The record of one *site*: a node that the machine runs, a group of emitted code, or a part of a
/// call beside the program.
///
/// The fields that a lap writes lie in two cache lines.
struct alignas(64) SiteRecord : SiteRuns, SiteCounts {
  void merge(const SiteRecord& other);
  /// So many ticks that 95 of 100 runs took no more: the upper end of their class.
  std::uint64_t p95() const;
};
static_assert(sizeof(SiteRecord) == 128 + 4 * kTickClasses);

/// The decisions of a branch.
struct BranchRecord {
  std::uint32_t last = kNone;  ///< the arm that it took last
  std::uint64_t flips = 0;     ///< times that it took another arm than before
  std::uint64_t evaluated = 0;
};

/// Ticks, and the laps in them, each of which costs a read of the clock.
struct Elapsed {
  std::uint64_t ticks = 0, laps = 0;
};

/// A call by itself.
struct CallRecord {
  std::uint64_t start = 0;
  Elapsed elapsed;
  std::uint64_t thread = 0;
  std::uint64_t bytes = 0;
  std::vector<Decision> decisions;      ///< of branches that are in no loop
  std::vector<LoopDecisions> in_loops;  ///< of the others, if they are recorded
  bool failed = false;
};

/// A lap by itself.
struct EventRecord {
  std::uint64_t end = 0, ticks = 0;
  std::uint32_t site = 0;
  std::uint64_t call = 0;  ///< when its call began
  std::uint64_t thread = 0;
};

/// The parts of a call beside the program, as sites after those of the nodes.
enum class CallPart : std::uint8_t {
  Arguments,  ///< from the caller's values to registers
  Results,    ///< from registers to the caller's values, updates committed
  Wait,       ///< for a lock of the host's
  Machine,    ///< the rest: the loop of the machine after the last thunk
};
template <>
struct Words<CallPart> {
  static constexpr const char* name = "CallPart";
  static constexpr std::array words{"arguments", "results", "lock", "other"};
};
inline constexpr std::uint32_t kCallParts = Words<CallPart>::words.size();

/// The facts about a program that a recorder needs beside its code. Immutable.
struct RecordedProgram {
  CodeRegions regions;
  /// The operands of a node of which the shapes are recorded.
  enum class Shapes : std::uint8_t {
    OfNone,
    OfInputs,  ///< those of the outputs follow
    OfAll,
  };
  IndexedVector<ProgramNode, Shapes> shaped;  ///< by node; an empty list: of none
};

/// The records of one frame's calls. Used by one thread at a time.
class Recorder {
 public:
  Recorder(std::shared_ptr<const Program> program, std::shared_ptr<const RecordedProgram> about,
           RecordOptions options);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const Program& program() const { return *program_; }
  std::uint32_t site(CallPart part) const {
    return program_->n_nodes + static_cast<std::uint32_t>(part);
  }
  /// The site of a group of emitted code.
  static std::uint32_t first_group(const Program& program) { return program.n_nodes + kCallParts; }
  /// To be called before emitted code with so many groups writes here.
  void have_groups(std::size_t n);

  /// A call begins, or has ended. `scripts`: by branch, the arms that it is forced to take; a
  /// branch behind the last script has none.
  void begin_call(std::span<const ArmScript> scripts = {});
  void end_call(bool failed);
  /// A part of the call ended here.
  void part(CallPart part) { lap(site(part)); }
  /// Ends a lap: the time since the last one was a run of this site.
  void lap(std::uint32_t site) {
    ++sites[site].runs;
    if (!options_.times) return;
    if (Clock::is_counter()) [[likely]]
      time_run(site);
    else
      time_run_by_call(site);
  }
  /// Ends a lap: the time since the last one is this site's. Its run goes on later (it suspends),
  /// or failed.
  void pause(std::uint32_t site) {
    if (!options_.times) return;
    const std::uint64_t ticks = take();
    sites[site].self += ticks;
    if (options_.events) note_event(site, ticks);
  }
  /// The running thunk waited for so many ticks since the last lap: they are not its time.
  void waited(std::uint64_t ticks) {
    SiteRecord& record = sites[site(CallPart::Wait)];
    ++record.runs;
    if (!options_.times) return;
    record.self += ticks;
    last += ticks;
  }
  /// A branch takes an arm.
  void took(std::uint32_t branch, std::uint32_t arm) {
    BranchRecord& record = branches[branch];
    ++record.evaluated;
    record.flips += record.last != arm && record.last != kNone ? 1 : 0;
    record.last = arm;
    if (program_->branches[branch].loop != kNone) steps.took(branch, arm, last);
    decisions_.took(branch, arm);
  }
  /// The arm that a branch is to take now; kNone: the one that its selector says.
  std::uint32_t forced(std::uint32_t branch) { return scripts_.next(branch); }
  std::uint64_t n_calls() const { return n_calls_; }

  // The records.
  std::vector<SiteRecord> sites;
  std::vector<BranchRecord> branches;
  std::vector<Elapsed> regions;  ///< by region (CodeRegions): memo and input bodies run from there
  std::vector<Pc> demanders;     ///< by body: the pc of a memo's first Need
  StepTally steps;               ///< of loops
  std::uint64_t last = 0;        ///< when the last lap ended
  std::uint64_t count = 0;       ///< of laps

  bool notes_memory() const { return options_.memory; }
  /// An eager thunk is about to run, or has made its outputs; inputs that it did not take over are
  /// still there. Copies that are made meanwhile count as its own.
  void begin_thunk(ProgramNode node, const Cell* cells, const Operands& operands) {
    running_ = node;
    if (looks_[node] != 0) [[unlikely]]
      look_at_inputs(node, cells, operands);
  }
  void end_thunk(ProgramNode node, const Cell* cells, const Operands& operands) {
    if (looks_[node] != 0) [[unlikely]]
      look_at_outputs(node, cells, operands);
  }
  /// Counts a copy of an input by the running thunk: it overwrites it, and others may still read
  /// it.
  void note_copy() { ++sites[running_].copies; }
  /// Notes the outputs of a thunk, before its inputs are emptied. `more`: it belongs to the thunk
  /// that began before it.
  void begin_memory(const Cell* cells, const Operands& operands, bool more = false);
  void note_memory(std::uint32_t site, const Cell* cells, const Operands& operands);
  /// A nest, known by its first member, ran over elements of this shape. It read and wrote so many
  /// bytes, or as many as in the run with this shape before.
  void note_nest(ProgramNode first_member, std::span<const std::int64_t> shape,
                 std::uint64_t bytes);
  void note_nest_again(ProgramNode first_member, std::span<const std::int64_t> shape);
  /// True if shapes are recorded.
  bool notes_shapes() const { return !shapes_of_nests_.empty(); }
  /// A memo or input body is run from `pc`. It returns, or fails, or the call is lost.
  void call_body(Pc pc) { bodies_.push_back({about_->regions.at(pc), last, count}); }
  void return_from_body() {
    const RunningBody body = bodies_.back();
    bodies_.pop_back();
    regions[body.region].ticks += last - body.start;
    regions[body.region].laps += count - body.laps;
  }
  void leave_bodies(std::size_t left) {
    while (bodies_.size() > left) return_from_body();
  }
  /// The code at `pc` demands memo `memo`; the first to do so counts.
  void demanded(std::uint32_t memo, Pc pc) {
    if (demanders[memo] == kNone) demanders[memo] = pc;
  }

  static std::uint32_t tick_class(std::uint64_t ticks) {
    const std::uint64_t value = std::max<std::uint64_t>(ticks, 16);
    const auto power = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
    return std::min(4 * (power - 4) + static_cast<std::uint32_t>(value >> (power - 2) & 3),
                    kTickClasses - 1);
  }

 private:
  friend struct RecordedTotals;
  struct RunningBody {
    std::uint32_t region;
    std::uint64_t start, laps;
  };

  void time_run(std::uint32_t site) {
    const std::uint64_t ticks = take();
    SiteRecord& record = sites[site];
    record.self += ticks;
    if (record.runs == 1) [[unlikely]] {
      record.first = ticks;
    } else {
      record.min = std::min(record.min, ticks);
      record.max = std::max(record.max, ticks);
      ++record.classes[tick_class(ticks)];
    }
    if (options_.events) note_event(site, ticks);
  }
  /// A function of its own, so that a lap by the counter saves no registers.
  void time_run_by_call(std::uint32_t site);
  std::uint64_t take() {
    const std::uint64_t now = Clock::now();
    const std::uint64_t ticks = now - last;
    last = now;
    ++count;
    return ticks;
  }
  void note_event(std::uint32_t site, std::uint64_t ticks);
  void look_at_inputs(ProgramNode node, const Cell* cells, const Operands& operands);
  void look_at_outputs(ProgramNode node, const Cell* cells, const Operands& operands);

  // Flags in `looks_`: the properties of a node's runs that are recorded.
  static constexpr std::uint8_t kMemory = 1, kShapes = 2, kOutputShapes = 4;

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const RecordedProgram> about_;
  RecordOptions options_;
  DecisionTally decisions_;  // of the call
  ScriptReader scripts_;
  std::size_t n_arm_runs_ = 0;  // of all calls
  std::vector<RunningBody> bodies_;
  std::vector<CallRecord> calls_;
  std::uint64_t n_calls_ = 0;
  std::uint64_t thread_ = 0, start_ = 0, start_laps_ = 0, call_bytes_ = 0;
  std::vector<EventRecord> events_;  // a ring, once it is full
  std::uint64_t n_events_ = 0;
  std::vector<const Buffer*> given_;  // the memory that a thunk's inputs had when it began
  ProgramNode running_{0};
  IndexedVector<ProgramNode, std::uint8_t> looks_;  // by node
  std::vector<std::int64_t> shapes_;                // of the thunk that runs
  const std::int64_t* as_before_ = nullptr;  // those of its last run, from its outputs on; or null
  IndexedVector<ProgramNode, ShapeTally> shapes_of_nodes_,
      shapes_of_nests_;  // by node; empty: nobody asks
};

/// The sums over recorders of one program.
struct RecordedTotals {
  std::vector<SiteRecord> sites;
  std::vector<BranchRecord> branches;
  std::vector<Elapsed> regions;
  std::vector<Pc> demanders;
  std::vector<LoopRecord> loops;
  std::vector<ArmsBySteps> arms;  ///< by branch that decides in a loop
  std::vector<StepRecord> steps;
  /// The latest `calls.size()` of all. If a recorder dropped some, calls of others that are as old
  /// are dropped too, so that each one's number is known.
  std::vector<CallRecord> calls;
  std::uint64_t kept_from = 0;  ///< when the first of the calls began after which none was dropped
  std::vector<EventRecord> events;
  std::uint64_t n_calls = 0, n_events = 0;
  /// By node, and by the first member of a nest.
  std::map<ProgramNode, ShapeCounts> shapes_of_nodes, shapes_of_nests;

  void add(const Recorder& recorder);
  void add(const RecordedTotals& other);

 private:
  void add_sites(std::span<const SiteRecord> from);
  void add_branches(std::span<const BranchRecord> from);
  void add_regions(std::span<const Elapsed> from);
  void add_demanders(std::span<const Pc> from);
  void add_steps(std::span<const LoopRecord> of_loops, std::span<const ArmsBySteps> of_branches,
                 std::span<const StepRecord> from);
  void add_calls(std::span<const CallRecord> from);
  void add_events(std::span<const EventRecord> from);
};

/// The ticks of a lap that are the recorder's own.
double ticks_of_lap();

}  // namespace thunkvm
