#include "linkers/recording.h"

#include "linkers/schedule/code_regions.h"
#include "ops/graph/op.h"
#include "ops/graph/work.h"

#include <algorithm>
#include <utility>

namespace thunkvm {
namespace {

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

PlanOptions profiled(PlanOptions emission) {
  emission.profiled = true;
  return emission;
}

/// By node, which shapes what its runs do depends on. Not those of lazy thunks, nor of numbers
/// alone.
IndexedVector<ProgramNode, RecordedProgram::Shapes> shaped_nodes(const Schedule& schedule) {
  using Shapes = RecordedProgram::Shapes;
  IndexedVector<ProgramNode, Shapes> shaped(schedule.nodes.size(), Shapes::OfNone);
  for (const ProgramNode i : shaped.indices()) {
    const Apply& node = *schedule.nodes[i].node();
    const auto* const op = dynamic_cast<const StatesWork*>(node.op());
    if (op != nullptr && op->states_work() && has_axes(node))
      shaped[i] = op->shapes_follow() ? Shapes::OfInputs : Shapes::OfAll;
  }
  for (const ScheduledLazy& lazy : schedule.lazies) shaped[lazy.node] = Shapes::OfNone;
  return shaped;
}

}  // namespace

void RecordedCalls::add(const RecordedCalls& other) {
  totals.add(other.totals);
  add_each(node_runs, other.node_runs);
  add_each(counters, other.counters);
  changeover += other.changeover;
}

Recording::Recording(const Linked& linked, const RecordOptions& options, CompileWhen when,
                     PlanOptions emission)
    : options_(options),
      program_(linked.program),
      about_(std::make_shared<RecordedProgram>(regions_of(*linked.schedule),
                                               shaped_nodes(*linked.schedule))),
      pool_(linked.program,
            [program = linked.program, about = about_, options] {
              return std::make_unique<Recorder>(program, about, options);
            }),
      compilation_(linked, when, profiled(emission)) {}

void Recording::follow() {
  if (!compilation_.waits()) return;
  const std::uint64_t before = Clock::now();
  compilation_.follow();
  if (compilation_.ready() != nullptr)
    taken_over_.changeover +=
        static_cast<double>(Clock::now() - before) * Clock::seconds_per_tick();
}

std::uint64_t Recording::n_calls() {
  std::uint64_t n = taken_over_.totals.n_calls;
  pool_.each_idle([&](Frame& frame) { n += frame.recorder()->n_calls(); });
  return n;
}

RecordedCalls Recording::recorded() {
  RecordedCalls result = taken_over_;
  pool_.each_idle([&](Frame& frame) { result.totals.add(*frame.recorder()); });
  add_each(result.node_runs, pool_.node_runs());
  add_each(result.counters, pool_.counters());
  RecordedTotals& totals = result.totals;
  totals.sites.resize(std::max<std::size_t>(totals.sites.size(), Recorder::first_group(*program_)));
  totals.branches.resize(program_->branches.size());
  totals.regions.resize(regions().n_regions);
  totals.demanders.resize(program_->bodies.size(), kNone);
  result.node_runs.resize(program_->n_nodes);
  result.counters.resize(program_->n_counters);
  return result;
}

void Recordings::add(std::shared_ptr<Recording> recording) {
  all_.push_back(std::move(recording));
  latest_ = all_.back();
}

void Recordings::stop(const std::shared_ptr<Recording>& recording, Host& host) {
  const auto at = std::find(all_.begin(), all_.end(), recording);
  if (at == all_.end()) return;
  RecordedCalls recorded = recording->recorded();
  if (at != all_.begin()) {
    (*(at - 1))->take_over(recorded);
  } else {
    stopped_.add({.totals = {}, .node_runs = recorded.node_runs, .counters = recorded.counters});
  }
  // Those above it recorded calls of its time, too.
  for (auto above = at + 1; above != all_.end(); ++above)
    recording->take_over((*above)->recorded());
  const std::shared_ptr<Recording> held = *at;
  all_.erase(at);
  latest_ = all_.empty() ? nullptr : all_.back();
  held->compilation().stop(host);  // which may let another thread in
}

void Recordings::stop_compiling(Host& host) {
  for (const std::shared_ptr<Recording>& recording : all_) recording->compilation().stop(host);
}

std::vector<std::uint64_t> Recordings::counts(FramePool& own,
                                              std::vector<std::uint64_t> RecordedCalls::* which) {
  RecordedCalls all = stopped_;
  all.add({.totals = {}, .node_runs = own.node_runs(), .counters = own.counters()});
  for (const std::shared_ptr<Recording>& recording : all_) all.add(recording->recorded());
  std::vector<std::uint64_t>& result = all.*which;
  const std::vector<std::uint64_t>& before = reset_at_.*which;
  for (std::size_t i = 0; i < before.size(); ++i) result[i] -= before[i];
  return std::move(result);
}

void Recordings::reset_counters(FramePool& own) {
  own.reset_counters();
  stopped_ = {};
  reset_at_ = {};
  for (const std::shared_ptr<Recording>& recording : all_) reset_at_.add(recording->recorded());
}

}  // namespace thunkvm
