#include "vm/recorder.h"

#include "thunks/memory_pool.h"

#include <atomic>

namespace thunkvm {
namespace {

/// Where an array's elements are; null of a number.
const Buffer* buffer_of(const Cell& cell) {
  return cell.is_array() ? cell.body()->buffer : nullptr;
}

/// `to` gets at least as many elements as `from` has, and then `merge(to[i], from[i])`.
template <class T, class Merge>
void merge_each(std::vector<T>& to, std::span<const T> from, const T& none, const Merge& merge) {
  if (to.size() < from.size()) to.resize(from.size(), none);
  for (std::size_t i = 0; i < from.size(); ++i) merge(to[i], from[i]);
}

/// Lists that are in order stay so together; `from` need not be.
template <class T, class Key>
void merge_in_order(std::vector<T>& to, std::span<const T> from, Key T::* key) {
  const auto before = [key](const T& a, const T& b) { return a.*key < b.*key; };
  const auto middle = to.insert(to.end(), from.begin(), from.end());
  std::stable_sort(middle, to.end(), before);
  std::inplace_merge(to.begin(), middle, to.end(), before);
}

void add_shapes(ShapeCounts& to, const ShapeCounts& from) {
  for (const auto& [shapes, counted] : from) {
    ShapedRuns& sum = to[shapes];
    sum.runs += counted.runs;
    sum.bytes += counted.bytes;
  }
}

/// Appends how many axes a value has, and their lengths.
void append_shape(std::vector<std::int64_t>& shapes, const Cell& cell) {
  if (cell.is_scalar()) {
    shapes.push_back(0);
  } else if (cell.is_array()) {
    const ArrayBody& body = *cell.body();
    shapes.push_back(body.ndim);
    shapes.insert(shapes.end(), body.dims, body.dims + body.ndim);
  } else {
    shapes.push_back(kNoShape);
  }
}

/// Whether `at` goes on with how many axes a value has, and their lengths; then it is past them.
bool has_shape(const std::int64_t*& at, const std::int64_t* end, const Cell& cell) {
  if (at == end) return false;
  if (cell.is_scalar()) return *at++ == 0;
  if (!cell.is_array()) return *at++ == kNoShape;
  const ArrayBody& body = *cell.body();
  if (*at++ != body.ndim) return false;
  for (int axis = 0; axis < body.ndim; ++axis)
    if (*at++ != body.dims[axis]) return false;
  return true;
}

/// Threads in the order of their first recorded call. What the system calls a thread by it gives to
/// another one when that ended.
std::uint64_t number_of_thread() {
  static std::atomic<std::uint64_t> n_threads = 0;
  thread_local const std::uint64_t number = n_threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

std::size_t n_arm_runs(const CallRecord& call) {
  std::size_t n = 0;
  for (const LoopDecisions& of_branch : call.in_loops) n += of_branch.runs.size();
  return n;
}

/// Drops the older half of a list that is full.
template <class T>
void make_room(std::vector<T>& list, std::size_t most) {
  if (list.size() >= most)
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(most / 2));
}

}  // namespace

void SiteRecord::merge(const SiteRecord& other) {
  if (runs == 0 || (other.runs != 0 && first == 0)) first = other.first;
  runs += other.runs;
  self += other.self;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  merge_fields<SiteCounts>(*this, other);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] += other.classes[i];
}

std::uint64_t SiteRecord::p95() const {
  if (runs < 2) return first;
  std::uint64_t left = (runs - 1) / 20;  // above it
  for (std::uint32_t k = kTickClasses; k-- > 0;) {
    if (classes[k] > left) {
      const std::uint64_t end = (std::uint64_t{16} << (k / 4)) / 4 * (5 + k % 4);
      return std::clamp(end, min, max);
    }
    left -= classes[k];
  }
  return max;
}

Recorder::Recorder(std::shared_ptr<const Program> program,
                   std::shared_ptr<const RecordedProgram> about, RecordOptions options)
    : branches(program->branches.size()),
      regions(about->regions.n_regions),
      demanders(program->bodies.size(), kNone),
      steps(*program, options.events),
      program_(std::move(program)),
      about_(std::move(about)),
      options_(options),
      decisions_(*program_, options.steps),
      looks_(program_->n_nodes, options_.memory ? kMemory : 0) {
  if (options_.times && !about_->shaped.empty()) {
    using Shapes = RecordedProgram::Shapes;
    for (const ProgramNode node : about_->shaped.indices()) {
      if (about_->shaped[node] != Shapes::OfNone) looks_[node] |= kShapes;
      if (about_->shaped[node] == Shapes::OfAll) looks_[node] |= kOutputShapes;
    }
    shapes_of_nodes_.resize(program_->n_nodes);
    shapes_of_nests_.resize(program_->n_nodes);
  }
  have_groups(0);
}

