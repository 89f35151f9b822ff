// batching.cpp: batching of whole graphs.
#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/gradient/lanes.h"
#include "ops/gradient/loops.h"
#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace thunkvm {
namespace {

// The outputs of a conditional for a batch that takes one arm; null where no arm has one. Where one
// arm has, the others' values are repeated `length` times, each in its own arm: none asks another
// how long the batch is, since at most one of them is computed.
std::vector<Variable> batch_conditional(const Conditional& spec, std::span<const Variable> inputs,
                                        const std::vector<bool>& batched, const Variable& length) {
  std::vector<std::uint32_t> outputs;
  for (std::uint32_t j = 0; j < spec.n_outputs; ++j)
    for (std::uint32_t a = 0; a < spec.n_arms; ++a)
      if (batched[spec.arm_input(a, j)]) {
        outputs.push_back(j);
        break;
      }
  std::vector<std::vector<Variable>> arms(spec.n_arms);
  for (std::uint32_t a = 0; a < spec.n_arms; ++a)
    for (const std::uint32_t j : outputs) {
      const std::uint32_t i = spec.arm_input(a, j);
      arms[a].push_back(batched[i] ? inputs[i] : repeat_batch(inputs[i], length));
    }
  const std::vector<Variable> values = conditional(inputs[0], spec.decoding, arms);
  std::vector<Variable> result(spec.n_outputs);
  for (std::size_t k = 0; k < outputs.size(); ++k) result[outputs[k]] = values[k];
  return result;
}

// A node's outputs for a batch: by the rule of its Op, else one example after the other.
std::vector<Variable> batch_node(Apply& node, std::span<const Variable> inputs,
                                 const std::vector<bool>& batched,
                                 const std::function<Variable()>& length) {
  try {
    return node.op()->batch(node, inputs, batched);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::NotImplemented) throw;
  }
  return for_each_example(length(), [&](const Variable& example) {
    return node.op()->call(rows_of(inputs, batched, example));
  });
}

// The answer to a node that asks for lengths: that of one example.
Variable answer_for_example(Apply& node, const ShapeQuery& query, std::span<const Variable> inputs,
                            const std::vector<bool>& batched) {
  std::vector<Extents> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(extents_of(inputs[i]));
    if (batched[i]) shapes.back().erase(shapes.back().begin());
  }
  return query.answer(node, shapes);
}

}  // namespace

Batched vectorize(std::span<const Variable> roots, std::span<const Variable> from,
                  std::span<const Variable> to, const Variable& length) {
  std::unordered_map<Variable, Variable, VariableHash> batched;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i].ndim() != from[i].ndim() + 1)
      throw Error(ErrorKind::Value,
                  "vectorize: " + to[i].text() + " has " + std::to_string(to[i].ndim()) +
                      " dimensions, but it has to have one more than " + from[i].text() +
                      ", which has " + std::to_string(from[i].ndim()));
    batched.emplace(from[i], to[i]);
  }
  VariableSet differing(from.begin(), from.end());
  const std::vector<Variable> laned = with_lanes(roots, differing);
  // What a loop for the batch computes and is the same in all examples, and what is made of it.
  std::unordered_map<Variable, Variable, VariableHash> in_common;
  const std::function<Variable()> n_examples = [&] {
    return length ? length : length_of(to.front(), 0);
  };
  for (Apply* node : topological_order(laned)) {
    if (node->leaf() != Leaf::None) continue;
    std::vector<Variable> inputs;
    std::vector<bool> flags;
    bool any = false, renewed = false, given = true;
    for (const Variable& input : node->inputs()) {
      const auto found = batched.find(input);
      const auto same = in_common.find(input);
      flags.push_back(found != batched.end());
      any = any || flags.back();
      renewed = renewed || same != in_common.end();
      inputs.push_back(flags.back()              ? found->second
                       : same != in_common.end() ? same->second
                                                 : input);
    }
    for (const Variable& output : node->outputs()) given = given && batched.contains(output);
    const auto* const lane = dynamic_cast<const LaneOp*>(node->op());
    if (given || (!any && !renewed && lane == nullptr)) continue;
    const auto keep = [&](auto& kept, std::span<const Variable> outputs) {
      for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
        if (outputs[j]) kept.emplace(node->output(j), outputs[j]);
    };
    if (!any) {
      keep(in_common, lane != nullptr ? lane->outputs_for(inputs) : node->op()->call(inputs));
      continue;
    }
    poll_interrupt();
    if (const ShapeQuery* const query = node->op()->shape_query()) {
      in_common.emplace(node->output(0), answer_for_example(*node, *query, inputs, flags));
    } else if (const LoopOp* const loop = closed_loop(*node)) {
      const Batched outputs = batch_loop(*loop, inputs, flags, n_examples());
      for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
        (outputs.batched[j] ? batched : in_common).emplace(node->output(j), outputs.roots[j]);
    } else if (lane != nullptr) {
      keep(batched, for_each_example(n_examples(), [&](const Variable& example) {
             return lane->outputs_for(rows_of(inputs, flags, example));
           }));
    } else if (const Conditional* const spec = node->op()->conditional()) {
      keep(batched, batch_conditional(*spec, inputs, flags, n_examples()));
    } else {
      keep(batched, batch_node(*node, inputs, flags, n_examples));
    }
  }
  Batched result;
  for (const Variable& root : laned) {
    const auto found = batched.find(root), same = in_common.find(root);
    result.batched.push_back(found != batched.end());
    result.roots.push_back(found != batched.end()    ? found->second
                           : same != in_common.end() ? same->second
                                                     : root);
  }
  return result;
}

}  // namespace thunkvm
