#include "linkers/codegen/emit/chunk_code.h"

#include "linkers/assembler.h"
#include "linkers/codegen/emit/loop_body.h"
#include "linkers/codegen/emit/prelude.h"
#include "linkers/codegen/plan/c_text.h"
#include "ops/graph/c_template.h"

#include <algorithm>
#include <map>
#include <set>

namespace thunkvm {

class ChunkCode {
 public:
  ChunkCode(const Plan& plan, const ChunkNotes& notes, std::span<const std::uint32_t> function_of,
            std::uint32_t chunk, ProfileCode& profile, EmittedCode& out, ModuleText& module)
      : plan_(plan),
        notes_(notes),
        program_(plan.program()),
        schedule_(plan.schedule()),
        function_of_(function_of),
        chunk_(chunk),
        profile_(profile),
        out_(out),
        module_(module) {}

  void emit() {
    const Chunk& chunk = plan_.chunks()[chunk_];
    const std::string name = "chunk_" + std::to_string(function_of_[chunk_]);
    const std::uint32_t next =
        chunk.end < schedule_.statements.size() ? plan_.pc(chunk.end) : kNone;
    const bool ends = emit_range(chunk.begin, chunk.end, next);
    if (ends) text_ += "  return " + std::to_string(next) + ";\n";
    std::string head = "u32 " + name + "(tv_call *call, u32 label) {\n";
    head += notes_.block_at(chunk.begin) + notes_.registers(text_);
    const std::string code = without_comments(text_);
    const auto uses = [&](const char* what) { return code.find(what) != std::string::npos; };
    if (uses("R[")) head += "  tv_cell *const R = call->cells;\n";
    if (uses("N[")) head += "  u64 *const N = call->counters;\n";
    if (uses("S->") || uses("(S, ")) head += "  const tv_services *const S = call->services;\n";
    std::map<std::string, std::string> declared;
    for (const std::uint32_t reg : locals_) {
      std::string& list = declared[c_type(plan_.reg(reg).dtype)];
      list += (list.empty() ? " r" : ", r") + std::to_string(reg) + " = 0";
    }
    for (const auto& [type, list] : declared) head += "  " + type + list + ";\n";
    if (chunk.entries.size() > 1) {
      head += "  switch (label) {\n";
      for (std::size_t i = 1; i < chunk.entries.size(); ++i)
        head += "  case " + std::to_string(i) + ": " + go(chunk.entries[i]) + "\n";
      head += "  }\n";
    }
    module_.chunks += head + indented(text_, gotos_) + "}\n\n";
    out_.functions_.push_back({out_.sources_.size(), name});
  }

 private:
  /// The statements in [begin, end). `next` is the pc that what comes after them leads to. True: it
  /// may end there.
  bool emit_range(std::uint32_t begin, std::uint32_t end, std::uint32_t next) {
    bool ends = true;
    for (std::uint32_t i = begin; i < end;) {
      const Statement& s = schedule_.statements[i];
      if (!schedule_.has_instruction(s)) {
        ++i;
        continue;
      }
      text_ += "L" + std::to_string(s.pc) + ":;\n";
      if (s.kind == Statement::Kind::Branch) {
        // An arm that lies in another function, in part or as a whole, is gone to.
        const std::uint32_t after = schedule_.after(schedule_.branches[s.index]);
        ends = after <= end;
        emit_branch(s, ends, after == end ? next : plan_.pc(after));
        i = ends ? after : i + 1;
        continue;
      }
      ends = true;
      if (s.kind == Statement::Kind::End)
        ends = emit_end(s, i + 1 == end ? next : s.pc + 1);
      else
        emit_statement(s);
      i = s.kind == Statement::Kind::Run ? schedule_.segment_end(i) : i + 1;
    }
    return ends;
  }

