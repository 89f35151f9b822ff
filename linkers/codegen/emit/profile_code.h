// profile_code.h: what the C of a profiled program has beside that of others: it reads the clock
// after each group of nodes, and notes which way branches go. Other programs have none of it.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/schedule/code_regions.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// The declarations of vm/recorder.h, after those of every module.
std::string profile_prelude();

/// Writes nothing where the plan is not profiled.
class ProfileCode {
 public:
  ProfileCode(const Plan& plan, EmittedCode& out);

  bool on() const { return on_; }
  /// The nodes belong to the lap that ends next. `local`: a variable of the function
  /// that they compute.
  void add(std::span<const std::uint32_t> nodes, const std::string& local = {});
  /// The group ends here: a lap.
  void end_group(const char* kind, CText& text);
  void took(std::uint32_t branch, std::uint32_t arm, CText& text) const;
  /// Before and after a memo body that is run from `pc`; and what they share, in front of the code.
  void before_body(std::uint32_t memo, std::uint32_t pc, CText& text) const;
  void after_body(std::uint32_t memo, std::uint32_t pc, CText& text) const;
  void declare_body(std::uint32_t memo, CText& head) const;

 private:
  const bool on_;
  EmittedCode& out_;
  const std::uint32_t first_group_;
  CodeRegions regions_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::string> locals_;
};

}  // namespace thunkvm
