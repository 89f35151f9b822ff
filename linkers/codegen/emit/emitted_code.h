// emitted_code.h: a program's emitted code: its C, and the parts around it at run time.
#pragma once

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/fused_nest.h"
#include "vm/native.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

/// How a node of a program runs, for people.
struct NodeForm {
  std::optional<ThunkForm> form;  ///< none: that of its thunk
  std::string region;  ///< "function 3", "function 3, nest 1"; empty: the interpreter runs it
  std::string why;     ///< why it has no better form; empty if it is the best
};

/// Made in two steps: `emit` (emitter.h) writes the C; `load` is given its compiled modules and
/// makes it runnable. Immutable from then on.
class EmittedCode final : public NativeCode {
 public:
  /// The code of a program and its schedule; there is no C yet.
  EmittedCode(std::shared_ptr<const Program> program, const Schedule& schedule)
      : program_(std::move(program)), nodes_(schedule.nodes) {}

  const Program& program() const { return *program_; }
  /// True if it is expected to be better than the interpreter.
  bool gains() const { return gains_; }

  /// The modules' C, without annotations: it is compiled, and a cache knows modules by it. It
  /// depends on no names, values of constants or addresses. Modules do not depend on each other;
  /// there is none if there is nothing to emit.
  std::size_t n_modules() const { return texts_.size(); }
  const std::string& source(std::size_t module) const { return texts_[module].code(); }
  /// The functions that `load` will ask a module for.
  std::vector<std::string> defines(std::size_t module) const;
  /// All of it, to read: with a comment for each node that says where the user made it. Like
  /// `node_of` it asks the host for names, so a thread of the host's does that.
  std::string readable() const;
  /// The node and its origin that a compiler complains of first, in a line `<stdin>:LINE:`; empty
  /// if it names none.
  std::string node_of(std::size_t module, const std::string& diagnostics) const;
  /// How each node runs, once loaded.
  const IndexedVector<ProgramNode, NodeForm>& forms() const { return forms_; }

  /// `symbol(module, name)` finds a function of a module; `modules` keeps the modules alive.
  void load(std::shared_ptr<const void> modules,
            const std::function<void*(std::size_t module, const std::string& name)>& symbol);

  std::vector<FusedNest> nests;

 private:
  friend class Emitter;
  friend class OutlinedCode;
  struct Function {
    std::size_t module;
    std::string name;
  };
  std::string name_of(ProgramNode node) const;

  std::shared_ptr<const Program> program_;  ///< the steps of nests and calls point into it
  std::span<const Variable> nodes_;         ///< the schedule's
  bool gains_ = false;
  std::vector<CText> texts_;                  // by module
  std::vector<Function> functions_, bodies_;  // by outlined function, by nest
  IndexedVector<ProgramNode, NodeForm> forms_;
  std::shared_ptr<const void> modules_;
};

}  // namespace thunkvm
