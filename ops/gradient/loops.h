// loops.h: derivatives and batches of loops.
#pragma once

#include "ops/control/loop.h"
#include "ops/gradient/gradient.h"

#include <span>
#include <vector>

namespace thunkvm {

/// The gradients with respect to the inputs of a closed loop that are `wanted`, from those that
/// come in at its outputs, as `Op::grad` says it: by a loop over the same steps, the last one
/// first.
///
/// Each of its steps computes again, by need, what the step computed, from what the loop keeps for
/// it (KeptSteps). An array that a step reads one row of by a position of its own (`x[i]`) gets the
/// gradients of the rows behind the loop, all at once.
std::vector<Variable> loop_gradients(Apply& node, const LoopOp& op,
                                     std::span<const Variable> incoming,
                                     const std::vector<bool>& wanted);

/// The same of a loop that ends where its first state, z, is a fixed point of a step: z = f(z, c).
/// From dz = (I - df/dz)^-1 df/dc dc (the implicit function theorem), by one linear system; the
/// first value and the steps make no difference.
std::vector<Variable> fixed_point_gradients(Apply& node, const LoopOp& op,
                                            std::span<const Variable> incoming);

/// The tangents of its outputs that are `wanted`, from those of its inputs (null: none), by the
/// same equation. Throws Error(NotImplemented) if that is more than the last value of its first
/// state; so do the gradients.
std::vector<Variable> fixed_point_tangents(Apply& node, const LoopOp& op,
                                           std::span<const Variable> tangents,
                                           const std::vector<bool>& wanted);

/// The outputs of a closed loop for a batch of inputs, those that differ between examples batched;
/// `length` is the batch's. Where examples may take different numbers of steps, each has a loop of
/// its own, one after the other.
Batched batch_loop(const LoopOp& op, std::span<const Variable> inputs,
                   const std::vector<bool>& batched, const Variable& length);

}  // namespace thunkvm
