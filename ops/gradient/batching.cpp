// batching.cpp: batching of whole graphs.
#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/gradient/loops.h"
#include "ops/graph/array_op.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <string>
#include <unordered_map>

namespace thunkvm {
namespace {

// The outputs of a conditional for a batch; null where no arm has one. Where one arm has, the
// others' values are repeated `length` times, each in its own arm: none asks another how long the
// batch is, since at most one of them is computed.
std::vector<Variable> batch_conditional(Apply& node, const Conditional& spec,
                                        std::span<const Variable> inputs,
                                        const std::vector<bool>& batched, const Variable& length) {
  if (batched[0])
    throw Error(ErrorKind::NotImplemented,
                "[" + node.op()->name() + "] cannot branch on a batch of selectors; use where()");
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
  // What a loop for the batch computes and is the same in all examples, and what is made of it.
  std::unordered_map<Variable, Variable, VariableHash> in_common;
  for (Apply* node : topological_order(roots)) {
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
    if (given || (!any && !renewed)) continue;
    if (!any) {
      const std::vector<Variable> outputs = node->op()->call(inputs);
      for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
        in_common.emplace(node->output(j), outputs[j]);
      continue;
    }
    poll_interrupt();
    const Conditional* spec = node->op()->conditional();
    const LoopOp* const loop = closed_loop(*node);
    const auto n_examples = [&] { return length ? length : length_of(to.front(), 0); };
    if (loop != nullptr) {
      const Batched outputs = batch_loop(*loop, inputs, flags, n_examples());
      for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
        (outputs.batched[j] ? batched : in_common).emplace(node->output(j), outputs.roots[j]);
      continue;
    }
    const std::vector<Variable> outputs =
        spec != nullptr ? batch_conditional(*node, *spec, inputs, flags, n_examples())
                        : node->op()->batch(*node, inputs, flags);
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
      if (outputs[j]) batched.emplace(node->output(j), outputs[j]);
  }
  Batched result;
  for (const Variable& root : roots) {
    const auto found = batched.find(root), same = in_common.find(root);
    result.batched.push_back(found != batched.end());
    result.roots.push_back(found != batched.end()    ? found->second
                           : same != in_common.end() ? same->second
                                                     : root);
  }
  return result;
}

}  // namespace thunkvm
