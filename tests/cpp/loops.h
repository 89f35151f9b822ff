// loops.h: loops in graphs of tests.
#pragma once

#include "ops/control/loop.h"

#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// The last values of the states after `while (test) states = nexts`, and what else a loop has
/// (LoopOutputs).
inline std::vector<Variable> while_loop(std::vector<Variable> states, std::vector<Variable> firsts,
                                        Variable test, std::vector<Variable> nexts) {
  const Ref<LoopBody> body(new LoopBody);
  body->name = "while_loop";
  body->states = std::move(states);
  body->test = std::move(test);
  body->nexts = std::move(nexts);
  return make_loop(*body, firsts);
}

}  // namespace thunkvm
