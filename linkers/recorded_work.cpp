#include "linkers/recorded_work.h"

#include "ops/graph/op.h"
#include "ops/graph/work.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thunkvm {
namespace {

using Shapes = std::vector<Dims>;

std::size_t n_operands(const Apply& node) {
  return static_cast<std::size_t>(node.n_inputs()) + node.n_outputs();
}
const Type& operand_type(const Apply& node, std::size_t i) {
  const auto n_inputs = static_cast<std::size_t>(node.n_inputs());
  return i < n_inputs ? node.input(static_cast<int>(i)).type()
                      : node.output_type(static_cast<std::uint32_t>(i - n_inputs));
}

/// The shapes of a node's operands in a nest of this shape.
Shapes shapes_in_nest(const Apply& node, Dims shape) {
  Shapes shapes(n_operands(node));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (has_axes(operand_type(node, i))) shapes[i] = shape;
  return shapes;
}

/// The shapes that ShapeCounts has one after the other; an operand without one has no axes.
Shapes unpacked(Dims flat) {
  Shapes shapes;
  for (std::size_t at = 0; at < flat.size();) {
    const std::size_t ndim = flat[at] == kNoShape ? 0 : static_cast<std::size_t>(flat[at]);
    shapes.push_back(flat.subspan(at + 1, ndim));
    at += 1 + ndim;
  }
  return shapes;
}

/// The work of some runs of a node; none of an Op that states none.
Work work_of(const Apply& node, const Shapes& shapes, std::uint64_t runs) {
  const auto* const op = dynamic_cast<const StatesWork*>(node.op());
  if (op == nullptr || !op->states_work()) return {};
  const OperandShapes all = shapes;
  const OperandShapes inputs = all.first(static_cast<std::size_t>(node.n_inputs())),
                      outputs = all.subspan(inputs.size());
  const auto times = static_cast<double>(runs);
  return {times * op->flops(node, inputs, outputs), times * op->bytes_moved(node, inputs, outputs)};
}

}  // namespace

void add_work(RecordingReport& report, const ShapesByNode& of_nodes, const ShapesByNode& of_nests,
              const Schedule& schedule) {
  const std::vector<NativeGroup>& groups = report.groups;
  const auto node_of = [&](ProgramNode i) -> const Apply& { return *schedule.nodes[i].node(); };
  for (const ProgramNode i : schedule.nodes.indices())
    if (report.sites[i].runs != 0 && !has_axes(node_of(i)))
      merge_fields<Work>(report.sites[i],
                         work_of(node_of(i), Shapes(n_operands(node_of(i))), report.sites[i].runs));
  for (const auto& [i, counts] : of_nodes)
    for (const auto& [flat, counted] : counts)
      merge_fields<Work>(report.sites[i], work_of(node_of(i), unpacked(flat), counted.runs));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    double moved = 0;
    for (const ProgramNode first : groups[g].nodes) {
      const auto found = of_nests.find(first);
      if (found == of_nests.end()) continue;
      for (const auto& [shape, counted] : found->second) {
        if (groups[g].kind == GroupKind::Nest) moved += static_cast<double>(counted.bytes);
        for (const ProgramNode i : groups[g].nodes)
          report.sites[i].flops +=
              work_of(node_of(i), shapes_in_nest(node_of(i), shape), counted.runs).flops;
      }
    }
    SiteRow& site = report.sites[report.first_group + g];
    for (const ProgramNode i : groups[g].nodes) {
      report.sites[i].bytes_moved += moved / static_cast<double>(groups[g].nodes.size());
      merge_fields<Work>(site, report.sites[i]);
    }
  }
}

}  // namespace thunkvm
