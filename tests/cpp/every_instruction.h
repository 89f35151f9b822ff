// every_instruction.h: a program with each instruction but Native, which is in no program.
#pragma once

#include "tests/cpp/assembler.h"
#include "thunks/demand.h"

#include <memory>

namespace thunkvm::testing {

inline std::shared_ptr<Program> every_instruction() {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), w = b.shared("w");
  const Index half = b.constant("half", Cell::of(0.5));
  const Index t = b.reg("t"), m = b.reg("m"), v = b.reg("v"), u = b.reg("u"), y = b.output("y"),
              z = b.update("z");
  const Index s = b.reg("s"), d = b.reg("d"), n = b.output("n");
  const Index no = b.label(), yes = b.label(), end = b.label(), leave = b.label(), go = b.label();
  const Index memo = b.memo("square.1");
  const Index lazy =
      b.lazy("pick.4", {v, x}, {u},
             straight_line([](Demand& demand) { demand.set_output(0, demand.force(0)); }));
  const Index loop = b.loop("loop.6", {s}, {n});
  b.thunk("add.0", {x, w, half}, {t}, sum);
  b.branch("ifelse.2", c, {no, yes});
  b.place(no);
  b.move(z, w);
  b.jump(end);
  b.place(yes);
  b.need(memo);
  b.move(z, t, true);
  b.retire({t});
  b.place(end);
  b.demand(lazy, 0);
  b.release(lazy);
  b.thunk("mul.5", {u, half}, {y}, product, {u, v, m, t});
  b.move(s, x);
  b.run_loop(loop);
  b.halt();
  b.memo_body(memo);
  b.thunk("square.1", {x, x}, {m}, product);
  b.ret();
  b.input_body(lazy, 0);
  b.need(memo);
  b.move(v, m);
  b.ret();
  b.input_body(lazy, 1);
  b.ret();
  b.step_body(loop);
  b.leave_or_go_on(loop, s, leave, go);
  b.place(go);
  b.thunk("add.7", {s, half}, {d}, sum);
  b.move(s, d, true);
  b.again(loop);
  b.place(leave);
  b.move(n, s);
  b.retire({s});
  b.ret();
  const auto program = b.build();
  program->code[Pc(1)].flag = kTake;
  return program;
}

}  // namespace thunkvm::testing
