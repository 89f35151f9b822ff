#include "linkers/linker.h"

#include "linkers/fold_order.h"
#include "linkers/lowering.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"
#include "thunks/log.h"
#include "vm/verify/verifier.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace thunkvm {
namespace {

#ifdef NDEBUG
constexpr bool kVerifyAlways = false;
#else
constexpr bool kVerifyAlways = true;
#endif

// Names for people, made when they ask. Holds the graph.
class GraphText final : public ProgramText {
 public:
  GraphText(std::vector<Variable> nodes, std::vector<Variable> registers)
      : nodes_(std::move(nodes)), registers_(std::move(registers)) {}
  std::string node(std::uint32_t node) const override {
    return nodes_[node].node()->op()->name() + "." + std::to_string(node);
  }
  std::string register_name(std::uint32_t index) const override {
    const Variable& v = index < registers_.size() ? registers_[index] : Variable();
    if (v && (v.is_leaf() || !v.name().empty())) return v.text();
    return "t" + std::to_string(index);
  }
  void each_variable(const std::function<void(const Variable&)>& visit) const {
    for (const Variable& v : nodes_) visit(v);
    for (const Variable& v : registers_)
      if (v) visit(v);
  }

 private:
  std::vector<Variable> nodes_, registers_;
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
  for (const Variable& v : function.inputs) {
    const std::uint64_t index = v.node()->mark & 0xffffffffu;
    if (index < graph.nodes.size() && graph.nodes[index] == v.node()) given[index] = 1;
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n]->leaf() == Leaf::Input && given[n] == 0)
      throw Error(ErrorKind::Value,
                  "the function needs the input " + graph.nodes[n]->output(0).text() +
                      ", which is not among its inputs; add it, or give it a value with givens");
}

FlatGraph flatten(const FunctionGraph& function, const LinkOptions& options) {
  FlatGraph graph;
  std::vector<Variable> roots = function.outputs;
  // A leaf is always there: an update by one is committed, whether it was marked or not.
  for (const Update& u : function.updates)
    if (!u.if_computed || u.value.is_leaf()) roots.push_back(u.value);
  graph.nodes = topological_order(roots);
  fold_early(graph.nodes);
  const std::size_t n = graph.nodes.size();
  if (n >= 0x7fffffffu) throw Error(ErrorKind::Value, "a function has at most 2,147,483,646 nodes");
  check_inputs(function, graph);
  graph.first_value.reserve(n + 1);
  graph.thunks.resize(n);
  std::uint32_t values = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    graph.first_value.push_back(values);
    values += graph.nodes[i]->n_outputs();
    graph.node_of.resize(values, i);
    if (graph.nodes[i]->n_inputs() > UINT16_MAX || graph.nodes[i]->n_outputs() > UINT16_MAX)
      throw Error(ErrorKind::Value,
                  "[" + graph.nodes[i]->op()->name() + "] has more than 65,535 inputs or outputs");
  }
  graph.first_value.push_back(values);
  for (const Variable& v : roots) graph.outputs.push_back(graph.value(v));
  for (const Update& u : function.updates) {
    if (!u.if_computed || u.value.is_leaf()) continue;
    const std::uint64_t index = u.value.node()->mark & 0xffffffffu;
    const bool there = index < n && graph.nodes[index] == u.value.node();
    graph.watched.push_back(there ? graph.value(u.value) : kNoIndex);
  }
  // Thunks come last: making one may run code of the host, which may walk graphs and change marks.
  const std::vector<Apply*> nodes = graph.nodes;
  for (std::uint32_t i = 0; i < n; ++i)
    if (nodes[i]->leaf() == Leaf::None && nodes[i]->op()->conditional() == nullptr) {
      poll_interrupt();
      graph.thunks[i] = choose(*nodes[i], options);
    }
  for (std::uint32_t i = 0; i < n; ++i) nodes[i]->mark = i;
  return graph;
}

}  // namespace

void Linked::each_variable(const std::function<void(const Variable&)>& visit) const {
  for (const Variable& v : nodes) visit(v);
  for (const Variable& v : registers)
    if (v) visit(v);
  static_cast<const GraphText&>(*program->text).each_variable(visit);
}

ThunkCode native_thunk(const Apply& node) { return node.op()->kernel(node); }

Linked link(const FunctionGraph& function, const LinkOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const FlatGraph graph = flatten(function, options);
  Assembler assembler(graph, options.keep, options.traced, options.segment);
  if (options.placed) {
    Placement placement = place(graph);
    lower(graph, placement, lifetimes(graph, placement), options.keep, assembler);
  } else {
    lower_by_need(graph, options.keep, assembler);
  }

  Linked linked;
  for (const Update& u : function.updates) linked.targets.push_back(u.target);
  for (Apply* node : graph.nodes)
    if (node->leaf() == Leaf::None) linked.nodes.push_back(node->output(0));
  std::vector<Variable> registers;
  auto program = std::make_shared<Program>(assembler.finish(function, linked.shared));
  registers.resize(program->n_registers);
  for (Value v = 0; v < graph.n_values(); ++v)
    if (const std::uint32_t r = assembler.known_register(v); r != kNone && !registers[r])
      registers[r] = graph.nodes[graph.node_of[v]]->output(v - graph.first_value[graph.node_of[v]]);
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    if (!registers[program->inputs[i]]) registers[program->inputs[i]] = function.inputs[i];
  program->text = std::make_shared<GraphText>(linked.nodes, registers);
  linked.registers = std::move(registers);
  // THUNKVM_VERIFY=1 checks every program of a release build too; the tests set it.
  static const bool verify_asked = std::getenv("THUNKVM_VERIFY") != nullptr;
  if (kVerifyAlways || verify_asked) verify(*program);
  log().debug(
      "linked {} nodes: {} instructions, {} thunks, {} branches, {} memo bodies, {} lazy thunks, "
      "in {:.3f} ms",
      program->n_nodes, program->code.size(), program->steps.size(), program->branches.size(),
      program->memos.size(), program->lazies.size(),
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  linked.program = std::move(program);
  return linked;
}

}  // namespace thunkvm
