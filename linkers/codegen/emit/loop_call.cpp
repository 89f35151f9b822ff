#include "linkers/codegen/emit/loop_call.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// A few on a line.
void write_numbers(const LoopNest& loop, FunctionWriter& c) {
  constexpr std::size_t kLine = 80;
  std::string line = "const tv_value numbers[] = {";
  std::size_t begin = line.size();
  bool first = true;
  const auto end_line = [&] { first ? c.text.line(line) : c.text.more(line); };
  for (const LoopNest::Number& number : loop.numbers) {
    const std::string item = "{." + c.member(number.dtype) + " = " + c.read(number.reg) + "}";
    if (line.size() > begin && line.size() - begin + item.size() > kLine) {
      line.pop_back();  // the space after a comma
      end_line();
      line.clear();
      begin = 0;
      first = false;
    }
    line += item + (&number == &loop.numbers.back() ? "};" : ", ");
  }
  end_line();
}

}  // namespace

void write_loop_call(const Plan& plan, const LoopNest& loop, const std::string& index,
                     FunctionWriter& c) {
  const auto is_number = [&](const LoopNest::Reduction& reduction) {
    return plan.reg(reduction.reg).number;
  };
  const bool numbers = !loop.numbers.empty();
  const bool results = std::ranges::any_of(loop.reductions, is_number);
  if (numbers || results) c.text.open("{");
  if (numbers) write_numbers(loop, c);
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
