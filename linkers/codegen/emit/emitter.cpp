#include "linkers/codegen/emit/emitter.h"

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/emit/limits.h"
#include "linkers/codegen/emit/outlined_code.h"
#include "linkers/codegen/emit/prelude.h"
#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/nest_instance.h"
#include "ops/graph/c_template.h"

namespace thunkvm {

class Emitter {
 public:
  Emitter(const Plan& plan, const std::stop_token& stop, EmittedCode& out)
      : plan_(plan), stop_(stop), program_(plan.program()), out_(out) {}

  void run() {
    out_.traced = plan_.options().traced;
    out_.gains_ = plan_.gains();
    out_.code = program_.code;
    find_forms_outside();
    for (std::uint32_t k = 0; k < plan_.outlined().size(); ++k) {
      const OutlinedFunction& outlined = plan_.outlined()[k];
      go_on_unless(stop_);
      if (module_.thunks + outlined.thunks > kModuleThunks) end_module();
      module_.thunks += outlined.thunks;
      emit_outlined(plan_, k, out_, module_);
      for (std::size_t label = 0; label < outlined.entries.size(); ++label)
        out_.code[plan_.schedule().statements[outlined.entries[label]].pc] = {
            Opcode::Native, 0, 0, k, static_cast<std::uint32_t>(label), outlined.thunks};
    }
    end_module();
    lay_out_memory();
  }

 private:
  /// The forms of the nodes that are in no outlined function.
  void find_forms_outside() {
    out_.forms_.resize(program_.n_nodes);
    const IndexedVector<StatementIndex, Statement>& statements = plan_.schedule().statements;
    for (const StatementIndex i : statements.indices())
      if (statements[i].kind == Statement::Kind::Run && plan_.outlined_at(i) == kNone)
        out_.forms_[statements[i].node] = {std::nullopt, "", plan_.step(statements[i].step()).why};
  }

  void lay_out_memory() {
    const std::size_t n = plan_.n_temporaries();
    std::size_t bytes = n * CallMemory::slot_bytes(n);
    for (FusedNest& nest : out_.nests) {
      nest.instance_at = bytes;
      bytes += NestInstance::bytes(nest);
    }
    out_.memory_bytes = bytes;
  }

  void end_module() {
    if (module_.thunks == 0) return;
    std::string head = std::string(kLibmDeclarations) + kCTypes + kPrelude;
    head += "\n";
    for (const auto& [name, function] : module_.functions) head += "\n" + function;
    CText& text = out_.texts_.emplace_back();
    text.verbatim(head);
    text.append(std::move(module_.nests));
    text.append(std::move(module_.outlined));
    module_ = {};
  }

  const Plan& plan_;
  const std::stop_token& stop_;
  const Program& program_;
  EmittedCode& out_;
  ModuleText module_;
};

std::shared_ptr<EmittedCode> emit(std::shared_ptr<const Program> program, const Schedule& schedule,
                                  const ShapeFacts& shapes, const PlanOptions& options,
                                  const std::stop_token& stop) {
  auto code = std::make_shared<EmittedCode>(std::move(program), schedule);
  const Plan plan(code->program(), schedule, shapes, options, stop);
  Emitter(plan, stop, *code).run();
  return code;
}

}  // namespace thunkvm
