// lazy_program.h: a program of one lazy thunk, of which a test sees which inputs were computed.
#pragma once

#include "tests/cpp/assembler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm::testing {

/// A lazy thunk with inputs in0, in1, ... of values 1, 10, 100, ..., each computed by an input body
/// of its own that logs its name, and outputs out0, out1, ..., of which `demands` are demanded one
/// after another.
struct LazyProgram {
  LazyProgram(int n_inputs, int n_outputs, std::vector<Index> demands, ThunkCode code,
              bool retain_intermediates = false) {
    Registers inputs, outputs;
    for (int i = 0; i < n_inputs; ++i) inputs.push_back(b.reg("in" + std::to_string(i)));
    for (int j = 0; j < n_outputs; ++j) {
      const bool demanded = std::count(demands.begin(), demands.end(), Index(j)) != 0;
      outputs.push_back(demanded ? b.output("out" + std::to_string(j))
                                 : b.reg("out" + std::to_string(j)));
    }
    const Index lazy = b.lazy("lazy", inputs, outputs, std::move(code));
    if (retain_intermediates) b.retain_intermediates();
    for (const Index demand : demands) b.demand(lazy, demand);
    if (!retain_intermediates) b.retire(inputs);
    b.halt();
    double value = 1;
    for (int i = 0; i < n_inputs; ++i, value *= 10) {
      b.input_body(lazy, Index(i));
      b.thunk("in" + std::to_string(i), {}, {inputs[i]},
              [this, i, value](Activation& a, const Operands& o) {
                log += "in" + std::to_string(i) + " ";
                if (i == failing) throw Error(kind, "input failed");
                a.output(o, 0).set(value);
              });
      b.ret();
    }
  }
  Machine machine() { return Machine(b.build()); }

  ProgramBuilder b;
  std::string log;
  int failing = -1;
  ErrorKind kind = ErrorKind::Value;  ///< of its failure
};

}  // namespace thunkvm::testing
