#include "vm/verify/defining_blocks.h"

#include "vm/verify/program_error.h"

#include <string>

namespace thunkvm {

namespace {

void nothing(std::uint32_t) {}

}  // namespace

DefiningBlocks::DefiningBlocks(const Program& program, const BodyGraph& bodies)
    : given(program.n_registers),
      stays(program.n_registers),
      writer(program.n_registers, kNone),
      deep(bodies.n_entries()) {
  const auto give = [&](std::uint32_t index, const char* list) {
    if (given[index])
      throw_invalid(list, register_text(program, index) +
                              " is given twice: a constant, an input "
                              "or a shared variable has one of its own");
    given[index] = true;
  };
  for (const auto& [index, value] : program.constants) give(index, "the constants");
  for (const std::uint32_t index : program.inputs) give(index, "the inputs");
  for (const std::uint32_t index : program.shared) give(index, "the shared variables");
  stays = given;
  for (const auto* list : {&program.outputs, &program.updates})
    for (const std::uint32_t index : *list) stays[index] = true;
  find_writers(program, bodies);
  find_deep(program, bodies);
}

void DefiningBlocks::find_writers(const Program& program, const BodyGraph& bodies) {
  const auto claim = [&](std::uint32_t index, Entry entry, auto&& where) {
    if (given[index])
      throw_invalid(where(), register_text(program, index) +
                                 " is written, but it is a constant or given by the caller");
    if (writer[index] != kNone && writer[index] != entry)
      throw_invalid(where(), register_text(program, index) +
                                 " is written in two bodies: every value has one defining block");
    writer[index] = entry;
  };
  for (std::uint32_t l = 0; l < program.lazies.size(); ++l) {
    const Operands& operands = program.lazies[l].operands;
    for (int j = 0; j < operands.n_outputs; ++j) {
      claim(operands.output(j), bodies.lazy(l), [&] { return bodies.name(bodies.lazy(l)); });
      stays[operands.output(j)] = true;
    }
  }
  // By output of a lazy thunk: the innermost body around all demands of it.
  std::vector<Entry> demanded(program.n_registers, kNone);
  for (Entry body = 0; body < bodies.n_bodies(); ++body)
    for (const std::uint32_t pc : bodies.instructions(body)) {
      const auto write = [&](std::uint32_t index) {
        claim(index, body, [&] { return instruction_text(program, pc); });
      };
      each_touch(program, bodies, body, pc, nothing, write, nothing);
      const auto& [op, flag, unused, lazy, output, c] = program.code[pc];
      if (op != Opcode::Lazy) continue;
      Entry& around = demanded[program.lazies[lazy].operands.output(static_cast<int>(output))];
      around = around == kNone ? body : bodies.common_dominator(around, body);
    }
  for (Entry& entry : writer)
    if (entry == kNone) entry = 0;
  block = writer;
  for (std::uint32_t index = 0; index < program.n_registers; ++index)
    if (demanded[index] != kNone) block[index] = demanded[index];
}

void DefiningBlocks::find_deep(const Program& program, const BodyGraph& bodies) {
  std::vector<bool> constant(program.n_registers), update(program.n_registers);
  for (const auto& [index, value] : program.constants) constant[index] = true;
  for (const std::uint32_t index : program.updates) update[index] = true;
  std::vector<Entry> entered_by(bodies.n_entries(), kNone);
  for (Entry body = 0; body < bodies.n_bodies(); ++body) {
    for (const Entry to : bodies.callees(body)) entered_by[to] = body;
    for (const std::uint32_t pc : bodies.instructions(body)) {
      const auto read = [&](std::uint32_t index) {
        const Entry from = block[index];
        if (from != body && entered_by[from] != body)
          deep[bodies.dominates(from, body) ? from : body] = true;
      };
      const auto retire = [&](std::uint32_t index) {
        const auto refuse = [&](const std::string& why) {
          const bool taken = (program.code[pc].flag & kTake) != 0;
          throw_invalid(
              program, pc,
              register_text(program, index) + (taken ? " is taken" : " is retired") + why);
        };
        if (constant[index]) refuse(", but it is a constant");
        if (program.retain_intermediates) refuse(" in a program that keeps its values");
        if (update[index]) refuse(" on some path, but it is an update");
        if (!bodies.dominates(body, writer[index]))
          refuse(" in " + bodies.name(body) + ", which does not have the value from " +
                 bodies.name(writer[index]) +
                 " for itself: retire it there, or in a body around it");
        if (writer[index] != body) deep[body] = true;
      };
      each_touch(program, bodies, body, pc, read, nothing, retire);
    }
  }
}

}  // namespace thunkvm
