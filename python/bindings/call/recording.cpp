#include "python/bindings/call/recording.h"

#include "linkers/code_regions.h"

#include <utility>

namespace thunkvm {
namespace {

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

void RecordedCalls::add(const RecordedCalls& other) {
  totals.add(other.totals);
  add_each(node_runs, other.node_runs);
  add_each(counters, other.counters);
  changeover += other.changeover;
}

Recording::Recording(const Linked& linked, const RecordOptions& options)
    : options_(options),
      regions_(std::make_shared<CodeRegions>(regions_of(*linked.schedule))),
      pool_(linked.program, [program = linked.program, regions = regions_, options] {
        return std::make_unique<Recorder>(program, regions, options);
      }) {}

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
  return result;
}

}  // namespace thunkvm