  void emit_statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Run: emit_run(s.pc); return;
      case Statement::Kind::Move: emit_move(s); return;
      case Statement::Kind::Need: emit_need(s.index, s.pc); return;
      case Statement::Kind::Retire: retire(schedule_.dying_in(s)); return;
      case Statement::Kind::Branch:
      case Statement::Kind::End:  // emit_range's
      case Statement::Kind::Demand:
      case Statement::Kind::Release: return;  // in no chunk
    }
  }

  /// The end of a block; `next` is the pc that follows. True: control comes there.
  bool emit_end(const Statement& end, std::uint32_t next) {
    const Block& block = schedule_.blocks[end.index];
    if (block.kind != Block::Kind::Arm) {
      text_ += "  return " + std::to_string(end.pc) + ";\n";
      return false;
    }
    const std::uint32_t to = plan_.pc(schedule_.after(schedule_.branches[block.owner]));
    if (to != next) text_ += "  " + go(to) + "\n";
    return to == next;
  }

  /// To a pc: within this function, or by way of the interpreter.
  std::string go(std::uint32_t pc) {
    if (plan_.chunk_at(pc) != chunk_) return "return " + std::to_string(pc) + ";";
    gotos_.insert(pc);
    return "goto L" + std::to_string(pc) + ";";
  }

  std::string cell(std::uint32_t reg) const { return "R[" + std::to_string(reg) + "]"; }
  std::string member(DType dtype) const { return c_type(dtype); }

  std::string read(std::uint32_t reg) {
    const RegisterForm& form = plan_.reg(reg);
    if (!form.local) return cell(reg) + ".value." + member(form.dtype);
    locals_.insert(reg);
    return "r" + std::to_string(reg);
  }

  void write(std::uint32_t reg, const std::string& value) {
    const RegisterForm& form = plan_.reg(reg);
    if (form.local) {
      locals_.insert(reg);
      text_ += "  r" + std::to_string(reg) + " = " + value + ";\n";
      return;
    }
    const std::string c = cell(reg);
    if (item_size(form.dtype) < 8) text_ += "  " + c + ".value.u64 = 0;\n";
    text_ += "  " + c + ".value." + member(form.dtype) + " = " + value + ";\n";
    text_ += "  " + c + ".meta = " + cell_meta_name(form.dtype) + ";\n";
  }

  void retire(std::span<const std::uint32_t> registers) {
    for (const std::uint32_t reg : registers) {
      const RegisterForm& form = plan_.reg(reg);
      if (form.local) continue;
      if (form.number)
        text_ += "  " + cell(reg) + ".meta = 0;\n";
      else
        text_ += "  tv_retire(S, &" + cell(reg) + ");\n";
    }
  }

  void count(std::uint32_t counter) { text_ += "  ++N[" + std::to_string(counter) + "];\n"; }

  void emit_run(std::uint32_t pc) {
    count(program_.code[pc].c);
    const std::vector<Unit>& units = plan_.units(pc);
    for (std::size_t u = 0; u < units.size(); ++u) {
      const Unit& unit = units[u];
      for (const std::uint32_t step : unit.steps) text_ += comment(program_.steps[step].node);
      if (plan_.options().traced) tell("before", unit);
      switch (unit.kind) {
        case Unit::Kind::Expression: emit_expression(unit); break;
        case Unit::Kind::Loop: emit_loop_call(unit, after(units, u)); break;
        case Unit::Kind::Call: emit_call(unit, after(units, u)); break;
      }
      if (plan_.options().traced) tell("after", unit);
      retire(kept(unit));
      if (profile_.on()) lap(unit, u + 1 == units.size() ? nullptr : &units[u + 1]);
    }
  }

  /// Expressions that follow each other are one group: a read of the clock costs more than each.
  void lap(const Unit& unit, const Unit* next) {
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t step : unit.steps) nodes.push_back(program_.steps[step].node);
    if (unit.kind != Unit::Kind::Expression) {
      profile_.add(nodes);
      text_ += profile_.end_group(unit.kind == Unit::Kind::Loop ? "loop" : "call");
      return;
    }
    const std::uint32_t reg = program_.steps[unit.steps.front()].operands.output(0);
    profile_.add(nodes, plan_.reg(reg).local ? "r" + std::to_string(reg) : "");
    if (next == nullptr || next->kind != Unit::Kind::Expression)
      text_ += profile_.end_group("expression");
  }

  /// The steps of a segment that are not reached if unit `u` fails; without rematerialised views,
  /// which may be another segment's.
  std::vector<StepRange> after(const std::vector<Unit>& units, std::size_t u) const {
    std::vector<std::uint32_t> steps;
    for (std::size_t k = u + 1; k < units.size(); ++k)
      for (const std::uint32_t step : units[k].steps)
        if (!plan_.is_rematerialised(step)) steps.push_back(step);
    std::sort(steps.begin(), steps.end());
    std::vector<StepRange> ranges;
    for (const std::uint32_t step : steps) {
      if (!ranges.empty() && ranges.back().second == step)
        ++ranges.back().second;
      else
        ranges.push_back({step, step + 1});
    }
    return ranges;
  }

  /// What a unit retires: the values of a loop that only its members read were never there.
  std::vector<std::uint32_t> kept(const Unit& unit) {
    std::vector<std::uint32_t> retired;
    for (const std::uint32_t reg : unit.retired)
      if (std::find(internal_.begin(), internal_.end(), reg) == internal_.end())
        retired.push_back(reg);
    internal_.clear();
    return retired;
  }

  /// `when`: "before" or "after".
  void tell(const std::string& when, const Unit& unit) {
    for (const std::uint32_t step : unit.steps)
      text_ += "  if (S->" + when + "(call, " + std::to_string(step) + ")) return TV_FAILED;\n";
  }

  std::string region() const { return "chunk " + std::to_string(function_of_[chunk_]); }

  void emit_expression(const Unit& unit) {
    const std::uint32_t step = unit.steps.front();
    const Operands& o = program_.steps[step].operands;
    const ElementCode& code = *plan_.step(step).code;
    std::vector<std::string> inputs;
    for (int i = 0; i < o.n_inputs; ++i) inputs.push_back(read(o.input(i)));
    const DType dtype = plan_.reg(o.output(0)).dtype;
    const char* const c = plan_.step(step).c;
    if (code.c_function != nullptr) {
      const std::string function = fill_c_function(code.c_function, code.op, dtype);
      module_.functions.emplace(c_function_name(code.op, dtype), function);
      find_calls(function, module_.libm);
    }
    find_calls(c, module_.libm);
    write(o.output(0), unparenthesised(fill_c_template(c, code.op, dtype, inputs)));
    place(program_.steps[step].node) = {"emitted", region(), ""};
  }

  void emit_call(const Unit& unit, std::vector<StepRange> after) {
    const std::uint32_t index = unit.steps.front();
    NativeSteps steps;
    steps.indices = unit.steps;
    steps.steps = {program_.steps[index]};
    steps.after = std::move(after);
    Operands& o = steps.steps[0].operands;
    o.dying = plan_.options().traced ? 0 : dying_inputs(o, unit.retired);
    text_ += notes_.call(index);
    text_ += "  if (S->run(call, " + std::to_string(out_.calls.size()) + ")) return TV_FAILED;\n";
    out_.calls.push_back(std::move(steps));
    const StepForm& form = plan_.step(index);
    const char* const alone =
        plan_.options().fuse ? "no neighbour can be fused with it" : "the mode fuses nothing";
    place(program_.steps[index].node) = {"", region(), *form.why != '\0' ? form.why : alone};
  }

  void emit_loop_call(const Unit& unit, std::vector<StepRange> after) {
    EmittedLoop emitted = emit_loop(plan_, unit, std::move(after));
    const LoopNest& loop = emitted.nest;
    const std::string index = std::to_string(out_.loops.size());
    auto [name, added] =
        module_.loop_names.emplace(without_comments(emitted.body), "loop_" + index);
    text_ += notes_.loop(loop, index, name->second);
    if (loop.computes() && added) module_.loops += "void " + name->second + emitted.body + "\n";
    std::string numbers;
    for (const LoopNest::Number& number : loop.numbers)
      numbers +=
          (numbers.empty() ? "{." : ", {.") + member(number.dtype) + " = " + read(number.reg) + "}";
    bool results = false;
    for (const LoopNest::Reduction& fold : loop.reductions) results |= plan_.reg(fold.reg).number;
    if (numbers.empty() && !results) {
      text_ += "  if (S->loop(call, " + index + ", 0, 0)) return TV_FAILED;\n";
    } else {
      text_ += "  {\n";
      if (!numbers.empty()) text_ += "  const tv_value numbers[] = {" + wrapped(numbers) + "};\n";
      if (results) text_ += "  tv_value results[" + std::to_string(loop.reductions.size()) + "];\n";
      text_ += "  if (S->loop(call, " + index + ", " + (numbers.empty() ? "0" : "numbers") + ", " +
               (results ? "results" : "0") + ")) return TV_FAILED;\n";
      for (std::size_t f = 0; f < loop.reductions.size(); ++f)
        if (plan_.reg(loop.reductions[f].reg).number)
          write(loop.reductions[f].reg, "results[" + std::to_string(f) + "]." +
                                            member(plan_.reg(loop.reductions[f].reg).dtype));
      text_ += "  }\n";
    }
    internal_ = loop.internal;
    for (const std::uint32_t step : unit.steps)
      place(program_.steps[step].node) = {"loop", region() + ", loop " + index, ""};
    out_.bodies_.push_back({out_.sources_.size(), name->second});
    out_.loops.push_back(std::move(emitted.nest));
  }

  /// With its arms, which lead to `next`; `whole`: else these are elsewhere.
  void emit_branch(const Statement& s, bool whole, std::uint32_t next) {
    const ScheduledBranch& branch = schedule_.branches[s.index];
    const RegisterForm& form = plan_.reg(branch.selector);
    const std::string index = std::to_string(s.index);
    for (const std::uint32_t conditional : schedule_.decided_by(branch)) {
      text_ += comment(conditional);
      place(conditional) = {"branch", region(), ""};
    }
    const auto retired = std::span(&branch.selector, s.takes ? 1 : 0);
    const std::string arm_call =
        form.number ? "S->arm_of(call, " + index + ", (tv_value){." + member(form.dtype) + " = " +
                          read(branch.selector) + "}, " + cell_meta_name(form.dtype) + ")"
                    : "S->arm(call, " + index + ")";
    if (branch.decoding == Decoding::Truth && form.number) {
      const std::string selector = read(branch.selector);
      if (is_float(form.dtype))
        text_ += "  if (" + selector + " != " + selector + ") return " + arm_call + ";\n";
      text_ += "  if (" + selector + ") {\n";
      retire(retired);
      emit_arm(s, 1, whole, next);
      text_ += "  } else {\n";
      retire(retired);
      emit_arm(s, 0, whole, next);
      text_ += "  }\n";
      return;
    }
    if (form.number && !is_float(form.dtype)) {
      text_ += "  {\n  const " + std::string(form.dtype == DType::UInt64 ? "u64" : "i64") +
               " arm = " + read(branch.selector) + ";\n";
      if (branch.decoding == Decoding::Index)
        text_ +=
            "  if ((u64)arm >= " + std::to_string(branch.n_arms) + ") return " + arm_call + ";\n";
    } else {
      text_ += "  {\n  const u32 arm = " + arm_call + ";\n";
      text_ += "  if (arm == TV_FAILED) return TV_FAILED;\n";
    }
    retire(retired);
    text_ += "  switch (arm) {\n";
    for (std::uint32_t a = 0; a < branch.n_arms; ++a) {
      const bool last = a + 1 == branch.n_arms;
      text_ += last ? "  default: {\n" : "  case " + std::to_string(a) + ": {\n";
      if (emit_arm(s, a, whole, next) && !last) text_ += "  break;\n";
      text_ += "  }\n";
    }
    text_ += "  }\n  }\n";
  }

  bool emit_arm(const Statement& s, std::uint32_t arm, bool whole, std::uint32_t next) {
    const Block& block = schedule_.arm(schedule_.branches[s.index], arm);
    count(program_.branches[s.index].first_counter + arm);
    text_ += profile_.took(s.index, arm);
    if (whole) return emit_range(block.begin, block.end, next);
    text_ += "  " + go(plan_.pc(block.begin)) + "\n";
    return false;
  }

  void emit_move(const Statement& s) {
    count(program_.code[s.pc].c);
    if (plan_.reg(s.to).number && plan_.reg(s.from).number) {
      write(s.to, read(s.from));
      if (s.takes) retire(std::span(&s.from, 1));
      return;
    }
    text_ +=
        "  S->move(&" + cell(s.to) + ", &" + cell(s.from) + ", " + (s.takes ? "1" : "0") + ");\n";
  }

  void emit_need(std::uint32_t memo, std::uint32_t pc) {
    const std::string m = std::to_string(memo);
    text_ += notes_.need(memo);
    text_ += "  if (call->done[" + m + "] != TV_COMPUTED) {\n" + profile_.before_body(memo, pc) +
             "  if (S->begin_memo(call, " + m + ")) return TV_FAILED;\n  if (call->functions[" +
             std::to_string(function_of_[plan_.memo_chunk(memo)]) +
             "](call, 0) == TV_FAILED) return S->fail_memo(call, " + m + ");\n" +
             profile_.after_body(pc) + "  }\n";
  }

  NodePlace& place(std::uint32_t node) { return out_.places_[node]; }

  const Plan& plan_;
  const ChunkNotes& notes_;
  const Program& program_;
  const Schedule& schedule_;
  const std::span<const std::uint32_t> function_of_;  // by chunk
  const std::uint32_t chunk_;
  ProfileCode& profile_;
  EmittedCode& out_;
  ModuleText& module_;
  std::string text_;
  std::set<std::uint32_t> locals_, gotos_;
  std::vector<std::uint32_t> internal_;  // of the loop that was emitted last
};

void emit_chunk(const Plan& plan, const ChunkNotes& notes,
                std::span<const std::uint32_t> function_of, std::uint32_t chunk,
                ProfileCode& profile, EmittedCode& out, ModuleText& module) {
  ChunkCode(plan, notes, function_of, chunk, profile, out, module).emit();
}

}  // namespace thunkvm
