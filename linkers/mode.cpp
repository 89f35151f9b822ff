#include "linkers/mode.h"

#include "ops/graph/registry.h"
#include "ops/rewrites/rewrite.h"
#include "thunks/error.h"

#include <algorithm>

namespace thunkvm {
namespace {

constexpr std::string_view kRetains = "_nogc";

const std::vector<Optimizer>& optimizer_table() {
  static const std::vector<Optimizer> rows = {
      {"", {"fusion"}},
      {"fast_run", {"fusion", "merge", "inverses", "idempotents"}},
      {"fast_compile", {"merge"}},
  };
  return rows;
}

const std::vector<Feature>& feature_table() {
  static const std::vector<Feature> rows = [] {
    std::vector<Feature> features = {
        {"fusion",
         "chains of elementwise nodes, and the reductions that consume them, run as one loop"}};
    for (const NamedRewrite& rewrite : named_rewrites())
      features.push_back({rewrite.name, rewrite.summary, true});
    return features;
  }();
  return rows;
}

constexpr NamedMode kNamedModes[] = {
    {"FAST_RUN", "cvm", "fast_run"},
    {"FAST_COMPILE", "vm", "fast_compile"},
};

Mode optimized(std::string_view linker, std::string_view optimizer) {
  const std::vector<Optimizer>& rows = optimizer_table();
  const auto row = std::ranges::find(rows, optimizer, &Optimizer::name);
  Mode mode{.linker = std::string(linker)};
  mode.set_features(row->features);
  return mode;
}

[[noreturn]] void throw_no_mode(std::string_view name) {
  std::vector<std::string> names;
  for (const std::string_view suffix : {std::string_view(), kRetains})
    for (const LinkerRow& row : linkers()) names.push_back(std::string(row.name) += suffix);
  for (const NamedMode& mode : kNamedModes) names.emplace_back(mode.name);
  throw Error(ErrorKind::Value, "there is no mode '" + std::string(name) + "'; the modes are " +
                                    choices(name, names));
}

/// The linkers that are so.
std::string names_of(bool (*is_so)(const LinkerRow&)) {
  std::string names;
  for (const LinkerRow& row : linkers())
    if (is_so(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace

std::span<const Feature> features() { return feature_table(); }
std::span<const Optimizer> optimizers() { return optimizer_table(); }
std::span<const NamedMode> named_modes() { return kNamedModes; }

Mode Mode::named(std::string_view name) {
  for (const NamedMode& mode : kNamedModes)
    if (mode.name == name) return optimized(mode.linker, mode.optimizer);
  const bool retains = name.ends_with(kRetains);
  const std::string_view linker = name.substr(0, name.size() - (retains ? kRetains.size() : 0));
  for (const LinkerRow& row : linkers()) {
    if (row.name != linker) continue;
    Mode mode = optimized(linker, "");
    mode.retain_intermediates = retains;
    return mode;
  }
  throw_no_mode(name);
}

void Mode::set_features(std::span<const std::string_view> names) {
  fuse = false;
  rewrites.clear();
  for (const Feature& feature : feature_table()) {
    if (std::ranges::find(names, feature.name) == names.end()) continue;
    if (feature.rewrites)
      rewrites.emplace_back(feature.name);
    else
      fuse = true;
  }
}

CompileWhen Mode::compiles() const {
  const LinkerRow& row = thunkvm::linker(linker);
  if (!compile) return row.compiles.value_or(CompileWhen::Never);
  const std::string asked = "compile='" + std::string(name(*compile)) + "'";
  if (!row.compiles)
    throw Error(ErrorKind::Value,
                "the linker '" + linker + "' emits no C, so " + asked +
                    " has no meaning; leave it out, or choose one of " +
                    names_of([](const LinkerRow& other) { return other.compiles.has_value(); }) +
                    ".");
  if (!row.runs_without_c && *compile != CompileWhen::Now)
    throw Error(ErrorKind::Value,
                "the linker '" + linker +
                    "' runs emitted C alone, so it is compiled before the first call; " + asked +
                    " is for " +
                    names_of([](const LinkerRow& other) { return other.runs_without_c; }) + ".");
  return *compile;
}

}  // namespace thunkvm
