#include "linkers/codegen/emit/loop_call.h"

#include <algorithm>

namespace thunkvm {

void write_loop_call(const Plan& plan, const LoopNest& loop, const std::string& index,
                     FunctionWriter& c) {
  const auto is_number = [&](const LoopNest::Reduction& reduction) {
    return plan.reg(reduction.reg).number;
  };
  const bool numbers = !loop.numbers.empty();
  const bool results = std::ranges::any_of(loop.reductions, is_number);
  if (numbers || results) c.text.open("{");
  if (numbers) c.text.open("const tv_value numbers[] = {");
  for (const LoopNest::Number& number : loop.numbers)
    c.text.line("{." + c.member(number.dtype) + " = " + c.read(number.reg) + "},");
  if (numbers) c.text.close("};");
  if (results) c.text.line("tv_value results[" + std::to_string(loop.reductions.size()) + "];");
  c.call_or_fail("loop",
                 index + ", " + (numbers ? "numbers" : "0") + ", " + (results ? "results" : "0"));
  for (std::size_t f = 0; f < loop.reductions.size(); ++f)
    if (is_number(loop.reductions[f])) {
      const std::uint32_t reg = loop.reductions[f].reg;
      c.write(reg, "results[" + std::to_string(f) + "]." + c.member(plan.reg(reg).dtype));
    }
  if (numbers || results) c.text.close();
}

}  // namespace thunkvm