void Recorder::have_groups(std::size_t n) {
  const std::size_t size = first_group(*program_) + n;
  if (sites.size() < size) sites.resize(size);
}

void Recorder::begin_call(std::span<const ArmScript> scripts) {
  scripts_.begin(scripts);
  thread_ = number_of_thread();
  decisions_.clear();
  bodies_.clear();
  call_bytes_ = 0;
  start_laps_ = count;
  last = start_ = Clock::now();
  steps.begin_call(start_, thread_);
}

void Recorder::end_call(bool failed) {
  if (failed) part(CallPart::Machine);
  leave_bodies(0);
  steps.end_call();
  ++n_calls_;
  if (!options_.calls) return;
  make_room(calls_, kMostCalls);
  CallRecord& call = calls_.emplace_back();
  call.start = start_;
  call.elapsed = {options_.times ? last - start_ : 0, count - start_laps_};
  call.thread = thread_;
  call.bytes = call_bytes_;
  call.decisions = decisions_.outside();
  call.in_loops = decisions_.take_in_loops();
  call.failed = failed;
  n_arm_runs_ += n_arm_runs(call);
  while (n_arm_runs_ > kMostArmRuns && calls_.size() > 1) {
    for (std::size_t k = 0; k < calls_.size() / 2; ++k) n_arm_runs_ -= n_arm_runs(calls_[k]);
    make_room(calls_, calls_.size());
  }
}

void Recorder::begin_memory(const Cell* cells, const Operands& operands, bool more) {
  if (!more) given_.clear();
  for (int i = 0; i < operands.n_inputs; ++i) given_.push_back(buffer_of(cells[operands.input(i)]));
}

void Recorder::note_memory(std::uint32_t site, const Cell* cells, const Operands& operands) {
  SiteRecord& record = sites[site];
  for (int j = 0; j < operands.n_outputs; ++j) {
    const Cell& output = cells[operands.output(j)];
    const Buffer* const buffer = buffer_of(output);
    if (buffer == nullptr || std::find(given_.begin(), given_.end(), buffer) != given_.end())
      continue;
    const std::uint64_t bytes = output.array().bytes();
    record.bytes += bytes;
    call_bytes_ += bytes;
  }
  record.peak = std::max<std::uint64_t>(record.peak, MemoryPool::statistics().in_use);
}

void Recorder::look_at_inputs(ProgramNode node, const Cell* cells, const Operands& operands) {
  if ((looks_[node] & kMemory) != 0) begin_memory(cells, operands);
  if ((looks_[node] & kShapes) == 0) return;
  const ShapeTally& tally = shapes_of_nodes_[node];
  const std::int64_t* at = tally.begin();
  int i = 0;
  while (i < operands.n_inputs && has_shape(at, tally.end(), cells[operands.input(i)])) ++i;
  as_before_ = i == operands.n_inputs ? at : nullptr;
  if (as_before_ != nullptr) [[likely]]
    return;
  shapes_.clear();
  for (i = 0; i < operands.n_inputs; ++i) append_shape(shapes_, cells[operands.input(i)]);
}

void Recorder::look_at_outputs(ProgramNode node, const Cell* cells, const Operands& operands) {
  if ((looks_[node] & kMemory) != 0) note_memory(node, cells, operands);
  if ((looks_[node] & kShapes) == 0) return;
  ShapeTally& tally = shapes_of_nodes_[node];
  if (as_before_ != nullptr) [[likely]] {
    if ((looks_[node] & kOutputShapes) == 0) return tally.add_again();
    const std::int64_t* at = as_before_;
    int j = 0;
    while (j < operands.n_outputs && has_shape(at, tally.end(), cells[operands.output(j)])) ++j;
    if (j == operands.n_outputs) [[likely]]
      return tally.add_again();
    shapes_.assign(tally.begin(), as_before_);
  }
  for (int j = 0; j < operands.n_outputs; ++j) append_shape(shapes_, cells[operands.output(j)]);
  tally.add(shapes_);
}

void Recorder::note_nest(ProgramNode first_member, std::span<const std::int64_t> shape,
                         std::uint64_t bytes) {
  shapes_of_nests_[first_member].add(shape, bytes);
}

void Recorder::note_nest_again(ProgramNode first_member, std::span<const std::int64_t> shape) {
  shapes_of_nests_[first_member].add_as_before(shape);
}

[[gnu::cold]] void Recorder::time_run_by_call(std::uint32_t site) { time_run(site); }

