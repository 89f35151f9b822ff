#include "vm/recorder.h"

#include "thunks/memory_pool.h"
#include "vm/limits.h"

#include <functional>
#include <thread>
#include <type_traits>

namespace thunkvm {
namespace {

/// Where an array's elements are; null of a number.
const Buffer* buffer_of(const Cell& cell) {
  return cell.is_array() ? cell.body()->buffer : nullptr;
}

/// `to` gets at least as many elements as `from` has, and then `merge(to[i], from[i])`.
template <class T, class Merge>
void merge_each(std::vector<T>& to, const std::vector<T>& from, const std::type_identity_t<T>& none,
                const Merge& merge) {
  if (to.size() < from.size()) to.resize(from.size(), none);
  for (std::size_t i = 0; i < from.size(); ++i) merge(to[i], from[i]);
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
  suspended += other.suspended;
  failed += other.failed;
  bytes += other.bytes;
  peak = std::max(peak, other.peak);
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
                   std::shared_ptr<const CodeRegions> regions, RecordOptions options)
    : program_(std::move(program)),
      regions_(std::move(regions)),
      options_(options),
      branch_records_(program_->branches.size()),
      region_records_(regions_->n_regions),
      decision_records_(program_->branches.size()),
      demander_records_(program_->memos.size(), kNone) {
  branches = branch_records_.data();
  Laps::regions = region_records_.data();
  decisions = decision_records_.data();
  demanders = demander_records_.data();
  max_decisions = static_cast<std::uint32_t>(decision_records_.size());
  times = options.times ? 1 : 0;
  if (options.events) more = note_event;
  have_groups(0);
}

void Recorder::have_groups(std::size_t n) {
  const std::size_t size = first_group(*program_) + n;
  if (site_records_.size() < size) site_records_.resize(size);
  sites = site_records_.data();
}

void Recorder::begin_call(std::span<const std::uint32_t> forced) {
  for (std::size_t i = 0; i < forced.size(); ++i) branches[i].forced = forced[i];
  clock = Clock::read();
  thread_ = std::hash<std::thread::id>()(std::this_thread::get_id());
  n_decisions = 0;
  waited_ = 0;
  bodies_.clear();
  call_bytes_ = 0;
  start_laps_ = count;
  last = start_ = Clock::now();
}

void Recorder::end_call(bool failed) {
  if (failed) part(CallPart::Machine);
  leave_bodies(0);
  ++n_calls_;
  if (!options_.calls) return;
  make_room(calls_, kMaxCalls);
  CallRecord& call = calls_.emplace_back();
  call.start = start_;
  call.elapsed = {times == 0 ? 0 : last - start_, count - start_laps_};
  call.thread = thread_;
  call.bytes = call_bytes_;
  call.decisions.assign(decisions, decisions + n_decisions);
  call.failed = failed;
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

void Recorder::note_event(Laps* laps, std::uint32_t site, std::uint64_t ticks) {
  Recorder& recorder = static_cast<Recorder&>(*laps);
  const EventRecord event{recorder.last, ticks, site, recorder.start_, recorder.thread_};
  if (recorder.events_.size() < kMaxEvents)
    recorder.events_.push_back(event);
  else
    recorder.events_[recorder.n_events_ % kMaxEvents] = event;
  ++recorder.n_events_;
}

void RecordedTotals::add(const Recorder& recorder) {
  RecordedTotals other;
  other.sites = recorder.site_records_;
  other.branches = recorder.branch_records_;
  other.regions = recorder.region_records_;
  other.demanders = recorder.demander_records_;
  other.calls = recorder.calls_;
  other.events = recorder.events_;
  other.n_calls = recorder.n_calls_;
  other.n_events = recorder.n_events_;
  add(other);
}

void RecordedTotals::add(const RecordedTotals& other) {
  merge_each(sites, other.sites, {},
             [](SiteRecord& to, const SiteRecord& from) { to.merge(from); });
  merge_each(branches, other.branches, {}, [](BranchRecord& to, const BranchRecord& from) {
    to.evaluated += from.evaluated;
    to.flips += from.flips;
  });
  merge_each(regions, other.regions, {}, [](Elapsed& to, const Elapsed& from) {
    to.ticks += from.ticks;
    to.laps += from.laps;
  });
  merge_each(demanders, other.demanders, kNone, [](std::uint32_t& to, std::uint32_t from) {
    if (to == kNone) to = from;
  });
  calls.insert(calls.end(), other.calls.begin(), other.calls.end());
  std::stable_sort(calls.begin(), calls.end(),
                   [](const CallRecord& a, const CallRecord& b) { return a.start < b.start; });
  events.insert(events.end(), other.events.begin(), other.events.end());
  std::stable_sort(events.begin(), events.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.end < b.end; });
  n_calls += other.n_calls;
  n_events += other.n_events;
}

double ticks_of_lap() {
  if (Clock::is_set()) return 0;
  static const double ticks = [] {
    auto program = std::make_shared<Program>();
    program->code.push_back({});
    program->n_nodes = 1;
    Recorder recorder(program, std::make_shared<CodeRegions>(), {.times = true});
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
