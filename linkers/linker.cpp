#include "linkers/linker.h"

#include "linkers/passes/limits.h"
#include "linkers/passes/needs_ahead.h"
#include "linkers/passes/reduction_order.h"
#include "linkers/passes/segments.h"
#include "linkers/schedule/assembler.h"
#include "linkers/schedule/body_contents.h"
#include "linkers/schedule/joined_branches.h"
#include "linkers/schedule/lifetimes.h"
#include "linkers/schedule/lowering.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"
#include "vm/verify/verifier.h"

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

#ifdef NDEBUG
constexpr bool kVerifyAlways = false;
#else
constexpr bool kVerifyAlways = true;
#endif

// Names for people, made when they ask.
class ScheduleNames final : public ProgramText {
 public:
  explicit ScheduleNames(std::shared_ptr<const Schedule> schedule)
      : schedule_(std::move(schedule)) {}
  std::string node(ProgramNode node) const override { return schedule_->node_name(node); }
  std::string register_name(std::uint32_t index) const override {
    return schedule_->register_name(index);
  }

 private:
  const std::shared_ptr<const Schedule> schedule_;
};

ThunkCode choose(Apply& node, const LinkOptions& options) {
  for (const ThunkSource& source : options.sources)
    if (ThunkCode code = source(node)) return code;
  throw Error(ErrorKind::NotImplemented,
              "[" + node.op()->name() + "] has no thunk that this mode can run (node " +
                  node.output(0).text() +
                  (node.origin_text().empty() ? "" : ", made at " + node.origin_text()) + "); " +
                  options.advice);
}

void check_inputs(const FunctionGraph& function, const FlatGraph& graph) {
  std::vector<std::uint8_t> given(graph.nodes.size(), 0);
  for (const Variable& v : function.inputs)
    if (const std::uint32_t index = graph.nodes.of(*v.node()); index != NodeIndex::kAbsent)
      given[index] = 1;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (const OpenLoopOp* loop = graph.loop(n))
      for (std::uint32_t i = 0; i < loop->n_states(); ++i)
        given[graph.node_of[graph.input(n, loop->state(i))]] = 1;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n]->leaf() == Leaf::Input && given[n] == 0)
      throw Error(ErrorKind::Value,
                  "the function needs the input " + graph.nodes[n]->output(0).text() +
                      ", which is not among its inputs; add it, or give it a value with givens");
}

FlatGraph flatten(const FunctionGraph& function, const LinkOptions& options) {
  std::vector<Variable> roots = function.outputs;
  // A leaf is always there: an update by one is committed, whether it was marked or not.
  for (const Update& u : function.updates)
    if (!u.if_computed || u.value.is_leaf()) roots.push_back(u.value);
  FlatGraph graph(topological_order(roots));
  const std::size_t n = graph.nodes.size();
  if (n >= 0x7fffffffu) throw Error(ErrorKind::Value, "a function has at most 2,147,483,646 nodes");
  check_inputs(function, graph);
  for (const Variable& v : roots) graph.outputs.push_back(graph.value(v));
  for (const Update& u : function.updates) {
    if (!u.if_computed || u.value.is_leaf()) continue;
    const bool there = graph.nodes.contains(*u.value.node());
    graph.conditional_updates.push_back(there ? graph.value(u.value) : kNone);
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (!graph.is_leaf(i) && graph.conditional(i) == nullptr && graph.loop(i) == nullptr) {
      poll_interrupt();
      graph.thunks[i] = choose(*graph.nodes[i], options);
    }
  return graph;
}

}  // namespace

void Linked::each_variable(const std::function<void(const Variable&)>& visit) const {
  for (const Variable& v : schedule->nodes) visit(v);
  for (const Variable& v : schedule->registers)
    if (v) visit(v);
}

ThunkCode native_thunk(const Apply& node) { return node.op()->kernel(node); }

namespace {

/// The inputs that die. Whatever is kept, runs by need or is watched knows no last use, or leaves
/// its inputs as they are.
std::span<const std::uint32_t> mutable_inputs(const LinkOptions& options) {
  if (!options.placed || options.retain_intermediates || options.traced) return {};
  return options.mutable_inputs;
}

Schedule make_schedule(const FunctionGraph& function, const FlatGraph& graph,
                       const LinkOptions& options) {
  if (!options.placed) return lower_by_need(function, graph, options.retain_intermediates);
  const Placement placement = place(graph);
  Schedule schedule = lower(function, graph, placement, join_branches(graph, placement),
                            options.retain_intermediates);
  if (options.emits) run_reductions_early(schedule);
  if (!options.retain_intermediates) let_go(schedule, placement.regions, mutable_inputs(options));
  if (options.emits) run_needs_ahead(schedule);
  return schedule;
}

}  // namespace

Linked link(const FunctionGraph& function, const LinkOptions& options) {
  const FlatGraph graph = flatten(function, options);
  auto schedule = std::make_shared<Schedule>(make_schedule(function, graph, options));
  if (options.scheduled) options.scheduled(*schedule);
  if (options.emits) divide_into_segments(*schedule, options.one_by_one ? 1 : kSegmentThunks);
  std::vector<const ThunkCode*> thunks;
  thunks.reserve(schedule->nodes.size());
  Linked linked;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Apply& node = *graph.nodes[n];
    if (node.leaf() == Leaf::None) thunks.push_back(&graph.thunks[n]);
    if (node.leaf() == Leaf::Shared)
      linked.shared.emplace_back(&graph.nodes[n]->output(0).shared_value());
  }
  for (const Update& u : function.updates) linked.targets.push_back(u.target);
  auto program = std::make_shared<Program>(assemble(*schedule, thunks, options.traced));
  program->text = std::make_shared<ScheduleNames>(schedule);
  program->contents = contents_of(schedule);
  const std::span<const std::uint32_t> written = mutable_inputs(options);
  program->mutable_inputs.assign(written.begin(), written.end());
  linked.schedule = std::move(schedule);
  // THUNKVM_VERIFY=1 checks every program of a release build too; the tests set it.
  static const char* const asked = std::getenv("THUNKVM_VERIFY");
  static const bool verifies =
      kVerifyAlways || (asked != nullptr && std::string_view(asked) != "0");
  if (verifies) verify(*program);
  linked.verified = verifies;
  linked.program = std::move(program);
  return linked;
}

}  // namespace thunkvm
