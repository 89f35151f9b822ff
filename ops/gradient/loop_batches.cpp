#include "ops/gradient/gradient.h"
#include "ops/gradient/lanes.h"
#include "ops/gradient/loops.h"
#include "ops/graph/array_op.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace thunkvm {
namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;

/// A leaf for a batch of values of a type.
Variable batch_of(const Variable& v) {
  StaticShape shape = {kUnknownLength};
  shape.insert(shape.end(), v.static_shape().begin(), v.static_shape().end());
  return Variable::input(TensorType::of(v.dtype(), shape), v.name());
}

/// The first two axes change places.
Variable swapped(const Variable& x) {
  Axes axes(static_cast<std::size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[0], axes[1]);
  return transpose(x, axes);
}

class LoopBatch {
 public:
  LoopBatch(const LoopOp& op, std::span<const Variable> inputs, const std::vector<bool>& batched,
            const Variable& length)
      : op_(op), body_(op.body()), inputs_(inputs), length_(length) {
    const auto n_states = static_cast<std::ptrdiff_t>(body_.states.size());
    states_.assign(batched.begin(), batched.begin() + n_states);
    captures_.assign(batched.begin() + n_states, batched.end());
  }

  Batched run() {
    while (const std::optional<Batched> step = batched_step())
      if (step->batched[0] || (body_.limit && step->batched[1]))
        return one_after_the_other();
      else if (!grows(*step))
        return in_common(*step);
    return {};
  }

 private:
  /// A step of the batch, as far as its states are batched now.
  std::optional<Batched> batched_step() {
    from_.clear();
    to_.clear();
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i]) add(body_.states[i], batch_of(body_.states[i]));
    for (std::size_t j = 0; j < captures_.size(); ++j)
      if (captures_[j]) add(body_.captures[j], batch_of(body_.captures[j]));
    return vectorize(body_.values(), from_, to_, n_examples_);
  }
  void add(const Variable& from, const Variable& to) {
    from_.push_back(from);
    to_.push_back(to);
  }
  /// Whether more states differ between examples.
  bool grows(const Batched& step) {
    bool grows = false;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (step.batched[first_next_ + i] && !states_[i]) states_[i] = grows = true;
    return grows;
  }

  /// All examples take the same steps.
  Batched in_common(const Batched& step) {
    const std::size_t n_states = states_.size();
    Pairs inside = {{n_examples_, length_}};
    std::vector<Variable> firsts;
    std::vector<Variable> fresh_states;
    std::size_t at = 0;  // in `to_`
    for (std::size_t i = 0; i < n_states; ++i) {
      const Variable leaf = states_[i] ? to_[at++] : body_.states[i];
      const Variable fresh = leaf_like(leaf);
      inside.emplace_back(leaf, fresh);
      fresh_states.push_back(fresh);
      const bool repeats = states_[i] && inputs_[i].ndim() == body_.states[i].ndim();
      firsts.push_back(repeats ? repeat_batch(inputs_[i], length_) : inputs_[i]);
    }
    for (std::size_t j = 0; j < captures_.size(); ++j)
      inside.emplace_back(captures_[j] ? to_[at++] : body_.captures[j], inputs_[n_states + j]);
    std::vector<Variable> roots = step.roots;
    for (std::size_t i = 0; i < n_states; ++i)
      if (states_[i] && !step.batched[first_next_ + i])
        roots[first_next_ + i] = repeat_batch(roots[first_next_ + i], n_examples_);
    auto* const body = new LoopBody;
    const Ref<const LoopBody> held(body);
    body->name = body_.name;
    body->states = fresh_states;
    body->limit = body_.limit;
    body->nexts.resize(n_states);
    body->collected.resize(body_.collected.size());
    body->n_for_gradients = body_.n_for_gradients;
    body->set_values(substitute(roots, inside));
    const std::vector<Variable> outputs = make_loop(*body, firsts);
    const LoopOutputs place = op_.outputs();
    Batched result{outputs, std::vector<bool>(place.size())};
    const auto differs = [&](std::uint32_t output) { result.batched[output] = true; };
    const auto keeps = [&](std::uint32_t output) {
      differs(output);
      result.roots[output] = swapped(outputs[output]);
    };
    for (std::uint32_t i = 0; i < n_states; ++i) {
      if (!states_[i]) continue;
      differs(place.last(i));
      keeps(place.history(i));
    }
    for (std::uint32_t j = 0; j < place.n_collected; ++j)
      if (step.batched[first_next_ + n_states + j]) keeps(place.collected(j));
    return result;
  }

  /// Each example takes the steps that it takes.
  Batched one_after_the_other() {
    std::vector<bool> batched;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Variable& leaf =
          i < body_.states.size() ? body_.states[i] : body_.captures[i - body_.states.size()];
      const TensorType* const type = leaf.type().tensor();
      batched.push_back(type != nullptr && inputs_[i].ndim() != type->ndim());
    }
    Batched result;
    std::vector<std::uint32_t> kept;
    const std::vector<Variable> stacked = for_each_example(length_, [&](const Variable& example) {
      result.roots = op_.call(rows_of(inputs_, batched, example));
      result.batched.resize(result.roots.size());
      std::vector<Variable> tensors;
      for (std::uint32_t j = 0; j < result.roots.size(); ++j) {
        if (result.roots[j].type().tensor() == nullptr) continue;
        kept.push_back(j);
        tensors.push_back(result.roots[j]);
      }
      return tensors;
    });
    for (std::size_t k = 0; k < kept.size(); ++k) {
      result.roots[kept[k]] = stacked[k];
      result.batched[kept[k]] = true;
    }
    return result;
  }

  const LoopOp& op_;
  const LoopBody& body_;
  const std::span<const Variable> inputs_;
  const Variable length_;
  const std::size_t first_next_ = body_.limit ? 2 : 1;  // in LoopBody::values
  const Variable n_examples_ = Variable::input(TensorType::scalar(DType::Int64), "n_examples");
  std::vector<bool> states_, captures_;  // whether they differ between examples
  std::vector<Variable> from_, to_;      // leaves of the body, and of the batch
};

}  // namespace

Batched batch_loop(const LoopOp& op, std::span<const Variable> inputs,
                   const std::vector<bool>& batched, const Variable& length) {
  return LoopBatch(op, inputs, batched, length).run();
}

}  // namespace thunkvm
