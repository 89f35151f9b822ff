#include "linkers/linker_table.h"

#include "ops/control/loop_tape.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

#include <array>
#include <string>

namespace thunkvm {
namespace {

using enum ThunkOrigin;

const std::vector<LinkerRow>& table() {
  static const std::vector<LinkerRow> rows = {
      {.name = "py",
       .summary = "a NumPy `perform` for every node, called by need, with no analysis of demand: "
                  "what the others are tested against",
       .thunks = {Perform, LazyKernel},
       .placed = false},
      {.name = "vm",
       .summary = "the lazy VM, with a NumPy `perform` for every node",
       .thunks = {Perform, LazyKernel}},
      {.name = "cvm",
       .summary = "the lazy VM over native kernels, NumPy's `perform` where an Op has no kernel; "
                  "after a few calls, C is compiled for the program in the background, and calls "
                  "change over to it",
       .thunks = {Kernel, UserC, Perform},
       .compiles = CompileWhen::Background,
       .runs_without_c = true},
      {.name = "c",
       .summary = "emitted C and native kernels alone, compiled when the function is made; an Op "
                  "with neither is an error",
       .thunks = {Kernel, UserC},
       .compiles = CompileWhen::Now,
       .advice = "C and native kernels are all that mode \"c\" has: give the Op a c_code, or "
                 "choose mode=\"cvm\", which runs an Op's perform too"},
      {.name = "c|py",
       .summary = "each node as a C function of its own, else as a kernel or `perform`",
       .thunks = {Kernel, UserC, Perform},
       .compiles = CompileWhen::Now,
       .unfused = true},
      {.name = "c&py",
       .summary = "the same, each node compared with its `perform`: what is wrong is named",
       .thunks = {Kernel, UserC, Perform},
       .compiles = CompileWhen::Now,
       .unfused = true,
       .compared = true},
  };
  return rows;
}

struct NamedWhen {
  CompileWhen when;
  std::string_view name;
};
constexpr std::array kWhens = {NamedWhen{CompileWhen::Now, "now"},
                               NamedWhen{CompileWhen::Background, "background"},
                               NamedWhen{CompileWhen::Never, "never"}};

// A native thunk of what has no other way to run: lazy Ops of C++, and the tapes of loops.
ThunkCode lazy_kernel(const Apply& node) {
  ThunkCode code = native_thunk(node);
  return code.lazy || is_of_tapes(node) ? code : ThunkCode{};
}

ThunkSource source(ThunkOrigin origin, const HostThunks& thunks) {
  switch (origin) {
    case Kernel: return native_thunk;
    case LazyKernel: return lazy_kernel;
    case UserC: return thunks.user_c;
    case Perform: break;
  }
  return thunks.perform;
}

}  // namespace

std::string_view name(CompileWhen when) {
  for (const NamedWhen& row : kWhens)
    if (row.when == when) return row.name;
  return {};
}

CompileWhen compile_when(std::string_view name) {
  for (const NamedWhen& row : kWhens)
    if (row.name == name) return row.when;
  std::vector<std::string> names;
  for (const NamedWhen& row : kWhens) names.emplace_back(row.name);
  throw Error(ErrorKind::Value, "compile is '" + std::string(name) + "'; it has to be one of " +
                                    choices(name, names));
}

std::span<const LinkerRow> linkers() { return table(); }

const LinkerRow& linker(std::string_view name) {
  std::vector<std::string> names;
  for (const LinkerRow& row : table()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(ErrorKind::Value, "there is no linker '" + std::string(name) + "'; the linkers are " +
                                    choices(name, names));
}

std::string emitting_linkers() {
  std::string names;
  std::string_view last;
  for (const LinkerRow& row : table()) {
    if (!row.compiles) continue;
    if (!last.empty()) names += (names.empty() ? "'" : ", '") + std::string(last) + "'";
    last = row.name;
  }
  return names + " and '" + std::string(last) + "'";
}

LinkChoice choose_link(const LinkerRow& linker, const HostThunks& thunks, bool retain_intermediates,
                       bool fuse, bool traced) {
  LinkChoice choice;
  LinkOptions& link = choice.link;
  link.placed = linker.placed;
  link.retain_intermediates = retain_intermediates;
  link.traced = traced;
  link.advice = linker.advice;
  link.sources.clear();
  for (const ThunkOrigin origin : linker.thunks)
    if (ThunkSource from = source(origin, thunks)) link.sources.push_back(std::move(from));
  link.emits = linker.compiles.has_value();
  choice.emits = link.emits && !(traced && linker.runs_without_c);
  const bool unfused = linker.unfused || (choice.emits && traced);
  link.one_by_one = unfused;
  choice.emission = {.fuse = fuse, .unfused = unfused, .traced = unfused && traced};
  const bool alone = retain_intermediates || traced || unfused;
  if (link.emits && thunks.scheduled)
    link.scheduled = [scheduled = thunks.scheduled, alone](Schedule& schedule) {
      scheduled(schedule, alone);
    };
  return choice;
}

}  // namespace thunkvm
