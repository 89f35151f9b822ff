#include "linkers/codegen/emit/emitter.h"

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/emit/limits.h"
#include "linkers/codegen/emit/outlined_code.h"
#include "linkers/codegen/emit/prelude.h"
#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/loop_instance.h"
#include "ops/graph/c_template.h"

namespace thunkvm {

class Emitter {
 public:
  Emitter(const Plan& plan, const std::stop_token& stop, EmittedCode& out)
      : plan_(plan),
        stop_(stop),
        annotations_(plan),
        program_(plan.program()),
        profile_(plan, out),
        out_(out) {}

  void run() {
    out_.traced = plan_.options().traced;
    out_.gains_ = plan_.gains();
    number_functions();
    out_.code = program_.code;
    out_.forms_.resize(program_.n_nodes);
    for (std::uint32_t k = 0; k < plan_.outlined().size(); ++k) {
      const OutlinedFunction& outlined = plan_.outlined()[k];
      go_on_unless(stop_);
      if (!outlined.emitted) {
        leave_out(outlined);
        continue;
      }
      if (module_.thunks + outlined.thunks > kModuleThunks) end_module();
      module_.thunks += outlined.thunks;
      emit_outlined(plan_, annotations_, function_of_, k, profile_, out_, module_);
      for (std::size_t label = 0; label < outlined.entries.size(); ++label)
        out_.code[outlined.entries[label]] = {
            Opcode::Native, 0, 0, function_of_[k], static_cast<std::uint32_t>(label),
            outlined.thunks};
    }
    end_module();
    lay_out_memory();
  }

 private:
  void number_functions() {
    function_of_.assign(plan_.outlined().size(), kNone);
    std::uint32_t n = 0;
    for (std::size_t k = 0; k < plan_.outlined().size(); ++k)
      if (plan_.outlined()[k].emitted) function_of_[k] = n++;
  }

  void lay_out_memory() {
    const std::size_t n = plan_.n_temporaries();
    std::size_t bytes = n * CallMemory::slot_bytes(n);
    for (LoopNest& loop : out_.loops) {
      loop.instance_at = bytes;
      bytes += LoopInstance::bytes(loop);
    }
    out_.memory_bytes = bytes;
  }

  void end_module() {
    if (module_.thunks == 0) return;
    std::string head = std::string(kLibmDeclarations) + kPrelude;
    if (profile_.on()) head += kProfilePrelude;
    head += "\n";
    for (const auto& [name, function] : module_.functions) head += "\n" + function;
    CText text;
    text.verbatim(head);
    text.append(module_.loops);
    text.append(module_.outlined);
    out_.sources_.push_back(text.code());
    out_.texts_.push_back(std::move(text));
    module_ = {};
  }

  void leave_out(const OutlinedFunction& outlined) {
    for (std::uint32_t i = outlined.begin; i < outlined.end; ++i)
      if (const Statement& s = plan_.schedule().statements[i]; s.kind == Statement::Kind::Run)
        out_.forms_[s.node] = {"", "", plan_.step(s.index).why};
  }

  const Plan& plan_;
  const std::stop_token& stop_;
  const Annotations annotations_;
  const Program& program_;
  ProfileCode profile_;
  EmittedCode& out_;
  std::vector<std::uint32_t> function_of_;  // by outlined function
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