void Recorder::note_event(std::uint32_t site, std::uint64_t ticks) {
  const EventRecord event{last, ticks, site, start_, thread_};
  if (events_.size() < kMostEvents)
    events_.push_back(event);
  else
    events_[n_events_ % kMostEvents] = event;
  ++n_events_;
}

void RecordedTotals::add_sites(std::span<const SiteRecord> from) {
  merge_each(sites, from, {}, [](SiteRecord& to, const SiteRecord& other) { to.merge(other); });
}

void RecordedTotals::add_branches(std::span<const BranchRecord> from) {
  merge_each(branches, from, {}, [](BranchRecord& to, const BranchRecord& other) {
    to.evaluated += other.evaluated;
    to.flips += other.flips;
  });
}

void RecordedTotals::add_regions(std::span<const Elapsed> from) {
  merge_each(regions, from, {}, [](Elapsed& to, const Elapsed& other) {
    to.ticks += other.ticks;
    to.laps += other.laps;
  });
}

void RecordedTotals::add_demanders(std::span<const Pc> from) {
  merge_each(demanders, from, Pc(), [](Pc& to, Pc other) {
    if (to == kNone) to = other;
  });
}

void RecordedTotals::add_steps(std::span<const LoopRecord> of_loops,
                               std::span<const ArmsBySteps> of_branches,
                               std::span<const StepRecord> from) {
  merge_each(loops, of_loops, {}, [](LoopRecord& to, const LoopRecord& other) { to.merge(other); });
  merge_each(arms, of_branches, {}, [](ArmsBySteps& to, const ArmsBySteps& other) {
    merge_each(to, std::span(other), std::uint64_t{0},
               [](std::uint64_t& sum, std::uint64_t count) { sum += count; });
  });
  merge_in_order(steps, from, &StepRecord::end);
}

void RecordedTotals::add_calls(std::span<const CallRecord> from) {
  merge_in_order(calls, from, &CallRecord::start);
  const auto kept = std::ranges::lower_bound(calls, kept_from, {}, &CallRecord::start);
  calls.erase(calls.begin(), kept);
}

void RecordedTotals::add_events(std::span<const EventRecord> from) {
  merge_in_order(events, from, &EventRecord::end);
}

void RecordedTotals::add(const Recorder& recorder) {
  add_sites(recorder.sites);
  add_branches(recorder.branches);
  add_regions(recorder.regions);
  add_demanders(recorder.demanders);
  add_steps(recorder.steps.loops(), recorder.steps.arms(), recorder.steps.steps());
  if (!recorder.calls_.empty() && recorder.calls_.size() < recorder.n_calls_)
    kept_from = std::max(kept_from, recorder.calls_.front().start);
  add_calls(recorder.calls_);
  add_events(recorder.events_);
  n_calls += recorder.n_calls_;
  n_events += recorder.n_events_;
  for (const ProgramNode node : recorder.shapes_of_nodes_.indices()) {
    const ShapeCounts& alone = recorder.shapes_of_nodes_[node].counts();
    const ShapeCounts& in_nest = recorder.shapes_of_nests_[node].counts();
    if (!alone.empty()) add_shapes(shapes_of_nodes[node], alone);
    if (!in_nest.empty()) add_shapes(shapes_of_nests[node], in_nest);
  }
}

void RecordedTotals::add(const RecordedTotals& other) {
  add_sites(other.sites);
  add_branches(other.branches);
  add_regions(other.regions);
  add_demanders(other.demanders);
  add_steps(other.loops, other.arms, other.steps);
  kept_from = std::max(kept_from, other.kept_from);
  add_calls(other.calls);
  add_events(other.events);
  n_calls += other.n_calls;
  n_events += other.n_events;
  for (const auto& [node, counts] : other.shapes_of_nodes)
    add_shapes(shapes_of_nodes[node], counts);
  for (const auto& [node, counts] : other.shapes_of_nests)
    add_shapes(shapes_of_nests[node], counts);
}

double ticks_of_lap() {
  if (Clock::is_set()) return 0;
  static const double ticks = [] {
    auto program = std::make_shared<Program>();
    program->code.push_back({});
    program->n_nodes = 1;
    Recorder recorder(program, std::make_shared<RecordedProgram>(), {.times = true});
    std::uint64_t best = ~std::uint64_t{0};
    for (int round = 0; round < 5; ++round) {
      recorder.begin_call();
      const std::uint64_t start = recorder.last;
      for (int i = 0; i < kLapsMeasured; ++i) recorder.lap(0);
      best = std::min(best, recorder.last - start);
    }
    return static_cast<double>(best) / kLapsMeasured;
  }();
  return ticks;
}

}  // namespace thunkvm
